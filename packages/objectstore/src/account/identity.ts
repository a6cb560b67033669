import { type Clock, FrameworkError } from '@sallyport/core';
import { brandError, completeClock, withDeadline } from '@sallyport/core/internal';
import { defineOptions, integer, withMethods } from '@sallyport/core/options';
import { toSafeCause } from '../internal/cause.js';

/** The result of an assertion. */
export type AccountAssertionState = 'not-configured' | 'assume-failed' | 'unavailable' | 'mismatch' | 'verified';

/** A state in which there are no credentials. */
export type AccountFailure = Exclude<AccountAssertionState, 'verified'>;

/** Every code of {@link AccountError}. */
export const ACCOUNT_CODES = [
  /** The expected account is not twelve digits. @status 500 */
  'account.not_configured',
  /** An invalid request to STS, a rejection by STS, or incomplete credentials. @status 500 */
  'account.assume_failed',
  /** The account of the credentials could not be determined. @status 500 */
  'account.unavailable',
  /** The role or its credentials belong to another account. @status 500 */
  'account.mismatch',
] as const;

/** A code of {@link AccountError}. */
export type AccountErrorCode = (typeof ACCOUNT_CODES)[number];

const CODES: Readonly<Record<AccountFailure, AccountErrorCode>> = {
  'not-configured': 'account.not_configured',
  'assume-failed': 'account.assume_failed',
  unavailable: 'account.unavailable',
  mismatch: 'account.mismatch',
};

/** The reason why an account was not verified. It never contains credentials. Immutable. */
export class AccountError extends FrameworkError {
  static {
    brandError(AccountError, 'sallyport.AccountError');
  }

  override readonly name: string = 'AccountError';
  /** `account.<state>`, with `_`. */
  declare readonly code: AccountErrorCode;
  /** The result of the assertion. */
  readonly state: AccountFailure;

  constructor(state: AccountFailure, problem: string, cause?: unknown) {
    super(CODES[state], `framework: ${problem}`, cause === undefined ? {} : { cause: toSafeCause(cause) });
    this.state = state;
    if (new.target === AccountError) Object.freeze(this);
  }
}

/** The outcome of an assertion. */
export interface AccountAssertion {
  /** The result. */
  readonly state: AccountAssertionState;
  /** The expected account; `''` if it is not a string. */
  readonly expectedAccountId: string;
  /** The account that STS returned; `''` if unknown. */
  readonly actualAccountId: string;
}

/** Options of one call to STS. */
export interface StsCallOptions {
  /** Aborts the call. */
  readonly abortSignal?: AbortSignal;
}

/** Reads the identity of the caller from STS. Implemented by `new STS()` of `@aws-sdk/client-sts`. */
export interface CallerIdentityAPI {
  /** Reads the account of the credentials that sign the request. */
  getCallerIdentity(input: object, options?: StsCallOptions): Promise<{ readonly Account?: string | undefined }>;
}

/** Options of an assertion. */
export interface AccountOptions {
  /** Aborts the assertion: it rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Timeout in milliseconds for each call to STS, 1 to 60,000. Default 10,000. */
  readonly timeoutMs?: number;
  /** Its timers limit the time of every call. Default: the system's clock. */
  readonly clock?: Clock;
}

export const ACCOUNT_OPTIONS = defineOptions<AccountOptions>()({
  signal: withMethods<AbortSignal>('throwIfAborted', 'addEventListener'),
  timeoutMs: integer(1, 60_000, 'milliseconds').default(10_000),
  clock: withMethods<Clock>('now'),
});

export type AccountSettings = ReturnType<typeof ACCOUNT_OPTIONS.parse>;

const ACCOUNT_ID = /^\d{12}$/;

export function isAccountId(value: unknown): value is string {
  return typeof value === 'string' && ACCOUNT_ID.test(value);
}

/** An assertion with its error. */
export interface JudgedAccount extends AccountAssertion {
  readonly error?: AccountError;
}

/**
 * Checks if the credentials of a client belong to an account.
 *
 * @param client a client with the credentials to check; `undefined` results in the state `unavailable`
 * @param expectedAccountId twelve digits; any other value results in the state `not-configured`, without a call
 * @returns the state; the promise rejects only for a wrong option and for an aborted signal
 * @example
 * const { state } = await assertAccount(new STS(), '123456789012');
 * if (state !== 'verified') throw new Error(`not our account: ${state}`);
 */
export async function assertAccount(
  client: CallerIdentityAPI | undefined,
  expectedAccountId: string,
  options?: AccountOptions,
): Promise<AccountAssertion> {
  const judged = await judgeAccount(client, expectedAccountId, ACCOUNT_OPTIONS.parse(options));
  return { state: judged.state, expectedAccountId: judged.expectedAccountId, actualAccountId: judged.actualAccountId };
}

export async function judgeAccount(
  client: CallerIdentityAPI | undefined,
  expectedAccountId: unknown,
  settings: AccountSettings,
): Promise<JudgedAccount> {
  if (!isAccountId(expectedAccountId)) return notConfigured(expectedAccountId);
  const judged = (state: AccountAssertionState, actualAccountId: string, error?: AccountError): JudgedAccount => ({
    state,
    expectedAccountId,
    actualAccountId,
    ...(error && { error }),
  });
  const unavailable = (problem: string, cause?: unknown) =>
    judged('unavailable', '', new AccountError('unavailable', problem, cause));
  if (client === undefined || client === null) return unavailable('pass a client to check the account');
  let account: unknown;
  try {
    const answer = await callSts(settings, (abortSignal) => client.getCallerIdentity({}, { abortSignal }));
    account = answer.Account;
  } catch (cause) {
    settings.signal?.throwIfAborted();
    return unavailable('the account could not be read', cause);
  }
  if (typeof account !== 'string' || account.trim() === '') return unavailable('STS returned no account');
  if (account === expectedAccountId) return judged('verified', account);
  return judged('mismatch', account, new AccountError('mismatch', 'the credentials belong to another account'));
}

export function notConfigured(expectedAccountId: unknown): JudgedAccount {
  return {
    state: 'not-configured',
    expectedAccountId: typeof expectedAccountId === 'string' ? expectedAccountId : '',
    actualAccountId: '',
    error: new AccountError('not-configured', 'the expected account must be twelve digits'),
  };
}

/** One call within its deadline, even if the client ignores its signal. */
export function callSts<T>(
  { timeoutMs: ms, clock, signal }: AccountSettings,
  call: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  return withDeadline({ ms, clock: completeClock(clock), signal }, (inner) => call(inner));
}
