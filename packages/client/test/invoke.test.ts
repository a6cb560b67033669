/** Calls through `lambda:Invoke`: the AWS SDK against the local Lambda of `sallyport dev`. */
import { LambdaClient } from '@aws-sdk/client-lambda';
import { type Client, createClient, events } from '../src/index.js';
import { throughInvoke } from '../src/invoke.js';
import type { Shop } from './service/contract.js';
import { type Running, startDev } from './support/dev.js';

const lambdaOf = ({ variables, ports }: Running, maxAttempts = 1) =>
  new LambdaClient({
    region: 'us-east-1',
    endpoint: `http://127.0.0.1:${ports.aws}`,
    credentials: {
      accessKeyId: variables.AWS_ACCESS_KEY_ID ?? '',
      secretAccessKey: variables.AWS_SECRET_ACCESS_KEY ?? '',
    },
    maxAttempts,
  });

describe('a service of the framework', () => {
  let dev: Running;
  let lambda: LambdaClient;
  let api: Client<Shop>;
  beforeAll(async () => {
    dev = await startDev({}, ['src/buffered.ts']);
    lambda = lambdaOf(dev);
    api = createClient<Shop>({
      ...throughInvoke({ functionName: 'shop:live', lambda }),
      headers: () => ({ authorization: 'Bearer ada' }),
    });
  });
  afterAll(async () => {
    lambda?.destroy();
    await dev?.stop();
  });

  it('answers all kinds of calls', async () => {
    await expect(api('GET /orders/{id}', { params: { id: 'a b;ü?+%' } })).resolves.toMatchObject({
      status: 200,
      data: { id: 'a b;ü?+%', item: 'tea' },
      requestId: expect.stringMatching(/./),
    });
    await expect(api('GET /orders/{id}', { params: { id: 'gone' } })).resolves.toMatchObject({
      status: 404,
      error: { code: 'app.not_found', details: { id: 'gone' } },
    });
    await expect(api('GET /orders', { query: { tag: ['a b', 'c&d=+'] } })).resolves.toMatchObject({
      data: { tag: ['a b', 'c&d=+'], limit: null },
    });
    const made = await api('POST /orders', { body: { item: 'tée' }, idempotencyKey: true });
    expect([made.status, made.ok && made.data.item, made.headers.get('location')]).toEqual([201, 'tée', '/orders/o1']);
    await expect(api('DELETE /orders/{id}', { params: { id: 'o1' } })).resolves.toMatchObject({
      status: 204,
      data: undefined,
    });
    const bytes = await api('GET /bytes');
    if (!bytes.ok) throw new Error('no bytes');
    expect([...new Uint8Array(await bytes.data.arrayBuffer())]).toEqual([0, 255, 128]);
  });

  it('has no caller without credentials in the headers', async () => {
    const anonymous = createClient<Shop>(throughInvoke({ functionName: 'shop', lambda }));
    await expect(anonymous('GET /me')).resolves.toMatchObject({ status: 401, error: { code: 'app.unauthorized' } });
    await expect(api('GET /me')).resolves.toMatchObject({ data: { subject: 'ada' } });
  });

  it('delivers the events of a stream when it has ended', async () => {
    const seen: unknown[] = [];
    for await (const { data } of events(api, 'GET /ticks', { query: { count: 2 } })) seen.push(data);
    expect(seen).toEqual([{ at: 1 }, { at: 2 }]);
  });

  it('rejects a client of the SDK that repeats calls', async () => {
    const eager = createClient<Shop>(throughInvoke({ functionName: 'shop', lambda: lambdaOf(dev, 3) }));
    await expect(eager('GET /me')).rejects.toMatchObject({
      code: 'client.invalid_request',
      message: 'option "lambda": create the LambdaClient with maxAttempts: 1',
    });
  });
});

describe('a function whose handler streams', () => {
  let dev: Running;
  let lambda: LambdaClient;
  beforeAll(async () => {
    dev = await startDev({}, ['src/lambda.ts']);
    lambda = lambdaOf(dev);
  });
  afterAll(async () => {
    lambda?.destroy();
    await dev?.stop();
  });

  it.each(['GET /orders/{id}', 'GET /me'] as const)(
    '%s is client.foreign, and the message names the export to invoke',
    async (operation) => {
      const api = createClient<Shop>(throughInvoke({ functionName: 'shop', lambda }));
      const input = operation === 'GET /me' ? {} : { params: { id: 'o1' } };
      await expect(api(operation as 'GET /orders/{id}', input as { params: { id: string } })).rejects.toMatchObject({
        code: 'client.foreign',
        message: expect.stringContaining('app.handleLambda'),
      });
    },
  );
});

describe('an invocation that fails', () => {
  let dev: Running;
  let lambda: LambdaClient;
  beforeAll(async () => {
    dev = await startDev({}, ['src/plain.ts', '--concurrency', '1']);
    lambda = lambdaOf(dev);
  });
  afterAll(async () => {
    lambda?.destroy();
    await dev?.stop();
  });
  const api = (functionName = 'shop') => createClient<Shop>(throughInvoke({ functionName, lambda }));
  const call = (operation: string, body?: unknown) =>
    (api() as unknown as (operation: string, input: object) => Promise<unknown>)(operation, { body });

  it('a buffered answer can have bytes and cookies, and the event has the request', async () => {
    const answer = await api()('GET /bytes');
    if (!answer.ok) throw new Error('no bytes');
    expect([...new Uint8Array(await answer.data.arrayBuffer())]).toEqual([0, 255, 128]);
    expect(answer.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
    await expect(
      api()('GET /orders', { query: { tag: ['x'] }, headers: { cookie: 'c=1; d=2', traceparent: '00-1-2-01' } }),
    ).resolves.toMatchObject({
      data: { rawQueryString: 'tag=x', cookies: ['c=1', 'd=2'], headers: { traceparent: '00-1-2-01' } },
    });
    await expect(call('POST /echo', new Uint8Array([255, 0]))).resolves.toMatchObject({
      data: { body: '/wA=', isBase64Encoded: true },
    });
  });

  it.each([
    ['a handler that throws', 'POST /throw', 'client.function_error', 502, { errorType: 'TypeError' }],
    ['a process that ends', 'POST /exit', 'client.function_error', 502, { errorType: 'Runtime.ExitError' }],
    [
      'an answer of more than 6 MB',
      'GET /large',
      'client.too_large',
      413,
      { errorType: 'Function.ResponseSizeTooLarge' },
    ],
    ['a result that is not an HTTP answer', 'GET /text', 'client.foreign', undefined, undefined],
  ])('%s has its code', async (_case, operation, code, status, cause) => {
    await expect(call(operation)).rejects.toMatchObject({ code, ...(status && { status }), ...(cause && { cause }) });
  });

  it('a request of more than 6 MB is too large', async () => {
    await expect(call('POST /echo', 'x'.repeat(6_291_457))).rejects.toMatchObject({
      code: 'client.too_large',
      status: 413,
    });
  });

  it('another function is not found', async () => {
    await expect(api('other')('GET /me')).rejects.toMatchObject({ code: 'client.foreign', status: 404 });
  });

  it('the second invocation of a function with concurrency 1 is throttled, and the caller ends the first', async () => {
    const end = new AbortController();
    const held = ['POST /hold', 'POST /hold'].map((operation) =>
      api()
        .raw(operation, { signal: end.signal })
        .catch((error: unknown) => error),
    );
    await expect(Promise.race(held)).resolves.toMatchObject({ code: 'client.throttled', status: 429 });
    end.abort();
    const codes = (await Promise.all(held)).map((error) => (error as { code: string }).code);
    expect(codes.sort()).toEqual(['client.aborted', 'client.throttled']);
  });
});
