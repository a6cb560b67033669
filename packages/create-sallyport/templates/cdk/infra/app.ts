import { readFileSync } from 'node:fs';
import { App } from 'aws-cdk-lib';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { __CLASS_NAME__Stack } from './stack.js';

// The flags are in cdk.json, which the CDK's command line reads too.
const { context } = JSON.parse(readFileSync('cdk.json', 'utf8'));
const app = new App({ outdir: 'cdk.out', context });
new __CLASS_NAME__Stack(app, '__CLASS_NAME__', { code: Code.fromAsset('dist') });
app.synth();
