import { FrameworkError } from '@sallyport/core';
import { brandError } from '@sallyport/core/internal';

/** Every code of {@link ObjectStoreError}. */
export const OBJECT_STORE_CODES = [
  /** An invalid reference, a version that is not allowed, or a dot segment in the key of a grant. @status 400 */
  'objectstore.invalid_ref',
  /** `maxBytes` is not a whole number of at least 1. @status 500 */
  'objectstore.invalid_get_limit',
  /** A field of a grant is missing or invalid; `details.field` contains its name. @status 400 */
  'objectstore.invalid_presign_put',
  /** An invalid combination of encryption options, or a missing key; at construction. @status 500 */
  'objectstore.invalid_encryption_config',
  /** An unknown option, no bucket, a wrong region, a response without a body, a link that does not bind the upload. @status 500 */
  'objectstore.invalid_store_config',
  /** An invalid payload, type, metadata or member of a call. @status 400 */
  'objectstore.invalid_input',
  /** `get` of an object with more than `maxBytes`. @status 413 */
  'objectstore.object_too_large',
  /** No such key or version, or a delete marker. @status 404 */
  'objectstore.not_found',
  /** `createOnly` is set and the object exists. @status 412 */
  'objectstore.precondition_failed',
  /** No permission; or missing, wrong or expired credentials. @status 500 */
  'objectstore.denied',
  /** 5xx, `SlowDown`, timeout, network, an incomplete body (`retryable`); an archived object (not `retryable`). @status 503 */
  'objectstore.unavailable',
  /** `failNext` of the fake for an operation other than `put`, `get` and `delete`. @status 500 */
  'objectstore.unsupported_operation',
] as const;

/** A code of {@link ObjectStoreError}. */
export type ObjectStoreErrorCode = (typeof OBJECT_STORE_CODES)[number];

/** The status of the response if a handler does not catch the error. Any other code is an error in the code or deployment, 500. */
const STATUSES: Partial<Record<ObjectStoreErrorCode, number>> = {
  'objectstore.invalid_ref': 400,
  'objectstore.invalid_presign_put': 400,
  'objectstore.invalid_input': 400,
  'objectstore.object_too_large': 413,
  'objectstore.not_found': 404,
  'objectstore.precondition_failed': 412,
  'objectstore.unavailable': 503,
};

/** Optional properties of an error. */
export interface ObjectStoreErrorInit {
  /** True if the same call may succeed later without a change of code or deployment. Default `false`. */
  readonly retryable?: boolean;
  /** True if the write may have been applied although the call failed. Default `false`. */
  readonly mayHaveApplied?: boolean;
  /** The name of the invalid argument. */
  readonly field?: string;
  /** The cause, for logs. It is never sent. */
  readonly cause?: unknown;
}

/** An invalid option or argument, or a failed call of the store. Immutable. */
export class ObjectStoreError extends FrameworkError {
  static {
    brandError(ObjectStoreError, 'sallyport.ObjectStoreError');
  }

  override readonly name: string = 'ObjectStoreError';
  /** Stable; see the table in the README. */
  declare readonly code: ObjectStoreErrorCode;
  /** True for throttling, 5xx, timeouts, network errors and incomplete bodies. */
  readonly retryable: boolean;
  /**
   * True if a `put` or `delete` may have been applied although it failed: its response was lost or late, or a second attempt
   * of the client found an object that the first may have written.
   */
  readonly mayHaveApplied: boolean;

  constructor(code: ObjectStoreErrorCode, message: string, init: ObjectStoreErrorInit = {}) {
    super(code, message, {
      statusCode: STATUSES[code],
      cause: init.cause,
      ...(init.field !== undefined && { details: { field: init.field } }),
    });
    this.retryable = init.retryable ?? false;
    this.mayHaveApplied = init.mayHaveApplied ?? false;
    if (new.target === ObjectStoreError) Object.freeze(this);
  }
}

/** The error for an invalid option. It contains the name, never the value. */
export function invalidStoreConfig(problem: string, cause?: unknown): ObjectStoreError {
  return new ObjectStoreError('objectstore.invalid_store_config', `framework: ${problem}`, { cause });
}

/** The error for an invalid argument of a call. */
export function invalidInput(problem: string): ObjectStoreError {
  return new ObjectStoreError('objectstore.invalid_input', `framework: ${problem}`);
}

/** The error for an invalid reference. */
export function invalidRef(problem: string): ObjectStoreError {
  return new ObjectStoreError('objectstore.invalid_ref', `framework: object reference ${problem}`, { field: 'ref' });
}

/** The result of the verification of an artifact. Every state except `verified` is an error `artifact.<state>`. */
export type ArtifactVerificationState =
  | 'version_required'
  | 'invalid_request'
  | 'unavailable'
  | 'version_mismatch'
  | 'archive_invalid'
  | 'digest_mismatch'
  | 'verified';

/** A state in which there is no artifact. */
export type ArtifactFailure = Exclude<ArtifactVerificationState, 'verified'>;

/** Every code of {@link ArtifactError}. */
export const ARTIFACT_CODES = [
  /** The request has no version; checked first. @status 500 */
  'artifact.version_required',
  /** The version `null`, an invalid reference, or a digest that is not `sha256:` and 64 hex digits in lower case. @status 500 */
  'artifact.invalid_request',
  /** The archive could not be read; `retryable` is true if a later attempt may succeed. @status 503 */
  'artifact.unavailable',
  /** The store returned another version or no version. @status 500 */
  'artifact.version_mismatch',
  /** The archive is too large, empty, or not an allowed tar archive. @status 500 */
  'artifact.archive_invalid',
  /** The archive has other files, modes or bytes than the digest. @status 500 */
  'artifact.digest_mismatch',
] as const;

/** A code of {@link ArtifactError}. */
export type ArtifactErrorCode = (typeof ARTIFACT_CODES)[number];

/** The data about an artifact, without its bytes. */
export interface ArtifactFacts {
  /** The requested version; `''` if it is not a string. */
  readonly requestedVersionId: string;
  /** The version that the store returned; `''` if absent. */
  readonly returnedVersionId: string;
  /** The requested digest; `''` if it is not a string. */
  readonly expectedDigest: string;
  /** The digest of the archive; `''` if it was not computed. */
  readonly actualDigest: string;
}

/** An artifact that was not verified. It contains versions and digests and never a byte of the archive. Immutable. */
export class ArtifactError extends FrameworkError implements ArtifactFacts {
  static {
    brandError(ArtifactError, 'sallyport.ArtifactError');
  }

  override readonly name: string = 'ArtifactError';
  /** `artifact.<state>`. */
  declare readonly code: ArtifactErrorCode;
  /** The failed step of the verification. */
  readonly state: ArtifactFailure;
  /** True if the same call may succeed later: the store was throttled or did not respond. */
  readonly retryable: boolean;
  readonly requestedVersionId: string;
  readonly returnedVersionId: string;
  readonly expectedDigest: string;
  readonly actualDigest: string;

  constructor(state: ArtifactFailure, problem: string, facts: ArtifactFacts, cause?: unknown) {
    super(`artifact.${state}`, `framework: artifact ${problem}`, {
      ...(state === 'unavailable' && { statusCode: 503 }),
      ...(cause !== undefined && { cause }),
    });
    this.state = state;
    this.retryable = cause instanceof ObjectStoreError && cause.retryable;
    this.requestedVersionId = facts.requestedVersionId;
    this.returnedVersionId = facts.returnedVersionId;
    this.expectedDigest = facts.expectedDigest;
    this.actualDigest = facts.actualDigest;
    if (new.target === ArtifactError) Object.freeze(this);
  }
}
