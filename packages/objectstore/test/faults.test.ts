import { Readable } from 'node:stream';
import { inspect } from 'node:util';
import type { S3Client } from '@aws-sdk/client-s3';
import { ManualClock } from '@sallyport/core/testing';
import { createS3ObjectStore, type ObjectStore, type ObjectStoreErrorCode } from '@sallyport/objectstore';
import { S3_CREDENTIALS, type S3Fault } from '@sallyport/s3-server';
import { startTestS3, type TestS3 } from './support/s3.js';

const SECRET = 'a text of the provider that nobody may read';

let s3: TestS3;
let store: ObjectStore;
/** Times out every call immediately when the test moves it. */
let clock: ManualClock;

beforeAll(async () => {
  s3 = await startTestS3();
  await createS3ObjectStore({ client: s3.client }).put({ ref: ref('there'), payload: Buffer.alloc(300_000, 'x') });
});

afterAll(() => s3.stop());

beforeEach(() => {
  s3.proxy.clear();
  clock = new ManualClock();
  store = createS3ObjectStore({ client: s3.client, clock, timeoutMs: 1000 });
});

const ref = (key: string) => ({ bucket: s3.bucket, key });
const OPERATIONS = ['put', 'get', 'delete'] as const;
const CALLS: Record<(typeof OPERATIONS)[number], (key?: string) => Promise<unknown>> = {
  put: (key = 'new') => store.put({ ref: ref(key), payload: new Uint8Array([1]) }),
  get: (key = 'there') => store.get({ ref: ref(key), maxBytes: 300_000 }),
  delete: (key = 'other') => store.delete({ ref: ref(key) }),
};

/** Moves the clock past the deadline as soon as the request has arrived. */
async function endByDeadline(isReady = () => s3.proxy.requests.length > 0): Promise<void> {
  while (clock.pendingTimers === 0 || !isReady()) await new Promise(setImmediate);
  await clock.advance(1000);
}

const refusal = (status: number, code: string): S3Fault => ({ kind: 'error', status, code, message: SECRET });

describe('a store that does not answer', () => {
  it.each(OPERATIONS)('ends %s at the deadline', async (operation) => {
    s3.proxy.inject({ kind: 'silence' });
    const call = CALLS[operation]();
    const rejected = expect(call).rejects.toMatchObject({
      code: 'objectstore.unavailable',
      retryable: true,
      mayHaveApplied: operation !== 'get',
    });
    await endByDeadline();
    await rejected;
    expect(await s3.proxy.requests[0]?.closed).toBe('cut');
    expect(clock.pendingTimers).toBe(0);
  });

  it('ends a get whose body stops coming, and closes its connection', async () => {
    s3.proxy.inject({ kind: 'stall', after: 100_000 });
    const call = CALLS.get();
    const rejected = expect(call).rejects.toMatchObject({ code: 'objectstore.unavailable', retryable: true });
    await endByDeadline(() => s3.proxy.requests[0]?.sentBytes === 100_000);
    await rejected;
    expect(await s3.proxy.requests[0]?.closed).toBe('cut');
  });

  it('ends a call whose client ignores its signal', async () => {
    store = createS3ObjectStore({
      client: { send: () => new Promise(() => {}) } as unknown as S3Client,
      clock,
      timeoutMs: 1000,
    });
    const rejected = expect(CALLS.get()).rejects.toMatchObject({ code: 'objectstore.unavailable' });
    await endByDeadline(() => true);
    await rejected;
  });
});

describe('a caller who gives up', () => {
  it.each<[string, S3Fault, number]>([
    ['before the header', { kind: 'silence' }, 0],
    ['in the first chunk', { kind: 'stall', after: 1 }, 1],
    ['in the last chunk', { kind: 'stall', after: 299_999 }, 299_999],
  ])('%s gets the own reason, and the connection is closed', async (_name, fault, sentBytes) => {
    s3.proxy.inject(fault);
    const caller = new AbortController();
    const reason = new Error('the caller gave up');
    const call = store.get({ ref: ref('there'), maxBytes: 300_000 }, { signal: caller.signal });
    const rejected = expect(call).rejects.toBe(reason);
    while (s3.proxy.requests[0]?.sentBytes !== sentBytes) await new Promise(setImmediate);
    caller.abort(reason);
    await rejected;
    expect(await s3.proxy.requests[0]?.closed).toBe('cut');
  });
});

describe('a body that is cut', () => {
  it.each([1, 150_000, 299_999])('after %d bytes is not an object', async (after) => {
    s3.proxy.inject({ kind: 'cut', after });
    await expect(CALLS.get()).rejects.toMatchObject({ code: 'objectstore.unavailable', retryable: true });
  });

  it.each<[string, S3Fault]>([
    ['is cut', { kind: 'cut', after: 150_000 }],
    ['does not fit its checksum', { kind: 'wrong-checksum' }],
  ])('is read again when it %s, at most three times in all', async (_name, fault) => {
    s3.proxy.inject(fault, { times: 2 });
    expect((await store.get({ ref: ref('there'), maxBytes: 300_000 })).payload).toHaveLength(300_000);
    expect(s3.proxy.requests).toHaveLength(3);
    s3.proxy.inject(fault, { times: 3 });
    await expect(CALLS.get()).rejects.toMatchObject({ code: 'objectstore.unavailable', retryable: true });
    expect(s3.proxy.requests).toHaveLength(6);
  });

  it('is not read again when it is too large', async () => {
    const call = store.get({ ref: ref('there'), maxBytes: 10 });
    await expect(call).rejects.toMatchObject({ code: 'objectstore.object_too_large' });
    expect(s3.proxy.requests).toHaveLength(1);
  });

  it('is read again only until the deadline', async () => {
    s3.proxy.inject({ kind: 'cut', after: 150_000 }, { times: 1 });
    s3.proxy.inject({ kind: 'silence' });
    const rejected = expect(CALLS.get()).rejects.toMatchObject({ code: 'objectstore.unavailable', retryable: true });
    await endByDeadline(() => s3.proxy.requests.length === 2);
    await rejected;
  });

  it('and a changed body is detected by its checksum', async () => {
    s3.proxy.inject({ kind: 'wrong-checksum' });
    await expect(CALLS.get()).rejects.toMatchObject({ code: 'objectstore.unavailable', retryable: true });
  });

  it('and the checksum of an abandoned body cannot stop a process', async () => {
    const late: unknown[] = [];
    const Body = new Readable({ read() {}, destroy: (_error, done) => done(new Error('checksum mismatch')) });
    const client = {
      send: async (_command: unknown, { abortSignal }: { abortSignal: AbortSignal }) => {
        abortSignal.addEventListener('abort', () => Body.destroy());
        return { Body, ContentLength: 11 };
      },
    } as unknown as S3Client;
    const note = (error: unknown) => late.push(error);
    process.once('uncaughtException', note);
    const call = createS3ObjectStore({ client }).get({ ref: ref('there'), maxBytes: 10 });
    await expect(call).rejects.toMatchObject({ code: 'objectstore.object_too_large' });
    await new Promise(setImmediate);
    process.off('uncaughtException', note);
    expect([late, Body.listenerCount('error')]).toEqual([[], 1]);
  });

  it('and a body that ends early without an error is detected', async () => {
    const Body = (async function* () {
      yield new Uint8Array(4);
    })();
    const client = { send: async () => ({ Body, ContentLength: 5 }) } as unknown as S3Client;
    const short = createS3ObjectStore({ client }).get({ ref: ref('there'), maxBytes: 10 });
    await expect(short).rejects.toMatchObject({ code: 'objectstore.unavailable', retryable: true });
  });

  it('and a body with a byte too many is too large', async () => {
    const Body = (async function* () {
      yield new Uint8Array(6);
    })();
    const client = { send: async () => ({ Body, ContentLength: 5 }) } as unknown as S3Client;
    const long = createS3ObjectStore({ client }).get({ ref: ref('there'), maxBytes: 10 });
    await expect(long).rejects.toMatchObject({ code: 'objectstore.object_too_large' });
  });
});

describe('the errors of the service', () => {
  it.each<[string, S3Fault, ObjectStoreErrorCode, boolean]>([
    ['SlowDown', refusal(503, 'SlowDown'), 'objectstore.unavailable', true],
    ['an error inside', refusal(500, 'InternalError'), 'objectstore.unavailable', true],
    ['a time-out of its own', refusal(400, 'RequestTimeout'), 'objectstore.unavailable', true],
    ['a reset connection', { kind: 'reset' }, 'objectstore.unavailable', true],
    ['an archived object', refusal(403, 'InvalidObjectState'), 'objectstore.unavailable', false],
    ['no permission', refusal(403, 'AccessDenied'), 'objectstore.denied', false],
    ['unknown credentials', refusal(403, 'InvalidAccessKeyId'), 'objectstore.denied', false],
    ['a wrong signature', refusal(403, 'SignatureDoesNotMatch'), 'objectstore.denied', false],
    ['expired credentials', refusal(400, 'ExpiredToken'), 'objectstore.denied', false],
    ['no bucket', refusal(404, 'NoSuchBucket'), 'objectstore.invalid_store_config', false],
    ['another region', refusal(301, 'PermanentRedirect'), 'objectstore.invalid_store_config', false],
    [
      'a region that does not fit',
      refusal(400, 'AuthorizationHeaderMalformed'),
      'objectstore.invalid_store_config',
      false,
    ],
    ['a request that it does not know', refusal(400, 'InvalidRequest'), 'objectstore.invalid_store_config', false],
  ])('%s has one code for every operation', async (_name, fault, code, retryable) => {
    for (const operation of OPERATIONS) {
      s3.proxy.clear();
      s3.proxy.inject(fault);
      const error = await CALLS[operation]().catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ name: 'ObjectStoreError', code, retryable });
      expect((error as Error).message).not.toContain(SECRET);
      expect(JSON.stringify(error)).not.toContain(SECRET);
    }
  });

  it.each<[string, number, string]>([
    ['no key', 404, 'NoSuchKey'],
    ['no version', 404, 'NoSuchVersion'],
    ['nothing at all', 404, 'NotFound'],
    ['a delete marker', 405, 'MethodNotAllowed'],
    ['a version id that it could not have given', 400, 'InvalidArgument'],
  ])('%s is not found', async (_name, status, code) => {
    s3.proxy.inject(refusal(status, code));
    const call = store.get({ ref: { ...ref('there'), versionId: 'v1' }, maxBytes: 1 });
    await expect(call).rejects.toMatchObject({ code: 'objectstore.not_found', retryable: false });
  });

  it('a version id of another form counts as deleted already', async () => {
    s3.proxy.inject(refusal(400, 'InvalidArgument'));
    await store.delete({ ref: { ...ref('there'), versionId: 'nonsense' } });
  });

  it('412 means that the object exists', async () => {
    s3.proxy.inject(refusal(412, 'PreconditionFailed'));
    const call = store.put({ ref: ref('new'), payload: new Uint8Array(1), createOnly: true });
    await expect(call).rejects.toMatchObject({ code: 'objectstore.precondition_failed', mayHaveApplied: false });
  });

  it.each(['ConditionalRequestConflict', 'OperationAborted', 'SomethingNew'])(
    '409 %s means that another operation is in progress, and can be retried',
    async (code) => {
      s3.proxy.inject(refusal(409, code));
      const call = store.put({ ref: ref('new'), payload: new Uint8Array(1), createOnly: true });
      await expect(call).rejects.toMatchObject({
        code: 'objectstore.unavailable',
        status: 503,
        retryable: true,
        mayHaveApplied: false,
      });
    },
  );

  it('a 409 after a lost response may have been applied', async () => {
    s3.proxy.inject({ kind: 'lost-answer' }, { method: 'PUT', times: 1 });
    s3.proxy.inject(refusal(409, 'ConditionalRequestConflict'), { method: 'PUT' });
    const call = store.put({ ref: ref('conflict'), payload: new Uint8Array(1), createOnly: true });
    await expect(call).rejects.toMatchObject({ code: 'objectstore.unavailable', mayHaveApplied: true });
  });

  it('an answer without a body is an error', async () => {
    const client = { send: async () => ({ ContentLength: 0 }) } as unknown as S3Client;
    const call = createS3ObjectStore({ client }).get({ ref: ref('there'), maxBytes: 10 });
    await expect(call).rejects.toMatchObject({ code: 'objectstore.invalid_store_config' });
  });

  it('a passing fault is tried again', async () => {
    s3.proxy.inject(refusal(503, 'SlowDown'), { times: 1 });
    await CALLS.put('retried');
    expect(s3.proxy.requests.map(({ method }) => method)).toEqual(['PUT', 'PUT']);
  });
});

describe('a lost response to a put', () => {
  it('once is tried again and answered', async () => {
    s3.proxy.inject({ kind: 'lost-answer' }, { method: 'PUT', times: 1 });
    await CALLS.put('lost-once');
    expect(s3.proxy.requests).toHaveLength(2);
    expect(await CALLS.get('lost-once')).toMatchObject({ payload: new Uint8Array([1]) });
  });

  it('each time may have been applied, and was', async () => {
    s3.proxy.inject({ kind: 'lost-answer' }, { method: 'PUT' });
    await expect(CALLS.put('lost')).rejects.toMatchObject({
      code: 'objectstore.unavailable',
      retryable: true,
      mayHaveApplied: true,
    });
    expect(await CALLS.get('lost')).toMatchObject({ payload: new Uint8Array([1]) });
  });

  it('and may only create, may find an object that it has written itself', async () => {
    s3.proxy.inject({ kind: 'lost-answer' }, { method: 'PUT', times: 1 });
    const call = store.put({ ref: ref('lost-create'), payload: new Uint8Array([1]), createOnly: true });
    await expect(call).rejects.toMatchObject({ code: 'objectstore.precondition_failed', mayHaveApplied: true });
  });

  it('is not applied if the service rejected it immediately', async () => {
    const client = await s3.clientWith({ maxAttempts: 1 });
    store = createS3ObjectStore({ client });
    s3.proxy.inject(refusal(503, 'SlowDown'));
    await expect(CALLS.put()).rejects.toMatchObject({ mayHaveApplied: false });
    s3.proxy.clear();
    s3.proxy.inject(refusal(500, 'InternalError'));
    await expect(CALLS.put()).rejects.toMatchObject({ mayHaveApplied: true });
  });
});

describe('the contents of an error', () => {
  it('shows neither key nor credentials, however it is printed', async () => {
    const session = { ...S3_CREDENTIALS, sessionToken: 'SESSIONTOKEN' };
    store = createS3ObjectStore({ client: await s3.clientWith({ credentials: session, maxAttempts: 1 }) });
    const faults: S3Fault[] = [
      refusal(403, 'AccessDenied'),
      refusal(500, 'InternalError'),
      { kind: 'reset' },
      { kind: 'lost-answer' },
    ];
    for (const fault of faults) {
      for (const operation of OPERATIONS) {
        s3.proxy.clear();
        s3.proxy.inject(fault);
        const error = await CALLS[operation]('private-key').catch((thrown: unknown) => thrown);
        const shown = `${inspect(error, { depth: 12, showHidden: true })}${JSON.stringify(error)}${String(error)}`;
        expect(shown).not.toMatch(/private-key|SESSIONTOKEN|testsecret|Signature=/);
      }
    }
  });
});
