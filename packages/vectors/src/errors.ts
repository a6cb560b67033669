import { FrameworkError } from '@sallyport/core';
import { brandError, isTransient } from '@sallyport/core/pipeline';

/** Every code of {@link VectorStoreError}. */
export const VECTOR_STORE_CODES = [
  /** A wrong option or variable, no such bucket or index, another metric than the index has. @status 500 */
  'vectorstore.invalid_config',
  /** A wrong key, metadata, filter, `topK` or text; a request that the service rejected. @status 500 */
  'vectorstore.invalid_input',
  /** An empty vector, one with numbers that are not finite in 32 bits, one of zeros where the metric is the cosine. @status 500 */
  'vectorstore.invalid_vector',
  /** A vector of another length than the index or the embedder has. @status 500 */
  'vectorstore.dimension_mismatch',
  /** The model refused, failed at every attempt, or answered something else; `retryable` tells which. @status 500 */
  'vectorstore.embedding_failed',
  /** `get` with `requireAll`, and a key is missing. @status 500 */
  'vectorstore.not_found',
  /** `path` on a Node without `node:sqlite`. @status 500 */
  'vectorstore.unsupported_operation',
  /** No answer, or none that can be used. `retryable` for throttling, 5xx, time-outs and network; not for a full account or a missing permission. @status 500 */
  'vectorstore.unavailable',
] as const;

/** A code of {@link VectorStoreError}. */
export type VectorStoreErrorCode = (typeof VECTOR_STORE_CODES)[number];

/** A wrong option or variable, or an index that does not exist. */
export const ERROR_CODE_INVALID_CONFIG = 'vectorstore.invalid_config' satisfies VectorStoreErrorCode;
/** A wrong argument of a call. */
export const ERROR_CODE_INVALID_INPUT = 'vectorstore.invalid_input' satisfies VectorStoreErrorCode;
/** A vector that cannot be stored or searched for. */
export const ERROR_CODE_INVALID_VECTOR = 'vectorstore.invalid_vector' satisfies VectorStoreErrorCode;
/** A vector of another length than the index has. */
export const ERROR_CODE_DIMENSION_MISMATCH = 'vectorstore.dimension_mismatch' satisfies VectorStoreErrorCode;
/** The model gave no embedding. */
export const ERROR_CODE_EMBEDDING_FAILED = 'vectorstore.embedding_failed' satisfies VectorStoreErrorCode;
/** A key that had to be there is not. */
export const ERROR_CODE_NOT_FOUND = 'vectorstore.not_found' satisfies VectorStoreErrorCode;
/** Something that this store or this version of Node cannot do. */
export const ERROR_CODE_UNSUPPORTED_OPERATION = 'vectorstore.unsupported_operation' satisfies VectorStoreErrorCode;
/** The store gave no answer, or none that can be used. */
export const ERROR_CODE_UNAVAILABLE = 'vectorstore.unavailable' satisfies VectorStoreErrorCode;

/** How far a put or a delete of several chunks came before it failed. Puts overwrite, so the whole call can be repeated. */
export interface WriteProgress {
  /** Keys of the call. */
  readonly total: number;
  /** Keys whose chunk the store confirmed. */
  readonly done: readonly string[];
  /** Keys of chunks that were sent without an answer, and may have been written. All others were not written. */
  readonly unknown: readonly string[];
}

/** What an error may carry beside code and message. */
export interface VectorStoreErrorInit {
  /** Whether the same call may succeed later without a change of code or deployment. Default `false`. */
  readonly retryable?: boolean;
  /** How far the call came. Its numbers become `details`. */
  readonly progress?: WriteProgress | undefined;
  /** The error behind it, for logs. It is never sent. */
  readonly cause?: unknown;
}

/**
 * The error of every store, embedder and index of this package. Its message contains no text of a document, no metadata, no
 * vector and no text of a service. Immutable.
 *
 * @example
 * try {
 *   await store.put({ records });
 * } catch (error) {
 *   if (isVectorStoreError(error, ERR_UNAVAILABLE) && error.retryable) await store.put({ records });
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
  /** How far a put or a delete came that failed after its first request; else `undefined`. It is not sent to clients. */
  readonly progress: WriteProgress | undefined;

  constructor(code: VectorStoreErrorCode, message: string, init: VectorStoreErrorInit = {}) {
    const { retryable = false, progress } = init;
    super(code, `vectorstore: ${message}`, {
      ...(progress && { details: { done: progress.done.length, total: progress.total } }),
      ...('cause' in init && { cause: init.cause }),
    });
    this.retryable = retryable;
    this.progress = progress;
    if (new.target === VectorStoreError) Object.freeze(this);
  }
}

/** Stands for `vectorstore.invalid_config` in {@link isVectorStoreError}; never thrown itself. */
export const ERR_INVALID_CONFIG: VectorStoreError = /* @__PURE__ */ sentinel(ERROR_CODE_INVALID_CONFIG);
/** Stands for `vectorstore.invalid_input` in {@link isVectorStoreError}; never thrown itself. */
export const ERR_INVALID_INPUT: VectorStoreError = /* @__PURE__ */ sentinel(ERROR_CODE_INVALID_INPUT);
/** Stands for `vectorstore.invalid_vector` in {@link isVectorStoreError}; never thrown itself. */
export const ERR_INVALID_VECTOR: VectorStoreError = /* @__PURE__ */ sentinel(ERROR_CODE_INVALID_VECTOR);
/** Stands for `vectorstore.dimension_mismatch` in {@link isVectorStoreError}; never thrown itself. */
export const ERR_DIMENSION_MISMATCH: VectorStoreError = /* @__PURE__ */ sentinel(ERROR_CODE_DIMENSION_MISMATCH);
/** Stands for `vectorstore.embedding_failed` in {@link isVectorStoreError}; never thrown itself. */
export const ERR_EMBEDDING_FAILED: VectorStoreError = /* @__PURE__ */ sentinel(ERROR_CODE_EMBEDDING_FAILED);
/** Stands for `vectorstore.not_found` in {@link isVectorStoreError}; never thrown itself. */
export const ERR_NOT_FOUND: VectorStoreError = /* @__PURE__ */ sentinel(ERROR_CODE_NOT_FOUND);
/** Stands for `vectorstore.unsupported_operation` in {@link isVectorStoreError}; never thrown itself. */
export const ERR_UNSUPPORTED_OPERATION: VectorStoreError = /* @__PURE__ */ sentinel(ERROR_CODE_UNSUPPORTED_OPERATION);
/** Stands for `vectorstore.unavailable` in {@link isVectorStoreError}; never thrown itself. */
export const ERR_UNAVAILABLE: VectorStoreError = /* @__PURE__ */ sentinel(ERROR_CODE_UNAVAILABLE);

function sentinel(code: VectorStoreErrorCode): VectorStoreError {
  return new VectorStoreError(code, code.slice(code.indexOf('.') + 1).replaceAll('_', ' '));
}

/**
 * Whether an error, or an error in its chain of `cause`, is one of this package.
 *
 * @param like only with the code of this one, such as {@link ERR_NOT_FOUND}
 * @example if (isVectorStoreError(error, ERR_NOT_FOUND)) return json(404, {});
 */
export function isVectorStoreError(error: unknown, like?: VectorStoreError): error is VectorStoreError {
  const found = firstOfOurs(error);
  return found !== undefined && (like === undefined || found.code === like.code);
}

/**
 * The code that an embedder's failure has: its own for an error of this package, `''` for no error, else
 * `vectorstore.embedding_failed`.
 */
export function embeddingErrorCode(error: unknown): VectorStoreErrorCode | '' {
  if (error === undefined || error === null) return '';
  return firstOfOurs(error)?.code ?? ERROR_CODE_EMBEDDING_FAILED;
}

/** Errors that are looked through: a chain of causes may be a circle. */
const MAX_CAUSES = 16;

function firstOfOurs(error: unknown): VectorStoreError | undefined {
  let current = error;
  for (let depth = 0; depth < MAX_CAUSES && current instanceof Error; depth += 1) {
    if (current instanceof VectorStoreError) return current;
    current = current.cause;
  }
  return undefined;
}

/** A refused option, by name and never by value. */
export function invalidConfig(message: string, cause?: unknown): VectorStoreError {
  return new VectorStoreError(ERROR_CODE_INVALID_CONFIG, message, cause === undefined ? {} : { cause });
}

/** A refused argument of a call. */
export function invalidInput(message: string): VectorStoreError {
  return new VectorStoreError(ERROR_CODE_INVALID_INPUT, message);
}

/** A store that did not answer, from what its client threw. */
export function unavailable(cause: unknown, retryable: boolean = isTransient(cause)): VectorStoreError {
  return new VectorStoreError(ERROR_CODE_UNAVAILABLE, 'vector store unavailable', { retryable, cause });
}
