import { isFrameworkError } from '@sallyport/core';
import { isTransient, MISSING_PACKAGE } from '@sallyport/core/internal';
import { MICROVM_CODES, MicrovmError, type MicrovmErrorCode, sessionNotFound } from '../../errors.js';

/** An operation of the service. */
export type ProviderCall = 'run' | 'get' | 'list' | 'suspend' | 'resume' | 'terminate' | 'token';

interface ServiceFailure {
  readonly name?: unknown;
  readonly retryAfterSeconds?: unknown;
  readonly $metadata?: { readonly httpStatusCode?: unknown };
  readonly $response?: { readonly headers?: Readonly<Record<string, unknown>> };
}

/** Errors of the service by name. Their messages are never read. */
const BY_NAME: Readonly<Record<string, readonly [MicrovmErrorCode, string]>> = {
  ConflictException: ['microvm.conflict', 'conflict with another change'],
  ResourceConflictException: ['microvm.conflict', 'conflict with another change'],
  ThrottlingException: ['microvm.rate_limited', 'too many requests'],
  TooManyRequestsException: ['microvm.rate_limited', 'too many requests'],
  ServiceQuotaExceededException: ['microvm.quota_exceeded', 'quota exceeded'],
  InsufficientCapacityException: ['microvm.capacity', 'no capacity'],
  InternalServerException: ['microvm.provider_unavailable', 'service unavailable'],
  ServiceException: ['microvm.provider_unavailable', 'service unavailable'],
  AccessDeniedException: ['microvm.provider_denied', 'service denied access to the controller'],
};
const REJECTED = new Set(['ValidationException', 'InvalidParameterValueException']);

/**
 * The name, code and request id of a failure of the service or of a connection, without its message.
 * Messages may quote the request, and causes of errors are logged.
 */
class Failure extends Error {
  override readonly name: string;
  readonly code?: string;
  readonly requestId?: string;

  constructor(original: unknown) {
    const { name, code, $metadata } = (original ?? {}) as {
      readonly name?: unknown;
      readonly code?: unknown;
      readonly $metadata?: { readonly requestId?: unknown };
    };
    super('');
    this.name = typeof name === 'string' && IDENTIFIER.test(name) ? name : 'Error';
    if (typeof code === 'string' && IDENTIFIER.test(code)) this.code = code;
    if (typeof $metadata?.requestId === 'string' && IDENTIFIER.test($metadata.requestId))
      this.requestId = $metadata.requestId;
  }
}

const IDENTIFIER = /^[\w-]{1,64}$/;

/** Converts a failure to the cause of a MicrovmError. */
export function withoutText(original: unknown): Error {
  return new Failure(original);
}

/** Converts the failure of a call to a MicrovmError. */
export function toProviderError(original: unknown, call: ProviderCall): MicrovmError {
  if (original instanceof MicrovmError || isMissingPackage(original)) return original as MicrovmError;
  const cause = withoutText(original);
  const failure = (typeof original === 'object' && original !== null ? original : {}) as ServiceFailure;
  const name = String(failure.name);
  const retryAfterSeconds = retryAfterOf(failure);
  if (name === 'ResourceNotFoundException') {
    return call === 'run'
      ? new MicrovmError('microvm.image_not_found', 'image not found', { cause })
      : sessionNotFound(cause);
  }
  const known = Object.hasOwn(BY_NAME, name) ? BY_NAME[name] : undefined;
  if (known) {
    const [code, message] = known;
    return new MicrovmError(code, message, { cause, ...(mayPass({ code }) && { retryAfterSeconds }) });
  }
  if (REJECTED.has(name) && (call === 'run' || call === 'token')) {
    return new MicrovmError('microvm.provider_rejected', 'service rejected the input', { cause });
  }
  if (isTransient(original)) {
    return new MicrovmError('microvm.provider_unavailable', 'service unavailable', { cause, retryAfterSeconds });
  }
  return new MicrovmError('microvm.provider_failed', 'service failed', { cause });
}

/** True if an AWS client is not installed; the error contains its name. */
function isMissingPackage(error: unknown): boolean {
  return isFrameworkError(error) && error.code === MISSING_PACKAGE;
}

/** True if a failed `run` may have started a machine. */
export function isUnknownOutcome({ code }: MicrovmError): boolean {
  return code === 'microvm.provider_unavailable';
}

/** True if the same call may succeed later: the client should retry. */
export function mayPass({ code }: Pick<MicrovmError, 'code'>): boolean {
  return MICROVM_CODES[code] === 429 || MICROVM_CODES[code] === 503;
}

/** Retry delay of the service in seconds: a member of the error, else the response header. */
function retryAfterOf({ retryAfterSeconds, $response }: ServiceFailure): number | undefined {
  const header: unknown = $response?.headers?.['retry-after'];
  const seconds = typeof retryAfterSeconds === 'number' ? retryAfterSeconds : Number(header ?? Number.NaN);
  return Number.isFinite(seconds) && seconds >= 0 ? seconds : undefined;
}
