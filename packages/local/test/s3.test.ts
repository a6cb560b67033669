import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListBucketsCommand,
  ListObjectsV2Command,
  ListObjectVersionsCommand,
  PutBucketVersioningCommand,
  PutObjectCommand,
  S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { systemClock } from '@sallyport/core';
import { ManualClock } from '@sallyport/core/testing';
import { createS3ObjectStore, createUploadGrants, type UploadGrant } from '@sallyport/objectstore';
import { objectStoreConformance } from '@sallyport/objectstore/testing';
import { s3Trigger } from '@sallyport/triggers';
import { BucketStore } from '../src/internal/services/s3/store.js';
import { clientConfig } from './support/clients.js';
import { createTestHost, type TestHost, trigger } from './support/host.js';
import { startPort, type TestPort } from './support/port.js';

let host: TestHost;
let port: TestPort;
let client: S3Client;

beforeAll(async () => {
  host = createTestHost(() => null, { triggers: [trigger('s3', 'uploads')], clock: systemClock });
  port = await startPort(host);
  client = new S3Client(clientConfig(host));
  for (const Bucket of ['uploads', 'plain', 'versions']) await client.send(new CreateBucketCommand({ Bucket }));
  const VersioningConfiguration = { Status: 'Enabled' as const };
  await client.send(new PutBucketVersioningCommand({ Bucket: 'versions', VersioningConfiguration }));
});

afterAll(async () => {
  client.destroy();
  await port.stop();
  host.remove();
});

const textOf = async (part: { Bucket: string; Key: string; VersionId?: string | undefined; Range?: string }) =>
  (await client.send(new GetObjectCommand(part))).Body?.transformToString();

describe('the store of objects', () => {
  const cases = objectStoreConformance({
    create: async ({ versioning }) => ({
      store: createS3ObjectStore({ client }),
      bucket: versioning === 'enabled' ? 'versions' : 'plain',
    }),
  });
  it.each(cases)('$name', ({ run }) => run());
});

describe('an upload with a grant', () => {
  const HELLO = 'LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=';
  const sha256 = (text: string) => createHash('sha256').update(text).digest('base64');
  const input = { contentLength: 5, maxBytes: 10, contentType: 'image/png', checksumSha256: HELLO, expiresIn: 60 };
  let grant: UploadGrant;
  let count = 0;

  beforeEach(async () => {
    count += 1;
    grant = await createUploadGrants({ client }).presignPut({
      ...input,
      ref: { bucket: 'plain', key: `photo ${count} é+.png` },
    });
  });

  /** As in a browser: the length of the body is sent, regardless of the given headers. */
  const upload = (
    change: { headers?: Record<string, string>; without?: string; body?: string; method?: string; url?: string } = {},
  ) => {
    const { 'content-length': _, ...given } = grant.headers;
    const headers: Record<string, string> = { ...given, ...change.headers };
    if (change.without !== undefined) delete headers[change.without];
    const body = new Uint8Array(Buffer.from(change.body ?? 'hello'));
    return fetch(change.url ?? grant.url, { method: change.method ?? 'PUT', headers, body });
  };
  const stored = () => createS3ObjectStore({ client }).get({ ref: grant.ref, maxBytes: 10 });

  it('is accepted according to its grant', async () => {
    expect((await upload()).status).toBe(200);
    expect(await stored()).toMatchObject({ payload: new Uint8Array(Buffer.from('hello')), contentType: 'image/png' });
  });

  it.each<[string, Parameters<typeof upload>[0], number]>([
    ['another type', { headers: { 'content-type': 'text/html' } }, 403],
    ['no type', { without: 'content-type' }, 403],
    ['no checksum', { without: 'x-amz-checksum-sha256' }, 403],
    ['another checksum', { headers: { 'x-amz-checksum-sha256': sha256('other') } }, 403],
    ['a longer body', { body: 'hello!' }, 403],
    ['a shorter body', { body: 'hell' }, 403],
    ['other bytes of the same length', { body: 'hullo' }, 400],
    ['another method', { method: 'POST' }, 403],
    ['a header of S3 that is not signed', { headers: { 'x-amz-acl': 'public-read' } }, 403],
  ])('with %s is rejected, and nothing is written', async (_name, change, status) => {
    expect((await upload(change)).status).toBe(status);
    await expect(stored()).rejects.toMatchObject({ code: 'objectstore.not_found' });
  });

  it('to another key, or a second past its end, is rejected', async () => {
    const other = new URL(grant.url);
    other.pathname = '/plain/other.png';
    expect((await upload({ url: other.href })).status).toBe(403);
    const clock = new ManualClock(new Date(Date.now() - 61_000));
    grant = await createUploadGrants({ client, clock }).presignPut({
      ...input,
      ref: { bucket: 'plain', key: 'late.png' },
    });
    const late = await upload();
    expect([late.status, await late.text()]).toEqual([403, expect.stringContaining('Request has expired')]);
  });
});

describe('checksums', () => {
  // For the string `123456789`: the check values of the CRC catalogue, and of the digests.
  it.each<['CRC32' | 'CRC32C' | 'CRC64NVME' | 'SHA1' | 'SHA256', string]>([
    ['CRC32', 'y/Q5Jg=='],
    ['CRC32C', '4waSgw=='],
    ['CRC64NVME', 'rosUhgp5mIg='],
    ['SHA1', '98O8HYCOBHMq32eZZczDTKeuNEE='],
    ['SHA256', 'FeKw08M4keuw8e9gnsQZQgwg4yDOlMZfvIwzEkSOsiU='],
  ])('%s is checked and given back', async (algorithm, value) => {
    const member = `Checksum${algorithm}`;
    const object = { Bucket: 'plain', Key: `sum-${algorithm}` };
    await client.send(new PutObjectCommand({ ...object, Body: '123456789', [member]: value }));
    const answer = await client.send(new HeadObjectCommand({ ...object, ChecksumMode: 'ENABLED' }));
    expect(answer).toMatchObject({ [member]: value });
    const wrong = new PutObjectCommand({ ...object, Body: '123456780', [member]: value });
    await expect(client.send(wrong)).rejects.toMatchObject({ name: 'BadDigest' });
  });

  it('of a body of unknown length follow it', async () => {
    const Body = Readable.from([Buffer.from('one '), Buffer.from('two')]);
    const object = { Bucket: 'plain', Key: 'streamed' };
    await client.send(new PutObjectCommand({ ...object, Body, ContentLength: 7 }));
    const answer = await client.send(new GetObjectCommand({ ...object, ChecksumMode: 'ENABLED' }));
    expect([await answer.Body?.transformToString(), answer.ChecksumCRC32, answer.ContentEncoding]).toEqual([
      'one two',
      expect.any(String),
      undefined,
    ]);
  });
});

describe('reading', () => {
  const object = { Bucket: 'plain', Key: 'folder/a b.txt' };
  let ETag = '';

  beforeAll(async () => {
    const put = new PutObjectCommand({
      ...object,
      Body: '0123456789',
      ContentType: 'text/plain',
      Metadata: { by: 'ada' },
      CacheControl: 'no-store',
    });
    ETag = (await client.send(put)).ETag ?? '';
  });

  it('returns type, metadata and ranges', async () => {
    const answer = await client.send(new GetObjectCommand(object));
    expect(answer).toMatchObject({
      ContentType: 'text/plain',
      Metadata: { by: 'ada' },
      CacheControl: 'no-store',
      ContentLength: 10,
    });
    expect(await answer.Body?.transformToString()).toBe('0123456789');
    expect(ETag).toBe('"781e5e245d69b566979b86e28d23f2c7"');
    for (const [Range, text] of [
      ['bytes=2-4', '234'],
      ['bytes=7-', '789'],
      ['bytes=-2', '89'],
      ['bytes=8-99', '89'],
    ]) {
      expect(await textOf({ ...object, Range: Range as string })).toBe(text);
    }
    const beyond = client.send(new GetObjectCommand({ ...object, Range: 'bytes=10-' }));
    await expect(beyond).rejects.toMatchObject({ name: 'InvalidRange' });
  });

  it.each<[string, object, number]>([
    ['If-None-Match of this version', { IfNoneMatch: '"781e5e245d69b566979b86e28d23f2c7"' }, 304],
    ['If-Match of another version', { IfMatch: '"other"' }, 412],
    ['If-Modified-Since of tomorrow', { IfModifiedSince: new Date(Date.now() + 86_400_000) }, 304],
    ['If-Unmodified-Since of long ago', { IfUnmodifiedSince: new Date(0) }, 412],
  ])('with %s answers %s', async (_name, condition, httpStatusCode) => {
    const call = client.send(new GetObjectCommand({ ...object, ...condition }));
    await expect(call).rejects.toMatchObject({ $metadata: { httpStatusCode } });
  });

  it('by a link works until it ends, and may name its answer', async () => {
    const command = new GetObjectCommand({ ...object, ResponseContentDisposition: 'attachment; filename="x"' });
    const link = await getSignedUrl(client, command, { expiresIn: 60 });
    const answer = await fetch(link);
    expect([answer.status, await answer.text(), answer.headers.get('content-disposition')]).toEqual([
      200,
      '0123456789',
      'attachment; filename="x"',
    ]);
    const forged = new URL(link);
    forged.searchParams.set('X-Amz-Expires', '61');
    expect((await fetch(forged)).status).toBe(403);
  });
});

describe('writing', () => {
  it('only when no object exists, or only over a certain version', async () => {
    const object = { Bucket: 'plain', Key: 'once' };
    const { ETag } = await client.send(new PutObjectCommand({ ...object, Body: '1', IfNoneMatch: '*' }));
    const twice = client.send(new PutObjectCommand({ ...object, Body: '2', IfNoneMatch: '*' }));
    await expect(twice).rejects.toMatchObject({ name: 'PreconditionFailed' });
    await client.send(new PutObjectCommand({ ...object, Body: '2', IfMatch: ETag }));
    const stale = client.send(new PutObjectCommand({ ...object, Body: '3', IfMatch: ETag }));
    await expect(stale).rejects.toMatchObject({ name: 'PreconditionFailed' });
    expect(await textOf(object)).toBe('2');
  });

  it('of two at the same time only one creates an object that must not exist', async () => {
    const put = (Body: string) =>
      client.send(new PutObjectCommand({ Bucket: 'plain', Key: 'race', Body, IfNoneMatch: '*' }));
    const outcomes = await Promise.allSettled(['a', 'b', 'c'].map(put));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  it('copies, with the metadata of the source or new ones', async () => {
    await client.send(new PutObjectCommand({ Bucket: 'plain', Key: 'from é', Body: 'x', Metadata: { a: '1' } }));
    const CopySource = encodeURI('plain/from é');
    await client.send(new CopyObjectCommand({ Bucket: 'plain', Key: 'to', CopySource }));
    expect(await client.send(new HeadObjectCommand({ Bucket: 'plain', Key: 'to' }))).toMatchObject({
      Metadata: { a: '1' },
    });
    const replaced = { MetadataDirective: 'REPLACE' as const, Metadata: { b: '2' } };
    await client.send(new CopyObjectCommand({ Bucket: 'plain', Key: 'to', CopySource, ...replaced }));
    expect(await client.send(new HeadObjectCommand({ Bucket: 'plain', Key: 'to' }))).toMatchObject({
      Metadata: { b: '2' },
    });
  });

  it('copies onto itself only with a change', async () => {
    const object = { Bucket: 'plain', Key: 'self', CopySource: 'plain/self' };
    await client.send(new PutObjectCommand({ Bucket: 'plain', Key: 'self', Body: 'x' }));
    await expect(client.send(new CopyObjectCommand(object))).rejects.toMatchObject({ name: 'InvalidRequest' });
    const changed = { ...object, MetadataDirective: 'REPLACE' as const, Metadata: { a: '1' } };
    expect((await client.send(new CopyObjectCommand(changed))).$metadata.httpStatusCode).toBe(200);
  });

  it.each<[string, object, number]>([
    ['If-Match of another', { CopySourceIfMatch: '"abc"' }, 412],
    ['If-Match of it', { CopySourceIfMatch: '"9dd4e461268c8034f5c8564e155c67a6"' }, 200],
    ['If-None-Match of it', { CopySourceIfNoneMatch: '"9dd4e461268c8034f5c8564e155c67a6"' }, 412],
    ['If-Modified-Since of later', { CopySourceIfModifiedSince: new Date('2200-01-01T00:00:00Z') }, 412],
    ['If-Unmodified-Since of earlier', { CopySourceIfUnmodifiedSince: new Date(0) }, 412],
  ])('copies by a condition on the source: %s', async (_name, condition, status) => {
    await client.send(new PutObjectCommand({ Bucket: 'plain', Key: 'source', Body: 'x' }));
    const copy = new CopyObjectCommand({ Bucket: 'plain', Key: 'copy', CopySource: 'plain/source', ...condition });
    const answer = await client.send(copy).catch((error: unknown) => error);
    expect(answer).toMatchObject({ $metadata: { httpStatusCode: status } });
  });

  it('in parts, in their order, with the checksum of their checksums', async () => {
    const object = { Bucket: 'plain', Key: 'large' };
    const { UploadId } = await client.send(
      new CreateMultipartUploadCommand({ ...object, ChecksumAlgorithm: 'CRC32', ContentType: 'text/x' }),
    );
    const upload = async (PartNumber: number, Body: Buffer) => {
      const part = await client.send(new UploadPartCommand({ ...object, UploadId, PartNumber, Body }));
      return { PartNumber, ETag: part.ETag, ChecksumCRC32: part.ChecksumCRC32 };
    };
    const second = await upload(2, Buffer.from('end'));
    const first = await upload(1, Buffer.alloc(5_242_880, 97));
    const complete = (Parts: object[]) =>
      client.send(new CompleteMultipartUploadCommand({ ...object, UploadId, MultipartUpload: { Parts } }));
    await expect(complete([second, first])).rejects.toMatchObject({ name: 'InvalidPartOrder' });
    await expect(complete([{ ...first, ETag: '"other"' }])).rejects.toMatchObject({ name: 'InvalidPart' });
    const answer = await complete([first, second]);
    expect([answer.ETag, answer.ChecksumCRC32]).toEqual([
      expect.stringMatching(/^"[0-9a-f]{32}-2"$/),
      expect.stringMatching(/-2$/),
    ]);
    const head = await client.send(new HeadObjectCommand(object));
    expect(head).toMatchObject({ ContentLength: 5_242_883, ContentType: 'text/x' });
    expect(await textOf({ ...object, Range: 'bytes=5242878-' })).toBe('aaend');
    const { UploadId: other } = await client.send(new CreateMultipartUploadCommand(object));
    await client.send(new AbortMultipartUploadCommand({ ...object, UploadId: other }));
    const late = client.send(new UploadPartCommand({ ...object, UploadId: other, PartNumber: 1, Body: 'x' }));
    await expect(late).rejects.toMatchObject({ name: 'NoSuchUpload' });
  });
});

describe('versions', () => {
  it('remain after a deletion, and are removed separately', async () => {
    const object = { Bucket: 'versions', Key: 'v' };
    const one = await client.send(new PutObjectCommand({ ...object, Body: '1' }));
    const two = await client.send(new PutObjectCommand({ ...object, Body: '2' }));
    expect(await textOf({ ...object, VersionId: one.VersionId })).toBe('1');
    const deleted = await client.send(new DeleteObjectCommand(object));
    expect(deleted).toMatchObject({ DeleteMarker: true, VersionId: expect.any(String) });
    await expect(textOf(object)).rejects.toMatchObject({ name: 'NoSuchKey' });
    const { Versions, DeleteMarkers } = await client.send(
      new ListObjectVersionsCommand({ Bucket: 'versions', Prefix: 'v' }),
    );
    expect(Versions?.map(({ VersionId }) => VersionId)).toEqual([two.VersionId, one.VersionId]);
    expect(DeleteMarkers).toMatchObject([{ IsLatest: true }]);
    await client.send(new DeleteObjectCommand({ ...object, VersionId: deleted.VersionId }));
    await client.send(new DeleteObjectCommand({ ...object, VersionId: two.VersionId }));
    expect(await textOf(object)).toBe('1');
  });
});

describe('listing', () => {
  it('goes page by page, by prefix and folder', async () => {
    await client.send(new CreateBucketCommand({ Bucket: 'listed' }));
    for (const Key of ['a/1', 'a/2', 'b', 'c & d', 'é'])
      await client.send(new PutObjectCommand({ Bucket: 'listed', Key, Body: '' }));
    const pages: string[][] = [];
    let ContinuationToken: string | undefined;
    do {
      const page = await client.send(
        new ListObjectsV2Command({ Bucket: 'listed', Delimiter: '/', MaxKeys: 2, ContinuationToken }),
      );
      pages.push([
        ...(page.CommonPrefixes ?? []).map(({ Prefix = '' }) => Prefix),
        ...(page.Contents ?? []).map(({ Key = '' }) => Key),
      ]);
      ContinuationToken = page.NextContinuationToken;
    } while (ContinuationToken !== undefined);
    expect(pages).toEqual([
      ['a/', 'b'],
      ['c & d', 'é'],
    ]);
    const Objects = [{ Key: 'a/1' }, { Key: 'c & d' }, { Key: 'gone' }];
    const { Deleted } = await client.send(new DeleteObjectsCommand({ Bucket: 'listed', Delete: { Objects } }));
    expect(Deleted?.map(({ Key }) => Key)).toEqual(['a/1', 'c & d', 'gone']);
    const { Buckets } = await client.send(new ListBucketsCommand({}));
    expect(Buckets?.map(({ Name }) => Name)).toContain('listed');
  });

  it('begins after a key, and an empty page is the last', async () => {
    for (const Key of ['after/1', 'after/2'])
      await client.send(new PutObjectCommand({ Bucket: 'plain', Key, Body: '' }));
    const some = { Bucket: 'plain', Prefix: 'after/', StartAfter: 'after/1' };
    const after = await client.send(new ListObjectsV2Command(some));
    expect(after).toMatchObject({ StartAfter: 'after/1', Contents: [{ Key: 'after/2' }] });
    const none = await client.send(new ListObjectsV2Command({ Bucket: 'plain', MaxKeys: 0 }));
    expect(none).toMatchObject({ IsTruncated: false, KeyCount: 0 });
  });
});

it('notifies the function of puts and deletions, in the form of s3Trigger', async () => {
  const seen: unknown[] = [];
  const surface = s3Trigger().bucket('uploads', (_ctx, object) => void seen.push(object));
  host.invocations.length = 0;
  const object = { Bucket: 'uploads', Key: 'in/a b é.txt' };
  await client.send(new PutObjectCommand({ ...object, Body: 'hello' }));
  await client.send(new DeleteObjectCommand(object));
  await host.settleTurns();
  for (const { event } of host.invocations)
    await surface.serve('s3' as never, event, { provenance: 'provider' } as never);
  expect(seen).toMatchObject([
    {
      bucket: 'uploads',
      key: 'in/a b é.txt',
      event: 'ObjectCreated:Put',
      size: 5,
      eTag: '5d41402abc4b2a76b9719d911017c592',
    },
    { bucket: 'uploads', key: 'in/a b é.txt', event: 'ObjectRemoved:Delete' },
  ]);
});

it('keeps everything over a restart', async () => {
  await client.send(new PutObjectCommand({ Bucket: 'versions', Key: 'kept', Body: 'x' }));
  const store = new BucketStore(`${host.config.stateFolder}/s3`, () => 0);
  expect([store.get('versions').versioning, store.get('versions').current('kept')?.size]).toEqual(['Enabled', 1]);
});

it.each<[string, () => Promise<unknown>, string]>([
  ['a bucket that is not there', () => textOf({ Bucket: 'none', Key: 'a' }), 'NoSuchBucket'],
  [
    'a bucket whose name S3 does not take',
    () => client.send(new CreateBucketCommand({ Bucket: 'a..b' })),
    'InvalidBucketName',
  ],
  [
    'a Content-MD5 that is none',
    () => client.send(new PutObjectCommand({ Bucket: 'plain', Key: 'a', Body: 'x', ContentMD5: 'abc' })),
    'InvalidDigest',
  ],
  ['a version that is not there', () => textOf({ Bucket: 'versions', Key: 'a', VersionId: 'none' }), 'NoSuchVersion'],
])('rejects %s', async (_name, call, name) => {
  await expect(call()).rejects.toMatchObject({ name });
});
