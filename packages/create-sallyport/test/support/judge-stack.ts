/** Judges the stack of a generated project in both stages. Run in its folder. */
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

const { createStack } = (await import(pathToFileURL(join(process.cwd(), 'infra/stack.ts')).href)) as {
  readonly createStack: (app: App, env: object) => unknown;
};
const { context } = JSON.parse(readFileSync('cdk.json', 'utf8')) as { readonly context: Record<string, unknown> };
const engine = startEngine();

async function judge(STAGE: string) {
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

process.stdout.write(JSON.stringify({ production: await judge('production'), preview: await judge('preview') }));
engine.free();
