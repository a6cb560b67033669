import { CODES_OF_S3, toStoreError } from '../src/store/internal/faults.js';

const OPERATIONS = ['put', 'get', 'delete'] as const;

/** The error as the SDK throws it. */
function failure(name: string, status: number, attempts = 1): Error {
  return Object.assign(new Error('a text of the service'), { name, $metadata: { httpStatusCode: status, attempts } });
}

const call = (operation: (typeof OPERATIONS)[number]) => ({ operation, isVersioned: false });

/** Codes, statuses and their meaning, from the page "Error responses" of the Amazon S3 API Reference. */
const MEANINGS: readonly (readonly [name: string, status: number, code: string, retryable: boolean])[] = [
  ['NoSuchKey', 404, 'not_found', false],
  ['NoSuchVersion', 404, 'not_found', false],
  ['NoSuchBucket', 404, 'invalid_store_config', false],
  ['PermanentRedirect', 301, 'invalid_store_config', false],
  ['TemporaryRedirect', 307, 'unavailable', true],
  ['InvalidRequest', 400, 'invalid_store_config', false],
  ['InvalidArgument', 400, 'invalid_store_config', false],
  ['KMS.DisabledException', 400, 'invalid_store_config', false],
  ['EntityTooLarge', 400, 'invalid_input', false],
  ['MetadataTooLarge', 400, 'invalid_input', false],
  ['KeyTooLongError', 400, 'invalid_input', false],
  ['PreconditionFailed', 412, 'precondition_failed', false],
  ['AccessDenied', 403, 'denied', false],
  ['AllAccessDisabled', 403, 'denied', false],
  ['AccountProblem', 403, 'denied', false],
  ['InvalidAccessKeyId', 403, 'denied', false],
  ['SignatureDoesNotMatch', 403, 'denied', false],
  ['RequestTimeTooSkewed', 403, 'denied', false],
  ['ExpiredToken', 400, 'denied', false],
  ['InvalidToken', 400, 'denied', false],
  ['TokenRefreshRequired', 400, 'denied', false],
  ['InvalidObjectState', 403, 'unavailable', false],
  ['InternalError', 500, 'unavailable', true],
  ['ServiceUnavailable', 503, 'unavailable', true],
  ['SlowDown', 503, 'unavailable', true],
  ['Busy', 503, 'unavailable', true],
  ['RequestTimeout', 400, 'unavailable', true],
  ['BadDigest', 400, 'unavailable', true],
  ['IncompleteBody', 400, 'unavailable', true],
  ['OperationAborted', 409, 'unavailable', true],
  ['ConditionalRequestConflict', 409, 'unavailable', true],
];

it.each(MEANINGS)('%s (%d) is objectstore.%s for every operation', (name, status, code, retryable) => {
  for (const operation of OPERATIONS) {
    expect(toStoreError(failure(name, status), call(operation))).toMatchObject({
      code: `objectstore.${code}`,
      retryable,
    });
  }
});

describe('an error whose code is not known', () => {
  it.each<[string, number, string]>([
    ['SomethingNew', 400, 'invalid_store_config'],
    ['SomethingNew', 401, 'denied'],
    ['SomethingNew', 403, 'denied'],
    ['SomethingNew', 404, 'not_found'],
    ['SomethingNew', 409, 'unavailable'],
    ['SomethingNew', 500, 'unavailable'],
    // The answer began well and could not be read to its end.
    ['SyntaxError', 200, 'unavailable'],
    ['XAmzContentChecksumMismatch', 400, 'unavailable'],
    ['InvalidChecksumError', 0, 'unavailable'],
    ['Error', 0, 'invalid_store_config'],
  ])('%s (%d) is objectstore.%s for every operation', (name, status, code) => {
    for (const operation of OPERATIONS) {
      const error = toStoreError(failure(name, status), call(operation));
      expect(error).toMatchObject({ code: `objectstore.${code}`, retryable: code === 'unavailable' });
    }
  });

  it.each<[number, string, string, string]>([
    [405, 'invalid_store_config', 'not_found', 'invalid_store_config'],
    [412, 'precondition_failed', 'invalid_store_config', 'invalid_store_config'],
  ])('of status %d is %s for a put, %s for a get and %s for a delete', (status, ...codes) => {
    const found = OPERATIONS.map((operation) => toStoreError(failure('SomethingNew', status), call(operation)));
    expect(found).toMatchObject(codes.map((code) => ({ code: `objectstore.${code}` })));
  });

  it('by its text is a checksum that does not match', () => {
    const error = toStoreError(new Error('Checksum mismatch: expected "a" but received "b"'), call('get'));
    expect(error).toMatchObject({ code: 'objectstore.unavailable', retryable: true });
  });
});

it('every code has one meaning', () => {
  const names = Object.values(CODES_OF_S3).flat();
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
  for (const [code, own] of Object.entries(CODES_OF_S3)) {
    for (const name of own) expect(toStoreError(failure(name, 400), call('put'))).toMatchObject({ code });
  }
});

it.each<[string, number, number, boolean]>([
  // A rejection at the first attempt wrote nothing.
  ['SlowDown', 503, 1, false],
  ['ConditionalRequestConflict', 409, 1, false],
  ['OperationAborted', 409, 1, false],
  ['BadDigest', 400, 1, false],
  ['PreconditionFailed', 412, 1, false],
  ['AccessDenied', 403, 1, false],
  // The answer of an earlier attempt may have been lost.
  ['SlowDown', 503, 2, true],
  ['ConditionalRequestConflict', 409, 2, true],
  ['BadDigest', 400, 2, true],
  ['PreconditionFailed', 412, 2, true],
  // An error inside S3, and a timeout.
  ['InternalError', 500, 1, true],
  ['RequestTimeout', 400, 1, true],
  ['TimeoutError', 0, 1, true],
])('%s (%d) at attempt %d: the write may have been applied: %s', (name, status, attempts, expected) => {
  for (const operation of ['put', 'delete'] as const) {
    const error = toStoreError(failure(name, status, attempts), call(operation));
    expect(error).toMatchObject({ mayHaveApplied: expected });
  }
  expect(toStoreError(failure(name, status, attempts), call('get'))).toMatchObject({ mayHaveApplied: false });
});
