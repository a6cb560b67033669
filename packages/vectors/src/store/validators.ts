import { isPlainObject } from '@sallyport/core/internal';
import {
  ERROR_CODE_DIMENSION_MISMATCH,
  ERROR_CODE_INVALID_VECTOR,
  invalidConfig,
  invalidInput,
  VectorStoreError,
} from '../errors.js';
import { DEFAULT_QUERY_TOP_K, MAX_QUERY_TOP_K, VECTOR_LIMITS } from '../schema.js';
import type { DistanceMetric, Metadata, Primitive, VectorData, VectorInput } from './store.js';

/** The keys of an index that filters cannot use. */
export interface MetadataRules {
  /** Keys that do not count to the filterable part. Default: none. */
  readonly nonFilterableKeys?: readonly string[];
}

/**
 * Checks the number of dimensions of an index.
 *
 * @throws VectorStoreError `vectorstore.invalid_config` unless it is a whole number from 1 to 4,096
 */
export function validateDimension(dimension: number): void {
  if (!Number.isSafeInteger(dimension) || dimension < 1) throw invalidConfig('dimension must be positive');
  if (dimension > VECTOR_LIMITS.dimension) throw invalidConfig(`dimension exceeds ${VECTOR_LIMITS.dimension}`);
}

/**
 * Checks a vector as the index stores it: rounded to 32 bits, where `1e39` is infinite and `1e-46` is zero.
 *
 * @param dimension the required length; without it any length is accepted
 * @param metric with `cosine`, the default, a vector of zeros is rejected: it has no direction
 * @throws VectorStoreError `vectorstore.invalid_vector`, `vectorstore.dimension_mismatch`
 */
export function validateVector(vector: VectorInput, dimension?: number, metric: DistanceMetric = 'cosine'): void {
  toVector(vector, dimension, metric);
}

/** A checked copy of a vector. */
export function toVector(vector: VectorInput, dimension: number | undefined, metric: DistanceMetric): VectorData {
  const isList = vector instanceof Float32Array || Array.isArray(vector);
  if (!isList || vector.length === 0) throw invalidVector('vector is required');
  if (dimension !== undefined && vector.length !== dimension) throw dimensionMismatch(vector.length, dimension);
  const data = new Float32Array(vector.length);
  let isZero = true;
  for (let at = 0; at < data.length; at += 1) {
    const value: unknown = vector[at];
    if (typeof value !== 'number' || !Number.isFinite(Math.fround(value))) {
      throw invalidVector('vector values must be finite');
    }
    data[at] = value;
    if (data[at] !== 0) isZero = false;
  }
  if (isZero && metric === 'cosine') throw invalidVector('vector must not be zero');
  return data;
}

/** The error for a vector with a wrong length. */
export function dimensionMismatch(got: number, want: number): VectorStoreError {
  return new VectorStoreError(ERROR_CODE_DIMENSION_MISMATCH, `vector dimension mismatch: got ${got} want ${want}`);
}

function invalidVector(message: string): VectorStoreError {
  return new VectorStoreError(ERROR_CODE_INVALID_VECTOR, message);
}

/**
 * Checks the key of a vector.
 *
 * @throws VectorStoreError `vectorstore.invalid_input` unless it is a string of 1 to 1,024 characters without white space at
 * its ends
 */
export function validateKey(key: string): void {
  if (typeof key !== 'string' || key.trim() === '') throw invalidInput('vector key is required');
  if (key.trim() !== key) throw invalidInput('vector key must not begin or end with blanks');
  if (!key.isWellFormed()) throw invalidInput('vector key must not hold half of a surrogate pair');
  if (countCharacters(key) > VECTOR_LIMITS.keyCharacters) throw invalidInput('vector key is too long');
}

/** Counts Unicode characters: a surrogate pair counts as one character. */
export function countCharacters(text: string): number {
  let pairs = 0;
  for (let at = 0; at < text.length; at += 1) if (text.charCodeAt(at) >> 10 === 0x36) pairs += 1;
  return text.length - pairs;
}

/**
 * Checks the metadata of a vector: kinds of values, at most 50 keys, at most 40 KB in all and 2 KB for filters. The size is the
 * size of the names in UTF-8 and the values as JSON; a KB is 1,024 bytes.
 *
 * @throws VectorStoreError `vectorstore.invalid_input`; the message contains the key and never the value
 */
export function validateMetadata(metadata: Metadata | undefined, { nonFilterableKeys = [] }: MetadataRules = {}): void {
  if (metadata === undefined) return;
  if (!isPlainObject(metadata)) throw invalidInput('metadata must be an object');
  const entries = Object.entries(metadata);
  if (entries.length > VECTOR_LIMITS.metadataKeys) {
    throw invalidInput(`metadata has more than ${VECTOR_LIMITS.metadataKeys} keys`);
  }
  let bytes = 0;
  let filterable = 0;
  for (const [name, value] of entries) {
    validateMetadataName(name);
    if (!isMetadataValue(value)) {
      throw invalidInput(`metadata "${name}" must be a text, a finite number, a boolean or a list of them`);
    }
    const size = Buffer.byteLength(name) + Buffer.byteLength(JSON.stringify(value));
    bytes += size;
    if (!nonFilterableKeys.includes(name)) filterable += size;
  }
  if (bytes > VECTOR_LIMITS.metadataBytes) throw invalidInput('metadata is larger than 40 KB');
  if (filterable > VECTOR_LIMITS.filterableMetadataBytes) throw invalidInput('filterable metadata is larger than 2 KB');
}

function validateMetadataName(name: string): void {
  const problem = nameProblem(name);
  if (problem !== undefined) throw invalidInput(`metadata key ${problem}`);
}

/** The problem of a name in metadata or in a filter. */
export function nameProblem(name: string): string | undefined {
  if (name.trim() === '' || !name.isWellFormed()) return 'is blank or holds half of a surrogate pair';
  // Names that begin with `$` are the operators of filters.
  if (name.startsWith('$')) return `"${name}" must not begin with $`;
  // The AWS client does not send a member with this name: the value would be lost silently.
  return name === '__proto__' ? '"__proto__" cannot be sent' : undefined;
}

function isMetadataValue(value: unknown): boolean {
  if (!Array.isArray(value)) return isPrimitive(value);
  for (let at = 0; at < value.length; at += 1) if (!isPrimitive(value[at])) return false;
  return true;
}

/** True if filters can compare a value: a string without half of a surrogate pair, a finite number or a boolean. */
export function isPrimitive(value: unknown): value is Primitive {
  if (typeof value === 'string') return value.isWellFormed();
  return typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value));
}

/**
 * Checks that metadata has certain keys: own members with a value that is not a blank string or an empty list. Blank names are skipped.
 *
 * @throws VectorStoreError `vectorstore.invalid_input` `required metadata missing: <key>`
 */
export function validateRequiredMetadata(metadata: Metadata | undefined, keys: readonly string[]): void {
  for (const key of keys) {
    if (key.trim() === '') continue;
    const value: unknown = metadata && Object.hasOwn(metadata, key) ? metadata[key] : undefined;
    const isBlank = typeof value === 'string' && value.trim() === '';
    const isEmpty = Array.isArray(value) && value.length === 0;
    if (value === undefined || value === null || isBlank || isEmpty) {
      throw invalidInput(`required metadata missing: ${key}`);
    }
  }
}

/**
 * The number of hits of a query. Missing, 0, negative and `NaN` mean 12; else the value is rounded down and limited to 10,000.
 *
 * @throws VectorStoreError `vectorstore.invalid_input` for a value that is not a number
 */
export function normalizeTopK(topK?: number): number {
  if (topK === undefined) return DEFAULT_QUERY_TOP_K;
  if (typeof topK !== 'number') throw invalidInput('topK must be a number');
  const whole = Math.trunc(topK);
  return whole > 0 ? Math.min(whole, MAX_QUERY_TOP_K) : DEFAULT_QUERY_TOP_K;
}

/** A copy of a vector, rounded to 32 bits. */
export function cloneVector(vector: VectorInput): VectorData {
  return Float32Array.from(vector);
}

/** A copy of metadata and of the lists in it; `undefined` when it is empty. */
export function cloneMetadata(metadata: Metadata | undefined): Metadata | undefined {
  const entries = Object.entries(metadata ?? {});
  if (entries.length === 0) return undefined;
  // `fromEntries` defines members, so a key `__proto__` has no special meaning.
  return Object.fromEntries(entries.map(([key, value]) => [key, Array.isArray(value) ? [...value] : value]));
}
