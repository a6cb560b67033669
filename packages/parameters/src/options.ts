import type { Environment, FullClock, Logger, Observability } from '@sallyport/core';
import { LOG_WANTED, parseLog } from '@sallyport/core/internal';
import { defineOptions, group, integer, object, parsed, text, withMethods } from '@sallyport/core/options';
import type { AwsSender } from './internal/source.js';
import type { FlagsProfile } from './readers.js';

/** Options of {@link createParameters}; an unknown key is rejected. */
export interface ParametersOptions {
  /** Milliseconds for which a value is used without a call, 1,000 to 86,400,000. Default 60,000. */
  readonly ttlMs?: number;
  /**
   * Milliseconds after which a value is not used before a call was tried: an environment that was frozen for an hour reads it first.
   * If that call fails, the value is used. At least `ttlMs`. Default: ten times `ttlMs`.
   */
  readonly maxAgeMs?: number;
  /** Milliseconds for one call with all its attempts, 1 to 60,000. Default 3,000. */
  readonly timeoutMs?: number;
  /** The profile of the flags in AppConfig. Default: the variable `FRAMEWORK_FLAGS_PROFILE`, `application/environment/profile`. */
  readonly flags?: FlagsProfile;
  /** AWS clients. Default: clients of this region, created at the first call of each service. */
  readonly clients?: ParametersClients;
  /** The clock. Default: the system's clock. */
  readonly clock?: FullClock;
  /** Environment variables. Default `process.env`. */
  readonly environment?: Environment;
  /** The logger of failures and new versions; `false` for none. Default: JSON lines to standard output. */
  readonly log?: Logger | false;
  /** Its hook `metric` receives `ParameterFailures`. Default: none. */
  readonly observability?: Observability;
}

/** Clients of the AWS SDK. */
export interface ParametersClients {
  /** `new SSMClient({})`. */
  readonly ssm?: AwsSender;
  /** `new SecretsManagerClient({})`. */
  readonly secretsManager?: AwsSender;
  /** `new AppConfigDataClient({})`. */
  readonly appConfigData?: AwsSender;
}

const client = withMethods<AwsSender>('send');

/** Validators and defaults for {@link ParametersOptions}. */
export const PARAMETERS_OPTIONS = /* @__PURE__ */ defineOptions<ParametersOptions>()({
  ttlMs: integer(1000, 86_400_000, 'milliseconds').default(60_000),
  maxAgeMs: integer(1000, Number.MAX_SAFE_INTEGER, 'milliseconds'),
  timeoutMs: integer(1, 60_000, 'milliseconds').default(3000),
  flags: group<FlagsProfile>()({
    application: text().required(),
    environment: text().required(),
    profile: text().required(),
  }),
  clients: group<ParametersClients>()({ ssm: client, secretsManager: client, appConfigData: client }),
  clock: withMethods<FullClock>('now', 'after'),
  environment: object<Environment>(),
  log: parsed<Logger>(LOG_WANTED, (value) => parseLog(value, process.env)),
  observability: object<Observability>().default({}),
});
