import { invalidRef } from '../errors.js';

/** One object, or one version of it. */
export interface ObjectRef {
  /** The bucket, 1 to 63 characters. There is no default bucket. */
  readonly bucket: string;
  /** The key in S3, 1 to 1,024 bytes of UTF-8, without decoding or normalization. */
  readonly key: string;
  /** The version; absent for the current version. */
  readonly versionId?: string;
}

const SCHEME = 's3://';
const MAX_BUCKET_LENGTH = 63;
const MAX_KEY_BYTES = 1024;
const MAX_VERSION_LENGTH = 1024;
const CONTROL = /\p{Cc}/u;
const LONE_SURROGATE = /\p{Surrogate}/u;

/**
 * Parses `s3://<bucket>/<key>`. The key is the unchanged part after the first slash; the string never contains a version.
 *
 * @throws ObjectStoreError `objectstore.invalid_ref` for any other string, including a query or a fragment
 * @example parseObjectRef('s3://releases/app/1.tar') // { bucket: 'releases', key: 'app/1.tar' }
 */
export function parseObjectRef(uri: string): ObjectRef {
  if (typeof uri !== 'string') throw invalidRef('must be a string');
  if (!uri.startsWith(SCHEME)) throw invalidRef('must begin with s3://');
  const slash = uri.indexOf('/', SCHEME.length);
  if (slash < 0) throw invalidRef('must have a key after the bucket: s3://<bucket>/<key>');
  const ref = { bucket: uri.slice(SCHEME.length, slash), key: uri.slice(slash + 1) };
  assertBucket(ref.bucket);
  assertKey(ref.key);
  return ref;
}

/**
 * Formats a reference as `s3://<bucket>/<key>`, without the version.
 *
 * @throws ObjectStoreError `objectstore.invalid_ref`
 * @example formatObjectRef({ bucket: 'releases', key: 'app/1.tar', versionId: 'v1' }) // 's3://releases/app/1.tar'
 */
export function formatObjectRef(ref: ObjectRef): string {
  const { bucket, key } = checkRef(ref);
  return `${SCHEME}${bucket}/${key}`;
}

/** Validates a reference and returns a copy. */
export function checkRef(ref: unknown): ObjectRef {
  if (typeof ref !== 'object' || ref === null || Array.isArray(ref)) {
    throw invalidRef('must be an object with bucket and key');
  }
  const unknown = Object.keys(ref).find((key) => !['bucket', 'key', 'versionId'].includes(key));
  if (unknown !== undefined) throw invalidRef('has a member that is not bucket, key or versionId');
  const { bucket, key, versionId } = ref as Partial<Record<keyof ObjectRef, unknown>>;
  assertBucket(bucket);
  assertKey(key);
  if (versionId === undefined) return { bucket, key };
  assertVersion(versionId);
  return { bucket, key, versionId };
}

/** As {@link checkRef}, for a write, which must not have a version. */
export function checkUnversionedRef(ref: unknown): ObjectRef {
  const checked = checkRef(ref);
  if (checked.versionId !== undefined) throw invalidRef('of a write must not name a version');
  return checked;
}

function assertBucket(bucket: unknown): asserts bucket is string {
  if (typeof bucket !== 'string' || bucket === '') throw invalidRef('must name a bucket; there is no default');
  if (bucket.length > MAX_BUCKET_LENGTH) throw invalidRef(`has a bucket of more than ${MAX_BUCKET_LENGTH} characters`);
  if (/[\s/]/.test(bucket)) throw invalidRef('has white space or a slash in its bucket');
  assertText(bucket, 'bucket');
}

function assertKey(key: unknown): asserts key is string {
  if (typeof key !== 'string' || key === '') throw invalidRef('must name a key; there is no default');
  if (Buffer.byteLength(key) > MAX_KEY_BYTES)
    throw invalidRef(`has a key of more than ${MAX_KEY_BYTES} bytes of UTF-8`);
  if (key !== key.trimEnd()) throw invalidRef('ends with white space');
  assertText(key, 'key');
}

function assertVersion(versionId: unknown): asserts versionId is string {
  if (typeof versionId !== 'string' || versionId === '')
    throw invalidRef('has a version that is not a string, or is empty');
  if (versionId.length > MAX_VERSION_LENGTH) {
    throw invalidRef(`has a version of more than ${MAX_VERSION_LENGTH} characters`);
  }
  assertText(versionId, 'version');
}

/** Characters that no part may contain: some parsers would silently drop a query or a fragment, and the others cannot be sent. */
function assertText(part: string, name: string): void {
  if (/[?#]/.test(part)) throw invalidRef(`has ? or # in its ${name}`);
  if (CONTROL.test(part)) throw invalidRef(`has a control character in its ${name}`);
  if (LONE_SURROGATE.test(part)) throw invalidRef(`has half a surrogate pair in its ${name}`);
}
