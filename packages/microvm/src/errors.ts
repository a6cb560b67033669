import { FrameworkError } from '@sallyport/core';
import { brandError } from '@sallyport/core/internal';

/** Every code of {@link MicrovmError} with its HTTP status. */
export const MICROVM_CODES = {
  /** A typed call without a caller created by `toMicrovmCaller` or `internalCaller`. @status 401 */
  'microvm.unauthenticated_controller': 401,
  /** The caller's tenant or namespace is missing, or not a string of 1 to 128 bytes. @status 403 */
  'microvm.binding_missing': 403,
  /** The request contains another tenant, namespace or caller than the authenticated caller. @status 403 */
  'microvm.tenant_binding_violation': 403,
  /** An input is not valid. @status 400 */
  'microvm.invalid_request': 400,
  /** The request contains a name or a value of a credential. @status 400 */
  'microvm.forbidden_field': 400,
  /** The service rejected the input. @status 400 */
  'microvm.provider_rejected': 400,
  /** The session does not exist, has expired, was terminated at the service, or belongs to another caller. @status 404 */
  'microvm.session_not_found': 404,
  /** The image, or this version of it, does not exist at the service. @status 404 */
  'microvm.image_not_found': 404,
  /** Another call changed the machine or its session at the same time. @status 409 */
  'microvm.conflict': 409,
  /** The session id is in use. @status 409 */
  'microvm.session_exists': 409,
  /** The idempotency key was used before with another input. @status 409 */
  'microvm.idempotency_mismatch': 409,
  /** The operation is not allowed in the state of the session. @status 409 */
  'microvm.invalid_state': 409,
  /** The session was started without the connector `SHELL_INGRESS`. @status 409 */
  'microvm.shell_not_enabled': 409,
  /** The body is too large. @status 413 */
  'microvm.body_too_large': 413,
  /** The service throttles requests; see `retry-after`. @status 429 */
  'microvm.rate_limited': 429,
  /** The account has reached its quota of machines; see `retry-after`. @status 429 */
  'microvm.quota_exceeded': 429,
  /** The service has no capacity for another machine now; see `retry-after`. @status 503 */
  'microvm.capacity': 503,
  /** The service failed or did not answer in time; see `retry-after`. @status 503 */
  'microvm.provider_unavailable': 503,
  /** The table is throttled or unavailable; see `retry-after`. @status 503 */
  'microvm.registry_unavailable': 503,
  /** The function is not permitted to call the service: an error in the deployment. @status 502 */
  'microvm.provider_denied': 502,
  /** The service answered with an unknown error, state or shape. @status 502 */
  'microvm.provider_failed': 502,
  /** The service returned an endpoint outside its domains. @status 502 */
  'microvm.endpoint_refused': 502,
  /** The connection to the program in the machine failed or was lost. @status 502 */
  'microvm.workload_unreachable': 502,
  /** The response of the program in the machine, or its headers, are too large. @status 502 */
  'microvm.response_too_large': 502,
  /** The program in the machine did not answer in time. @status 504 */
  'microvm.workload_timeout': 504,
  /** Upgrades of the connection, for example to WebSocket, are not supported. @status 501 */
  'microvm.upgrade_unsupported': 501,
  /** A response, row or event contained a credential and was not sent. @status 500 */
  'microvm.leak_blocked': 500,
  /** The table is missing or not permitted: an error in the deployment. @status 500 */
  'microvm.registry_failed': 500,
  /** An option is not valid, or the AWS package is not installed. */
  'microvm.controller_incomplete': 500,
  /** A hook inside the machine failed. */
  'microvm.lifecycle_hook_failed': 500,
} as const;

/** A code of {@link MicrovmError}. */
export type MicrovmErrorCode = keyof typeof MICROVM_CODES;

/** Codes after which the same call may succeed, with the seconds that a client should wait. */
const RETRY_AFTER: Partial<Record<MicrovmErrorCode, number>> = {
  'microvm.rate_limited': 1,
  'microvm.quota_exceeded': 1,
  'microvm.capacity': 5,
  'microvm.provider_unavailable': 5,
  'microvm.registry_unavailable': 5,
};
const MAX_RETRY_AFTER = 300;

/** Optional properties of an error. */
export interface MicrovmErrorInit {
  /** For logs; never sent. */
  readonly cause?: unknown;
  /** Seconds to wait; clipped to 1 to 300. Default: the delay of the code, if any. */
  readonly retryAfterSeconds?: number | undefined;
}

/** A rejected or failed operation. Immutable. It contains no message of the service; its cause is for logs. */
export class MicrovmError extends FrameworkError {
  static {
    brandError(MicrovmError, 'sallyport.MicrovmError');
  }

  override readonly name: string = 'MicrovmError';
  /** Code of the rejection or failure. */
  declare readonly code: MicrovmErrorCode;

  /** The HTTP status follows from the code. */
  constructor(code: MicrovmErrorCode, message: string, { retryAfterSeconds, ...init }: MicrovmErrorInit = {}) {
    const seconds = retryAfterSeconds ?? RETRY_AFTER[code];
    const headers = seconds === undefined ? {} : { headers: { 'retry-after': String(clip(seconds)) } };
    super(code, message, { statusCode: MICROVM_CODES[code], ...headers, ...init });
    if (new.target === MicrovmError) Object.freeze(this);
  }
}

function clip(seconds: number): number {
  return Math.min(MAX_RETRY_AFTER, Math.max(1, Math.ceil(seconds)));
}

export function invalidRequest(message: string): MicrovmError {
  return new MicrovmError('microvm.invalid_request', message);
}

/** The session does not exist for this caller. */
export function sessionNotFound(cause?: unknown): MicrovmError {
  return new MicrovmError('microvm.session_not_found', 'session not found', { cause });
}

/** An option is not valid or missing. */
export function controllerIncomplete(problem: string, cause?: unknown): MicrovmError {
  return new MicrovmError('microvm.controller_incomplete', `framework: ${problem}`, { cause });
}
