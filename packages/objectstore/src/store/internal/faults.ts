import { isFrameworkError } from '@sallyport/core';
import { isTransient } from '@sallyport/core/pipeline';
import { ObjectStoreError, type ObjectStoreErrorCode } from '../../errors.js';
import { toSafeCause } from '../../internal/cause.js';

/** Data about an error of the SDK. It is recognized by its name: an injected client may come from another copy. */
interface Fault {
  readonly name: string;
  readonly status: number;
  readonly attempts: number;
}

/** The call that failed. */
export interface FailedCall {
  readonly operation: 'put' | 'get' | 'delete';
  /** Whether the call names a version. */
  readonly isVersioned: boolean;
}

const MESSAGES = {
  'objectstore.not_found': 'there is no such object',
  'objectstore.invalid_store_config': 'the object store is not set up for this call; see the cause in the log',
  'objectstore.precondition_failed': 'the object already exists',
  'objectstore.denied': 'the object store denied the call',
  'objectstore.unavailable': 'the object store did not answer the call',
} as const satisfies Partial<Record<ObjectStoreErrorCode, string>>;

type RemoteCode = keyof typeof MESSAGES;

const BY_NAME: Readonly<Record<string, RemoteCode>> = {
  NoSuchKey: 'objectstore.not_found',
  NoSuchVersion: 'objectstore.not_found',
  NotFound: 'objectstore.not_found',
  NoSuchBucket: 'objectstore.invalid_store_config',
  PermanentRedirect: 'objectstore.invalid_store_config',
  AuthorizationHeaderMalformed: 'objectstore.invalid_store_config',
  PreconditionFailed: 'objectstore.precondition_failed',
  ConditionalRequestConflict: 'objectstore.precondition_failed',
  // An archived object has to be restored first.
  InvalidObjectState: 'objectstore.unavailable',
  ExpiredToken: 'objectstore.denied',
  InvalidToken: 'objectstore.denied',
  TokenRefreshRequired: 'objectstore.denied',
  CredentialsProviderError: 'objectstore.denied',
  // The body was not received completely or correctly.
  BadDigest: 'objectstore.unavailable',
  IncompleteBody: 'objectstore.unavailable',
  OperationAborted: 'objectstore.unavailable',
};

const PASSING = new Set(['BadDigest', 'IncompleteBody', 'OperationAborted']);

/** Converts the error of a failed call, by the error code of S3 or the SDK. Errors of the framework are returned unchanged. */
export function toStoreError(cause: unknown, call: FailedCall): Error {
  if (isFrameworkError(cause)) return cause;
  const fault = readFault(cause);
  const code = codeOf(fault, cause, call);
  return new ObjectStoreError(code, `framework: ${MESSAGES[code]}`, {
    cause: toSafeCause(cause),
    retryable: code === 'objectstore.unavailable' && fault.name !== 'InvalidObjectState',
    mayHaveApplied: call.operation !== 'get' && mayHaveApplied(code, fault),
  });
}

function codeOf(fault: Fault, cause: unknown, { operation, isVersioned }: FailedCall): RemoteCode {
  const { name, status } = fault;
  if (Object.hasOwn(BY_NAME, name)) return BY_NAME[name] as RemoteCode;
  // For a version id in a wrong format S3 answers "invalid argument".
  if (isVersioned && name === 'InvalidArgument') return 'objectstore.not_found';
  if (isTransient(cause)) return 'objectstore.unavailable';
  if (status === 403 || status === 401) return 'objectstore.denied';
  if (status === 404 || (status === 405 && operation === 'get')) return 'objectstore.not_found';
  if (operation === 'put' && (status === 412 || status === 409)) return 'objectstore.precondition_failed';
  // Checksums that do not match, and streams that end early.
  if (status === 200 || /checksum/i.test(name) || isChecksumMismatch(cause)) return 'objectstore.unavailable';
  return 'objectstore.invalid_store_config';
}

/**
 * A rejection at the first attempt means that nothing was written. After a lost answer, a time-out or an error inside S3 the
 * result is unknown.
 */
function mayHaveApplied(code: RemoteCode, { status, attempts, name }: Fault): boolean {
  if (code === 'objectstore.precondition_failed') return attempts > 1;
  if (code !== 'objectstore.unavailable' || PASSING.has(name)) return false;
  return status !== 503 || attempts > 1;
}

/** The SDK compares a checksum when the last byte has arrived, and throws a plain error. */
function isChecksumMismatch(cause: unknown): boolean {
  return cause instanceof Error && cause.message.startsWith('Checksum mismatch');
}

function readFault(cause: unknown): Fault {
  const { name, $metadata } = (cause ?? {}) as { name?: unknown; $metadata?: unknown };
  const { httpStatusCode, attempts } = ($metadata ?? {}) as { httpStatusCode?: unknown; attempts?: unknown };
  return {
    name: typeof name === 'string' ? name : '',
    status: typeof httpStatusCode === 'number' ? httpStatusCode : 0,
    attempts: typeof attempts === 'number' ? attempts : 1,
  };
}
