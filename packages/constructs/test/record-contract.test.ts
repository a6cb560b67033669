import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { Template } from 'aws-cdk-lib/assertions';
import { App, Stack } from 'aws-cdk-lib/core';
import { recordContract } from '../src/index.js';

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

test('the template of a stack has its contract', () => {
  const stack = new Stack(new App(), 'Notes');
  // The same digest as `contractDigest` and `sallyport contract publish` have for this contract.
  expect(recordContract(stack, write('{"version":1,"service":"notes"}'))).toBe('1c562664763ecb4b');
  const { Metadata } = Template.fromStack(stack).toJSON() as { Metadata: Record<string, string> };
  expect(gunzipSync(Buffer.from(Metadata['sallyport:contract'] ?? '', 'base64')).toString()).toBe(
    '{"version":1,"service":"notes"}',
  );
});

test.each(['{"version":2}', 'null', 'no json'])('rejects %s', (text) => {
  const file = write(text);
  expect(() => recordContract(new Stack(new App(), 'Notes'), file)).toThrow(
    expect.objectContaining({ code: 'constructs.invalid_prop' }) as Error,
  );
});
