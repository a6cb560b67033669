import { readFileSync } from 'node:fs';
import { App } from 'aws-cdk-lib/core';
import { createStack } from './stack.js';

const app = new App({ outdir: 'cdk.out', context: JSON.parse(readFileSync('cdk.json', 'utf8')).context });
createStack(app);
app.synth();
