import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { recordContract } from '../src/index.js';
import { newStack, templateOf } from './support/synth.js';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'record-contract-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const write = (text: string) => {
  const file = join(folder, 'contract.json');
  writeFileSync(file, text);
  return file;
};

const PARTS = [
  'http',
  'queue',
  'stream',
  'topic',
  'bus',
  'table',
  'event',
  'mcp',
  'tool',
  'invoke',
  'field',
  'schemas',
];
const CONTRACT = {
  version: 1,
  service: 'notes',
  ...Object.fromEntries(PARTS.map((part) => [part, {}])),
  socket: { in: {}, out: {} },
  unknown: [],
  renamed: [],
};

test('the template of a stack has its contract', () => {
  const stack = newStack();
  // The same digest as `contractDigest` has for this contract; a file can have spaces.
  expect(recordContract(stack, write(JSON.stringify(CONTRACT, undefined, 2)))).toBe('aab3c111181da278');
  const { Metadata } = templateOf(stack) as unknown as { Metadata: Record<string, string> };
  expect(gunzipSync(Buffer.from(Metadata['sallyport:contract'] ?? '', 'base64')).toString()).toBe(
    JSON.stringify(CONTRACT, undefined, 2),
  );
});

test.each(['{"version":2}', 'null', 'no json'])('rejects %s', (text) => {
  const file = write(text);
  expect(() => recordContract(newStack(), file)).toThrow(
    expect.objectContaining({ code: 'constructs.invalid_prop' }) as Error,
  );
});
