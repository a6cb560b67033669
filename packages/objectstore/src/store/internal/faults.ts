import { isFrameworkError } from '@sallyport/core';
import { type DeadlineOptions, isTransient, withDeadline } from '@sallyport/core/internal';
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
  /** True if the call has a version. */
  readonly isVersioned: boolean;
}

const MESSAGES = {
  'objectstore.not_found': 'there is no such object',
  'objectstore.invalid_store_config': 'the object store is not set up for this call; see the cause in the log',
  'objectstore.invalid_input': 'the object store rejected the object; see the cause in the log',
  'objectstore.precondition_failed': 'the object already exists',
  'objectstore.denied': 'the object store denied the call',
  'objectstore.unavailable': 'the object store did not answer the call',
} as const satisfies Partial<Record<ObjectStoreErrorCode, string>>;

type RemoteCode = keyof typeof MESSAGES;

/**
 * The error codes of `PutObject`, `GetObject` and `DeleteObject`, and of the SDK, by code of this package. The S3 codes are from the
 * page "Error responses" of the Amazon S3 API Reference, without codes that only other operations return and codes of requests
 * that this store does not send.
 *
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html
 */
export const CODES_OF_S3: Readonly<Record<RemoteCode, readonly string[]>> = {
  'objectstore.not_found': ['NoSuchKey', 'NoSuchVersion', 'NotFound'],
  'objectstore.invalid_store_config': [
    ...['NoSuchBucket', 'NoSuchAccessPoint', 'InvalidBucketName', 'InvalidBucketState', 'InvalidAccessPoint'],
    ...['PermanentRedirect', 'AuthorizationHeaderMalformed', 'IllegalLocationConstraintException', 'EndpointNotFound'],
    ...[
      'InvalidRequest',
      'InvalidArgument',
      'InvalidURI',
      'MethodNotAllowed',
      'NotImplemented',
      'MissingContentLength',
    ],
    ...['InvalidEncryptionAlgorithmError', 'InvalidStorageClass', 'ObjectLockConfigurationNotFoundError'],
    ...[
      'KMS.DisabledException',
      'KMS.NotFoundException',
      'KMS.KMSInvalidStateException',
      'KMS.InvalidKeyUsageException',
    ],
  ],
  'objectstore.invalid_input': ['EntityTooLarge', 'MetadataTooLarge', 'KeyTooLongError', 'UnexpectedContent'],
  'objectstore.precondition_failed': ['PreconditionFailed'],
  'objectstore.denied': [
    ...['AccessDenied', 'AllAccessDisabled', 'AccountProblem', 'NotSignedUp', 'InvalidSecurity', 'InvalidPayer'],
    ...['InvalidAccessKeyId', 'SignatureDoesNotMatch', 'RequestTimeTooSkewed', 'UnauthorizedAccess'],
    ...['ExpiredToken', 'InvalidToken', 'TokenRefreshRequired', 'CredentialsProviderError'],
  ],
  'objectstore.unavailable': [
    ...['InternalError', 'ServiceUnavailable', 'SlowDown', 'Busy', 'RequestTimeout', 'TemporaryRedirect'],
    ...['KMS.ThrottlingException', 'InvalidObjectState'],
    // The body was not received completely or correctly.
    ...['BadDigest', 'IncompleteBody', 'XAmzContentSHA256Mismatch'],
    // Another operation on the object or the bucket is in progress. AWS about `ConditionalRequestConflict`: "On a 409 failure retry the upload."
    // https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutObject.html, header If-None-Match
    ...['ConditionalRequestConflict', 'OperationAborted'],
  ],
};

const BY_NAME: ReadonlyMap<string, RemoteCode> = new Map(
  (Object.entries(CODES_OF_S3) as [RemoteCode, readonly string[]][]).flatMap(([code, names]) =>
    names.map((name) => [name, code] as const),
  ),
);

/** An archived object has to be restored first. */
const LASTING = 'InvalidObjectState';

/** S3 rejected the request, so that attempt wrote nothing. */
const REJECTED = new Set([
  ...['BadDigest', 'IncompleteBody', 'XAmzContentSHA256Mismatch', 'ConditionalRequestConflict', 'OperationAborted'],
  ...['SlowDown', 'ServiceUnavailable', 'Busy', 'TemporaryRedirect', 'KMS.ThrottlingException', 'InvalidObjectState'],
]);

/** Converts the error of a failed call, by the error code of S3 or the SDK. Errors of the framework are returned unchanged. */
export function toStoreError(cause: unknown, call: FailedCall): Error {
  if (isFrameworkError(cause)) return cause;
  const fault = readFault(cause);
  const code = codeOf(fault, cause, call);
  return new ObjectStoreError(code, `framework: ${MESSAGES[code]}`, {
    cause: toSafeCause(cause),
    retryable: code === 'objectstore.unavailable' && fault.name !== LASTING,
    mayHaveApplied: call.operation !== 'get' && mayHaveApplied(code, fault),
  });
}

/** Runs one call within its deadline. It rejects with the caller's own reason, or with an error that has a code. */
export async function callWithin<O, T>(
  deadline: DeadlineOptions,
  call: FailedCall,
  open: () => Promise<O>,
  run: (opened: O, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { signal } = deadline;
  signal?.throwIfAborted();
  try {
    const opened = await open();
    return await withDeadline(deadline, (inner) => run(opened, inner));
  } catch (error) {
    signal?.throwIfAborted();
    throw toStoreError(error, call);
  }
}

function codeOf(fault: Fault, cause: unknown, { operation, isVersioned }: FailedCall): RemoteCode {
  const { name, status } = fault;
  // For a version id in a wrong format S3 answers "invalid argument", and for a delete marker "method not allowed".
  if (isVersioned && name === 'InvalidArgument') return 'objectstore.not_found';
  if (operation === 'get' && name === 'MethodNotAllowed') return 'objectstore.not_found';
  const known = BY_NAME.get(name);
  if (known !== undefined) return known;
  if (isTransient(cause)) return 'objectstore.unavailable';
  if (status === 403 || status === 401) return 'objectstore.denied';
  if (status === 404 || (status === 405 && operation === 'get')) return 'objectstore.not_found';
  if (operation === 'put' && status === 412) return 'objectstore.precondition_failed';
  if (status === 409) return 'objectstore.unavailable';
  // Checksums that do not match, and streams that end early.
  if (status === 200 || /checksum/i.test(name) || isChecksumMismatch(cause)) return 'objectstore.unavailable';
  return 'objectstore.invalid_store_config';
}

/**
 * A rejection at the first attempt means that nothing was written. After a lost response, a timeout or an error inside S3 the
 * result is unknown.
 */
function mayHaveApplied(code: RemoteCode, { status, attempts, name }: Fault): boolean {
  if (code !== 'objectstore.unavailable') return code === 'objectstore.precondition_failed' && attempts > 1;
  return attempts > 1 || !(REJECTED.has(name) || status === 503 || status === 409);
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
