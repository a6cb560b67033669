import { isWhole } from '@sallyport/core/internal';
import { invalidRef, ObjectStoreError } from '../../errors.js';
import { isMediaType } from '../../internal/media-type.js';
import { checkUnversionedRef } from '../../refs/ref.js';
import { MAX_OBJECT_BYTES } from '../../store/internal/input.js';
import { MAX_PRESIGN_PUT_EXPIRES_IN, type PresignPutInput } from '../grant.js';

const SHA256_BYTES = 32;

/** An upload that passed every rule. */
export type CheckedGrant = Required<Omit<PresignPutInput, 'maxBytes'>>;

type Fields = Readonly<Partial<Record<keyof PresignPutInput, unknown>>>;

/** Every field but the reference with its rule, in the order in which they are checked. */
const RULES: readonly {
  readonly field: Exclude<keyof PresignPutInput, 'ref'>;
  readonly wanted: string;
  readonly holds: (value: unknown, fields: Fields) => boolean;
}[] = [
  {
    field: 'maxBytes',
    wanted: 'a whole number from 1 to 5,368,709,120; there is no default',
    holds: (value) => isWhole(value, 1, MAX_OBJECT_BYTES),
  },
  {
    field: 'contentLength',
    wanted: 'a whole number from 0 to maxBytes',
    holds: (value, { maxBytes }) => isWhole(value, 0, maxBytes as number),
  },
  { field: 'contentType', wanted: 'a media type of at most 256 characters', holds: isMediaType },
  { field: 'checksumSha256', wanted: 'the base64 text of 32 bytes', holds: isSha256 },
  {
    field: 'expiresIn',
    wanted: `a whole number of seconds from 1 to ${MAX_PRESIGN_PUT_EXPIRES_IN}; there is no default`,
    holds: (value) => isWhole(value, 1, MAX_PRESIGN_PUT_EXPIRES_IN),
  },
  {
    field: 'createOnly',
    wanted: 'true or false',
    holds: (value) => value === undefined || typeof value === 'boolean',
  },
];

/** @throws ObjectStoreError with the name of the first invalid field */
export function checkPresignPut(input: PresignPutInput): CheckedGrant {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) throw invalid('input', 'an object');
  const ref = checkUnversionedRef(input.ref);
  if (ref.key.split('/').some((segment) => segment === '.' || segment === '..')) {
    throw invalidRef('of an upload must not have . or .. as a segment of its key');
  }
  for (const { field, wanted, holds } of RULES) if (!holds(input[field], input)) throw invalid(field, wanted);
  const {
    contentLength,
    maxBytes,
    contentType,
    checksumSha256,
    expiresIn,
    createOnly = false,
    ref: _,
    ...rest
  } = input;
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined) throw invalid(unknown, 'omitted: there is no such field');
  return { ref, contentLength, contentType, checksumSha256, expiresIn, createOnly };
}

/** Only canonical base64: another encoding of the same bytes would be another header, and break the signature. */
function isSha256(value: unknown): boolean {
  if (typeof value !== 'string') return false;
  const bytes = Buffer.from(value, 'base64');
  return bytes.length === SHA256_BYTES && bytes.toString('base64') === value;
}

function invalid(field: string, wanted: string): ObjectStoreError {
  return new ObjectStoreError('objectstore.invalid_presign_put', `framework: ${field} must be ${wanted}`, { field });
}
