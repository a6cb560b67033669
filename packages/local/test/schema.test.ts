import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { FILE_KINDS } from '../src/internal/config/file.js';

const schema = JSON.parse(
  readFileSync(fileURLToPath(new URL('../sallyport.schema.json', import.meta.url)), 'utf8'),
) as {
  readonly additionalProperties: boolean;
  readonly properties: Readonly<
    Record<string, { readonly description?: string; readonly minimum?: number; readonly maximum?: number }>
  >;
};

test('the schema of sallyport.json has the keys that are read, each described, and no others', () => {
  expect(Object.keys(schema.properties).sort()).toEqual(Object.keys(FILE_KINDS).sort());
  expect(schema.additionalProperties).toBe(false);
  for (const [key, { description }] of Object.entries(schema.properties))
    expect([key, description]).toEqual([key, expect.any(String)]);
});

test('it has the bounds that are checked', () => {
  const { timeout, memory, concurrency } = schema.properties;
  expect([timeout, memory, concurrency].map((one) => [one?.minimum, one?.maximum])).toEqual([
    [0.1, 900],
    [128, 10_240],
    [1, 1000],
  ]);
  expect([FILE_KINDS.timeout, FILE_KINDS.memory, FILE_KINDS.concurrency].map(({ wanted }) => wanted)).toEqual([
    'a number of seconds from 0.1 to 900',
    'a whole number of megabytes from 128 to 10,240',
    'a whole number from 1 to 1,000',
  ]);
});
