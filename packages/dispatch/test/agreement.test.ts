import { TRIGGER_KINDS } from '@sallyport/core';
import { DETECTION_TABLE } from '@sallyport/dispatch';
import fc from 'fast-check';
import { compileTable, detectRow } from '../src/internal/compile.js';
import { ROWS } from '../src/rows.js';
import { anyEvent, generatedBatch, generatedEvent, mutatedEvent } from './support/arbitraries.js';
import { EVENTS } from './support/events.js';
import { loadFixtures } from './support/fixtures.js';
import { isObject, rowHolds } from './support/interpreter.js';

const rows = DETECTION_TABLE;
const table = compileTable(ROWS);

/** The table read as data, by code that the package does not use: the first matching row, or the resolver row for every entry of a list. */
function interpret(event: unknown): string {
  if (Array.isArray(event)) {
    const resolver = rows.find((row) => row.kind === 'appsync');
    return event.length > 0 && resolver && [...event].every((entry) => rowHolds(resolver, entry))
      ? 'appsync'
      : 'no object';
  }
  if (!isObject(event)) return 'no object';
  return rows.find((row) => rowHolds(row, event))?.kind ?? 'unknown';
}

function compiled(event: unknown): string {
  const row = detectRow(event, table);
  return TRIGGER_KINDS[row] ?? (row === -2 ? 'no object' : 'unknown');
}

describe('the compiled table', () => {
  it.each([...loadFixtures('detection'), ...loadFixtures('explain')].map(({ id, event }) => [id, event] as const))(
    'agrees with the table on %s',
    (_id, event) => {
      expect(compiled(event)).toBe(interpret(event));
    },
  );

  it.each(Object.keys(EVENTS))('agrees with the table on a real %s event', (kind) => {
    expect(compiled(EVENTS[kind])).toBe(kind);
    expect(interpret(EVENTS[kind])).toBe(kind);
  });

  it.each([
    ['events made of the names that detection reads', generatedEvent],
    ['lists', generatedBatch],
    ['real events with one value changed', mutatedEvent],
    ['any JSON', anyEvent],
  ])('agrees with the table on %s', (_name, arbitrary) => {
    fc.assert(
      fc.property(arbitrary, (event) => compiled(event) === interpret(event)),
      { numRuns: 3000 },
    );
  });

  it('agrees with the table when everything is inherited', () => {
    fc.assert(
      fc.property(generatedEvent, (event) => {
        const heir = isObject(event) ? Object.create(event) : event;
        return compiled(heir) === interpret(heir);
      }),
    );
  });

  it('sees every kind among the generated events, so the agreement is not an empty one', () => {
    const seen = new Set(fc.sample(anyEvent, { numRuns: 20_000, seed: 7 }).map(compiled));

    expect([...seen].sort()).toEqual([...TRIGGER_KINDS, 'no object', 'unknown'].sort());
  });
});
