import { createHash } from 'node:crypto';
import type { AuthorizationServer } from '@sallyport/oauth-lab';
import { createS3ObjectStore, createUploadGrants, type UploadGrant } from '@sallyport/objectstore';
import { createBucket, createS3TestClient, type S3Proxy, s3Endpoint, startS3Proxy } from '@sallyport/s3-server';
import { buildAPIGatewayV2Request, createTestEnv } from '@sallyport/testkit';
import type { NotesService } from '../src/app.js';
import { AUDIENCE, createTestService, startIssuer } from './support.js';

// The first test of a run starts the server.
const FILE = Buffer.from('\x89PNG\r\n a small picture', 'latin1');
const env = createTestEnv({ now: new Date() });
let proxy: S3Proxy;
let issuer: AuthorizationServer;
let service: NotesService;
let token: string;

beforeAll(async () => {
  [issuer, proxy] = [await startIssuer(), await startS3Proxy(await s3Endpoint())];
  token = await issuer.sign({ sub: 'ada', scope: 'notes:read notes:write' }, AUDIENCE);
  const client = await createS3TestClient({ endpoint: proxy.endpoint });
  service = createTestService(env, issuer, {
    limit: 1000,
    attachments: {
      bucket: await createBucket(client),
      store: createS3ObjectStore({ client }),
      grants: createUploadGrants({ client }),
    },
  });
});

afterAll(async () => {
  await proxy.stop();
  await issuer.close();
});

interface Answer {
  readonly statusCode: number;
  readonly headers: Record<string, string>;
  readonly body: string;
}

const send = (method: string, path: string, options: object = {}) => {
  const headers = { authorization: `Bearer ${token}` };
  return env.invoke(service.app, buildAPIGatewayV2Request(method, path, { headers, ...options })) as Promise<Answer>;
};

/** The steps of the page in the browser: hashes the file, requests a grant. */
const ask = (name: string, change: object = {}) =>
  send('POST', `/notes/note-1/attachments/${name}/upload`, {
    json: {
      contentLength: FILE.byteLength,
      contentType: 'image/png',
      checksumSha256: createHash('sha256').update(FILE).digest('base64'),
      ...change,
    },
  });

const grantFor = async (name: string) => JSON.parse((await ask(name)).body) as UploadGrant;

/** A browser sets `content-length` itself, regardless of the page. */
function put({ url, method, headers }: UploadGrant, body: Uint8Array, change: Record<string, string> = {}) {
  const { 'content-length': _, ...allowed } = headers;
  return fetch(url, { method, headers: { ...allowed, ...change }, body: new Uint8Array(body) });
}

it('a browser uploads the file that was granted, and the service reads it', async () => {
  const granted = await ask('photo.png');
  expect([granted.statusCode, granted.headers.location]).toEqual([201, '/notes/note-1/attachments/photo.png']);
  expect((await put(JSON.parse(granted.body) as UploadGrant, FILE)).status).toBe(200);
  const read = await send('GET', '/notes/note-1/attachments/photo.png');
  expect([read.statusCode, read.headers['content-type']]).toEqual([200, 'image/png']);
  expect(Buffer.from(read.body, 'base64')).toEqual(FILE);
});

it.each<[string, Uint8Array, Record<string, string>]>([
  ['a byte more', Buffer.concat([FILE, Buffer.from('!')]), {}],
  ['a byte less', FILE.subarray(1), {}],
  ['another type', FILE, { 'content-type': 'text/html' }],
  ['another checksum', FILE, { 'x-amz-checksum-sha256': createHash('sha256').update('other').digest('base64') }],
  ['other bytes of the same length', Buffer.alloc(FILE.byteLength, 'x'), {}],
])('an upload with %s is rejected, and there is no file', async (_name, body, headers) => {
  expect((await put(await grantFor('refused.png'), body, headers)).ok).toBe(false);
  expect((await send('GET', '/notes/note-1/attachments/refused.png')).statusCode).toBe(404);
});

it.each<[string, string, object, number, string]>([
  ['a file that is too large', 'a.png', { contentLength: 4_000_001 }, 400, 'contentLength'],
  ['a checksum that is none', 'a.png', { checksumSha256: 'abc' }, 400, 'checksumSha256'],
  ['a type that the service does not take', 'a.html', { contentType: 'text/html' }, 422, 'contentType'],
  ['a name that is hidden', '.png', {}, 422, 'name'],
])('%s gets no grant', async (_name, name, change, status, field) => {
  const { statusCode, body } = await ask(name, change);
  expect(statusCode).toBe(status);
  expect(body).toContain(`"field":"${field}"`);
});

it.each(['text/html', 'image/svg+xml', 'image/png; charset=utf-7', 'IMAGE/PNG,text/html'])(
  'a file of type %s is not taken through the function either',
  async (type) => {
    const sent = { headers: { authorization: `Bearer ${token}`, 'content-type': type }, body: Buffer.from('<script>') };
    expect((await send('PUT', '/notes/note-1/attachments/page.png', sent)).statusCode).toBe(415);
    expect((await send('GET', '/notes/note-1/attachments/page.png')).statusCode).toBe(404);
  },
);

it('a browser must not guess the type of an attachment', async () => {
  const sent = { headers: { authorization: `Bearer ${token}`, 'content-type': 'image/png' }, body: FILE };
  expect((await send('PUT', '/notes/note-1/attachments/a.png', sent)).statusCode).toBe(201);
  const read = await send('GET', '/notes/note-1/attachments/a.png');
  expect(read.headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'content-type': 'image/png' });
});

it('a caller who may only read gets no grant', async () => {
  const reader = await issuer.sign({ sub: 'alan', scope: 'notes:read' }, AUDIENCE);
  const headers = { authorization: `Bearer ${reader}` };
  expect((await send('POST', '/notes/note-1/attachments/a.png/upload', { headers, json: {} })).statusCode).toBe(403);
});
