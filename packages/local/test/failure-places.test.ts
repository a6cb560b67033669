import { cpSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { failureText } from '../src/internal/commands/failure-lines.js';
import { findRunning, type Running } from '../src/internal/commands/running.js';
import type { InvocationRow } from '../src/internal/console/api.js';
import type { Failure } from '../src/internal/journal/failure-record.js';
import type { InvocationRecord } from '../src/internal/journal/journal.js';
import { command, type Output, run } from './support/command.js';
import { createProject, invoke, type Project, start } from './support/run.js';
import { shows } from './support/shows.js';

/** Environments are started again and again: slow on a busy machine. */

const PACKAGE = fileURLToPath(new URL('..', import.meta.url));

/** Ways to fail, and the beginning of the message in every place. */
const WAYS: readonly (readonly [way: string, text: string])[] = [
  ['error', 'Error: plain'],
  ['typeError', "TypeError: Cannot read properties of undefined (reading 'price')"],
  ['ownClass', 'OrderError: order 7'],
  ['causes', 'TypeError: no price'],
  ['text', 'string: a text'],
  ['nothing', 'string: handled'],
  ['nullValue', 'string: handled'],
  ['number', 'number: 42'],
  ['object', 'object: [object Object]'],
  ['withoutStack', 'Error: no stack'],
  ['aggregate', 'AggregateError: All promises were rejected'],
  ['rejected', 'Error: rejected'],
  ['lines', 'Error: first line'],
  ['secret', 'Error: the password=[REDACTED] is wrong'],
  ['controls', 'Error: red [31m text'],
  ['frozen', 'Error: frozen'],
  ['circularCause', 'Error: circular'],
  ['longMessage', 'Error: xxxxxxxx'],
  ['json', "SyntaxError: Expected property name or '}' in JSON at position 1"],
  ['recursion', 'RangeError: Maximum call stack size exceeded'],
  ['evalError', 'EvalError: evaluated'],
  ['uri', 'URIError: URI malformed'],
  ['abortError', 'AbortError: stopped'],
  ['missingModule', "Error: Cannot find package 'no-such-module-of-this-test' imported from "],
  ['missingFile', "Error: ENOENT: no such file or directory, open '/no-such-file'"],
  ['refused', 'TypeError: fetch failed'],
  ['bigint', 'Runtime.JSONStringifyError: Unable to stringify response body'],
  ['circularAnswer', 'Runtime.JSONStringifyError: Unable to stringify response body'],
  ['getter', 'Runtime.JSONStringifyError: Unable to stringify response body'],
  [
    'tooLarge',
    'Function.ResponseSizeTooLarge: Response payload size exceeded maximum allowed payload size (6291556 bytes).',
  ],
  ['uncaught', 'Runtime.ExitError: Runtime exited with error: exit status 1 (nothing caught RangeError: late)'],
  ['unhandled', 'Runtime.ExitError: Runtime exited with error: exit status 1 (nothing caught Error: nobody waits)'],
  ['exit', 'Runtime.ExitError: Runtime exited with error: exit status 3 (process.exit(3) was called)'],
  ['exitOk', 'Runtime.ExitError: Runtime exited with error: exit status 0 (process.exit(0) was called)'],
  ['kill', 'Runtime.ExitError: Runtime exited with error: signal: killed'],
  ['abort', 'Runtime.ExitError: Runtime exited with error: signal: aborted'],
  [
    'neverEnds',
    'Runtime.ExitError: Runtime exited without providing a reason: the handler has not answered, and nothing was left to wait for',
  ],
  ['busy', 'Sandbox.Timedout: Task timed out after 3.00 seconds'],
  ['waits', 'Sandbox.Timedout: Task timed out after 3.00 seconds'],
  ['GET /throws', 'TypeError: no price'],
  ['GET /closed', 'unauthenticated: GET /closed accepts authenticated with notes:read; the caller is anonymous'],
  ['GET /ada', 'forbidden: GET /ada accepts authenticated with notes:admin; the caller has no scopes'],
];

let project: Project;
let running: Running;
const end = new AbortController();
const terminal: Output = { out: '', err: '' };
let ended: Promise<number>;

beforeAll(async () => {
  project = createProject({
    'sallyport.json': JSON.stringify({
      conditions: ['@sallyport/source'],
      timeout: 3,
      queues: { orders: { maxReceiveCount: 1, visibilityTimeoutMs: 500 } },
    }),
  });
  mkdirSync(join(project.folder, 'src'));
  cpSync(join(PACKAGE, 'test', 'functions', 'failing.ts'), join(project.folder, 'src', 'lambda.ts'));
  symlinkSync(join(PACKAGE, 'node_modules'), join(project.folder, 'node_modules'));
  ended = command(project, ['dev', '--port', '0', '--no-state'], terminal, '', end);
  while (!terminal.out.includes('state ')) await new Promise((resolve) => setTimeout(resolve, 50));
  const found = await findRunning(join(project.folder, '.sallyport'));
  if (!found) throw new Error(`nothing runs: ${terminal.err}`);
  running = found;
});

afterAll(async () => {
  end.abort();
  await ended;
  project.remove();
});

/** The command that sends the event of a way. */
function argsOf(way: string): readonly string[] {
  if (way === 'GET /ada') return ['http', way, '--options', '{"headers":{"x-who":"ada"}}'];
  if (way.startsWith('GET ')) return ['http', way];
  project.write(`${way}.json`, JSON.stringify({ way }));
  return [`${way}.json`];
}

interface Sent {
  readonly outcome: { readonly id: number };
  readonly failures: readonly Failure[];
}

/** The lines of all failures. Standard error has the process id and addresses of memory: it differs in each run. */
const textOf = (failures: readonly Failure[], indent: string) =>
  failures.map((failure) => failureText({ ...failure, stderr: [] }, indent)).join('');
const withoutStderr = (text: string) => text.replace(/^\s*stderr: .*\n/gm, '');
/** The lines of a report, without the escapes of XML. */
const fromXml = (text: string) =>
  text
    .replaceAll('&#10;', '\n')
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');

it('there are forty ways to fail', () => {
  expect(WAYS.length).toBeGreaterThanOrEqual(40);
});

describe('one object describes a failure in all places', () => {
  let report: string;
  beforeAll(async () => {
    const tests = WAYS.map(([way]) => {
      const [kind, target = '', , options = '{}'] = argsOf(way);
      if (kind !== 'http') return { name: way, event: { way }, expect: { answer: 'another' } };
      return { name: way, send: { kind, target, options: JSON.parse(options) as object }, expect: { status: 299 } };
    });
    project.write('tests.json', JSON.stringify({ version: 1, tests }));
    // Without the state folder of the running `dev`: both have the same sources.
    const { code } = await run(project, ['test-run', 'tests.json', '--junit', 'report.xml']);
    expect(code).toBe(1);
    report = readFileSync(join(project.folder, 'report.xml'), 'utf8');
  });
  const reported = (way: string) =>
    fromXml(new RegExp(`name="${way}" [^>]*>\\s*<failure[^>]*>([^<]*)<`).exec(report)?.[1] ?? '');

  it.each(WAYS)('%s: %s', async (way, text) => {
    const { out } = await run(project, ['send', ...argsOf(way), '--json']);
    const { outcome, failures } = JSON.parse(out) as Sent;
    expect(textOf(failures, '').slice(0, text.length)).toBe(text);
    for (const { causes } of failures) expect(new Set(causes.map(({ message }) => message)).size).toBe(causes.length);
    // The page.
    const record = (await running.get(`/api/invocations/${outcome.id}`)) as InvocationRecord;
    expect(record.failures).toEqual(failures);
    // The terminal of `sallyport dev`.
    await printed(record);
    expect(withoutStderr(terminal.out)).toContain(textOf(failures, '          '));
    // `sallyport send`.
    const sent = await run(project, ['send', ...argsOf(way)]);
    expect(withoutStderr(sent.out)).toContain(textOf(failures, '  '));
    // The report of `sallyport test-run`, which builds in another folder.
    expect(withoutBuild(withoutStderr(`${reported(way)}\n`))).toContain(withoutBuild(textOf(failures, '')));
    for (const { file, line } of failures.flatMap(({ frames }) => frames))
      expect([file, isLine(project, file, line)]).toEqual([file, true]);
  });

  it('a dead letter has the failure of its last delivery', async () => {
    const { out, code } = await run(project, ['send', 'queue', 'orders', '--data', 'o-7', '--wait']);
    expect(code).toBe(1);
    const rows = (await running.get('/api/invocations')) as readonly InvocationRow[];
    const row = rows.findLast(({ origin }) => origin.target === 'orders');
    expect(row?.failures).toMatchObject([
      { kind: 'record', type: 'RangeError', message: 'the order o-7 has no price' },
    ]);
    expect(out).toContain(textOf(row?.failures ?? [], '  '));
    expect(textOf(row?.failures ?? [], '')).toContain('at src/lambda.ts:');
  });
});

const withoutBuild = (text: string) => text.replaceAll(/build\/[\d-]+\//g, 'build/');

/** Resolves when the terminal has the line of an invocation. */
async function printed({ failures }: InvocationRecord): Promise<void> {
  const text = textOf(failures, '          ');
  for (let turns = 0; turns < 400 && !withoutStderr(terminal.out).includes(text); turns += 1)
    await new Promise((resolve) => setTimeout(resolve, 25));
}

/** True if a file of the project has the line. */
const isLine = (of: Project, file: string, line: number) =>
  readFileSync(join(of.folder, file), 'utf8').split('\n').length >= line;

describe('a frame of every kind of entry is a line on disk', () => {
  const CODE = 'export const handler = async () => {\n  // The next line throws.\n  throw new Error("here");\n};\n';
  const COMMON = CODE.replace('export const handler', 'exports.handler');

  it.each<readonly [entry: string, code: string, flags: object]>([
    ['src/lambda.ts', CODE, {}],
    ['src/lambda.mts', CODE, {}],
    ['src/lambda.js', CODE, {}],
    ['src/lambda.mjs', CODE, {}],
    ['src/lambda.cjs', COMMON, {}],
    ['lambda.ts', CODE, {}],
    ['src/functions/orders/index.ts', CODE, {}],
    ['src/a folder/lambda.ts', CODE, {}],
    ['src/bundled.ts', CODE, { bundle: true }],
    ['src/outer.ts', "export { handler } from './inner.js';\n", {}],
  ])('%s', async (entry, code, flags) => {
    const own = createProject({ [entry]: code, 'src/inner.ts': CODE });
    const host = await start(own, { entry, ...flags });
    try {
      const { id } = await invoke(host, {});
      const [failure] = (await shows(host, id, ({ failures }) => failures.length > 0)).failures;
      const [frame] = failure?.frames ?? [];
      const file = entry === 'src/outer.ts' ? 'src/inner.ts' : entry;
      expect(frame).toMatchObject({ file, line: 3 });
      expect(readFileSync(join(own.folder, file), 'utf8').split('\n')[2]).toBe('  throw new Error("here");');
      expect(failure?.code.find(({ isHere }) => isHere)?.text).toBe('  throw new Error("here");');
    } finally {
      await host.stop();
      own.remove();
    }
  });
});
