import { inspect } from 'node:util';
import {
  APP_CODES,
  defaultMessage,
  FrameworkError,
  internalError,
  isFrameworkError,
  statusOfCode,
} from '../src/errors/errors.js';

describe('FrameworkError', () => {
  it.each([
    ['app.bad_request', 400, 'bad request'],
    ['app.unauthorized', 401, 'unauthorized'],
    ['app.forbidden', 403, 'forbidden'],
    ['app.not_found', 404, 'not found'],
    ['app.method_not_allowed', 405, 'method not allowed'],
    ['app.timeout', 408, 'request timeout'],
    ['app.conflict', 409, 'conflict'],
    ['app.too_large', 413, 'request too large'],
    ['app.unsupported_media_type', 415, 'unsupported media type'],
    ['app.validation_failed', 422, 'validation failed'],
    ['app.rate_limited', 429, 'rate limited'],
    ['app.internal', 500, 'internal error'],
    ['app.overloaded', 503, 'overloaded'],
    ['objectstore.invalid_ref', 500, 'invalid ref'],
    ['EMPTY_BODY', 500, 'EMPTY BODY'],
    ['', 500, ''],
    ['__proto__', 500, '  proto  '],
    ['constructor', 500, 'constructor'],
  ])('converts %p to the status %p and the message %p', (code, status, message) => {
    const error = new FrameworkError(code);
    expect([error.code, error.status, error.message]).toEqual([code, status, message]);
    expect(statusOfCode(code)).toBe(status);
    expect(defaultMessage(code)).toBe(message);
  });

  it('lists exactly the codes of the contract', () => {
    expect(Object.keys(APP_CODES)).toHaveLength(13);
  });

  it.each([
    [404, 404],
    [400, 400],
    [599, 599],
    [399, 500],
    [600, 500],
    [200, 500],
    [404.5, 500],
    [Number.NaN, 500],
  ])('converts the status %p of the error to %p', (statusCode, status) => {
    expect(new FrameworkError('app.internal', 'x', { statusCode }).status).toBe(status);
  });

  it('keeps what the answer needs', () => {
    const error = new FrameworkError('x.y', 'text', {
      details: { a: 1 },
      requestId: 'r',
      traceId: 't',
      timestamp: new Date(0),
      stackTrace: 's',
      headers: { 'retry-after': '1' },
    });
    expect(error).toMatchObject({
      name: 'FrameworkError',
      message: 'text',
      details: { a: 1 },
      requestId: 'r',
      traceId: 't',
      timestamp: '1970-01-01T00:00:00.000Z',
      stackTrace: 's',
      headers: { 'retry-after': '1' },
    });
  });

  it('has an empty text or nothing for what is unknown', () => {
    const { details, requestId, traceId, timestamp, stackTrace, headers, statusCode } = new FrameworkError('x.y');
    expect({ requestId, traceId, timestamp, stackTrace }).toEqual({
      requestId: '',
      traceId: '',
      timestamp: '',
      stackTrace: '',
    });
    expect([details, headers, statusCode]).toEqual([undefined, undefined, undefined]);
  });

  it.each([
    [undefined, ''],
    ['2026-01-01', '2026-01-01'],
    [new Date(Number.NaN), ''],
  ])('writes the timestamp %p as %p', (timestamp, text) => {
    expect(new FrameworkError('a', 'b', { timestamp }).timestamp).toBe(text);
  });

  it('cannot be changed', () => {
    const error = new FrameworkError('app.conflict');
    expect(() => Object.assign(error, { code: 'app.ok' })).toThrow(TypeError);
    expect(() => Object.assign(error, { message: 'other' })).toThrow(TypeError);
    expect(error.code).toBe('app.conflict');
  });

  it('keeps its cause for logs and never serialises it', () => {
    const error = new FrameworkError('app.internal', undefined, { cause: new Error('secret text') });
    expect((error.cause as Error).message).toBe('secret text');
    expect(JSON.stringify(error)).not.toContain('secret text');
    expect(Object.keys(error)).not.toContain('cause');
    expect('cause' in new FrameworkError('app.internal')).toBe(false);
    expect('cause' in new FrameworkError('app.internal', undefined, { cause: undefined })).toBe(false);
  });

  it('allows fields of subclasses, and distinguishes subclasses', () => {
    class Special extends FrameworkError {
      readonly extra = 1;
    }
    const special = new Special('a.b');
    expect(special.extra).toBe(1);
    expect(special).toBeInstanceOf(Special);
    expect(special).toBeInstanceOf(FrameworkError);
    expect(new FrameworkError('a.b')).not.toBeInstanceOf(Special);
  });

  it('is recognised across two copies of the package, in both directions', async () => {
    import.meta.jest.resetModules();
    const copy = await import('../src/errors/errors.js');
    expect(copy.FrameworkError).not.toBe(FrameworkError);
    const theirs = new copy.FrameworkError('app.forbidden');
    expect(theirs instanceof FrameworkError).toBe(true);
    expect(new FrameworkError('app.forbidden') instanceof copy.FrameworkError).toBe(true);
    expect(isFrameworkError(theirs)).toBe(true);
  });

  it.each([[null], [undefined], ['FrameworkError'], [{}], [{ code: 'app.internal', message: 'x' }], [new Error('x')]])(
    'does not accept %p',
    (value) => {
      expect(isFrameworkError(value)).toBe(false);
      expect((value as object) instanceof FrameworkError).toBe(false);
    },
  );
});

it('an error of the framework has the reason as its cause, and the original cause below it', () => {
  const why = new Error('why');
  const { code, message, cause } = internalError('no handler', why);
  expect([code, message]).toEqual(['app.internal', 'internal error']);
  expect(cause).toBeInstanceOf(TypeError);
  expect(cause).toMatchObject({ message: 'framework: no handler', cause: why });
  expect(internalError('no handler').cause).not.toHaveProperty('cause');
});

it('prints only given members of an error', () => {
  const error = new FrameworkError('app.conflict', 'taken', { details: { id: 7 }, requestId: 'r-1' });
  const [, shown] = inspect(error).split(/\n {4}at [^\n]* (?=\{)/);
  expect(shown).toBe("{\n  code: 'app.conflict',\n  details: { id: 7 },\n  requestId: 'r-1'\n}");
  expect([error.traceId, error.timestamp, error.stackTrace, error.statusCode, error.headers]).toEqual([
    '',
    '',
    '',
    undefined,
    undefined,
  ]);
});
