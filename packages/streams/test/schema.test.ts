import { readFileSync } from 'node:fs';
import * as schema from '@sallyport/streams/schema';

it('the names that infrastructure code shares are the names of the contract', () => {
  expect(Object.entries(schema).filter(([name]) => name.endsWith('_ENV'))).toEqual([
    ['EVENT_SOURCES_ENV', 'FRAMEWORK_EVENT_SOURCES'],
    ['KAFKA_ON_FAILURE_ENV', 'FRAMEWORK_KAFKA_ON_FAILURE'],
    ['STREAM_FAILURE_IDENTIFIER_ENV', 'FRAMEWORK_STREAM_FAILURE_IDENTIFIER'],
  ]);
});

it('their entry imports nothing', () => {
  const source = readFileSync(new URL('../src/schema.ts', import.meta.url), 'utf8');
  expect(source).not.toMatch(/\bimport\b|\bfrom\b '/);
});
