import { FrameworkError } from '@sallyport/core';
import { JobLedgerError, toErrorEnvelope } from '@sallyport/jobs';

class Throwing {
  get message(): string {
    throw new Error('no');
  }
}

it.each<[unknown, object]>([
  [new RangeError('too far'), { type: 'RangeError', message: 'too far' }],
  [new Error(''), { type: 'Error', message: 'unknown error' }],
  ['plain text', { message: 'plain text' }],
  [undefined, { message: 'unknown error' }],
  [null, { message: 'unknown error' }],
  [7, { message: 'unknown error' }],
  [new Throwing(), { message: 'unknown error' }],
  [new Error('a\r\nb\u001b[31m'), { type: 'Error', message: 'ab[31m' }],
  [
    new FrameworkError('app.not_found', 'no note', { details: { id: 7, password: 'p', list: [1, 2] }, cause: 'c' }),
    {
      type: 'FrameworkError',
      code: 'app.not_found',
      message: 'no note',
      fields: { id: 7, password: '[REDACTED]', list: '[1,2]' },
    },
  ],
  [
    new JobLedgerError('internal_error', 'store_unavailable', 'down', { retryable: true }),
    { type: 'JobLedgerError', code: 'jobs.internal_error', message: 'framework: down', retryable: true },
  ],
  [
    { type: 'Known', code: 'x', message: 'kept', retryable: false },
    { type: 'Known', code: 'x', message: 'kept' },
  ],
])('%p is enveloped', (error, envelope) => {
  expect(toErrorEnvelope(error)).toEqual(envelope);
});

it('strings and fields are bounded, and neither stack nor cause is kept', () => {
  const fields = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`f${index}`, 'v'.repeat(2000)]));
  const envelope = toErrorEnvelope({ name: 'E', message: '😀'.repeat(3000), fields, stack: 'S', cause: 'C' });
  expect(envelope.message.length).toBe(2048);
  expect(Object.keys(envelope.fields ?? {}).length).toBe(32);
  expect(Object.values(envelope.fields ?? {}).every((value) => String(value).length <= 1024)).toBe(true);
  expect(Object.keys(envelope).sort()).toEqual(['fields', 'message', 'type']);
});

it('an envelope of an envelope is the same', () => {
  const envelope = toErrorEnvelope(Object.assign(new TypeError('x'), { code: 'c', fields: { a: 1, b: 'two' } }));
  expect(toErrorEnvelope(envelope)).toEqual(envelope);
});

it('an error of this package has a status by its type and is known across copies', () => {
  const statuses = (['invalid_input', 'conflict', 'not_found', 'internal_error'] as const).map(
    (type) => new JobLedgerError(type, 'invalid', 'x').status,
  );
  expect(statuses).toEqual([400, 409, 404, 500]);
  const copy = { [Symbol.for('sallyport.JobLedgerError/1')]: true };
  expect(copy instanceof JobLedgerError).toBe(true);
});
