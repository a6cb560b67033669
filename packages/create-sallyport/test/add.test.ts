/** `--add` in generated projects: formatted, compiled, synthesised and tested on the sources of this workspace. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { runCreate } from '../src/internal/command.js';
import { newProject, synth } from './support/projects.js';

const MODULES = fileURLToPath(new URL('../node_modules/', import.meta.url));
const SIX: readonly (readonly [kind: string, name: string])[] = [
  ['queue', 'invoices'],
  ['queue', 'payments.fifo'],
  ['topic', 'price-changes'],
  ['kinesis', 'views'],
  ['event-bus', 'billing/InvoicePaid'],
  ['schedule', 'cleanup'],
  ['route', 'GET /invoices/{id}'],
];

async function add(cwd: string, ...args: readonly string[]) {
  const written = { out: '', err: '' };
  const exitCode = await runCreate(['--add', ...args], {
    cwd,
    environment: { npm_config_user_agent: 'pnpm/12.21.0' },
    out: (text) => {
      written.out += text;
    },
    err: (text) => {
      written.err += text;
    },
    ask: undefined,
  });
  return { exitCode, ...written };
}

/** A project with the packages of this workspace. */
function projectOf(template: 'api' | 'events'): string {
  const project = newProject(template);
  for (const folder of ['', '@sallyport', '@types', '@biomejs'])
    for (const name of folder === '' ? ['vitest', 'typescript'] : readdirSync(join(MODULES, folder))) {
      const place = join(project, 'node_modules', folder, name);
      if (!existsSync(place)) {
        mkdirSync(dirname(place), { recursive: true });
        symlinkSync(join(MODULES, folder, name), place);
      }
    }
  return project;
}

function parseProject(project: string) {
  const { config } = ts.readConfigFile(join(project, 'tsconfig.json'), ts.sys.readFile);
  const compilerOptions = { ...config.compilerOptions, customConditions: ['@sallyport/source'], lib: ['ES2024'] };
  return ts.parseJsonConfigFileContent(
    { ...config, compilerOptions, include: ['src', 'test', 'infra'] },
    ts.sys,
    project,
  );
}

const run = (cwd: string, program: string, ...args: readonly string[]) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(MODULES, program), ...args], {
    cwd,
    encoding: 'utf8',
    env: { ...process.env, CDK_VALIDATION: 'false', NODE_OPTIONS: '' },
  });
  return [status, status === 0 ? '' : stdout + stderr];
};

describe.each(['api', 'events'] as const)('a project %s with a handler of each kind', (template) => {
  let project = '';
  beforeAll(async () => {
    project = projectOf(template);
    for (const [kind, name] of SIX) expect([kind, (await add(project, kind, name)).exitCode]).toEqual([kind, 0]);
  });

  it('passes its own lint', () => {
    expect(run(project, '@biomejs/biome/bin/biome', 'check', '--error-on-warnings', 'src', 'test')).toEqual([0, '']);
  });

  it('compiles', () => {
    const { options, fileNames } = parseProject(project);
    const program = ts.createProgram(fileNames, options);
    // The sources of the workspace have separate compiler options.
    const own = fileNames.map((name) => program.getSourceFile(name)).filter((file) => file !== undefined);
    const found = own.flatMap((file) => [
      ...program.getSyntacticDiagnostics(file),
      ...program.getSemanticDiagnostics(file),
    ]);
    expect(
      found.map(({ file, messageText }) => [file?.fileName, ts.flattenDiagnosticMessageText(messageText, ' ')]),
    ).toEqual([]);
  });

  it('passes the added tests', () => {
    writeFileSync(
      join(project, 'vitest.config.ts'),
      `export default { resolve: { conditions: ['@sallyport/source'] }, ssr: { resolve: { conditions: ['@sallyport/source'] }, noExternal: [/@sallyport/] } };`,
    );
    const added = readdirSync(join(project, 'test')).filter((name) => /^(?:inv|pay|pri|vie|cle|get)/.test(name));
    expect(added).toHaveLength(SIX.length);
    expect(run(project, 'vitest/vitest.mjs', 'run', ...added.map((name) => `test/${name}`))).toEqual([0, '']);
  });

  it('has a source for each handler in its stack', async () => {
    const { status, stderr, template: made } = await synth(project);
    expect([status, /WARNING.*/.exec(stderr)?.[0]]).toEqual([0, undefined]);
    const types = Object.values(made.Resources).map(({ Type }) => Type);
    expect(types).toEqual(
      expect.arrayContaining([
        'AWS::SQS::Queue',
        'AWS::SNS::Subscription',
        'AWS::Kinesis::Stream',
        'AWS::Events::Rule',
        'AWS::ApiGatewayV2::Route',
      ]),
    );
  });
});

it('writes the files, names the packages to install, and the next commands', async () => {
  const project = newProject('api');
  expect(await add(project, 'queue', 'invoices')).toEqual({
    exitCode: 0,
    err: '',
    out: `wrote src/handlers/invoices.ts
wrote test/invoices.test.ts
wrote src/app.ts
wrote infra/stack.ts
wrote package.json
package.json now has @sallyport/streams
Next: pnpm install, pnpm test
`,
  });
  expect(readFileSync(join(project, 'infra/stack.ts'), 'utf8')).toContain("sources: [Source.queue('invoices')],");
  expect(readFileSync(join(project, 'src/app.ts'), 'utf8')).toContain("app.queue('invoices', invoices);");
});

it('prints the source to add if the stack has another form', async () => {
  const project = newProject('api');
  writeFileSync(join(project, 'infra/stack.ts'), 'export const mine = 1;\n');
  const { out } = await add(project, 'queue', 'invoices');
  expect(out).toContain("infra/stack.ts: add to sources: Source.queue('invoices')");
});

it('adds a handler to a project without a stack', async () => {
  const project = newProject('api');
  rmSync(join(project, 'infra'), { recursive: true });
  expect((await add(project, 'topic', 'prices')).exitCode).toBe(0);
  expect(existsSync(join(project, 'infra'))).toBe(false);
});

const REFUSED: readonly [what: string, args: readonly string[], text: string, change?: (project: string) => void][] = [
  [
    'an unknown kind',
    ['mailbox', 'a'],
    '--add must be one of queue, topic, kinesis, event-bus, schedule, route (got "mailbox")',
  ],
  ['an inherited kind', ['constructor', 'a'], '--add must be one of'],
  ['an ARN', ['queue', 'arn:aws:sqs:us-east-1:1:a'], 'the name of a queue must look like invoices, or invoices.fifo'],
  ['a name that is code', ['topic', "a', () => {});//"], 'the name of a topic must look like invoices'],
  ['an event without a source', ['event-bus', 'InvoicePaid'], 'must look like billing/InvoicePaid'],
  ['a route without a method', ['route', '/invoices'], 'must look like "GET /invoices/{id}"'],
  ['no name', ['queue'], '--add needs one name'],
  ['two names', ['queue', 'a', 'b'], '--add needs one name'],
  ['a flag of create', ['queue', 'a', '--git'], '--add cannot be used with --git'],
  ['a file that is there', ['queue', 'notes'], 'src/handlers/notes.ts exists: choose another name'],
  [
    'another folder',
    ['queue', 'a'],
    'run --add in the folder of a project',
    (project) => rmSync(join(project, 'package.json')),
  ],
  [
    'an app of another form',
    ['queue', 'a'],
    `src/app.ts has no line "return app;": add app.queue('a', a);`,
    (project) => writeFileSync(join(project, 'src/app.ts'), 'export const app = 1;\n'),
  ],
];

it.each(REFUSED.map(([what, args, text, change]) => ({ what, args, text, change })))(
  '$what is rejected and nothing is written',
  async ({ args, text, change }) => {
    const project = newProject('api');
    change?.(project);
    const filesIn = () =>
      ['src', 'test', 'infra'].flatMap((folder) =>
        readdirSync(join(project, folder), { recursive: true, encoding: 'utf8' }),
      );
    const before = filesIn();
    const { exitCode, err } = await add(project, ...args);
    expect([exitCode, err]).toEqual([2, expect.stringContaining(text)]);
    expect(filesIn()).toEqual(before);
  },
);
