import { ManualClock } from '@sallyport/core/testing';
import { Public, SecureApp } from '@sallyport/secure';
import { buildAPIGatewayV2Request, createTestEnv } from '@sallyport/testkit';
import type { FaultRule, S3VectorsService, ServiceFault } from '@sallyport/testkit/services';
import type { Store, VectorStoreError } from '@sallyport/vectors';
import { clientConfig, indexName, startVectors, wireStore } from './support/wire.js';

let service: S3VectorsService;

beforeAll(async () => {
  service = await startVectors();
});

beforeEach(() => {
  service.clear();
  service.empty();
});

afterAll(() => service.stop());

const SECRET = 'arn:aws:secret-of-the-service';
const refusal = (name: string, status: number): ServiceFault => ({ kind: 'error', name, status, message: SECRET });
const RECORDS = [{ key: 'a', data: [1, 0, 0] }];
const CALLS: readonly (readonly [string, (store: Store) => Promise<unknown>])[] = [
  ['put', (store) => store.put({ records: RECORDS })],
  ['get', (store) => store.get({ keys: ['a'] })],
  ['delete', (store) => store.delete({ keys: ['a'] })],
  ['query', (store) => store.query({ vector: [1, 0, 0] })],
];

/** All failures of the service, and the reported error. */
const FAULTS: readonly (readonly [string, ServiceFault, string, boolean])[] = [
  ['throttling', refusal('TooManyRequestsException', 429), 'unavailable', true],
  ['an error of the service', refusal('InternalServerException', 500), 'unavailable', true],
  ['a service that is away', refusal('ServiceUnavailableException', 503), 'unavailable', true],
  ['a request that took too long there', refusal('RequestTimeoutException', 408), 'unavailable', true],
  ['an answer of a proxy', { kind: 'answer', status: 502, body: '<html>bad gateway</html>' }, 'unavailable', true],
  ['a closed connection', { kind: 'reset' }, 'unavailable', true],
  ['a lost answer', { kind: 'lost-answer' }, 'unavailable', true],
  ['a full account', refusal('ServiceQuotaExceededException', 402), 'unavailable', false],
  ['no permission', refusal('AccessDeniedException', 403), 'unavailable', false],
  ['a disabled key', refusal('KmsDisabledException', 400), 'unavailable', false],
  ['no index', refusal('NotFoundException', 404), 'invalid_config', false],
  ['a rejected request', refusal('ValidationException', 400), 'invalid_input', false],
];

describe.each(CALLS)('%s', (_name, call) => {
  it.each(FAULTS)(
    'after %s rejects with its code and without the words of the service',
    async (_, fault, code, retryable) => {
      service.inject(fault);
      const error = await call(wireStore(service, { dimension: 3 })).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ code: `vectorstore.${code}`, retryable });
      const { message, details } = error as VectorStoreError;
      expect(JSON.stringify({ message, details })).not.toContain(SECRET);
    },
  );

  it.each(['silence', 'silence-after'] as const)('ends at its deadline after %s', async (kind) => {
    const clock = new ManualClock();
    const store = wireStore(service, { dimension: 3, clock, requestTimeoutMs: 700 });
    service.inject({ kind });
    const failed = call(store).catch((thrown: unknown) => thrown);
    await arrived(1);
    expect(clock.pendingTimers).toBe(1);
    await clock.advance(700);
    expect(await failed).toMatchObject({ code: 'vectorstore.unavailable', retryable: true });
    expect(clock.pendingTimers).toBe(0);
  });

  it('ends with the reason of the caller’s signal while the service is silent', async () => {
    const controller = new AbortController();
    service.inject({ kind: 'silence' });
    const failed = run(call, wireStore(service, { dimension: 3 }), controller.signal);
    await arrived(1);
    controller.abort(new Error('caller left'));
    await expect(failed).rejects.toThrow('caller left');
  });

  it('succeeds when a throttled request is tried again by the client', async () => {
    service.inject(refusal('TooManyRequestsException', 429), { times: 1 });
    const config = { ...clientConfig(service), maxAttempts: 5 };
    await call(wireStore(service, { dimension: 3, config }));
    expect(service.requests).toHaveLength(2);
  });
});

/** The same call with a signal. */
function run(call: (store: Store) => Promise<unknown>, store: Store, signal: AbortSignal): Promise<unknown> {
  const options = { signal };
  const signalled: Store = {
    settings: store.settings,
    put: (input) => store.put(input, options),
    get: (input) => store.get(input, options),
    delete: (input) => store.delete(input, options),
    query: (input) => store.query(input, options),
    queryPages: (input) => store.queryPages(input, options),
    listKeys: (input) => store.listKeys(input, options),
  };
  return call(signalled);
}

async function arrived(count: number): Promise<void> {
  while (service.requests.length < count) await new Promise((resolve) => setImmediate(resolve));
}

describe('a put that fails midway', () => {
  const records = Array.from({ length: 1600 }, (_, at) => ({ key: `k${at}`, data: [1, at, 0] }));
  const keys = (from: number, to: number) => records.slice(from, to).map(({ key }) => key);

  async function putWith(fault: ServiceFault, rule: FaultRule): Promise<VectorStoreError> {
    service.inject(fault, rule);
    const store = wireStore(service, { dimension: 3, concurrency: 1 });
    return store.put({ records }).then(
      () => Promise.reject(new Error('it did not fail')),
      (thrown: unknown) => thrown as VectorStoreError,
    );
  }

  it('reports which keys were written, and starts no further chunk', async () => {
    const error = await putWith(refusal('AccessDeniedException', 403), { after: 2 });
    expect(error.progress).toEqual({ total: 1600, done: keys(0, 1000), unknown: [] });
    expect(error.details).toEqual({ done: 1000, total: 1600 });
    expect(service.requests).toHaveLength(3);
    expect(service.keysOf(indexName(3))).toEqual(keys(0, 1000).toSorted());
  });

  it.each([
    ['a lost answer', { kind: 'lost-answer' } as const],
    ['an error of the service', refusal('InternalServerException', 500)],
  ])('lists the keys that may have been written after %s', async (_name, fault) => {
    const error = await putWith(fault, { after: 1, times: 1 });
    expect(error.progress).toEqual({ total: 1600, done: keys(0, 500), unknown: keys(500, 1000) });
    expect(error).toMatchObject({ code: 'vectorstore.unavailable', retryable: true });
  });

  it('succeeds as a whole when it is repeated', async () => {
    await putWith({ kind: 'lost-answer' }, { after: 1, times: 1 });
    await wireStore(service, { dimension: 3 }).put({ records });
    expect(service.keysOf(indexName(3))).toHaveLength(1600);
  });

  it('waits for running chunks before it rejects', async () => {
    service.inject(refusal('AccessDeniedException', 403), { times: 1 });
    const error = await wireStore(service, { dimension: 3, concurrency: 3 })
      .put({ records })
      .catch((thrown: unknown) => thrown);
    expect((error as VectorStoreError).progress?.done).toHaveLength(1000);
    expect(service.keysOf(indexName(3))).toHaveLength(1000);
  });

  it('a delete reports the same', async () => {
    const store = wireStore(service, { dimension: 3, concurrency: 1 });
    await store.put({ records });
    service.inject({ kind: 'reset' }, { operation: 'DeleteVectors', after: 1 });
    const error = await store.delete({ keys: keys(0, 1600) }).catch((thrown: unknown) => thrown);
    expect((error as VectorStoreError).progress).toEqual({ total: 1600, done: keys(0, 500), unknown: keys(500, 1000) });
  });
});

describe('answers of the service', () => {
  it.each([
    ['a hit without its distance', { distanceMetric: 'cosine', vectors: [{ key: 'a' }] }, 'unavailable'],
    ['another metric than the store was made for', { distanceMetric: 'euclidean', vectors: [] }, 'invalid_config'],
  ])('%s is an error', async (_name, body, code) => {
    service.inject({ kind: 'answer', status: 200, body: JSON.stringify(body) });
    const query = wireStore(service, { dimension: 3 }).query({ vector: [1, 0, 0] });
    await expect(query).rejects.toMatchObject({ code: `vectorstore.${code}` });
  });

  it('a vector of another length than the store was made for is an error', async () => {
    service.inject({ kind: 'answer', status: 200, body: '{"vectors":[{"key":"a","data":{"float32":[1]}}]}' });
    const read = wireStore(service, { dimension: 3 }).get({ keys: ['a'] });
    await expect(read).rejects.toMatchObject({ code: 'vectorstore.dimension_mismatch' });
  });

  it('an answer with the page token that was called for ends the query', async () => {
    const body = '{"distanceMetric":"cosine","vectors":[],"nextToken":"again"}';
    service.inject({ kind: 'answer', status: 200, body });
    const query = wireStore(service, { dimension: 3 }).query({ vector: [1, 0, 0] });
    await expect(query).rejects.toMatchObject({ code: 'vectorstore.unavailable' });
    expect(service.requests).toHaveLength(2);
  });

  it('a page token that has expired can be tried again from the start', async () => {
    const store = wireStore(service, { dimension: 3 });
    await store.put({ records: Array.from({ length: 150 }, (_, at) => ({ key: `k${at}`, data: [1, at, 0] })) });
    const pages = store.queryPages({ vector: [1, 0, 0], topK: 150 })[Symbol.asyncIterator]();
    await pages.next();
    service.expireTokens();
    await expect(pages.next()).rejects.toMatchObject({ code: 'vectorstore.unavailable', retryable: true });
  });
});

it('a failure in a route is one log line, and the client sees no text of the service', async () => {
  const env = createTestEnv({ now: new Date(0) });
  const store = wireStore(service, { dimension: 3 });
  const app = new SecureApp({ ...env.options() });
  app.get(
    '/near',
    async () => ({ status: 200, body: JSON.stringify(await store.query({ vector: [1, 0, 0] })) }),
    Public(),
  );
  service.inject(refusal('AccessDeniedException', 403));
  const answer = await env.invoke(app, buildAPIGatewayV2Request('GET', '/near'));
  expect(answer.statusCode).toBe(500);
  expect(JSON.stringify(answer)).not.toContain(SECRET);
  expect(env.records.logs.filter((line) => 'error' in line)).toHaveLength(1);
});
