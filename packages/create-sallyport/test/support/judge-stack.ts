/** Judges the stacks of generated projects in both stages: `judge-stack.ts <folder> …`. One process loads the CDK once. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { App, Validations } from 'aws-cdk-lib/core';
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag';
import {
  findFaults,
  findingsIn,
  findWrongStatements,
  startEngine,
  type Template,
} from '../../../constructs/test/lab/index.js';

interface Stack {
  createStack(app: App, env: object): unknown;
}
const engine = startEngine();

async function judge({ createStack }: Stack, STAGE: string) {
  const { context } = JSON.parse(readFileSync('cdk.json', 'utf8')) as { readonly context: Record<string, unknown> };
  const outdir = join('cdk.out', STAGE);
  const app = new App({ outdir, analyticsReporting: false, context });
  createStack(app, {
    STAGE,
    JWT_ISSUER: 'https://issuer.example.com',
    JWT_AUDIENCE: 'https://mine.example.com/mcp',
    JWT_JWKS_URI: 'https://issuer.example.com/jwks.json',
  });
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app), new ServerlessChecks(app));
  try {
    app.synth();
  } catch (error) {
    if (!(error instanceof Error && error.message.includes('Validation failed'))) throw error;
  }
  const template = JSON.parse(readFileSync(join(outdir, 'Mine.template.json'), 'utf8')) as Template;
  const findings = {
    engine: engine.validate(template),
    own: findFaults(template),
    iam: await findWrongStatements(template),
    nag: findingsIn(join(outdir, 'validation-report.json')),
  };
  return { findings, template };
}

const judged: object[] = [];
for (const folder of process.argv.slice(2)) {
  process.chdir(folder);
  const stack = (await import(pathToFileURL(join(folder, 'infra/stack.ts')).href)) as Stack;
  judged.push({ production: await judge(stack, 'production'), preview: await judge(stack, 'preview') });
}
process.stdout.write(JSON.stringify(judged));
engine.free();
