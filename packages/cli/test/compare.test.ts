import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { COMPARE_COMMAND } from '../src/command.js';

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'sallyport-compare-'));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

function write(files: Readonly<Record<string, string | object>>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(join(cwd, dirname(path)), { recursive: true });
    writeFileSync(join(cwd, path), typeof content === 'string' ? content : JSON.stringify(content));
  }
}

async function compare(...args: string[]) {
  const written = { out: '', err: '' };
  const around = {
    cwd,
    env: {},
    out: (text: string) => {
      written.out += text;
    },
    err: (text: string) => {
      written.err += text;
    },
  };
  const exitCode = await COMPARE_COMMAND.run(args, around as unknown as Parameters<typeof COMPARE_COMMAND.run>[1]);
  return { exitCode, ...written };
}

const HANDLERS = ['--old', 'old.handler', '--new', 'new.handler'];
const answer = (text: string) => `export const handler = async (event) => (${text});`;

it.each<[string, string, string, readonly string[]]>([
  [
    'equal answers',
    '{ statusCode: 200, body: \'{"a":1,"b":2}\' }',
    '{ statusCode: 200, body: \'{ "b": 2, "a": 1 }\' }',
    [],
  ],
  ['a status', '{ statusCode: 404 }', '{ statusCode: 405 }', ['e.json: status: 404 → 405']],
  [
    'a header, whatever the case of its name',
    "{ statusCode: 200, headers: { 'Content-Type': 'text/html' } }",
    "{ statusCode: 200, headers: { 'content-type': 'text/plain' } }",
    ['e.json: headers.content-type: "text/html" → "text/plain"'],
  ],
  [
    'a member of a body',
    '{ statusCode: 200, body: \'{"items":[{"id":1}]}\' }',
    '{ statusCode: 200, body: \'{"items":[{"id":2}]}\' }',
    ['e.json: body.items[0].id: 1 → 2'],
  ],
  [
    'bytes as base64 and as text',
    "{ statusCode: 200, body: 'YQ==', isBase64Encoded: true }",
    "{ statusCode: 200, body: 'a' }",
    [],
  ],
  [
    'ids of a request, which may differ',
    '{ statusCode: 500, body: \'{"error":{"request_id":"a"}}\' }',
    '{ statusCode: 500, body: \'{"error":{"request_id":"b"}}\' }',
    [],
  ],
  [
    'failed records',
    '{ batchItemFailures: [] }',
    "{ batchItemFailures: [{ itemIdentifier: 'm-1' }] }",
    ['e.json: result.batchItemFailures[0]: absent → {"itemIdentifier":"m-1"}'],
  ],
])('the comparison of %s', async (_, before, after, lines) => {
  write({ 'e.json': { version: '2.0' }, 'old.mjs': answer(before), 'new.mjs': answer(after) });
  const { exitCode, out } = await compare('e.json', ...HANDLERS);
  expect(out.split('\n').slice(0, -2)).toEqual(lines);
  expect(exitCode).toBe(lines.length === 0 ? 0 : 1);
});

it('compares each recording of a folder, whole events too, with CommonJS and with failures', async () => {
  write({
    'recordings/a.recording.json': { schema: 'framework.recorded-event/v1', kind: 'queue', event: { n: 1 } },
    'recordings/deep/b.json': { n: 2 },
    'old.cjs': 'exports.handler = async ({ n }) => ({ statusCode: 200, body: String(n) });',
    'new.mjs':
      "export const handler = async ({ n }) => { if (n === 2) throw new TypeError('secret'); return { statusCode: 200, body: '1' }; };",
  });
  const { exitCode, out } = await compare('recordings/', ...HANDLERS, '--json');
  expect([exitCode, JSON.parse(out)]).toEqual([
    1,
    {
      type: 'compare',
      compared: 2,
      equal: 1,
      differences: [
        {
          file: join('recordings', 'deep', 'b.json'),
          findings: [
            { path: 'status', before: '200', after: 'absent' },
            { path: 'headers', before: '{}', after: 'absent' },
            { path: 'cookies', before: '[]', after: 'absent' },
            { path: 'body', before: '2', after: 'absent' },
            { path: 'failure', before: 'absent', after: '"TypeError"' },
          ],
        },
      ],
    },
  ]);
  expect(out).not.toContain('secret');
});

it('allows a difference at a path that is ignored, and below it', async () => {
  write({
    'e.json': {},
    'old.mjs': answer('{ statusCode: 200, headers: { etag: \'1\' }, body: \'{"at":{"x":1}}\' }'),
    'new.mjs': answer('{ statusCode: 200, headers: { etag: \'2\' }, body: \'{"at":{"x":2}}\' }'),
  });
  expect((await compare('e.json', ...HANDLERS)).exitCode).toBe(1);
  const ignoring = await compare('e.json', ...HANDLERS, '--ignore', 'headers.etag', '--ignore', 'body.at');
  expect(ignoring).toEqual({ exitCode: 0, out: '1 compared, 1 equal, 0 different\n', err: '' });
});

it('ends an invocation that does not answer', async () => {
  write({ 'e.json': {}, 'old.mjs': answer('1'), 'new.mjs': 'export const handler = () => new Promise(() => {});' });
  const { out } = await compare('e.json', ...HANDLERS, '--timeout', '20');
  expect(out).toContain('failure: absent → "no result in 20 ms"');
});

it.each<[string, readonly string[], number, string]>([
  ['no recordings', HANDLERS, 2, 'name recordings, or a folder of them'],
  ['no handler', ['e.json', '--old', 'old.handler'], 2, 'name both handlers: --old and --new'],
  ['a file that is missing', ['none.json', ...HANDLERS], 2, 'none.json does not exist'],
  ['a file that is not JSON', ['bad.json', ...HANDLERS], 2, 'bad.json is not JSON'],
  [
    'a handler without a file',
    ['e.json', '--old', 'gone.handler', '--new', 'new.handler'],
    2,
    'gone.handler: write a file',
  ],
  [
    'a module that does not load',
    ['e.json', '--old', 'broken.handler', '--new', 'new.handler'],
    3,
    'broken.mjs does not load: no table',
  ],
  [
    'a module without the export',
    ['e.json', '--old', 'old.other', '--new', 'new.handler'],
    3,
    'old.mjs has no function other',
  ],
])('rejects %s', async (_, args, code, text) => {
  write({
    'e.json': {},
    'bad.json': '{',
    'old.mjs': answer('1'),
    'new.mjs': answer('1'),
    'broken.mjs': "throw new Error('no table');",
  });
  const { exitCode, err } = await compare(...args);
  expect([exitCode, err]).toEqual([code, expect.stringContaining(text)]);
});
