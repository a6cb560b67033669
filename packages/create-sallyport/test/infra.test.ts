/** The infrastructure of generated projects, synthesised on the sources of this workspace. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createProject } from '../src/internal/project.js';
import { TEMPLATES, type TemplateName } from '../src/internal/templates.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
/** Packages of generated projects, and a package of this workspace that has each. */
const PACKAGES: readonly (readonly [owner: string, names: readonly string[]])[] = [
  ['packages/create-sallyport', ['esbuild', 'tsx']],
  ['packages/constructs', ['aws-cdk-lib', 'constructs']],
  ['examples/notes', ['@aws-sdk/client-apigatewaymanagementapi', '@aws-sdk/client-dynamodb', 'zod']],
];

const place = mkdtempSync(join(tmpdir(), 'sallyport-infra-'));
afterAll(() => rmSync(place, { recursive: true, force: true }));

const filesOf = (template: TemplateName) => {
  const names = { app: 'mine', package: 'mine', class: 'Mine' };
  return createProject({ names, template, infra: 'cdk', packageManager: 'npm' });
};

function link(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true });
  symlinkSync(from, to);
}

/** Writes a project and synthesises it. `change` edits its files. */
function synth(template: TemplateName, change: (path: string, text: string) => string = (_path, text) => text) {
  const project = mkdtempSync(join(place, `${template}-`));
  for (const [path, text] of filesOf(template)) {
    // The packages of this workspace run on their sources.
    const own = text.replace(
      "entry: 'src/lambda.ts',",
      "entry: 'src/lambda.ts',\n    conditions: ['@sallyport/source'],",
    );
    mkdirSync(dirname(join(project, path)), { recursive: true });
    writeFileSync(join(project, path), change(path, path === 'infra/stack.ts' ? own : text));
  }
  for (const name of [...TEMPLATES[template].packages, 'constructs'])
    link(join(ROOT, 'packages', name), join(project, 'node_modules/@sallyport', name));
  for (const [owner, names] of PACKAGES)
    for (const name of names) link(join(ROOT, owner, 'node_modules', name), join(project, 'node_modules', name));
  const { status, stderr } = spawnSync(
    process.execPath,
    ['--conditions=@sallyport/source', '--import', 'tsx', 'infra/app.ts'],
    {
      cwd: project,
      encoding: 'utf8',
      env: { PATH: process.env.PATH ?? '', CDK_VALIDATION: 'false', STAGE: 'preview' },
    },
  );
  const template_ = status === 0 ? JSON.parse(readFileSync(join(project, 'cdk.out/Mine.template.json'), 'utf8')) : {};
  return { status, stderr, resources: Object.values((template_.Resources ?? {}) as Record<string, { Type: string }>) };
}

const WANTED: readonly (readonly [TemplateName, readonly string[]])[] = [
  ['api', ['AWS::ApiGatewayV2::Route']],
  ['events', ['AWS::SQS::Queue', 'AWS::Kinesis::Stream', 'AWS::Events::Rule', 'AWS::Lambda::EventSourceMapping']],
  ['graphql', ['AWS::AppSync::Resolver']],
  ['websocket', ['AWS::ApiGatewayV2::Route', 'AWS::DynamoDB::Table']],
  ['mcp', ['AWS::Lambda::Url']],
  ['full', ['AWS::Lambda::Url', 'AWS::ApiGatewayV2::Route', 'AWS::AppSync::Resolver', 'AWS::SQS::Queue']],
];

it.each(WANTED)('%s has at most 25 lines of infrastructure, which create %j', (template, types) => {
  const files = [...filesOf(template)].filter(([path]) => path.startsWith('infra/'));
  const lines = files.flatMap(([, text]) => text.trimEnd().split('\n'));
  expect(lines.length).toBeLessThanOrEqual(25);
  expect(lines.filter((line) => line.includes('startCache'))).toEqual([
    expect.stringMatching(/^\s*\/\/ startCache: true,/),
  ]);
  const { status, stderr, resources } = synth(template);
  expect([status, /WARNING.*/.exec(stderr)?.[0]]).toEqual([0, undefined]);
  expect(types.filter((type) => !resources.some(({ Type }) => Type === type))).toEqual([]);
});

it('fails at synth for a new handler without a source, with the line to add', () => {
  const { status, stderr } = synth('events', (path, text) =>
    path === 'src/app.ts' ? text.replace('return app;', "app.queue('refunds', fulfil);\n  return app;") : text,
  );
  expect(status).toBe(1);
  expect(stderr).toContain('expected Source.queue("refunds") in "sources" of the service (at Mine/Service/Wiring)');
});

it('names one version of Node for the function, its bundle and the tests of every template', () => {
  for (const template of Object.keys(TEMPLATES) as TemplateName[]) {
    const files = filesOf(template);
    const text = ['scripts/bundle.ts', '.github/workflows/ci.yml', 'README.md'].map((path) => files.get(path) ?? '');
    const versions = text.join('\n').match(/(?<=node-version: |'node|nodejs)\d+/g);
    expect([template, [...new Set(versions)]]).toEqual([template, ['24']]);
  }
});
