import { createHash } from 'node:crypto';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  DeleteBucketCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  type GetObjectCommandInput,
  HeadBucketCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  ListObjectVersionsCommand,
  PutBucketVersioningCommand,
  PutObjectCommand,
  type PutObjectCommandInput,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { ManualClock } from '@sallyport/core/testing';
import { createUploadGrants } from '@sallyport/objectstore';
import type { Memory, Step } from './compare.js';

const Bucket = 'peer-plain';
const VERSIONS = 'peer-versions';
const MISSING = 'peer-missing';
const FIVE_MEBIBYTES = 5_242_880;
const DIGITS = '123456789';

type Put = Partial<PutObjectCommandInput>;
type Get = Partial<GetObjectCommandInput>;
type Run = Step<S3Client>['run'];

const put =
  (Key: string, Body: string, more: Put = {}): Run =>
  (client) =>
    client.send(new PutObjectCommand({ Bucket, Key, Body, ...more }));

const get =
  (Key: string, more: Get = {}): Run =>
  async (client) => {
    const { Body, ...answer } = await client.send(new GetObjectCommand({ Bucket, Key, ...more }));
    return { ...answer, Body: await Body?.transformToString() };
  };

const head =
  (Key: string, more: Get = {}): Run =>
  (client) =>
    client.send(new HeadObjectCommand({ Bucket, Key, ...more }));

const remove =
  (Key: string, more: object = {}): Run =>
  (client) =>
    client.send(new DeleteObjectCommand({ Bucket, Key, ...more }));

const eTagOf = (text: string) => `"${createHash('md5').update(text).digest('hex')}"`;

const OBJECTS: readonly Step<S3Client>[] = [
  { name: 'create bucket', run: (client) => client.send(new CreateBucketCommand({ Bucket })) },
  {
    name: 'put',
    run: put('one', 'hello', { ContentType: 'text/plain', CacheControl: 'no-store', Metadata: { colour: 'blue' } }),
  },
  { name: 'get', run: get('one') },
  { name: 'head', run: head('one') },
  { name: 'get with checksums', run: get('one', { ChecksumMode: 'ENABLED' }) },
  { name: 'put without type', run: put('plain é+ %2F', 'x') },
  { name: 'get without type', run: get('plain é+ %2F') },
  { name: 'put empty', run: put('empty', '') },
  { name: 'get empty', run: get('empty') },
  { name: 'put with a long key', run: put('k'.repeat(1025), 'x') },
  { name: 'get missing key', run: get('none') },
  { name: 'head missing key', run: head('none') },
  { name: 'delete missing key', run: remove('none') },
  { name: 'put to missing bucket', run: put('one', 'x', { Bucket: MISSING }) },
  { name: 'get from missing bucket', run: get('one', { Bucket: MISSING }) },
  { name: 'head missing bucket', run: (client) => client.send(new HeadBucketCommand({ Bucket: MISSING })) },
  { name: 'list missing bucket', run: (client) => client.send(new ListObjectsV2Command({ Bucket: MISSING })) },
  { name: 'delete bucket with objects', run: (client) => client.send(new DeleteBucketCommand({ Bucket })) },
];

const CONDITIONS: readonly Step<S3Client>[] = [
  { name: 'put if absent, there', run: put('one', 'other', { IfNoneMatch: '*' }) },
  { name: 'put if absent, not there', run: put('fresh', 'x', { IfNoneMatch: '*' }) },
  { name: 'put if other than a tag', run: put('tagged', 'other', { IfNoneMatch: '"abc"' }) },
  { name: 'put if match, another', run: put('one', 'other', { IfMatch: '"abc"' }) },
  { name: 'put what is matched', run: put('matched', 'hello') },
  { name: 'put if match, the same', run: put('matched', 'hello', { IfMatch: eTagOf('hello') }) },
  { name: 'put if match, missing key', run: put('none', 'x', { IfMatch: eTagOf('x') }) },
  { name: 'get if match, another', run: get('one', { IfMatch: '"abc"' }) },
  { name: 'get if none match, the same', run: get('one', { IfNoneMatch: eTagOf('hello') }) },
  { name: 'head if none match, the same', run: head('one', { IfNoneMatch: eTagOf('hello') }) },
  { name: 'get if modified, earlier', run: get('one', { IfModifiedSince: new Date(0) }) },
  { name: 'get if unmodified, earlier', run: get('one', { IfUnmodifiedSince: new Date(0) }) },
];

const RANGES: readonly Step<S3Client>[] = [
  'bytes=1-3',
  'bytes=-2',
  'bytes=3-',
  'bytes=2-99',
  'bytes=5-6',
  'bytes=3-1',
  'lines=1-2',
  'bytes=0-0,2-2',
  'bytes=-0',
].map((Range) => ({ name: `range ${Range}`, run: get('one', { Range }) }));

/** The check values of the CRC catalogue, and the digests, of the nine digits. */
const SUMS: Readonly<Record<string, string>> = {
  CRC32: 'y/Q5Jg==',
  CRC32C: '4waSgw==',
  CRC64NVME: 'rosUhgp5mIg=',
  SHA1: '98O8HYCOBHMq32eZZczDTKeuNEE=',
  SHA256: 'FeKw08M4keuw8e9gnsQZQgwg4yDOlMZfvIwzEkSOsiU=',
};

const CHECKSUMS: readonly Step<S3Client>[] = [
  ...Object.entries(SUMS).flatMap(([algorithm, sum]) => [
    { name: `checksum ${algorithm} right`, run: put(algorithm, DIGITS, { [`Checksum${algorithm}`]: sum }) },
    { name: `checksum ${algorithm} given back`, run: head(algorithm, { ChecksumMode: 'ENABLED' }) },
    { name: `checksum ${algorithm} wrong`, run: put(algorithm, 'other', { [`Checksum${algorithm}`]: sum }) },
  ]),
  { name: 'MD5 wrong', run: put('md5', 'other', { ContentMD5: 'JfnnlDI7RTiF9RgfG2JNCw==' }) },
  { name: 'MD5 that is none', run: put('md5', 'other', { ContentMD5: 'abc' }) },
];

/** Uploads with a presigned URL, as a browser does; the status and the code of the error are compared. */
const upload =
  (change: { type?: string; body?: string; late?: boolean; method?: string }): Run =>
  async (client) => {
    const clock = new ManualClock(new Date(Date.now() - (change.late ? 61_000 : 0)));
    const grant = await createUploadGrants({ client, clock }).presignPut({
      ref: { bucket: Bucket, key: 'granted' },
      contentLength: 5,
      maxBytes: 10,
      contentType: 'image/png',
      checksumSha256: 'LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=',
      expiresIn: 60,
    });
    const { 'content-length': _, ...headers } = grant.headers;
    const answer = await fetch(grant.url, {
      method: change.method ?? 'PUT',
      headers: { ...headers, ...(change.type !== undefined && { 'content-type': change.type }) },
      body: change.body ?? 'hello',
    });
    return { status: answer.status, error: /<Code>(\w+)/.exec(await answer.text())?.[1] };
  };

const LINKS: readonly Step<S3Client>[] = [
  { name: 'link', run: upload({}) },
  { name: 'link with another type', run: upload({ type: 'text/html' }) },
  { name: 'link with a longer body', run: upload({ body: 'hello!' }) },
  { name: 'link with other bytes', run: upload({ body: 'hullo' }) },
  { name: 'link with another method', run: upload({ method: 'POST' }) },
  { name: 'link that expired', run: upload({ late: true }) },
];

const begin =
  (name: string): Run =>
  async (client, memory) => {
    const answer = await client.send(
      new CreateMultipartUploadCommand({ Bucket, Key: name, ContentType: 'text/plain' }),
    );
    memory[name] = answer.UploadId ?? '';
    return answer;
  };

const part =
  (name: string, PartNumber: number, Body: string): Run =>
  async (client, memory) => {
    const answer = await client.send(
      new UploadPartCommand({ Bucket, Key: name, UploadId: memory[name], PartNumber, Body }),
    );
    memory[`${name} ${PartNumber}`] = answer.ETag ?? '';
    return answer;
  };

const complete =
  (name: string, numbers: readonly number[], eTag?: string): Run =>
  async (client, memory) => {
    const Parts = numbers.map((PartNumber) => ({
      PartNumber,
      ETag: eTag ?? memory[`${name} ${PartNumber}`] ?? '"abc"',
    }));
    const { Location: _, ...answer } = await client.send(
      new CompleteMultipartUploadCommand({ Bucket, Key: name, UploadId: memory[name], MultipartUpload: { Parts } }),
    );
    return answer;
  };

const abort =
  (name: string): Run =>
  (client, memory) =>
    client.send(new AbortMultipartUploadCommand({ Bucket, Key: name, UploadId: memory[name] }));

const MULTIPART: readonly Step<S3Client>[] = [
  { name: 'multipart begin', run: begin('small') },
  { name: 'multipart part', run: part('small', 1, 'a') },
  { name: 'multipart second part', run: part('small', 2, 'b') },
  { name: 'multipart part 10001', run: part('small', 10_001, 'c') },
  { name: 'multipart with a too small part', run: complete('small', [1, 2]) },
  { name: 'multipart with an unknown part', run: complete('small', [1, 3]) },
  { name: 'multipart with a wrong tag', run: complete('small', [1], '"abc"') },
  { name: 'multipart of none', run: complete('small', []) },
  { name: 'multipart abort', run: abort('small') },
  { name: 'multipart abort again', run: abort('small') },
  { name: 'multipart complete after the abort', run: complete('small', [1]) },
  { name: 'multipart begin a large one', run: begin('large') },
  { name: 'multipart large part', run: part('large', 1, 'x'.repeat(FIVE_MEBIBYTES)) },
  { name: 'multipart last part', run: part('large', 2, 'end') },
  { name: 'multipart in the wrong order', run: complete('large', [2, 1]) },
  { name: 'multipart complete', run: complete('large', [1, 2]) },
  { name: 'multipart head', run: head('large') },
  { name: 'multipart range over the parts', run: get('large', { Range: 'bytes=5242879-5242881' }) },
];

const copy =
  (CopySource: string, Key: string, more: object = {}): Run =>
  (client) =>
    client.send(new CopyObjectCommand({ Bucket, Key, CopySource, ...more }));

const COPIES: readonly Step<S3Client>[] = [
  { name: 'copy', run: copy(`${Bucket}/one`, 'copied') },
  { name: 'copy, read', run: get('copied') },
  {
    name: 'copy with other metadata',
    run: copy(`${Bucket}/one`, 'replaced', { MetadataDirective: 'REPLACE', Metadata: { size: 'big' } }),
  },
  { name: 'copy with other metadata, read', run: get('replaced') },
  { name: 'copy onto itself', run: copy(`${Bucket}/one`, 'one') },
  { name: 'copy of a missing key', run: copy(`${Bucket}/none`, 'copied') },
  { name: 'copy of a missing bucket', run: copy(`${MISSING}/one`, 'copied') },
  { name: 'copy if match, another', run: copy(`${Bucket}/one`, 'copied', { CopySourceIfMatch: '"abc"' }) },
];

const list =
  (more: object): Run =>
  async (client, memory) => {
    const answer = await client.send(new ListObjectsV2Command({ Bucket, ...more }));
    memory.continuation = answer.NextContinuationToken ?? '';
    return answer;
  };

const LISTS: readonly Step<S3Client>[] = [
  ...['a/1', 'a/2', 'a/b/3', 'ab'].map((key) => ({ name: `put ${key}`, run: put(key, key) })),
  { name: 'list by prefix', run: list({ Prefix: 'a/' }) },
  { name: 'list by prefix and delimiter', run: list({ Prefix: 'a', Delimiter: '/' }) },
  { name: 'list two', run: list({ Prefix: 'a', MaxKeys: 2 }) },
  {
    name: 'list the next two',
    run: (client: S3Client, memory: Memory) =>
      list({ Prefix: 'a', MaxKeys: 2, ContinuationToken: memory.continuation })(client, memory),
  },
  { name: 'list after a key', run: list({ Prefix: 'a', StartAfter: 'a/2' }) },
  { name: 'list none', run: list({ Prefix: 'nothing' }) },
  { name: 'list zero', run: list({ MaxKeys: 0 }) },
  { name: 'list encoded', run: list({ Prefix: 'plain', EncodingType: 'url' }) },
  {
    name: 'delete three',
    run: (client: S3Client) =>
      client.send(
        new DeleteObjectsCommand({ Bucket, Delete: { Objects: ['a/1', 'a/2', 'none'].map((Key) => ({ Key })) } }),
      ),
  },
];

const atVersion =
  (name: string, run: (more: Get) => Run): Run =>
  (client, memory) =>
    run({ Bucket: VERSIONS, VersionId: memory[name] ?? 'unknown' })(client, memory);

const remembered =
  (name: string, run: Run): Run =>
  async (client, memory) => {
    const answer = (await run(client, memory)) as { VersionId?: string };
    memory[name] = answer.VersionId ?? '';
    return answer;
  };

const versions: Run = (client) => client.send(new ListObjectVersionsCommand({ Bucket: VERSIONS, Prefix: 'v' }));

const HISTORY: readonly Step<S3Client>[] = [
  { name: 'create bucket for versions', run: (client) => client.send(new CreateBucketCommand({ Bucket: VERSIONS })) },
  { name: 'put before versions', run: put('v', 'zero', { Bucket: VERSIONS }) },
  {
    name: 'switch versions on',
    run: (client) =>
      client.send(new PutBucketVersioningCommand({ Bucket: VERSIONS, VersioningConfiguration: { Status: 'Enabled' } })),
  },
  { name: 'version put', run: remembered('first', put('v', 'one', { Bucket: VERSIONS })) },
  { name: 'version put again', run: remembered('second', put('v', 'two', { Bucket: VERSIONS })) },
  { name: 'version get', run: get('v', { Bucket: VERSIONS }) },
  { name: 'version get the first', run: atVersion('first', (more) => get('v', more)) },
  { name: 'version get null', run: get('v', { Bucket: VERSIONS, VersionId: 'null' }) },
  { name: 'version delete', run: remembered('marker', remove('v', { Bucket: VERSIONS })) },
  { name: 'version get after the delete', run: get('v', { Bucket: VERSIONS }) },
  { name: 'version head after the delete', run: head('v', { Bucket: VERSIONS }) },
  { name: 'version get the marker', run: atVersion('marker', (more) => get('v', more)) },
  { name: 'version list', run: versions },
  { name: 'version delete the marker', run: atVersion('marker', (more) => remove('v', more)) },
  { name: 'version get after the marker', run: get('v', { Bucket: VERSIONS }) },
  { name: 'version delete the second', run: atVersion('second', (more) => remove('v', more)) },
  { name: 'version get the deleted', run: atVersion('second', (more) => get('v', more)) },
  { name: 'version list at the end', run: versions },
];

export const S3_STEPS: readonly Step<S3Client>[] = [
  ...OBJECTS,
  ...CONDITIONS,
  ...RANGES,
  ...CHECKSUMS,
  ...LINKS,
  ...MULTIPART,
  ...COPIES,
  ...LISTS,
  ...HISTORY,
];
