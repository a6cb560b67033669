import { type FrameworkError, isFrameworkError } from '@sallyport/core';
import { isTransient } from '@sallyport/core/internal';
import { ParametersError, type ParametersErrorCode } from '../errors.js';

/** The used part of a client of the AWS SDK. */
export interface AwsSender {
  /** Sends one command. */
  send(command: never, options?: { readonly abortSignal?: AbortSignal }): Promise<unknown>;
}

/** A value as its service returned it. */
export interface Fetched {
  readonly value: unknown;
  /** Changes with the value. */
  readonly version: string;
  /** True for a value that AWS stores encrypted. */
  readonly isSecret?: boolean;
  /** True for a flag that AppConfig Agent must evaluate. */
  readonly hasVariants?: boolean;
}

/** The result for each name: its value, or the failure of this name alone. */
export type Answers = ReadonlyMap<string, Fetched | Error>;

/** A service that values are read from. */
export interface Source {
  /** For log lines and the metric. */
  readonly service: string;
  /** The most names of one call. */
  readonly most: number;
  /** Milliseconds from one call to the next that the service requires. */
  readonly pauseMs?: number;
  /** The name as the service writes it. */
  readonly idOf?: (name: string) => string;
  fetch(names: readonly string[], signal: AbortSignal): Promise<Answers>;
}

export function sendTo<T>(client: AwsSender, command: unknown, abortSignal: AbortSignal): Promise<T> {
  return client.send(command as never, { abortSignal }) as Promise<T>;
}

export function notFound(what: string): ParametersError {
  return new ParametersError('parameters.not_found', `${what} does not exist`);
}

const CODES: readonly (readonly [RegExp, ParametersErrorCode, string])[] = [
  [/NotFound/, 'parameters.not_found', 'does not exist'],
  [
    /Denied|Decryption|KMS|InvalidKeyId|Unrecognized|Expired|InvalidSignature/,
    'parameters.denied',
    'may not be read by this role; check its policy and the KMS key',
  ],
];

/** The error of a failed call, without the message of the service. */
export function toParametersError(thrown: unknown, what: string): FrameworkError {
  if (isFrameworkError(thrown)) return thrown;
  const name = String((thrown as { readonly name?: unknown } | null)?.name);
  if (isTransient(thrown) || name === 'InternalServiceError')
    return new ParametersError('parameters.unavailable', `${what} is not available`, thrown);
  const [, code, text] = CODES.find(([names]) => names.test(name)) ?? [
    0,
    'parameters.failed' as const,
    'could not be read',
  ];
  return new ParametersError(code, `${what} ${text}`, thrown);
}
