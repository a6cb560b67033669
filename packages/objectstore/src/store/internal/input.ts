import { invalidInput, ObjectStoreError } from '../../errors.js';
import { isMediaType } from '../../internal/media-type.js';
import { checkRef, checkUnversionedRef, type ObjectRef } from '../../refs/ref.js';
import type { DeleteObjectInput, GetObjectInput, PutObjectInput } from '../store.js';

/** The largest object of one `PutObject`. */
export const MAX_OBJECT_BYTES = 5_368_709_120;
const MAX_METADATA_BYTES = 2048;
const METADATA_NAME = /^[a-z0-9-]+$/;
/** Visible ASCII. Spaces are allowed only inside, because S3 removes them at the ends. */
const METADATA_VALUE = /^(?:[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?)?$/;
const DEFAULT_CONTENT_TYPE = 'application/octet-stream';

/** The arguments of a put after all checks, with defaults. */
export type CheckedPut = Required<PutObjectInput>;

export function checkPut(input: PutObjectInput): CheckedPut {
  const { ref, payload, contentType, metadata, createOnly } = closed(input, [
    'ref',
    'payload',
    'contentType',
    'metadata',
    'createOnly',
  ]);
  const checked = checkUnversionedRef(ref);
  if (!(payload instanceof Uint8Array)) throw invalidInput('payload must be a Uint8Array');
  if (payload.byteLength > MAX_OBJECT_BYTES) throw invalidInput('payload must have at most 5 GiB');
  if (contentType !== undefined && !isMediaType(contentType)) {
    throw invalidInput('contentType must be a media type of at most 256 characters');
  }
  if (createOnly !== undefined && typeof createOnly !== 'boolean')
    throw invalidInput('createOnly must be true or false');
  return {
    ref: checked,
    payload,
    contentType: contentType ?? DEFAULT_CONTENT_TYPE,
    metadata: checkMetadata(metadata),
    createOnly: createOnly ?? false,
  };
}

export function checkGet(input: GetObjectInput): GetObjectInput {
  const { ref, maxBytes } = closed(input, ['ref', 'maxBytes']);
  const checked = checkRef(ref);
  if (!Number.isSafeInteger(maxBytes) || (maxBytes as number) < 1) {
    throw new ObjectStoreError(
      'objectstore.invalid_get_limit',
      'framework: maxBytes must be a whole number, at least 1; there is no default',
      { field: 'maxBytes' },
    );
  }
  return { ref: checked, maxBytes: maxBytes as number };
}

export function checkDelete(input: DeleteObjectInput): ObjectRef {
  return checkRef(closed(input, ['ref']).ref);
}

/** Validates metadata and returns a copy, so that later changes by the caller have no effect. */
function checkMetadata(metadata: unknown): Readonly<Record<string, string>> {
  if (metadata === undefined) return {};
  if (typeof metadata !== 'object' || metadata === null || Array.isArray(metadata)) {
    throw invalidInput('metadata must be an object of strings');
  }
  const copy: Record<string, string> = {};
  let bytes = 0;
  for (const [name, value] of Object.entries(metadata)) {
    if (!METADATA_NAME.test(name)) throw invalidInput('names of metadata must be of a-z, 0-9 and -');
    if (typeof value !== 'string' || !METADATA_VALUE.test(value)) {
      throw invalidInput('values of metadata must be strings of visible ASCII, without spaces at the ends');
    }
    bytes += name.length + value.length;
    copy[name] = value;
  }
  if (bytes > MAX_METADATA_BYTES) throw invalidInput(`metadata must have at most ${MAX_METADATA_BYTES} bytes together`);
  return copy;
}

/** The members of an argument; unknown members are rejected. */
function closed<T extends object>(input: T, known: readonly (keyof T & string)[]): Partial<Record<keyof T, unknown>> {
  if (typeof input !== 'object' || input === null) throw invalidInput('the argument must be an object');
  const unknown = Object.keys(input).find((key) => !(known as readonly string[]).includes(key));
  if (unknown !== undefined) throw invalidInput(`unknown member "${unknown}"; known are ${known.join(', ')}`);
  return input;
}
