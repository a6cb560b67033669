import { copyFileSync, createReadStream } from 'node:fs';
import { decodeEscapes } from '@sallyport/core/internal';
import type { Output } from '../../aws/service.js';
import { AwsFault } from '../../aws/wire.js';
import { assertCopyable, assertWritable, isUnchanged, rangeOf } from './conditions.js';
import { emptyAnswer, given, noSuchKey, type ObjectRequest, xmlAnswer } from './request.js';
import type { ObjectVersion } from './store.js';
import { receive } from './upload.js';

/** Headers of an upload that are returned to readers. */
const KEPT = [
  'content-type',
  'content-encoding',
  'content-language',
  'content-disposition',
  'cache-control',
  'expires',
];
const ENCRYPTION = ['x-amz-server-side-encryption', 'x-amz-server-side-encryption-aws-kms-key-id'];
/** Parameters of a presigned URL that replace headers of the response. */
const REPLACED = KEPT.map((name) => [`response-${name}`, name] as const);
/** Headers with which an object can be copied onto itself. */
const CHANGES = [...ENCRYPTION, 'x-amz-storage-class', 'x-amz-website-redirect-location'];
const MAX_KEY_BYTES = 1024;

/** The headers of an upload that are stored with the object. */
export function keptHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const names = Object.keys(headers).filter(
    (name) => KEPT.includes(name) || ENCRYPTION.includes(name) || name.startsWith('x-amz-meta-'),
  );
  const kept = Object.fromEntries(names.map((name) => [name, headers[name] ?? '']));
  const encoding = (kept['content-encoding'] ?? '')
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== 'aws-chunked' && each !== '');
  if (encoding.length > 0) kept['content-encoding'] = encoding.join(',');
  else delete kept['content-encoding'];
  return { 'content-type': 'binary/octet-stream', ...kept };
}

export function encryptionOf({ headers }: ObjectVersion): Record<string, string | undefined> {
  return Object.fromEntries(ENCRYPTION.map((name) => [name, headers[name]]));
}

export async function putObject(request: ObjectRequest): Promise<Output> {
  const { bucket, key, headers, call } = request;
  if (Buffer.byteLength(key) > MAX_KEY_BYTES) throw new AwsFault(400, 'KeyTooLongError', 'Your key is too long');
  // Once before the body is read, and again afterwards: another writer may have been faster.
  assertWritable(headers, bucket.current(key));
  const file = bucket.newFile();
  const { size, md5, checksums } = await receive(call, bucket.pathOf(file));
  assertWritable(headers, bucket.current(key));
  const version = addVersion(
    request,
    { eTag: md5, size, checksums, file, headers: keptHeaders(headers) },
    'ObjectCreated:Put',
  );
  return emptyAnswer(200, {
    etag: `"${md5}"`,
    'x-amz-version-id': bucket.shownId(version),
    ...checksums,
    ...(Object.keys(checksums).length > 0 && { 'x-amz-checksum-type': 'FULL_OBJECT' }),
    ...encryptionOf(version),
  });
}

type NewVersion = Pick<ObjectVersion, 'eTag' | 'size' | 'checksums' | 'file' | 'headers' | 'parts'>;

/** Adds a version and notifies the listener. */
export function addVersion(
  { bucket, key, context, call }: ObjectRequest,
  version: NewVersion,
  event: string,
): ObjectVersion {
  const added = bucket.add(key, { ...version, isDeleteMarker: false, modifiedAt: context.now() });
  context.onChange({ bucket: bucket.name, key, event, version: added, versionId: bucket.shownId(added) }, call.traceId);
  return added;
}

export function copyObject(request: ObjectRequest): Output {
  const { headers, context, bucket, key } = request;
  const [path = '', versionQuery = ''] = (headers['x-amz-copy-source'] ?? '').split('?versionId=');
  const [, sourceBucket = '', sourceKey = ''] = /^\/?([^/]+)\/(.+)$/s.exec(decodeEscapes(path)) ?? [];
  const from = context.store.get(sourceBucket);
  const source = findVersion(
    { ...request, bucket: from, key: sourceKey },
    versionQuery === '' ? undefined : decodeEscapes(versionQuery),
  );
  assertCopyable(headers, source);
  const replaces = headers['x-amz-metadata-directive'] === 'REPLACE';
  const isSame = from === bucket && sourceKey === key && versionQuery === '';
  if (isSame && !replaces && !CHANGES.some((name) => headers[name] !== undefined)) throw copiedOntoItself();
  assertWritable(headers, bucket.current(key));
  const file = bucket.newFile();
  copyFileSync(from.pathOf(source.file), bucket.pathOf(file));
  const { eTag, size, checksums } = source;
  const own = { eTag, size, checksums, file, headers: replaces ? keptHeaders(headers) : source.headers };
  const version = addVersion(request, own, 'ObjectCreated:Copy');
  const answer = xmlAnswer('CopyObjectResult', {
    ETag: `"${eTag}"`,
    LastModified: new Date(version.modifiedAt).toISOString(),
  });
  const wire = (answer as { wire: { headers: Record<string, string> } }).wire;
  const copied = from.shownId(source);
  Object.assign(
    wire.headers,
    given({ 'x-amz-version-id': bucket.shownId(version), 'x-amz-copy-source-version-id': copied }),
  );
  return answer;
}

function copiedOntoItself(): AwsFault {
  return new AwsFault(400, 'InvalidRequest', 'An object is copied onto itself only with other metadata or encryption.');
}

/** @throws AwsFault 404; 405 if the version is a delete marker */
function findVersion(
  { bucket, key }: Pick<ObjectRequest, 'bucket' | 'key'>,
  versionId: string | undefined,
): ObjectVersion {
  const versions = bucket.versionsOf(key);
  if (versionId === undefined) {
    const current = bucket.current(key);
    if (!current) throw noSuchKey(key);
    return current;
  }
  const version = versions.find((each) => each.versionId === versionId);
  if (!version)
    throw new AwsFault(404, 'NoSuchVersion', 'The specified version does not exist.', { VersionId: versionId });
  if (version.isDeleteMarker)
    throw new AwsFault(405, 'MethodNotAllowed', 'The specified method is not allowed against this resource.');
  return version;
}

export function getObject(request: ObjectRequest): Output {
  const { bucket, headers, query, method } = request;
  const version = findVersion(request, query.get('versionId'));
  const shown = {
    ...version.headers,
    ...Object.fromEntries(
      REPLACED.flatMap(([name, header]) => (query.has(name) ? [[header, query.get(name) ?? '']] : [])),
    ),
    etag: `"${version.eTag}"`,
    'last-modified': new Date(version.modifiedAt).toUTCString(),
    'accept-ranges': 'bytes',
    'x-amz-version-id': bucket.shownId(version),
    ...(query.has('partNumber') && version.parts !== undefined && { 'x-amz-mp-parts-count': String(version.parts) }),
  };
  if (isUnchanged(headers, version)) return emptyAnswer(304, shown);
  const range = rangeOf(headers.range, version.size);
  const { first, last } = range ?? { first: 0, last: version.size - 1 };
  const isAsked = headers['x-amz-checksum-mode'] === 'ENABLED' && !range;
  const all = given({
    ...shown,
    ...(isAsked && version.checksums),
    ...(isAsked &&
      Object.keys(version.checksums).length > 0 && {
        'x-amz-checksum-type': version.parts ? 'COMPOSITE' : 'FULL_OBJECT',
      }),
    'content-length': String(last - first + 1),
    ...(range && { 'content-range': `bytes ${first}-${last}/${version.size}` }),
  });
  const status = range ? 206 : 200;
  if (method === 'HEAD' || version.size === 0) return { wire: { status, headers: all } };
  return {
    wire: { status, headers: all, body: createReadStream(bucket.pathOf(version.file), { start: first, end: last }) },
  };
}

export function deleteObject(request: ObjectRequest): Output {
  const { bucket, key, headers, query } = request;
  if (headers['if-match'] !== undefined) assertWritable(headers, bucket.current(key));
  const { versionId, isDeleteMarker } = removeObject(request, key, query.get('versionId'));
  return emptyAnswer(204, {
    'x-amz-version-id': versionId,
    ...(isDeleteMarker && { 'x-amz-delete-marker': 'true' }),
  });
}

/** Deletes a version permanently, or hides the object with a delete marker. Deleting a missing object succeeds. */
export function removeObject(
  { bucket, context, call }: ObjectRequest,
  key: string,
  versionId: string | undefined,
): { readonly versionId: string | undefined; readonly isDeleteMarker: boolean } {
  const notify = (event: string, version: ObjectVersion) =>
    context.onChange({ bucket: bucket.name, key, event, version, versionId: bucket.shownId(version) }, call.traceId);
  if (versionId === undefined && bucket.versioning !== '') {
    const empty = { eTag: '', size: 0, checksums: {}, headers: {}, file: '' };
    const marker = bucket.add(key, { ...empty, isDeleteMarker: true, modifiedAt: context.now() });
    notify('ObjectRemoved:DeleteMarkerCreated', marker);
    return { versionId: marker.versionId, isDeleteMarker: true };
  }
  const version = bucket.versionsOf(key).find((each) => each.versionId === (versionId ?? 'null'));
  if (version) {
    bucket.remove(key, version);
    notify('ObjectRemoved:Delete', version);
  }
  return { versionId, isDeleteMarker: version?.isDeleteMarker ?? false };
}
