import {
  ACCOUNT_OPTIONS,
  type AccountAssertion,
  AccountError,
  type AccountFailure,
  type AccountOptions,
  type CallerIdentityAPI,
  callSts,
  isAccountId,
  judgeAccount,
  notConfigured,
  type StsCallOptions,
} from './identity.js';

/** The request to STS, with the names of its API. */
export interface AssumeRoleInput {
  /** The role. */
  readonly RoleArn: string;
  /** The name of the session. */
  readonly RoleSessionName: string;
  /** The external id that the role's trust policy may require. */
  readonly ExternalId?: string;
  /** Duration of the session in seconds. */
  readonly DurationSeconds?: number;
}

/** The response of STS. */
export interface AssumeRoleOutput {
  /** The credentials of the session. */
  readonly Credentials?:
    | {
        readonly AccessKeyId?: string | undefined;
        readonly SecretAccessKey?: string | undefined;
        readonly SessionToken?: string | undefined;
        readonly Expiration?: Date | undefined;
      }
    | undefined;
}

/** Assumes roles. Implemented by `new STS()` of `@aws-sdk/client-sts`. */
export interface AssumeRoleAPI {
  /** Assumes a role. */
  assumeRole(input: AssumeRoleInput, options?: StsCallOptions): Promise<AssumeRoleOutput>;
}

/** `inspect.custom` of `node:util`, without its import: https://nodejs.org/api/util.html#utilinspectcustom */
const INSPECT = Symbol.for('nodejs.util.inspect.custom');

/**
 * Credentials of an assumed role, in the form of the AWS SDK. `inspect` and JSON do not show them, and a spread does not copy
 * them.
 */
export interface AssumedCredentials {
  /** Id of the access key. */
  readonly accessKeyId: string;
  /** The secret. */
  readonly secretAccessKey: string;
  /** The token of the session. */
  readonly sessionToken: string;
  /** Expiry of the credentials. */
  readonly expiration: Date;
}

/** Creates the client that reads the account with the assumed credentials: `(credentials) => new STS({ credentials })`. */
export type CallerIdentityFactory = (credentials: AssumedCredentials) => CallerIdentityAPI | undefined;

/** A role, and the account that it must be in. */
export interface AssumeRoleRequest {
  /** `arn:aws:iam::<account>:role/<name>`, in any partition. */
  readonly roleArn: string;
  /** 2 to 64 of `A-Z a-z 0-9 _ + = , . @ -`. */
  readonly roleSessionName: string;
  /** 2 to 1,224 of `A-Z a-z 0-9 _ + = , . @ : / -`. */
  readonly externalId?: string;
  /** Twelve digits. */
  readonly expectedAccountId: string;
  /** Seconds that the session lasts, 900 to 43,200. Default: 3,600, the default of STS. */
  readonly durationSeconds?: number;
}

/** The result for an assumed role: credentials if the account was verified, else an error. */
export type AssumeFirstResult =
  | (AccountAssertion & {
      readonly state: 'verified';
      /** The credentials of the role. */
      readonly credentials: AssumedCredentials;
    })
  | (AccountAssertion & {
      readonly state: AccountFailure;
      /** The reason why there are no credentials. */
      readonly error: AccountError;
    });

const ROLE_ARN = /^arn:aws[a-z-]*:iam::(\d{12}):role\/[\w+=,.@/-]{1,576}$/;
const SESSION_NAME = /^[\w+=,.@-]{2,64}$/;
const EXTERNAL_ID = /^[\w+=,.@:/-]{2,1224}$/;
const MEMBERS: readonly string[] = ['roleArn', 'roleSessionName', 'externalId', 'expectedAccountId', 'durationSeconds'];

/**
 * Assumes a role. Returns its credentials only if STS confirms that they belong to the expected account.
 *
 * @returns the state; the promise rejects only for a wrong option and for an aborted signal
 * @example
 * const result = await assumeFirst(
 *   { sts: new STS(), callerIdentity: (credentials) => new STS({ credentials }) },
 *   { roleArn: 'arn:aws:iam::123456789012:role/reader', roleSessionName: 'notes', expectedAccountId: '123456789012' },
 * );
 * if (result.state !== 'verified') throw result.error;
 * const store = createS3ObjectStore({ client: new S3Client({ credentials: result.credentials }) });
 */
export async function assumeFirst(
  clients: { readonly sts: AssumeRoleAPI; readonly callerIdentity: CallerIdentityFactory },
  request: AssumeRoleRequest,
  options?: AccountOptions,
): Promise<AssumeFirstResult> {
  const settings = ACCOUNT_OPTIONS.parse(options);
  const { roleArn, expectedAccountId } = (request ?? {}) as Partial<AssumeRoleRequest>;
  if (!isAccountId(expectedAccountId)) return withoutCredentials(notConfigured(expectedAccountId));
  const failed = (
    state: AccountFailure,
    problem: string,
    actualAccountId = '',
    cause?: unknown,
  ): AssumeFirstResult => ({
    state,
    expectedAccountId,
    actualAccountId,
    error: new AccountError(state, problem, cause),
  });
  const problem = problemOf(request);
  if (problem !== undefined) return failed('assume-failed', problem);
  const [, roleAccountId = ''] = ROLE_ARN.exec(String(roleArn)) ?? [];
  if (roleAccountId !== expectedAccountId)
    return failed('mismatch', 'the role belongs to another account', roleAccountId);
  let credentials: AssumedCredentials | undefined;
  try {
    const answer = await callSts(settings, (abortSignal) => clients.sts.assumeRole(toInput(request), { abortSignal }));
    credentials = toCredentials(answer.Credentials);
  } catch (cause) {
    settings.signal?.throwIfAborted();
    return failed('assume-failed', 'the role could not be assumed', '', cause);
  }
  if (credentials === undefined) return failed('assume-failed', 'STS returned incomplete credentials');
  const client = clientOf(clients.callerIdentity, credentials);
  const judged = await judgeAccount(client, expectedAccountId, settings);
  return judged.state === 'verified' ? { ...judged, state: 'verified', credentials } : withoutCredentials(judged);
}

/** The error of a factory may contain the credentials, so it is not kept as the cause. */
function clientOf(factory: CallerIdentityFactory, credentials: AssumedCredentials): CallerIdentityAPI | undefined {
  try {
    return factory(credentials);
  } catch {
    return undefined;
  }
}

function withoutCredentials(judged: Awaited<ReturnType<typeof judgeAccount>>): AssumeFirstResult {
  const { state, expectedAccountId, actualAccountId, error } = judged;
  if (state === 'verified' || error === undefined) throw new TypeError('framework: a verified account has no error');
  return { state, expectedAccountId, actualAccountId, error };
}

/** The problem of a request; `undefined` if it is valid. */
function problemOf(request: AssumeRoleRequest): string | undefined {
  const { roleArn, roleSessionName, externalId, durationSeconds } = request;
  if (Object.keys(request).some((name) => !MEMBERS.includes(name))) return 'the request has an unknown member';
  if (typeof roleArn !== 'string' || !ROLE_ARN.test(roleArn)) return 'roleArn must be the ARN of a role';
  if (typeof roleSessionName !== 'string' || !SESSION_NAME.test(roleSessionName)) {
    return 'roleSessionName must be 2 to 64 of A-Z a-z 0-9 _ + = , . @ -';
  }
  if (externalId !== undefined && (typeof externalId !== 'string' || !EXTERNAL_ID.test(externalId))) {
    return 'externalId must be 2 to 1,224 of A-Z a-z 0-9 _ + = , . @ : / -';
  }
  const isDuration =
    Number.isInteger(durationSeconds) && Number(durationSeconds) >= 900 && Number(durationSeconds) <= 43_200;
  if (durationSeconds !== undefined && !isDuration) return 'durationSeconds must be a whole number from 900 to 43,200';
  return undefined;
}

function toInput({ roleArn, roleSessionName, externalId, durationSeconds }: AssumeRoleRequest): AssumeRoleInput {
  return {
    RoleArn: roleArn,
    RoleSessionName: roleSessionName,
    ...(externalId !== undefined && { ExternalId: externalId }),
    ...(durationSeconds !== undefined && { DurationSeconds: durationSeconds }),
  };
}

function toCredentials(given: AssumeRoleOutput['Credentials']): AssumedCredentials | undefined {
  const { AccessKeyId, SecretAccessKey, SessionToken, Expiration } = given ?? {};
  if (!AccessKeyId || !SecretAccessKey || !SessionToken || !(Expiration instanceof Date)) return undefined;
  return new HiddenCredentials(AccessKeyId, SecretAccessKey, SessionToken, Expiration);
}

/** The values are getters of the prototype, so that a log or a copy does not contain them by accident. */
class HiddenCredentials implements AssumedCredentials {
  readonly #values: readonly [string, string, string, Date];

  constructor(...values: readonly [string, string, string, Date]) {
    this.#values = values;
  }

  get accessKeyId(): string {
    return this.#values[0];
  }

  get secretAccessKey(): string {
    return this.#values[1];
  }

  get sessionToken(): string {
    return this.#values[2];
  }

  get expiration(): Date {
    return new Date(this.#values[3]);
  }

  toJSON(): string {
    return '[credentials]';
  }

  [INSPECT](): string {
    return '[credentials]';
  }
}
