import { createHash } from 'node:crypto';
import { inspect } from 'node:util';
import { S3Client } from '@aws-sdk/client-s3';
import { ManualClock } from '@sallyport/core/testing';
import {
  createS3ObjectStore,
  createUploadGrants,
  type Encryption,
  MAX_PRESIGN_PUT_EXPIRES_IN,
  type PresignPutInput,
  type UploadGrant,
} from '@sallyport/objectstore';
import { S3_CREDENTIALS } from '@sallyport/s3-server';
import { startTestS3, type TestS3 } from './support/s3.js';

const sha256 = (text: string) => createHash('sha256').update(text).digest('base64');
const HELLO = 'LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=';
const INPUT: PresignPutInput = {
  ref: { bucket: 'uploads', key: 'photo.png' },
  contentLength: 5,
  maxBytes: 10,
  contentType: 'image/png',
  checksumSha256: HELLO,
  expiresIn: 60,
};
/** A client that has no server: signing needs none. */
const offline = (config = {}) =>
  new S3Client({
    region: 'eu-west-1',
    credentials: S3_CREDENTIALS,
    requestChecksumCalculation: 'WHEN_REQUIRED',
    ...config,
  });

describe('the input of a grant', () => {
  const grants = createUploadGrants({ client: offline() });

  it('may last at most 15 minutes', () => {
    expect(MAX_PRESIGN_PUT_EXPIRES_IN).toBe(900);
  });

  it.each<[string, Partial<PresignPutInput>]>([
    ['an empty object', { contentLength: 0, checksumSha256: sha256('') }],
    ['the largest object', { contentLength: 5_368_709_120, maxBytes: 5_368_709_120 }],
    ['the longest time', { expiresIn: 900 }],
    ['the shortest time', { expiresIn: 1 }],
    ['a type with parameters', { contentType: 'text/plain; charset="utf-8"; x=y' }],
    ['a type of 256 characters', { contentType: `text/${'a'.repeat(251)}` }],
  ])('may be %s', async (_name, part) => {
    await expect(grants.presignPut({ ...INPUT, ...part })).resolves.toMatchObject({ method: 'PUT' });
  });

  it.each<[string, unknown]>([
    ['no ref', undefined],
    ['a text', 's3://uploads/photo.png'],
    ['a version', { ...INPUT.ref, versionId: 'v1' }],
    ['no key', { bucket: 'uploads' }],
    ['a dot segment', { bucket: 'uploads', key: 'a/./b' }],
    ['a double dot segment', { bucket: 'uploads', key: 'a/../b' }],
    ['nothing but dots', { bucket: 'uploads', key: '..' }],
    ['a query', { bucket: 'uploads', key: 'a?b' }],
  ])('is rejected with %s for its reference', async (_name, ref) => {
    await expect(grants.presignPut({ ...INPUT, ref } as PresignPutInput)).rejects.toMatchObject({
      code: 'objectstore.invalid_ref',
      details: { field: 'ref' },
    });
  });

  it.each<[keyof PresignPutInput, unknown]>([
    ...[undefined, null, 0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 5_368_709_121, '10', 10n].map(
      (value): [keyof PresignPutInput, unknown] => ['maxBytes', value],
    ),
    ...[undefined, null, -1, 1.5, Number.NaN, 11, '5'].map((value): [keyof PresignPutInput, unknown] => [
      'contentLength',
      value,
    ]),
    ...[
      undefined,
      '',
      'png',
      'image/',
      'image/png ',
      ' image/png',
      'image/png;',
      'image/png; a',
      'image/p ng',
      'image/png\r\nx-amz-acl: public-read',
      'imäge/png',
      `text/${'a'.repeat(252)}`,
      7,
    ].map((value): [keyof PresignPutInput, unknown] => ['contentType', value]),
    ...[
      undefined,
      '',
      '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824',
      HELLO.slice(0, -1),
      `${HELLO} `,
      HELLO.replace('+', '-'),
      // The same bytes with other unused bits.
      HELLO.replace('CQ=', 'CR='),
      sha256('hello').slice(0, 40),
      'LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQAAA==',
      7,
    ].map((value): [keyof PresignPutInput, unknown] => ['checksumSha256', value]),
    ...[undefined, null, 0, -1, 901, 1.5, Number.NaN, '60'].map((value): [keyof PresignPutInput, unknown] => [
      'expiresIn',
      value,
    ]),
    ['acl' as keyof PresignPutInput, 'public-read'],
  ])('is rejected by name when %s is %p', async (field, value) => {
    await expect(grants.presignPut({ ...INPUT, [field]: value })).rejects.toMatchObject({
      code: 'objectstore.invalid_presign_put',
      details: { field },
    });
  });

  it('names the first wrong field of several', async () => {
    const wrong = { ...INPUT, contentLength: -1, contentType: '', expiresIn: 0 };
    await expect(grants.presignPut(wrong)).rejects.toMatchObject({ details: { field: 'contentLength' } });
    await expect(grants.presignPut(null as never)).rejects.toMatchObject({
      code: 'objectstore.invalid_presign_put',
      details: { field: 'input' },
    });
  });
});

describe('the link', () => {
  const linkOf = async (client: S3Client, part: Partial<PresignPutInput> = {}) =>
    new URL((await createUploadGrants({ client }).presignPut({ ...INPUT, ...part })).url);

  it('signs host, length, type and checksum as headers, not in the query', async () => {
    const url = await linkOf(offline());
    expect(url.searchParams.get('X-Amz-SignedHeaders')).toBe('content-length;content-type;host;x-amz-checksum-sha256');
    expect([...url.searchParams.keys()].sort()).toEqual([
      'X-Amz-Algorithm',
      'X-Amz-Content-Sha256',
      'X-Amz-Credential',
      'X-Amz-Date',
      'X-Amz-Expires',
      'X-Amz-Signature',
      'X-Amz-SignedHeaders',
      'x-id',
    ]);
    expect([url.protocol, url.host, url.pathname]).toEqual([
      'https:',
      'uploads.s3.eu-west-1.amazonaws.com',
      '/photo.png',
    ]);
  });

  it.each<[string, object, Partial<PresignPutInput>, string]>([
    [
      'a key that has to be encoded',
      {},
      { ref: { bucket: 'uploads', key: "a+b c/é%2F(!'*)~" } },
      '/a%2Bb%20c/%C3%A9%252F%28%21%27%2A%29~',
    ],
    ['a bucket in the path', { forcePathStyle: true }, {}, '/uploads/photo.png'],
    ['a bucket with dots', {}, { ref: { bucket: 'up.loads', key: 'a' } }, '/up.loads/a'],
    [
      'an endpoint of its own',
      { endpoint: 'http://127.0.0.1:9000/base', forcePathStyle: true },
      {},
      '/base/uploads/photo.png',
    ],
    ['a client with default checksums', { requestChecksumCalculation: 'WHEN_SUPPORTED' }, {}, '/photo.png'],
  ])('is right with %s', async (_name, config, part, path) => {
    expect((await linkOf(offline(config), part)).pathname).toBe(path);
  });

  it.each<[Encryption, Record<string, string>]>([
    [{ mode: 'bucket-default' }, {}],
    [{ mode: 's3-managed' }, { 'x-amz-server-side-encryption': 'AES256' }],
    [
      { mode: 'kms', kmsKeyId: 'alias/notes' },
      { 'x-amz-server-side-encryption': 'aws:kms', 'x-amz-server-side-encryption-aws-kms-key-id': 'alias/notes' },
    ],
  ])('signs the headers of %j', async (encryption, headers) => {
    const grant = await createUploadGrants({ client: offline(), encryption }).presignPut(INPUT);
    expect(grant.headers).toEqual({
      'content-length': '5',
      'content-type': 'image/png',
      'x-amz-checksum-sha256': HELLO,
      ...headers,
    });
    const signed = new URL(grant.url).searchParams.get('X-Amz-SignedHeaders')?.split(';');
    expect(signed).toEqual(['host', ...Object.keys(grant.headers)].sort());
  });

  /** Changes the request before the SDK signs it, like a client of another version or configuration. */
  function meddling(
    change: (request: {
      headers: Record<string, string>;
      query: Record<string, string>;
      path: string;
      hostname: string;
      protocol: string;
    }) => void,
    config = {},
  ) {
    const client = offline(config);
    client.middlewareStack.add(
      (next) => (args) => {
        change((args as unknown as { request: Parameters<typeof change>[0] }).request);
        return next(args);
      },
      { step: 'build', priority: 'low', name: 'meddle' },
    );
    return client;
  }

  it.each<[string, S3Client]>([
    ['a checksum in the query', meddling(({ query }) => Object.assign(query, { 'x-amz-checksum-crc32': 'AAAAAA==' }))],
    [
      'a checksum algorithm in the query',
      meddling(({ query }) => Object.assign(query, { 'x-amz-sdk-checksum-algorithm': 'CRC32' })),
    ],
    ['a type in the query', meddling(({ query }) => Object.assign(query, { 'content-type': 'text/html' }))],
    [
      'encryption in the query',
      meddling(({ query }) => Object.assign(query, { 'x-amz-server-side-encryption': 'AES256' })),
    ],
    ['no type', meddling(({ headers }) => delete headers['content-type'])],
    ['no checksum', meddling(({ headers }) => delete headers['x-amz-checksum-sha256'])],
    ['no length', meddling(({ headers }) => delete headers['content-length'])],
    [
      'another key',
      meddling((request) => {
        request.path = '/other.png';
      }),
    ],
    [
      'another bucket',
      meddling((request) => {
        request.hostname = 'other.s3.eu-west-1.amazonaws.com';
      }),
    ],
    [
      'another host',
      meddling((request) => {
        request.hostname = 'uploads.example.com';
      }),
    ],
    [
      'no encryption on the way',
      meddling((request) => {
        request.protocol = 'http:';
      }),
    ],
  ])('is rejected with %s, and the error does not hold it', async (_name, client) => {
    const error = await createUploadGrants({ client })
      .presignPut(INPUT)
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'objectstore.invalid_store_config' });
    expect(inspect(error, { depth: null, showHidden: true })).not.toContain('X-Amz-Signature');
  });

  it('ends with the credentials that signed it, to the second', async () => {
    const clock = new ManualClock(new Date('2026-11-22T10:00:00.900Z'));
    const with_ = (expiration?: Date) => {
      const client = offline({
        credentials: async () => ({ ...S3_CREDENTIALS, sessionToken: 'token', ...(expiration && { expiration }) }),
      });
      return createUploadGrants({ client, clock }).presignPut(INPUT);
    };
    expect((await with_()).expiresAt.toISOString()).toBe('2026-11-22T10:01:00.000Z');
    expect((await with_(new Date('2026-11-22T11:00:00Z'))).expiresAt.toISOString()).toBe('2026-11-22T10:01:00.000Z');
    expect((await with_(new Date('2026-11-22T10:00:20Z'))).expiresAt.toISOString()).toBe('2026-11-22T10:00:20.000Z');
    await expect(with_(new Date('2026-11-22T10:00:00Z'))).rejects.toMatchObject({ code: 'objectstore.denied' });
  });

  it('is not made without credentials, and not waited for longer than the deadline', async () => {
    const failing = offline({
      credentials: async () =>
        Promise.reject(Object.assign(new Error('no metadata'), { name: 'CredentialsProviderError' })),
    });
    await expect(createUploadGrants({ client: failing }).presignPut(INPUT)).rejects.toMatchObject({
      code: 'objectstore.denied',
      message: 'framework: the object store denied the call',
    });
    const clock = new ManualClock();
    const silent = createUploadGrants({
      client: offline({ credentials: () => new Promise(() => {}) }),
      clock,
      timeoutMs: 1000,
    });
    const call = silent.presignPut(INPUT);
    const rejected = expect(call).rejects.toMatchObject({ code: 'objectstore.unavailable', retryable: true });
    while (clock.pendingTimers === 0) await new Promise(setImmediate);
    await clock.advance(1000);
    await rejected;
  });

  it('is not made for a caller who gave up', async () => {
    const reason = new Error('gone');
    const call = createUploadGrants({ client: offline() }).presignPut(INPUT, { signal: AbortSignal.abort(reason) });
    await expect(call).rejects.toBe(reason);
  });
});

describe('an upload', () => {
  let s3: TestS3;
  let grant: UploadGrant;
  let key = 0;

  beforeAll(async () => {
    s3 = await startTestS3();
  });

  afterAll(() => s3.stop());

  beforeEach(async () => {
    key += 1;
    grant = await createUploadGrants({ client: s3.client }).presignPut({
      ...INPUT,
      ref: { bucket: s3.bucket, key: `photo ${key} é+.png` },
    });
  });

  const stored = () => createS3ObjectStore({ client: s3.client }).get({ ref: grant.ref, maxBytes: 10 });
  /** Uploads like a browser: `content-length` is the length of the body, regardless of the headers. */
  const upload = (
    change: { headers?: Record<string, string>; without?: string; body?: string; method?: string; url?: string } = {},
  ) => {
    const { 'content-length': _, ...given } = grant.headers;
    const headers: Record<string, string> = { ...given, ...change.headers };
    if (change.without !== undefined) delete headers[change.without];
    return fetch(change.url ?? grant.url, {
      method: change.method ?? grant.method,
      headers,
      body: change.body ?? 'hello',
    });
  };

  it('that matches the grant is accepted', async () => {
    expect((await upload()).status).toBe(200);
    expect(await stored()).toMatchObject({ payload: new Uint8Array(Buffer.from('hello')), contentType: 'image/png' });
  });

  it.each<[string, Parameters<typeof upload>[0], number]>([
    ['another type', { headers: { 'content-type': 'text/html' } }, 403],
    ['a type in other letters', { headers: { 'content-type': 'image/PNG' } }, 403],
    ['no checksum', { without: 'x-amz-checksum-sha256' }, 403],
    ['another checksum', { headers: { 'x-amz-checksum-sha256': sha256('other') } }, 403],
    ['a longer body', { body: 'hello!' }, 403],
    ['a shorter body', { body: 'hell' }, 403],
    ['other bytes of the same length', { body: 'hullo' }, 400],
    ['another method', { method: 'POST' }, 403],
  ])('with %s is rejected, and nothing is written', async (_name, change, status) => {
    expect((await upload(change)).status).toBe(status);
    await expect(stored()).rejects.toMatchObject({ code: 'objectstore.not_found' });
  });

  it('without a type is rejected', async () => {
    // Bytes, because `fetch` sets a content type for a string.
    const { 'content-type': _, 'content-length': __, ...headers } = grant.headers;
    const answer = await fetch(grant.url, { method: 'PUT', headers, body: new Uint8Array(Buffer.from('hello')) });
    expect(answer.status).toBe(403);
    await expect(stored()).rejects.toMatchObject({ code: 'objectstore.not_found' });
  });

  it('to another key is rejected', async () => {
    const url = new URL(grant.url);
    url.pathname = `/${s3.bucket}/other.png`;
    expect((await upload({ url: url.href })).status).toBe(403);
  });

  it('a second after the end is rejected', async () => {
    const clock = new ManualClock(new Date(Date.now() - 61_000));
    const grants = createUploadGrants({ client: s3.client, clock });
    grant = await grants.presignPut({ ...INPUT, ref: { bucket: s3.bucket, key: 'late.png' } });
    expect((await upload()).status).toBe(403);
    await expect(stored()).rejects.toMatchObject({ code: 'objectstore.not_found' });
  });

  it('must have the encryption of the grant', async () => {
    const grants = createUploadGrants({ client: s3.client, encryption: { mode: 'kms', kmsKeyId: 'testkey-1' } });
    grant = await grants.presignPut({ ...INPUT, ref: { bucket: s3.bucket, key: 'secret.png' } });
    const keyId = 'x-amz-server-side-encryption-aws-kms-key-id';
    expect((await upload({ headers: { [keyId]: 'testkey-2' } })).status).toBe(403);
    expect((await upload({ without: keyId })).status).toBe(403);
    expect((await upload()).status).toBe(200);
  });

  it('can be repeated with the link until it ends, also over a newer object', async () => {
    expect((await upload()).status).toBe(200);
    await createS3ObjectStore({ client: s3.client }).put({ ref: grant.ref, payload: Buffer.from('newer') });
    expect((await upload()).status).toBe(200);
    expect(await stored()).toMatchObject({ payload: new Uint8Array(Buffer.from('hello')) });
  });

  // The fault proxy evaluates the condition: this radosgw does not support it. The signature is checked by radosgw.
  it('that may only create is accepted once while the object exists', async () => {
    const grants = createUploadGrants({ client: s3.client });
    grant = await grants.presignPut({ ...INPUT, ref: grant.ref, createOnly: true });
    expect(grant.headers['if-none-match']).toBe('*');
    expect((await upload({ without: 'if-none-match' })).status).toBe(403);
    expect((await upload({ headers: { 'if-none-match': '"x"' } })).status).toBe(403);
    await expect(stored()).rejects.toMatchObject({ code: 'objectstore.not_found' });
    expect((await upload()).status).toBe(200);
    expect((await upload()).status).toBe(412);
  });
});

it.each([1, 'yes', null])('createOnly of a grant is true or false, and not %j', async (createOnly) => {
  const grants = createUploadGrants({ client: offline() });
  await expect(grants.presignPut({ ...INPUT, createOnly: createOnly as never })).rejects.toMatchObject({
    code: 'objectstore.invalid_presign_put',
    details: { field: 'createOnly' },
  });
});
