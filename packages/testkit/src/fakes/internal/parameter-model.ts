import type { Clock } from '@sallyport/core';
import { ServiceError } from '../../services/service.js';

const REGION = 'arn:aws:%:us-east-1:123456789012';
const POLL_SECONDS = 15;
const TOKEN_MS = 86_400_000;

type Input = Readonly<Record<string, unknown>>;

interface StoredParameter {
  readonly value: string;
  readonly secure: boolean;
  readonly version: number;
  readonly at: Date;
}

/** The values of one secret, the newest first. */
interface StoredSecret {
  readonly value: string | Uint8Array;
  readonly id: string;
}

interface Session {
  /** The version of the flags that the caller has. */
  readonly has: number;
  readonly from: number;
  readonly until: number;
}

/** Values of Parameter Store, Secrets Manager and AppConfig, as a test sets them. */
export interface ParameterValues {
  /** Writes a parameter, at most 8 KB; `secure` for a `SecureString`. */
  setParameter(name: string, value: string, options?: { readonly secure?: boolean }): void;
  /** Writes a secret, at most 64 KB. The value before becomes `AWSPREVIOUS`: a rotation. */
  setSecret(name: string, value: string | Uint8Array): void;
  /** Deploys flags; `variants` as if one of them had variants, which only AppConfig Agent evaluates. */
  setFlags(flags: Readonly<Record<string, object>>, options?: { readonly variants?: boolean }): void;
  /** Removes a parameter or a secret. */
  remove(name: string): void;
  /** Denies the function a parameter or a secret. Default of `error`: `AccessDeniedException`. */
  deny(name: string, error?: string): void;
  /** Ends {@link ParameterValues.deny}. */
  allow(name: string): void;
}

/** Parameter Store, Secrets Manager and AppConfig, with AWS limits. */
export class ParameterModel implements ParameterValues {
  readonly #clock: Clock;
  readonly #parameters = new Map<string, StoredParameter>();
  readonly #secrets = new Map<string, readonly StoredSecret[]>();
  readonly #denied = new Map<string, string>();
  readonly #sessions = new Map<string, Session>();
  #flags = { version: 0, body: '{}', variants: false };
  #made = 0;
  #writtenAt = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @see https://docs.aws.amazon.com/systems-manager/latest/userguide/parameter-store-advanced-parameters.html */
  setParameter(name: string, value: string, { secure = false }: { readonly secure?: boolean } = {}): void {
    if (Buffer.byteLength(value) > 8192) throw new ServiceError('ValidationException', 400, 'value is over 8 KB');
    const version = (this.#parameters.get(name)?.version ?? 0) + 1;
    // AWS writes no parameter twice in a millisecond, but the clock of a test may not move.
    this.#writtenAt = Math.max(this.#now(), this.#writtenAt + 1);
    this.#parameters.set(name, { value, secure, version, at: new Date(this.#writtenAt) });
  }

  /** @see https://docs.aws.amazon.com/secretsmanager/latest/apireference/API_PutSecretValue.html */
  setSecret(name: string, value: string | Uint8Array): void {
    if (Buffer.byteLength(value) > 65_536) throw new ServiceError('InvalidParameterException', 400, 'over 64 KB');
    this.#made += 1;
    const [current] = this.#secrets.get(name) ?? [];
    this.#secrets.set(name, [{ value, id: `version-${this.#made}` }, ...(current ? [current] : [])]);
  }

  setFlags(flags: Readonly<Record<string, object>>, { variants = false }: { readonly variants?: boolean } = {}): void {
    this.#flags = { version: this.#flags.version + 1, body: JSON.stringify(flags), variants };
  }

  remove(name: string): void {
    this.#parameters.delete(name);
    this.#secrets.delete(name);
  }

  deny(name: string, error = 'AccessDeniedException'): void {
    this.#denied.set(name, error);
  }

  allow(name: string): void {
    this.#denied.delete(name);
  }

  namesOf({ Names, SecretIdList, SecretId }: Input): readonly string[] {
    const names = Names ?? SecretIdList ?? (SecretId === undefined ? [] : [SecretId]);
    return (names as readonly unknown[]).map(String);
  }

  /** @throws ServiceError for every request that AWS rejects */
  answer(operation: string, input: Input): object {
    switch (operation) {
      case 'GetParameters':
        return this.#getParameters(this.namesOf(input));
      case 'GetSecretValue':
        return this.#secret(String(input.SecretId), String(input.VersionStage ?? 'AWSCURRENT'));
      case 'BatchGetSecretValue':
        return this.#secretBatch(this.namesOf(input));
      case 'StartConfigurationSession':
        return { InitialConfigurationToken: this.#token({ has: -1, from: 0, until: this.#now() + TOKEN_MS }) };
      case 'GetLatestConfiguration':
        return this.#latest(String(input.ConfigurationToken));
      default:
        throw new ServiceError('UnknownOperationException', 400, operation);
    }
  }

  #now(): number {
    return this.#clock.now().getTime();
  }

  #getParameters(names: readonly string[]): object {
    if (names.length < 1 || names.length > 10) throw new ServiceError('ValidationException', 400, '1 to 10 names');
    for (const name of names) this.#checkAllowed(bare(name));
    const found = names.flatMap((name) => {
      const stored = this.#parameters.get(bare(name));
      return stored ? [toParameter(bare(name), stored)] : [];
    });
    return { Parameters: found, InvalidParameters: names.filter((name) => !this.#parameters.has(bare(name))) };
  }

  #secret(id: string, stage: string): object {
    const name = bare(id);
    this.#checkAllowed(name);
    const stored = this.#secrets.get(name)?.[stage === 'AWSPREVIOUS' ? 1 : 0];
    if (!stored) throw new ServiceError('ResourceNotFoundException', 400, 'no such secret');
    const value = typeof stored.value === 'string' ? { SecretString: stored.value } : { SecretBinary: stored.value };
    return { Name: name, ARN: arnOf(name), VersionId: stored.id, VersionStages: [stage], ...value };
  }

  #secretBatch(ids: readonly string[]): object {
    if (ids.length < 1 || ids.length > 20) throw new ServiceError('InvalidParameterException', 400, '1 to 20 secrets');
    const SecretValues: object[] = [];
    const Errors: object[] = [];
    for (const id of ids) {
      try {
        SecretValues.push(this.#secret(id, 'AWSCURRENT'));
      } catch (error) {
        Errors.push({ SecretId: id, ErrorCode: (error as Error).name, Message: 'not read' });
      }
    }
    return { SecretValues, Errors };
  }

  #checkAllowed(name: string): void {
    const error = this.#denied.get(name);
    if (error !== undefined) throw new ServiceError(error, 400, 'denied');
  }

  #token(session: Session): string {
    this.#made += 1;
    this.#sessions.set(`token-${this.#made}`, session);
    return `token-${this.#made}`;
  }

  /** @see https://docs.aws.amazon.com/appconfig/2019-10-09/APIReference/API_appconfigdata_InvalidParameterDetail.html */
  #latest(token: string): object {
    const session = this.#sessions.get(token);
    const now = this.#now();
    if (!session || now > session.until || now < session.from) {
      throw new ServiceError('BadRequestException', 400, 'the token is unknown, used or expired, or polled too early');
    }
    this.#sessions.delete(token);
    const { version, body, variants } = this.#flags;
    const isNew = session.has !== version;
    const next = { has: version, from: now + POLL_SECONDS * 1000, until: now + TOKEN_MS };
    return {
      Configuration: isNew ? Buffer.from(body) : new Uint8Array(),
      ContentType: variants ? 'application/ion;type=AWS.AppConfig.FeatureFlags' : 'application/json',
      NextPollConfigurationToken: this.#token(next),
      NextPollIntervalInSeconds: POLL_SECONDS,
    };
  }
}

/** The name in an ARN: of a parameter, or of a secret with or without its six last characters. */
function bare(id: string): string {
  if (id.startsWith('arn:aws:ssm:')) return id.replace(/^.*:parameter/, '');
  return id.replace(/^arn:aws:secretsmanager:.*:secret:/, '').replace(/-AbCdEf$/, '');
}

function arnOf(name: string): string {
  return `${REGION.replace('%', 'secretsmanager')}:secret:${name}-AbCdEf`;
}

function toParameter(Name: string, { value, secure, version, at }: StoredParameter): object {
  return {
    Name,
    ARN: `${REGION.replace('%', 'ssm')}:parameter${Name}`,
    Type: secure ? 'SecureString' : 'String',
    Value: value,
    Version: version,
    LastModifiedDate: at,
    DataType: 'text',
  };
}
