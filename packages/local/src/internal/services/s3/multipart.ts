import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Output } from '../../aws/service.js';
import { AwsFault } from '../../aws/wire.js';
import { type Algorithm, checksumOf, isAlgorithm } from './checksums.js';
import { assertWritable } from './conditions.js';
import { addVersion, encryptionOf, keptHeaders } from './objects.js';
import { elements, elementText, emptyAnswer, given, type ObjectRequest, readXml, xmlAnswer } from './request.js';
import { readJson, writeWhole } from './store.js';
import { headerOf, type Received, receive } from './upload.js';

/** https://docs.aws.amazon.com/AmazonS3/latest/userguide/qfacts.html */
const MIN_PART_BYTES = 5_242_880;
const MAX_PARTS = 10_000;

/** The parameters of a started upload. */
interface Upload {
  readonly key: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly algorithm: Algorithm | null;
}

export function createUpload({ bucket, key, headers }: ObjectRequest): Output {
  const UploadId = randomUUID().replaceAll('-', '');
  const folder = join(bucket.folder, 'uploads', UploadId);
  mkdirSync(folder);
  const named = (headers['x-amz-checksum-algorithm'] ?? '').toLowerCase();
  const upload: Upload = { key, headers: keptHeaders(headers), algorithm: isAlgorithm(named) ? named : null };
  writeWhole(join(folder, 'upload.json'), upload);
  return xmlAnswer('InitiateMultipartUploadResult', { Bucket: bucket.name, Key: key, UploadId });
}

export async function uploadPart(request: ObjectRequest): Promise<Output> {
  const { folder } = findUpload(request);
  const number = Number(request.query.get('partNumber'));
  if (!Number.isInteger(number) || number < 1 || number > MAX_PARTS) {
    throw new AwsFault(400, 'InvalidArgument', `Part number must be an integer between 1 and ${MAX_PARTS}`);
  }
  const file = join(folder, `${number}.${randomUUID()}`);
  const received = await receive(request.call, file);
  writeWhole(join(folder, `${number}.json`), { ...received, file });
  return emptyAnswer(200, { etag: `"${received.md5}"`, ...received.checksums });
}

export function abortUpload(request: ObjectRequest): Output {
  rmSync(findUpload(request).folder, { recursive: true, force: true });
  return emptyAnswer(204);
}

export function listParts(request: ObjectRequest): Output {
  const { folder } = findUpload(request);
  const numbers = readdirSync(folder).flatMap((name) => (/^\d+\.json$/.test(name) ? [Number.parseInt(name, 10)] : []));
  const parts = numbers
    .sort((a, b) => a - b)
    .map((number) => {
      const { md5 = '', size = 0 } = readPart(folder, number) ?? {};
      return { PartNumber: number, ETag: `"${md5}"`, Size: size };
    });
  const { bucketName: Bucket, key: Key, query } = request;
  return xmlAnswer('ListPartsResult', {
    Bucket,
    Key,
    UploadId: query.get('uploadId'),
    IsTruncated: false,
    Part: parts,
  });
}

type Part = Received & { readonly file: string };

function readPart(folder: string, number: number): Part | undefined {
  return readJson<Part>(join(folder, `${number}.json`));
}

export async function completeUpload(request: ObjectRequest): Promise<Output> {
  const { bucket, key, headers } = request;
  const { folder, upload } = findUpload(request);
  const parts = partsOf(await readXml(request), folder);
  assertWritable(headers, bucket.current(key));
  const file = bucket.newFile();
  await pipeline(bytesOf(parts), createWriteStream(bucket.pathOf(file), { mode: 0o600 }));
  assertWritable(headers, bucket.current(key));
  const digests = Buffer.concat(parts.map(({ md5 }) => Buffer.from(md5, 'hex')));
  const eTag = `${createHash('md5').update(digests).digest('hex')}-${parts.length}`;
  const size = parts.reduce((sum, part) => sum + part.size, 0);
  const checksums = compositeOf(parts, upload.algorithm);
  const own = { eTag, size, checksums, file, headers: upload.headers, parts: parts.length };
  const version = addVersion(request, own, 'ObjectCreated:CompleteMultipartUpload');
  rmSync(folder, { recursive: true, force: true });
  const sums = Object.entries(checksums).map(([name, value]) => [
    name
      .replace('x-amz-checksum-', 'Checksum')
      .replace(/Checksum(.+)/, (_, rest: string) => `Checksum${rest.toUpperCase()}`),
    value,
  ]);
  const answer = xmlAnswer('CompleteMultipartUploadResult', {
    Bucket: bucket.name,
    Key: key,
    ETag: `"${eTag}"`,
    ...Object.fromEntries(sums),
  });
  const { wire } = answer as { wire: { headers: Record<string, string> } };
  Object.assign(wire.headers, given({ 'x-amz-version-id': bucket.shownId(version), ...encryptionOf(version) }));
  return answer;
}

async function* bytesOf(parts: readonly Part[]): AsyncGenerator<Buffer> {
  for (const { file } of parts) yield* createReadStream(file) as AsyncIterable<Buffer>;
}

/** @throws AwsFault `InvalidPart`, `InvalidPartOrder`, `EntityTooSmall` */
function partsOf(xml: string, folder: string): readonly Part[] {
  let before = 0;
  const parts = elements(xml, 'Part').map((element) => {
    const number = Number(elementText(element, 'PartNumber'));
    if (number <= before) throw new AwsFault(400, 'InvalidPartOrder', 'The list of parts was not in ascending order.');
    before = number;
    const part = Number.isInteger(number) ? readPart(folder, number) : undefined;
    if (part?.md5 !== elementText(element, 'ETag')?.replaceAll('"', '')) throw invalidPart();
    return part ?? fail(invalidPart());
  });
  if (parts.length === 0) throw new AwsFault(400, 'MalformedXML', 'The XML you provided was not well-formed');
  if (parts.slice(0, -1).some(({ size }) => size < MIN_PART_BYTES)) {
    throw new AwsFault(400, 'EntityTooSmall', 'Your proposed upload is smaller than the minimum allowed size');
  }
  return parts;
}

/** The checksum of the parts' checksums; empty if a part has no checksum. */
function compositeOf(parts: readonly Part[], algorithm: Algorithm | null): Record<string, string> {
  if (algorithm === null) return {};
  const sums = parts.map(({ checksums }) => checksums[headerOf(algorithm)]);
  if (sums.includes(undefined)) return {};
  const all = Buffer.concat(sums.map((sum) => Buffer.from(sum ?? '', 'base64')));
  return { [headerOf(algorithm)]: `${checksumOf(algorithm, all)}-${parts.length}` };
}

function findUpload({ bucket, key, query }: ObjectRequest): { readonly folder: string; readonly upload: Upload } {
  const id = query.get('uploadId') ?? '';
  const folder = join(bucket.folder, 'uploads', id);
  const upload =
    /^[0-9a-f]{32}$/.test(id) && existsSync(folder) ? readJson<Upload>(join(folder, 'upload.json')) : undefined;
  if (upload?.key !== key) throw new AwsFault(404, 'NoSuchUpload', 'The specified multipart upload does not exist.');
  return { folder, upload: upload as Upload };
}

function invalidPart(): AwsFault {
  return new AwsFault(400, 'InvalidPart', 'One or more of the specified parts could not be found.');
}

function fail(error: Error): never {
  throw error;
}
