/**
 * docs/tutorial.md is followed by this test: it writes the files of each step, runs the commands that add handlers, runs the
 * tests of each step, and sends the requests to `sallyport dev`, which must print what the page shows.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { runCreate } from '../../packages/create-sallyport/src/internal/command.js';
import { newProject } from '../../packages/create-sallyport/test/support/projects.js';
import { command, type Output, run } from '../../packages/local/test/support/command.js';
import type { Project } from '../../packages/local/test/support/run.js';
import { ROOT } from '../check/command.js';
import { consoleOf } from '../release/asked.js';
import { readSteps, type ShownCommand, wordsOf } from './tutorial.js';
import { readConsole } from './tutorial-console.js';

const PAGE = readFileSync(join(ROOT, 'docs/tutorial.md'), 'utf8');
const STEPS = readSteps(PAGE);
const MODULES = join(ROOT, 'packages/create-sallyport/node_modules');
const CONDITION = '@sallyport/source';
/** Resolves the packages of this workspace to their sources. The files share modules, because each step has few tests. */
const VITEST = `export default {
  test: {
    include: ['test/*.test.ts', 'steps/*/test/*.test.ts'],
    exclude: ['**/bundle.test.ts', '**/http-stack.test.ts', 'node_modules/**'],
    testTimeout: 60_000, isolate: false, maxWorkers: 1, fileParallelism: false,
    env: { CDK_VALIDATION: 'false' },
  },
  resolve: { conditions: ['${CONDITION}'] },
  ssr: { resolve: { conditions: ['${CONDITION}'] }, noExternal: [/@sallyport/] },
};`;

let folder = '';
const sent: ShownCommand[] = [];

beforeAll(async () => {
  folder = newProject('api', (path, text) => onSources(path, text));
  linkPackages(folder);
  for (const [index, { actions }] of STEPS.entries()) {
    const seen = index === 0 ? new Map<string, string>() : testsOf();
    for (const action of actions) {
      if (action.kind === 'file') write(action.path, action.text);
      else if (action.kind === 'edit') edit(action.path, action.from, action.to);
      else await type(action.command);
    }
    keepStep(index + 1, seen);
  }
});

/** A project of a reader has published packages; here they run on their sources. */
function onSources(path: string, text: string): string {
  if (path === 'sallyport.json') return JSON.stringify({ ...JSON.parse(text), conditions: [CONDITION] }, null, 2);
  if (path !== 'infra/stack.ts' || text.includes(CONDITION)) return text;
  return text.replace("entry: 'src/lambda.ts',", `entry: 'src/lambda.ts',\n    conditions: ['${CONDITION}'],`);
}

function write(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), onSources(path, text));
}

function edit(path: string, from: string, to: string): void {
  const text = readFileSync(join(folder, path), 'utf8');
  expect(text).toContain(from);
  write(path, text.replace(from, to));
}

/** Runs a command that changes the project, and keeps commands for `sallyport dev`. */
async function type(shown: ShownCommand): Promise<void> {
  const words = wordsOf(shown.line);
  if (words[1] === 'sallyport') return void sent.push(shown);
  if (words[1] === 'install') return;
  const [, , , , ...args] = words;
  expect([words.slice(0, 4).join(' '), args[0]]).toEqual(['npm create sallyport@latest --', '--add']);
  const texts: string[] = [];
  const out = (text: string) => void texts.push(text);
  const around = { cwd: folder, environment: {}, out, err: out, ask: undefined };
  expect([await runCreate(args, around), texts.join('')]).toEqual([0, expect.not.stringContaining('add to')]);
}

/** Links what `npm install` would install: the packages of this workspace, and packages of other makers. */
function linkPackages(project: string): void {
  const place = (name: string, from: string) => {
    const to = join(project, 'node_modules', name);
    mkdirSync(dirname(to), { recursive: true });
    if (!existsSync(to)) symlinkSync(from, to);
  };
  for (const name of ['streams', 'mcp', 'testkit', 'core', 'http', 'secure'])
    place(`@sallyport/${name}`, join(ROOT, 'packages', name));
  for (const name of ['vitest', 'typescript']) place(name, join(MODULES, name));
  for (const scope of ['@types', '@biomejs'])
    for (const name of readdirSync(join(MODULES, scope))) place(`${scope}/${name}`, join(MODULES, scope, name));
  place('@aws-sdk/client-sqs', join(ROOT, 'packages/local/node_modules/@aws-sdk/client-sqs'));
}

const testsOf = () =>
  new Map(readdirSync(join(folder, 'test')).map((name) => [name, readFileSync(join(folder, 'test', name), 'utf8')]));

/** Tests of the stack and of the bundle need the whole project: they run once, in its last state. */
const WHOLE: readonly string[] = ['bundle.test.ts', 'http-stack.test.ts', 'stack.test.ts'];

/** Keeps the sources after a step, with the tests that it added. The last step is the project itself. */
function keepStep(step: number, before: ReadonlyMap<string, string>): void {
  const place = join(folder, 'steps', String(step));
  cpSync(join(folder, 'src'), join(place, 'src'), { recursive: true });
  mkdirSync(join(place, 'test'));
  for (const [name, text] of testsOf())
    if (text !== before.get(name) && !WHOLE.includes(name)) writeFileSync(join(place, 'test', name), text);
}

it('has eight steps, each with a test and something to see in the console', () => {
  expect(STEPS.map(({ title }) => title.slice(0, 2))).toEqual(['1.', '2.', '3.', '4.', '5.', '6.', '7.', '8.']);
  expect(STEPS.map(({ labels }) => labels)).toEqual(STEPS.map(() => ['Test', 'Console']));
});

it('begins with ten commands', () => {
  const [commands = ''] = /(?<=```sh\n).*?(?=```)/s.exec(PAGE) ?? [];
  expect(commands.trimEnd().split('\n')).toHaveLength(10);
});

it('passes the tests of each step, and all of them at the end', () => {
  writeFileSync(join(folder, 'vitest.config.ts'), VITEST);
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(MODULES, 'vitest/vitest.mjs'), 'run'], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, CDK_VALIDATION: 'false', NODE_OPTIONS: '', NO_COLOR: '1' },
  });
  expect([status, status === 0 ? '' : stdout + stderr]).toEqual([0, '']);
  const ran = [...stdout.matchAll(/✓ (?:steps\/(\d)\/)?test\/([\w-]+)\.test\.ts/g)].map(
    ([, step = 'end', name]) => `${step} ${name}`,
  );
  expect(ran.sort()).toEqual([
    ...['1 notes', '2 search', '3 create', '4 reminders', '5 remind', '6 nightly', '7 tools'],
    ...['create', 'nightly', 'notes', 'remind', 'reminders', 'search', 'stack', 'tools'].map((name) => `end ${name}`),
  ]);
});

it('compiles after each step', () => {
  const { config } = ts.readConfigFile(join(folder, 'tsconfig.json'), ts.sys.readFile);
  const compilerOptions = { ...config.compilerOptions, customConditions: [CONDITION], lib: ['ES2024'] };
  const include = ['src', 'test', 'infra', 'steps'];
  const { options, fileNames } = ts.parseJsonConfigFileContent({ compilerOptions, include }, ts.sys, folder);
  const program = ts.createProgram(fileNames, options);
  const found = fileNames.flatMap((name) => {
    const file = program.getSourceFile(name);
    return [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)];
  });
  expect(
    found.map(({ file, messageText }) => [file?.fileName, ts.flattenDiagnosticMessageText(messageText, ' ')]),
  ).toEqual([]);
});

it('answers the requests of the page as the page shows, and shows in the console the facts of each step', async () => {
  const project = { folder } as Project;
  const end = new AbortController();
  const output: Output = { out: '', err: '' };
  const ended = command(project, ['dev', '--port', '0', '--no-state', '--no-types'], output, '', end);
  const started = async () => {
    while (!output.out.includes('state ')) await new Promise((resolve) => setImmediate(resolve));
  };
  await Promise.race([started(), ended]);
  try {
    for (const { line, output: shown } of sent) {
      const { out, err } = await run(project, wordsOf(line).slice(2));
      expect([line, err, out.trimEnd().split('\n').slice(0, shown.length)]).toEqual([line, '', shown.map(matching)]);
    }
    const throwOops = () =>
      edit(
        'src/handlers/create.ts',
        'if (notes.get',
        "if (body.id === 'oops') throw new Error('oops');\n    if (notes.get",
      );
    expect(await readConsole(consoleOf(folder), throwOops)).toEqual([
      ['ada', ['unauthenticated, needs notes:read']],
      'GET /notes authenticated notes:read',
      ['internal error', 'oops', 'src/handlers/create.ts', true],
      ['{}', 'FrameworkError'],
      ['reminders', ['0 gateway-v2 POST /notes', '1 queue reminders']],
      ['nightly 1'],
      [['/mcp'], { notes: [{ id: '1', text: 'the first note' }] }],
      ['POST /mcp authenticated notes:read', ['queue reminders', 'event-bus {"ruleName":"nightly"}']],
    ]);
  } finally {
    end.abort();
    await ended;
  }
});

/** A line of the page; `…` stands for any characters. */
function matching(line: string): unknown {
  const parts = line.split('…').map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return expect.stringMatching(new RegExp(`^${parts.join('.*')}$`));
}
