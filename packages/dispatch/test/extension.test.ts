import { silentLogger } from '@sallyport/core';
import {
  createDispatcher,
  createDispatcherWith,
  type DetectionRow,
  detect,
  type TriggerExtension,
} from '@sallyport/dispatch';
import fc from 'fast-check';
import { anyEvent } from './support/arbitraries.js';
import { EVENTS } from './support/events.js';

const S3_ROW: DetectionRow = {
  kind: 's3',
  anyOf: [[{ path: 'Records[0].eventSource', test: 'equals', value: 'aws:s3' }]],
};
const S3_EVENT = { Records: [{ eventSource: 'aws:s3', s3: { object: { key: 'a' } } }] };

function extension(over: Partial<TriggerExtension> = {}): TriggerExtension {
  return { serves: ['s3'], rows: [S3_ROW], sample: S3_EVENT, serve: async (kind) => `answer of ${kind}`, ...over };
}

const ANYTHING_ELSE: TriggerExtension = {
  serves: ['any-source'],
  rows: [{ kind: 'any-source', anyOf: [[{ path: 'Records[0].eventSource', test: 'present' }]] }],
  sample: { Records: [{ eventSource: 'aws:other' }] },
  serve: async () => 'anything',
};

describe('a trigger extension', () => {
  it('is detected, served and explained like a built-in kind', async () => {
    const { handleLambda, detect: detectEvent, explain } = createDispatcher(extension());

    expect(detectEvent(S3_EVENT)).toBe('s3');
    await expect(handleLambda(S3_EVENT)).resolves.toBe('answer of s3');
    const explanation = explain(S3_EVENT);
    expect(explanation).toMatchObject({ kind: 's3', error: null, nearest: null, entrypoint: null, target: null });
    expect(explanation.rows).toHaveLength(12);
    expect(explanation.rows[11]).toEqual({ kind: 's3', origin: 'extension', outcome: 'matched', misses: [] });
  });

  it('is not part of the package’s own detect', () => {
    expect(() => detect(S3_EVENT)).toThrow(expect.failure('dispatch.unknown_event'));
  });

  it('is tried after the fixed table and can never change its result', () => {
    const dispatcher = createDispatcherWith({ log: silentLogger }, ANYTHING_ELSE);

    fc.assert(
      fc.property(anyEvent, (event) => {
        let fixed: string;
        try {
          fixed = detect(event);
        } catch {
          return;
        }
        expect(dispatcher.detect(event)).toBe(fixed);
      }),
      { numRuns: 1000 },
    );
    expect(dispatcher.detect({ Records: [{ eventSource: 'aws:sqs' }] })).toBe('queue');
  });

  it('is shadowed in an explanation if the fixed table matches', () => {
    const { rows } = createDispatcher(ANYTHING_ELSE).explain(EVENTS.queue);

    expect(rows[11]).toEqual({ kind: 'any-source', origin: 'extension', outcome: 'shadowed', misses: [] });
  });

  it('is tried in the order given', () => {
    expect(createDispatcher(extension(), ANYTHING_ELSE).detect(S3_EVENT)).toBe('s3');
  });

  it('is never tried on an event that is a list', () => {
    const first = extension({ rows: [{ kind: 's3', anyOf: [[{ path: 'Records', test: 'present' }]] }] });

    expect(() => createDispatcher(first).detect([S3_EVENT])).toThrow(expect.failure('dispatch.not_an_object'));
  });

  it('is named by the hint when its row misses', () => {
    const strict = extension({
      rows: [{ kind: 's3', anyOf: [[{ path: 'Records[0].s3', test: 'object' }]] }],
    });

    expect(createDispatcher(strict).explain({ Records: [{ eventSource: 'aws:s3' }] }).nearest?.hint).toBe(
      'looks like an S3 notification; no opt-in row matches it',
    );
  });

  it.each([
    ['a fixed kind', { serves: ['queue'], rows: [{ ...S3_ROW, kind: 'queue' }] }, 'queue is a fixed kind'],
    ['a kind twice', { rows: [S3_ROW, S3_ROW] }, 's3 has two rows'],
    ['a kind that it does not serve', { serves: [] }, 's3 is not served'],
    ['a row without alternatives', { rows: [{ kind: 's3', anyOf: [] }] }, 'sample is not detected as s3'],
    ['an alternative without conditions', { rows: [{ kind: 's3', anyOf: [[]] }] }, 's3 would match anything'],
    [
      'an alternative that only asks for absence',
      { rows: [{ kind: 's3', anyOf: [[{ path: 'routeKey', test: 'absent' }]] }] },
      's3 would match anything',
    ],
    [
      'an unknown test',
      { rows: [{ kind: 's3', anyOf: [[{ path: 'Records', test: 'exists' }]] }] },
      'sample is not detected as s3',
    ],
    ['no rows', { rows: [] }, 'sample is not detected as s3'],
    ['a sample that nothing takes', { sample: {} }, 'sample is not detected as s3'],
    ['a sample that the fixed table takes', { sample: EVENTS.queue }, 'sample is not detected as s3'],
    ['a missing sample', { sample: undefined }, 'sample is not detected as s3'],
  ])('is rejected with %s', (_name, over, text) => {
    expect(() => createDispatcher(extension(over as Partial<TriggerExtension>))).toThrow(
      expect.failure('dispatch.invalid_extension', `trigger extension: ${text}`),
    );
  });

  it('is rejected when an earlier extension accepts its sample', () => {
    expect(() => createDispatcher(ANYTHING_ELSE, extension())).toThrow(
      expect.failure('dispatch.invalid_extension', 'sample', 's3'),
    );
  });

  it('is rejected when another surface serves its kind', () => {
    expect(() => createDispatcher(extension(), extension())).toThrow(
      expect.failure('dispatch.duplicate_surface', 's3'),
    );
  });

  it('is rejected if it serves a kind that its rows do not detect', () => {
    expect(() => createDispatcher(extension({ serves: ['s3', 's4'] }))).toThrow(
      expect.failure('dispatch.invalid_surface', 'no row', 's4'),
    );
  });
});
