import { FrameworkError } from '@sallyport/core';
import { brandError, isTransient } from '@sallyport/core/internal';

/** Every code of {@link VectorStoreError}. */
export const VECTOR_STORE_CODES = [
  /** A wrong option or variable, an unknown bucket or index, or another metric than the index has. @status 500 */
  'vectorstore.invalid_config',
  /** A wrong key, metadata, filter, `topK` or text; a request that the service rejected. @status 500 */
  'vectorstore.invalid_input',
  /**
   * An empty vector, a vector with numbers that are not finite in 32 bits, or a vector of zeros with the metric `cosine`. @status
   * 500
   */
  'vectorstore.invalid_vector',
  /** A vector whose length differs from the dimension of the index or the embedder. @status 500 */
  'vectorstore.dimension_mismatch',
  /**
   * The model rejected the request, failed at every attempt, or returned an invalid answer; `retryable`, and 503, if a retry may help.
   * @status 500
   */
  'vectorstore.embedding_failed',
  /** A missing key in a `get` with `requireAll`. @status 500 */
  'vectorstore.not_found',
  /** `path` on a Node without `node:sqlite`. @status 500 */
  'vectorstore.unsupported_operation',
  /**
   * No answer, or an invalid answer. `retryable`, and 503, for throttling, 5xx, time-outs and network errors; not for an exhausted quota
   * or a missing permission. @status 500
   */
  'vectorstore.unavailable',
] as const;

/** A code of {@link VectorStoreError}. */
export type VectorStoreErrorCode = (typeof VECTOR_STORE_CODES)[number];

// The names that every runtime has for its codes. `vectorstore.unavailable` is not among them: test for `retryable`.

/** A wrong option or variable, or an index that does not exist. */
export const ERROR_CODE_INVALID_CONFIG = 'vectorstore.invalid_config' satisfies VectorStoreErrorCode;
/** A wrong argument of a call. */
export const ERROR_CODE_INVALID_INPUT = 'vectorstore.invalid_input' satisfies VectorStoreErrorCode;
/** A vector that cannot be stored or searched for. */
export const ERROR_CODE_INVALID_VECTOR = 'vectorstore.invalid_vector' satisfies VectorStoreErrorCode;
/** A vector whose length differs from the dimension of the index. */
export const ERROR_CODE_DIMENSION_MISMATCH = 'vectorstore.dimension_mismatch' satisfies VectorStoreErrorCode;
/** The model returned no embedding. */
export const ERROR_CODE_EMBEDDING_FAILED = 'vectorstore.embedding_failed' satisfies VectorStoreErrorCode;
/** A required key is missing. */
export const ERROR_CODE_NOT_FOUND = 'vectorstore.not_found' satisfies VectorStoreErrorCode;
/** An operation that this store or this version of Node does not support. */
export const ERROR_CODE_UNSUPPORTED_OPERATION = 'vectorstore.unsupported_operation' satisfies VectorStoreErrorCode;

/** The progress of a put or a delete of several chunks that failed. Puts overwrite, so the whole call can be repeated. */
export interface WriteProgress {
  /** Keys of the call. */
  readonly total: number;
  /** Keys whose chunk the store confirmed. */
  readonly done: readonly string[];
  /** Keys of chunks that were sent without an answer: they may have been written. All other keys were not written. */
  readonly unknown: readonly string[];
}

/** Optional data of an error, in addition to code and message. */
export interface VectorStoreErrorInit {
  /** True if the same call may succeed later without a change of code or deployment. Default `false`. */
  readonly retryable?: boolean;
  /** The progress of the call. Its numbers become `details`. */
  readonly progress?: WriteProgress | undefined;
  /** The original error, for logs. It is never sent. */
  readonly cause?: unknown;
}

/**
 * The error of every store, embedder and index of this package. Its message never contains text of a document, metadata, vectors
 * or messages of a service. Immutable.
 *
 * @example
 * try {
 *   await store.put({ records });
 * } catch (error) {
 *   if (isVectorStoreError(error) && error.retryable) await store.put({ records });
 *   else throw error;
 * }
 */
export class VectorStoreError extends FrameworkError {
  static {
    brandError(VectorStoreError, 'sallyport.VectorStoreError');
  }

  override readonly name: string = 'VectorStoreError';
  /** Stable; see the table in the README. */
  declare readonly code: VectorStoreErrorCode;
  /** True for throttling, 5xx, time-outs and network faults; false for a fault of input, code or deployment. */
  readonly retryable: boolean;
  /** The progress of a put or a delete that failed after its first request; else `undefined`. It is not sent to clients. */
  readonly progress: WriteProgress | undefined;

  constructor(code: VectorStoreErrorCode, message: string, init: VectorStoreErrorInit = {}) {
    const { retryable = false, progress } = init;
    super(code, `vectorstore: ${message}`, {
      // A retryable error: the same request may succeed later.
      ...(retryable && { statusCode: 503 }),
      ...(progress && { details: { done: progress.done.length, total: progress.total } }),
      cause: init.cause,
    });
    this.retryable = retryable;
    this.progress = progress;
    if (new.target === VectorStoreError) Object.freeze(this);
  }
}

/** Pass it to {@link isVectorStoreError} to test for `vectorstore.invalid_config`. It is never thrown. */
export const ERR_INVALID_CONFIG: VectorStoreError = /* @__PURE__ */ sentinel(ERROR_CODE_INVALID_CONFIG);
/** Pass it to {@link isVectorStoreError} to test for `vectorstore.invalid_input`. It is never thrown. */
export const ERR_INVALID_INPUT: VectorStoreError = /* @__PURE__ */ sentinel(ERROR_CODE_INVALID_INPUT);
/** Pass it to {@link isVectorStoreError} to test for `vectorstore.invalid_vector`. It is never thrown. */
export const ERR_INVALID_VECTOR: VectorStoreError = /* @__PURE__ */ sentinel(ERROR_CODE_INVALID_VECTOR);
/** Pass it to {@link isVectorStoreError} to test for `vectorstore.dimension_mismatch`. It is never thrown. */
export const ERR_DIMENSION_MISMATCH: VectorStoreError = /* @__PURE__ */ sentinel(ERROR_CODE_DIMENSION_MISMATCH);
/** Pass it to {@link isVectorStoreError} to test for `vectorstore.embedding_failed`. It is never thrown. */
export const ERR_EMBEDDING_FAILED: VectorStoreError = /* @__PURE__ */ sentinel(ERROR_CODE_EMBEDDING_FAILED);
/** Pass it to {@link isVectorStoreError} to test for `vectorstore.not_found`. It is never thrown. */
export const ERR_NOT_FOUND: VectorStoreError = /* @__PURE__ */ sentinel(ERROR_CODE_NOT_FOUND);
/** Pass it to {@link isVectorStoreError} to test for `vectorstore.unsupported_operation`. It is never thrown. */
export const ERR_UNSUPPORTED_OPERATION: VectorStoreError = /* @__PURE__ */ sentinel(ERROR_CODE_UNSUPPORTED_OPERATION);

function sentinel(code: VectorStoreErrorCode): VectorStoreError {
  return new VectorStoreError(code, code.slice(code.indexOf('.') + 1).replaceAll('_', ' '));
}

/**
 * True if an error, or an error in its chain of `cause`, is an error of this package.
 *
 * @param like accepts only errors with the same code as this error, such as {@link ERR_NOT_FOUND}
 * @example if (isVectorStoreError(error, ERR_NOT_FOUND)) return json(404, {});
 */
export function isVectorStoreError(error: unknown, like?: VectorStoreError): error is VectorStoreError {
  const found = firstOfOurs(error);
  return found !== undefined && (like === undefined || found.code === like.code);
}

/**
 * The code of an embedder's failure: the code of an error of this package, `''` for no error, else
 * `vectorstore.embedding_failed`.
 */
export function embeddingErrorCode(error: unknown): VectorStoreErrorCode | '' {
  if (error === undefined || error === null) return '';
  return firstOfOurs(error)?.code ?? ERROR_CODE_EMBEDDING_FAILED;
}

/** The most errors that are examined, because a chain of causes may be circular. */
const MAX_CAUSES = 16;

function firstOfOurs(error: unknown): VectorStoreError | undefined {
  let current = error;
  for (let depth = 0; depth < MAX_CAUSES && current instanceof Error; depth += 1) {
    if (current instanceof VectorStoreError) return current;
    current = current.cause;
  }
  return undefined;
}

/** The error for an invalid option. It contains the name, never the value. */
export function invalidConfig(message: string, cause?: unknown): VectorStoreError {
  return new VectorStoreError(ERROR_CODE_INVALID_CONFIG, message, { cause });
}

/** The error for an invalid argument of a call. */
export function invalidInput(message: string): VectorStoreError {
  return new VectorStoreError(ERROR_CODE_INVALID_INPUT, message);
}

/** The error for a store that did not answer, created from the error of its client. */
export function unavailable(cause: unknown, retryable: boolean = isTransient(cause)): VectorStoreError {
  return new VectorStoreError('vectorstore.unavailable', 'vector store unavailable', { retryable, cause });
}
