/** Signed requests: against the published vectors of AWS, and through the doors of `sallyport dev` with an IAM authorizer. */
import { type Client, createClient } from '../src/index.js';
import { createSignedFetch, type SignedFetchOptions } from '../src/sigv4.js';
import type { Shop } from './service/contract.js';
import { type Running, startDev } from './support/dev.js';

const KEYS = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' };
const UNRESERVED = '-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const SESSION =
  'AQoDYXdzEPT//////////wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSPfIeoIYRqTflfKD8YUuwthAx7mSEI/' +
  'qkPpKPi/kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7WZ0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHNVXAkiY9q6d+xo0rKwT38xVq' +
  'r7ZD0u0iPPkUL64lIZbqBAz+scqKmlzm8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2ICCR/oLxBA==';

/** The vectors of AWS for Signature Version 4, in which the service is called `service`. */
describe('the signature equals the vector', () => {
  it.each([
    [
      'get-vanilla',
      'GET',
      '/',
      {},
      '',
      'host;x-amz-date',
      '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31',
    ],
    [
      'get-header-value-order',
      'GET',
      '/',
      { 'My-Header1': 'value4,value1,value3,value2' },
      '',
      'host;my-header1;x-amz-date',
      '08c7e5a9acfcfeb3ab6b2185e75ce8b1deb5e634ec47601a50643f830c755c01',
    ],
    [
      'get-header-value-trim',
      'GET',
      '/',
      { 'My-Header1': ' value1', 'My-Header2': ' "a   b   c"' },
      '',
      'host;my-header1;my-header2;x-amz-date',
      'acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736',
    ],
    [
      'get-unreserved',
      'GET',
      `/${UNRESERVED}`,
      {},
      '',
      'host;x-amz-date',
      '07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f',
    ],
    [
      'get-vanilla-query-order-key-case',
      'GET',
      '/?Param2=value2&Param1=value1',
      {},
      '',
      'host;x-amz-date',
      'b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500',
    ],
    [
      'get-vanilla-query-unreserved',
      'GET',
      `/?${UNRESERVED}=${UNRESERVED}`,
      {},
      '',
      'host;x-amz-date',
      '9c3e54bfcdf0b19771a7f523ee5669cdf59bc7cc0884027167c21bb143a40197',
    ],
    [
      'get-vanilla-utf8-query',
      'GET',
      '/?ሴ=bar',
      {},
      '',
      'host;x-amz-date',
      '2cdec8eed098649ff3a119c94853b13c643bcf08f8b0a1d91e12c9027818dd04',
    ],
    [
      'post-vanilla',
      'POST',
      '/',
      {},
      '',
      'host;x-amz-date',
      '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b',
    ],
    [
      'post-vanilla-query',
      'POST',
      '/?Param1=value1',
      {},
      '',
      'host;x-amz-date',
      '28038455d6de14eafc1f9222cf5aa6f1a96197d7deb8263271d420d138af7f11',
    ],
    [
      'post-x-www-form-urlencoded',
      'POST',
      '/',
      { 'Content-Type': 'application/x-www-form-urlencoded' },
      'Param1=value1',
      'content-type;host;x-amz-date',
      'ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a',
    ],
    [
      'post-sts-header-before',
      'POST',
      '/',
      {},
      '',
      'host;x-amz-date;x-amz-security-token',
      '85d96828115b5dc0cfc3bd16ad9e210dd772bbebba041836c64533a82be05ead',
    ],
  ] as const)('%s', async (name, method, path, headers, body, signedHeaders, signature) => {
    const sent = import.meta.jest.spyOn(globalThis, 'fetch').mockResolvedValue(new Response());
    const signedFetch = createSignedFetch({
      region: 'us-east-1',
      service: 'service' as SignedFetchOptions['service'],
      credentials: { ...KEYS, ...(name.startsWith('post-sts') && { sessionToken: SESSION }) },
      now: () => Date.parse('2015-08-30T12:36:00Z'),
    });
    await signedFetch(`https://example.amazonaws.com${path}`, { method, headers, body: body || null });
    expect(new Headers(sent.mock.calls[0]?.[1]?.headers).get('authorization')).toBe(
      `AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=${signedHeaders}, Signature=${signature}`,
    );
    sent.mockRestore();
  });
});

describe('with an IAM authorizer', () => {
  let dev: Running;
  beforeAll(async () => {
    dev = await startDev({}, ['--authorizer', 'iam']);
  });
  afterAll(() => dev?.stop());

  const keys = () => ({
    accessKeyId: dev.variables.AWS_ACCESS_KEY_ID ?? '',
    secretAccessKey: dev.variables.AWS_SECRET_ACCESS_KEY ?? '',
  });
  const clientOf = (door: string, options: Partial<SignedFetchOptions> = {}): Client<Shop> =>
    createClient<Shop>({
      url: `http://127.0.0.1:${dev.ports[door]}`,
      fetch: createSignedFetch({
        region: 'us-east-1',
        service: door === 'function-url' ? 'lambda' : 'execute-api',
        credentials: keys(),
        ...options,
      }),
    });

  describe.each(['gateway-v2', 'gateway-v1', 'function-url'])('the door %s', (door) => {
    it('accepts paths, queries and bodies of all kinds, and sees the caller', async () => {
      const api = clientOf(door);
      await expect(api('GET /me')).resolves.toMatchObject({
        data: { subject: 'arn:aws:iam::123456789012:user/local' },
      });
      await expect(api('GET /orders/{id}', { params: { id: 'a b;ü?+%(!)*' } })).resolves.toMatchObject({
        data: { id: 'a b;ü?+%(!)*' },
      });
      await expect(api('GET /files/{path+}', { params: { path: 'a/b c/d' } })).resolves.toMatchObject({
        data: 'a/b c/d',
      });
      await expect(
        api('GET /orders', { query: { tag: ['b', 'a b', 'c&d=+', ''], limit: undefined } }),
      ).resolves.toMatchObject({ data: { tag: ['b', 'a b', 'c&d=+', ''] } });
      // The signature with its body is accepted, and then the service rejects the caller.
      await expect(api('POST /orders', { body: { item: 'tée' }, idempotencyKey: true })).resolves.toMatchObject({
        status: 403,
        error: { code: 'app.forbidden' },
      });
      await expect(api('DELETE /orders/{id}', { params: { id: 'o1' } })).resolves.toMatchObject({ status: 204 });
    });

    it('rejects an unsigned request, another key and another service', async () => {
      const unsigned = createClient<Shop>({ url: `http://127.0.0.1:${dev.ports[door]}` });
      const denied = { code: 'client.foreign', status: 403 };
      await expect(unsigned('GET /me')).rejects.toMatchObject(denied);
      await expect(
        clientOf(door, { credentials: { ...keys(), secretAccessKey: 'x' } })('GET /me'),
      ).rejects.toMatchObject(denied);
      const service = door === 'function-url' ? 'execute-api' : 'lambda';
      await expect(clientOf(door, { service })('GET /me')).rejects.toMatchObject(denied);
    });
  });

  it.each([-3_600_000, 3_600_000])('a clock that is wrong by %i ms is corrected once', async (ms) => {
    const signatures = import.meta.jest.fn(async () => keys());
    const api = clientOf('gateway-v2', { now: () => Date.now() + ms, credentials: signatures });
    await expect(api('GET /me')).resolves.toMatchObject({ ok: true });
    expect(signatures).toHaveBeenCalledTimes(2);
    await expect(api('GET /me')).resolves.toMatchObject({ ok: true });
    expect(signatures).toHaveBeenCalledTimes(3);
  });

  it('an answer 403 at the right time is not signed again', async () => {
    const signatures = import.meta.jest.fn(async () => ({ ...keys(), secretAccessKey: 'x' }));
    await expect(clientOf('gateway-v2', { credentials: signatures })('GET /me')).rejects.toMatchObject({ status: 403 });
    expect(signatures).toHaveBeenCalledTimes(1);
  });
});
