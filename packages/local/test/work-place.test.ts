import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { excerpts } from '../src/internal/aws/excerpt.js';
import { findEditor } from '../src/internal/console/editor.js';
import type { InvocationRecord } from '../src/internal/journal/journal.js';
import { ShownRecord } from '../src/internal/journal/shown-record.js';
import { compareRecords } from '../src/internal/recordings/compare.js';
import { restoreHidden } from '../src/internal/send/restore.js';

describe('an edited event', () => {
  const raw = { token: 'secret-1', list: ['secret-2', 'b'], n: 1, deep: { password: 'secret-3' } };
  const shown = { token: '[REDACTED]', list: ['[REDACTED]', 'b'], n: 1, deep: { password: '[REDACTED]' } };

  it.each([
    ['is unchanged', shown, raw],
    ['has another number', { ...shown, n: 2 }, { ...raw, n: 2 }],
    ['has another token', { ...shown, token: 'mine' }, { ...raw, token: 'mine' }],
    ['has lost a member', { token: '[REDACTED]' }, { token: 'secret-1' }],
    ['has a new member', { ...shown, __proto: '[REDACTED]' }, { ...raw, __proto: '[REDACTED]' }],
    ['has a member in another place', { moved: '[REDACTED]' }, { moved: '[REDACTED]' }],
    ['has a longer list', { list: ['[REDACTED]', 'b', 'c'] }, { list: ['secret-2', 'b', 'c'] }],
    ['has another type', 'text', 'text'],
  ])('that %s has the hidden values where they were', (_, edited, expected) => {
    expect(restoreHidden(edited, shown, raw)).toEqual(expected);
  });
});

describe('two invocations', () => {
  const record = (members: Partial<InvocationRecord>, logs: readonly string[] = []) => {
    const shown = new ShownRecord({ clean: (value) => value, failuresOf: () => [] });
    shown.apply({ id: 1, members, added: { logs: logs.map((text, at) => ({ at, level: 'info', text })) } });
    return shown.get();
  };
  const event = (messageId: string, time: number, total: number) => ({
    Records: [{ messageId, attributes: { SentTimestamp: String(time) }, body: JSON.stringify({ total }) }],
  });

  it('that differ in ids and times are equal', () => {
    const first = record({ id: 1, requestId: 'a', startedAt: 1, event: event('m-1', 1795879410517, 3) }, ['said']);
    const second = record({ id: 2, requestId: 'b', startedAt: 9, event: event('m-2', 1795879999999, 3) }, ['said']);
    expect(compareRecords(first, second)).toEqual([]);
  });

  it('show each member that differs, with both values', () => {
    const first = record({ event: event('m-1', 1795879410517, 3), summary: 'ok', answer: { a: 1 } }, ['said']);
    const second = record({ event: event('m-2', 1795879410518, 4), summary: 'ok', answer: null }, ['said', 'more']);
    expect(compareRecords(first, second)).toEqual([
      { path: '$.event.Records[0].body.total', before: 3, now: 4 },
      { path: '$.answer', before: { a: 1 }, now: null },
      { path: '$.logs[1]', now: { level: 'info', text: 'more' } },
    ]);
  });
});

it.each([
  ['sqs', { MessageBody: 'm' }, '{"MessageId":"1"}', { MessageBody: 'm' }, { MessageId: '1' }],
  ['sqs', { MessageBody: 'x'.repeat(20_000) }, '{}', expect.stringMatching(/… and 3634 further characters$/), {}],
  [
    'secretsmanager',
    { SecretId: 's' },
    '{"SecretString":"x"}',
    expect.stringMatching(/^hidden/),
    expect.stringMatching(/^hidden/),
  ],
  [
    'ssm',
    { Name: 'n' },
    '{"Parameter":{"Value":"x"}}',
    expect.stringMatching(/^hidden/),
    expect.stringMatching(/^hidden/),
  ],
])('a call of %s has its input and output', (service, input, body, sent, received) => {
  const answer = { status: 200, headers: { 'content-type': 'application/x-amz-json-1.0' }, body };
  expect(excerpts(service, input, answer)).toEqual({ input: sent, output: received });
});

it.each([
  [Buffer.from([0, 1, 2]), 'application/octet-stream', '3 bytes'],
  [Buffer.from('{"a":1}'), 'application/json', { a: 1 }],
  ['<a/>', 'text/xml', '<a/>'],
])('the body %j of the type %s is received as %j', (body, type, expected) => {
  const { output } = excerpts('s3', 'GET /b', { status: 200, headers: { 'content-type': type }, body });
  expect(output).toEqual(expected);
});

describe('the editor', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'sallyport-editor-'));
    mkdirSync(join(folder, 'src'));
    writeFileSync(join(folder, 'src', 'a b;c.ts'), '');
    symlinkSync('/etc/hostname', join(folder, 'link.ts'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  /** A program that reports its arguments to this test. */
  async function program(name: string) {
    let take: (args: readonly string[]) => void = () => {};
    const arrived = new Promise<readonly string[]>((resolve) => (take = resolve));
    const server = createServer((request, response) => {
      take(JSON.parse(decodeURIComponent(request.url?.slice(1) ?? '')) as readonly string[]);
      response.end();
      server.close();
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as AddressInfo;
    const file = join(folder, name);
    writeFileSync(
      file,
      `#!${process.execPath}\nrequire('http').get('http://127.0.0.1:${port}/' + encodeURIComponent(JSON.stringify(process.argv.slice(2))));\n`,
    );
    chmodSync(file, 0o700);
    return { file, arrived };
  }

  it.each([
    ['code', ' --wait --new-window', (path: string) => ['--new-window', '--goto', `${path}:3:7`]],
    ['zed', '', (path: string) => [`${path}:3:7`]],
    ['idea', '', (path: string) => ['--line', '3', '--column', '7', path]],
  ])('%s is started with the place as its arguments, without a shell', async (name, words, expected) => {
    const { file, arrived } = await program(name);
    await findEditor(file + words, folder)?.open({ file: 'src/a b;c.ts', line: 3, column: 7 });
    expect(await arrived).toEqual(expected(join(folder, 'src', 'a b;c.ts')));
  });

  it.each([undefined, '', 'vi', 'nano -w', 'constructor', '/usr/bin/emacs -nw'])('%j opens no window', (command) => {
    expect(findEditor(command, folder)).toBeUndefined();
  });

  it.each(['../secret.ts', '/etc/hostname', 'link.ts', 'src', 'none.ts', 'src/a b;c.ts/x', ''])(
    'the path %j is not opened',
    async (file) => {
      const opened = (async () => findEditor('code', folder)?.open({ file, line: 1, column: 1 }))();
      await expect(opened).rejects.toMatchObject({ code: 'local.not_found' });
    },
  );

  it('that does not exist is named, with the remedy', async () => {
    const opened = findEditor(join(folder, 'none', 'code'), folder)?.open({ file: 'src/a b;c.ts', line: 1, column: 1 });
    await expect(opened).rejects.toMatchObject({
      code: 'local.invalid_request',
      message: expect.stringMatching(/cannot be started .*ENOENT.*--editor/),
    });
  });
});
