import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createS3ObjectStore, createUploadGrants } from '@sallyport/objectstore';

const before = { ...process.env };
const regions: string[] = [];
let server: Server;

beforeAll(async () => {
  server = createServer((request, response) => {
    // AWS4-HMAC-SHA256 Credential=<key>/<date>/<region>/s3/aws4_request, …
    regions.push(request.headers.authorization?.split('/')[2] ?? '');
    request.resume().on('end', () => response.end());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  Object.assign(process.env, {
    AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
    AWS_SECRET_ACCESS_KEY: 'example',
    AWS_REGION: 'eu-west-3',
    AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  });
});

afterAll(async () => {
  process.env = before;
  await new Promise((resolve) => server.close(resolve));
});

it.each([
  [{ region: 'eu-central-1' }, 'eu-central-1'],
  [{}, 'eu-west-3'],
])('a store with %j signs for %s', async (options, region) => {
  const store = createS3ObjectStore(options);
  await store.put({ ref: { bucket: 'photos', key: 'a.png' }, payload: new Uint8Array([1]) });
  expect(regions.at(-1)).toBe(region);
});

it.each([
  [{ region: 'eu-central-1' }, 'eu-central-1'],
  [{}, 'eu-west-3'],
])('a grant with %j is signed for %s', async (options, region) => {
  const { url } = await createUploadGrants(options).presignPut({
    ref: { bucket: 'photos', key: 'a.png' },
    contentLength: 5,
    maxBytes: 10,
    contentType: 'image/png',
    checksumSha256: 'LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=',
    expiresIn: 60,
  });
  expect(new URL(url).searchParams.get('X-Amz-Credential')?.split('/')[2]).toBe(region);
});
