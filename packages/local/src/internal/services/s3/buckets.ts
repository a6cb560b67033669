import type { Output } from '../../aws/service.js';
import { encode } from '../../aws/signature.js';
import { AwsFault, type XmlValue } from '../../aws/wire.js';
import { removeObject } from './objects.js';
import {
  elements,
  elementText,
  emptyAnswer,
  type ObjectRequest,
  readXml,
  type S3Request,
  xmlAnswer,
} from './request.js';
import type { Bucket, ObjectVersion, Versioning } from './store.js';

const MAX_KEYS = 1000;

export function listBuckets({ context }: S3Request): Output {
  const buckets = context.store
    .list()
    .map(({ name, createdAt }) => ({ Name: name, CreationDate: new Date(createdAt).toISOString() }));
  return xmlAnswer('ListAllMyBucketsResult', { Owner: { ID: 'local' }, Buckets: { Bucket: buckets } });
}

export function createBucket({ context, bucketName }: S3Request): Output {
  context.store.create(bucketName);
  return emptyAnswer(200, { location: `/${bucketName}` });
}

export function deleteBucket({ context, bucketName }: S3Request): Output {
  context.store.delete(bucketName);
  return emptyAnswer(204);
}

export async function putVersioning(request: ObjectRequest): Promise<Output> {
  const status = elementText(await readXml(request), 'Status');
  if (status !== 'Enabled' && status !== 'Suspended')
    throw new AwsFault(400, 'MalformedXML', 'Status must be Enabled or Suspended');
  request.bucket.setVersioning(status satisfies Versioning);
  return emptyAnswer(200);
}

export function getVersioning({ bucket }: ObjectRequest): Output {
  return xmlAnswer('VersioningConfiguration', { Status: bucket.versioning === '' ? undefined : bucket.versioning });
}

/** Deletes up to 1,000 objects. */
export async function deleteObjects(request: ObjectRequest): Promise<Output> {
  const xml = await readXml(request);
  const isQuiet = elementText(xml, 'Quiet') === 'true';
  const deleted = elements(xml, 'Object')
    .slice(0, MAX_KEYS)
    .map((element) => {
      const Key = elementText(element, 'Key') ?? '';
      const VersionId = elementText(element, 'VersionId');
      const { versionId, isDeleteMarker } = removeObject(request, Key, VersionId);
      const marker = isDeleteMarker ? { DeleteMarker: true, DeleteMarkerVersionId: versionId } : {};
      return { Key, VersionId, ...marker };
    });
  return xmlAnswer('DeleteResult', isQuiet ? {} : { Deleted: deleted });
}

/** One page of a listing. */
interface Page<T> {
  readonly items: readonly T[];
  readonly prefixes: readonly string[];
  /** The last key or prefix of the page, when there is more. */
  readonly next: string | undefined;
}

/** Groups keys at the delimiter, and cuts the page. */
function pageOf<T>(
  bucket: Bucket,
  query: ReadonlyMap<string, string>,
  after: string,
  itemsOf: (key: string) => readonly T[],
): Page<T> {
  const [prefix, delimiter] = [query.get('prefix') ?? '', query.get('delimiter') ?? ''];
  const most = Math.min(MAX_KEYS, Number(query.get('max-keys') ?? MAX_KEYS));
  const items: T[] = [];
  const prefixes: string[] = [];
  let last = '';
  if (most === 0) return { items, prefixes, next: undefined };
  for (const key of bucket.keys()) {
    const found = itemsOf(key);
    const cut = delimiter === '' ? -1 : key.indexOf(delimiter, prefix.length);
    const name = cut < 0 ? key : key.slice(0, cut + delimiter.length);
    if (!key.startsWith(prefix) || found.length === 0 || !isBehind(name, after) || name === prefixes.at(-1)) continue;
    if (items.length + prefixes.length >= most) return { items, prefixes, next: last };
    if (cut < 0) items.push(...found);
    else prefixes.push(name);
    last = name;
  }
  return { items, prefixes, next: undefined };
}

function isBehind(name: string, after: string): boolean {
  return after === '' || Buffer.compare(Buffer.from(name), Buffer.from(after)) > 0;
}

export function listObjects({ bucket, query, bucketName }: ObjectRequest): Output {
  const token = query.get('continuation-token');
  const after = token === undefined ? (query.get('start-after') ?? query.get('marker') ?? '') : fromToken(token);
  const shown = namesFor(query);
  const page = pageOf(bucket, query, after, (key) => {
    const version = bucket.current(key);
    return version ? [{ Key: shown(key), ...facts(version) }] : [];
  });
  const { items, prefixes, next } = page;
  const isSecond = query.get('list-type') === '2';
  const startAfter = query.has('start-after') ? shown(query.get('start-after') ?? '') : undefined;
  return xmlAnswer('ListBucketResult', {
    ...echoed(query, bucketName),
    KeyCount: isSecond ? items.length + prefixes.length : undefined,
    IsTruncated: next !== undefined,
    ...(isSecond
      ? {
          StartAfter: startAfter,
          ContinuationToken: token,
          NextContinuationToken: next === undefined ? undefined : toToken(next),
        }
      : { Marker: query.get('marker') ?? '', NextMarker: next === undefined ? undefined : shown(next) }),
    Contents: items,
    CommonPrefixes: prefixes.map((prefix) => ({ Prefix: shown(prefix) })),
  });
}

export function listVersions({ bucket, query, bucketName }: ObjectRequest): Output {
  const shown = namesFor(query);
  const { items, prefixes, next } = pageOf(bucket, query, query.get('key-marker') ?? '', (key) =>
    bucket.versionsOf(key).map((version, index) => ({ key, version, isLatest: index === 0 })),
  );
  const toElement = ({ key, version, isLatest }: (typeof items)[number]): Record<string, XmlValue> => ({
    Key: shown(key),
    VersionId: version.versionId,
    IsLatest: isLatest,
    ...(version.isDeleteMarker ? { LastModified: new Date(version.modifiedAt).toISOString() } : facts(version)),
  });
  return xmlAnswer('ListVersionsResult', {
    ...echoed(query, bucketName),
    IsTruncated: next !== undefined,
    NextKeyMarker: next === undefined ? undefined : shown(next),
    Version: items.filter(({ version }) => !version.isDeleteMarker).map(toElement),
    DeleteMarker: items.filter(({ version }) => version.isDeleteMarker).map(toElement),
    CommonPrefixes: prefixes.map((prefix) => ({ Prefix: shown(prefix) })),
  });
}

function echoed(query: ReadonlyMap<string, string>, Name: string): Record<string, XmlValue> {
  const shown = namesFor(query);
  return {
    Name,
    Prefix: shown(query.get('prefix') ?? ''),
    Delimiter: query.get('delimiter'),
    MaxKeys: Number(query.get('max-keys') ?? MAX_KEYS),
    EncodingType: query.get('encoding-type'),
  };
}

function namesFor(query: ReadonlyMap<string, string>): (name: string) => string {
  return query.get('encoding-type') === 'url' ? (name) => encode(name).replaceAll('%2F', '/') : (name) => name;
}

function facts({ modifiedAt, eTag, size }: ObjectVersion): Record<string, XmlValue> {
  return { LastModified: new Date(modifiedAt).toISOString(), ETag: `"${eTag}"`, Size: size, StorageClass: 'STANDARD' };
}

function toToken(key: string): string {
  return Buffer.from(key).toString('base64');
}

function fromToken(token: string): string {
  return Buffer.from(token, 'base64').toString();
}
