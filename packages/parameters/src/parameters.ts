import type { StandardSchema } from '@sallyport/core';
import { systemClock } from '@sallyport/core';
import { fromJson, isObject, parseLog } from '@sallyport/core/internal';
import { invalidConfiguration, isStandardSchema, issuePath } from '@sallyport/core/options';
import { ParametersError } from './errors.js';
import { appConfig, evaluate, type FlagsProfile, VARIANTS } from './internal/flags.js';
import { parameterStore, secretsManager } from './internal/services.js';
import type { Fetched, Source } from './internal/source.js';
import { type Entry, ParameterStore } from './internal/store.js';
import { PARAMETERS_OPTIONS, type ParametersOptions } from './options.js';
import { FLAGS_PROFILE_ENV } from './schema.js';
import { Secret } from './secret.js';

/** A validator of Standard Schema: zod, valibot, arktype and others. */
export type ValueSchema<Output> = StandardSchema<unknown, Output> | StandardSchema<never, Output>;

/** The name or the ARN of a value, or the variable that has it: the props `parameters` and `secrets` of the constructs set such variables. */
export type ValueName = string | { readonly variable: string };

/** What ends the wait of a reader: a context, or any object with a signal. */
export interface ReadScope {
  /** Ends the wait; a call that no reader waits for is stopped. */
  readonly signal?: AbortSignal;
}

/** Reads one value. */
export interface ValueReader<T> {
  /**
   * The value, from the cache or from AWS.
   *
   * @param scope the context of the invocation, whose signal ends the wait
   * @throws ParametersError if there is no value yet and it cannot be read; the reason of the signal
   */
  get(scope?: ReadScope): Promise<T>;
  /** Reads the value again, at most once a second, for example after a service rejected a rotated credential. If the call fails: the last good value. */
  refresh(scope?: ReadScope): Promise<T>;
}

/** A feature flag: its state, and its attributes. */
export interface Flag {
  /** True if the flag is on. */
  readonly enabled: boolean;
  readonly [attribute: string]: unknown;
}

/** Values by which AppConfig Agent selects a variant: `{ tenant: ctx.tenantId }`. */
export type FlagContext = Readonly<Record<string, string>>;

/** Reads one feature flag. */
export interface FlagReader<T> {
  /**
   * The flag with its attributes.
   *
   * @param scope the context of the invocation, whose signal ends the wait
   * @param context selects a variant, if the flag has variants
   * @throws ParametersError `parameters.agent_required` for a flag with variants on a function without AppConfig Agent
   */
  get(scope?: ReadScope, context?: FlagContext): Promise<T>;
  /** True if the flag is on. */
  isOn(scope?: ReadScope, context?: FlagContext): Promise<boolean>;
}

/** Options of a parameter. */
export interface ParameterOptions {
  /** True if the value is a `SecureString`, so that readers return a {@link Secret}. */
  readonly secret?: boolean;
  /** True if the value is JSON: the schema receives the parsed value. Default `false`. */
  readonly json?: boolean;
}

/** Options of a secret. */
export interface SecretOptions {
  /** True if the value is JSON: the schema receives the parsed value. Default `false`. */
  readonly json?: boolean;
  /** True if {@link Secret.previous} has the value before the last rotation, which costs one call for each rotation. Default `false`. */
  readonly previous?: boolean;
}

/** The values of a service. */
export interface Parameters {
  /**
   * A parameter of Systems Manager. It is read with all other parameters of this object, 10 in each call.
   *
   * @throws FrameworkError `app.invalid_configuration` for an invalid name or schema
   * @example const limit = parameter('/orders/limit', z.coerce.number());
   */
  parameter(name: ValueName): ValueReader<string>;
  parameter<T = string>(
    name: ValueName,
    schema: ValueSchema<T> | undefined,
    options: ParameterOptions & { readonly secret: true },
  ): ValueReader<Secret<T>>;
  parameter<T>(name: ValueName, schema: ValueSchema<T>, options?: ParameterOptions): ValueReader<T>;
  /**
   * A secret of Secrets Manager. It is read with all other secrets of this object, 20 in each call.
   *
   * @throws FrameworkError `app.invalid_configuration` for an invalid name or schema
   * @example const database = secret('orders/database', z.object({ password: z.string() }), { json: true });
   */
  secret(name: ValueName): ValueReader<Secret>;
  secret<T = string>(
    name: ValueName,
    schema: ValueSchema<T> | undefined,
    options?: SecretOptions,
  ): ValueReader<Secret<T>>;
  /**
   * A feature flag of AppConfig. One call reads all flags of the profile.
   *
   * @throws FrameworkError `app.invalid_configuration` for an invalid name or schema
   * @example const checkout = flag('new-checkout');
   */
  flag(name: string): FlagReader<Flag>;
  flag<T>(name: string, schema: ValueSchema<T>): FlagReader<T>;
  /**
   * Reads all values, for the init phase: a value that is missing or does not fit its schema then fails the deployment and not a request.
   *
   * @throws ParametersError one error that names every value that could not be read
   * @example await values.ready();
   */
  ready(scope?: ReadScope): Promise<void>;
}

/**
 * Creates readers of parameters, secrets and feature flags. Values are cached for `ttlMs` and read again in the background. If a call fails,
 * the last good value is used, with one `error` line and the metric `ParameterFailures`. Creates no client and sends no request.
 *
 * @throws FrameworkError `app.invalid_configuration` for an unknown option or a wrong type
 * @example
 * export const { parameter, secret, flag, ready } = createParameters();
 * export const orderLimit = parameter('/orders/limit', z.coerce.number());
 */
export function createParameters(options: ParametersOptions = {}): Parameters {
  const {
    ttlMs,
    timeoutMs,
    maxAgeMs = ttlMs * 10,
    clients = {},
    clock = systemClock,
    environment = process.env,
    log = parseLog(undefined, environment),
    observability,
    flags,
  } = PARAMETERS_OPTIONS.parse(options);
  if (maxAgeMs < ttlMs) throw invalidConfiguration('option "maxAgeMs" must be at least ttlMs');
  const store = new ParameterStore({ clock, log, observability, ttlMs, maxAgeMs, timeoutMs });
  const ssm = parameterStore(clients.ssm);
  const secrets = secretsManager(clients.secretsManager);
  const variable = (name: string) => {
    const value = environment[name]?.trim();
    if (!value) throw invalidConfiguration(`the variable ${name} must be set`);
    return value;
  };
  const profileOf = (): FlagsProfile => {
    if (flags) return flags;
    const [application = '', env = '', profile = '', ...more] = variable(FLAGS_PROFILE_ENV).split('/');
    if (profile !== '' && more.length === 0) return { application, environment: env, profile };
    throw invalidConfiguration(`the variable ${FLAGS_PROFILE_ENV} must be application/environment/profile`);
  };
  const profile = appConfig(clients.appConfigData, profileOf);
  const agent = { port: environment.AWS_APPCONFIG_EXTENSION_HTTP_PORT ?? '2772', clock, timeoutMs };

  const add = <T>(source: Source, given: ValueName, schema: unknown, parse: Entry<T>['parse']) => {
    const isNamed = (value: unknown) => typeof value === 'string' && value.trim() !== '';
    if (!isNamed(given) && !(isObject(given) && isNamed((given as { variable?: unknown }).variable)))
      throw invalidConfiguration('the name of a value must be a string, or { variable }');
    if (schema !== undefined && !isStandardSchema(schema))
      throw invalidConfiguration(`the schema of ${JSON.stringify(given)} must be a Standard Schema (version 1)`);
    const name = () => {
      const text = typeof given === 'string' ? given.trim() : variable(given.variable);
      // The name of a parameter in a hierarchy begins with a slash.
      return source === ssm && /^[^/:]+\//.test(text) ? `/${text}` : text;
    };
    return store.add(source, name, parse);
  };
  const readerOf = <T>(entry: Entry<T>): ValueReader<T> => ({
    get: (scope) => store.read(entry, scope?.signal),
    refresh: (scope) => store.read(entry, scope?.signal, true),
  });

  const values = {
    parameter(name: ValueName, schema?: ValueSchema<unknown>, { secret = false, json = false }: ParameterOptions = {}) {
      const entry: Entry<unknown> = add(ssm, name, schema, async (fetched) => {
        if (fetched.isSecret && !secret) {
          const problem = `${entry.name()} is a SecureString: read it with { secret: true }`;
          throw new ParametersError('parameters.secure_string', problem);
        }
        const value = await fit(entry.name(), json ? parseJson(entry.name(), fetched) : fetched.value, schema);
        return secret ? new Secret(value, fetched.version) : value;
      });
      return readerOf(entry);
    },
    secret(name: ValueName, schema?: ValueSchema<unknown>, { json = false, previous = false }: SecretOptions = {}) {
      const wrap = async (fetched: Fetched, before?: Secret<unknown>) => {
        const value = await fit(entry.name(), json ? parseJson(entry.name(), fetched) : fetched.value, schema);
        return new Secret(value, fetched.version, before);
      };
      const entry: Entry<Secret<unknown>> = add(secrets, name, schema, async (fetched, signal) => {
        const before = previous ? await secrets.previous(entry.name(), signal) : undefined;
        return wrap(fetched, before && (await wrap(before)));
      });
      return readerOf(entry);
    },
    flag(name: string, schema?: ValueSchema<unknown>): FlagReader<unknown> {
      const parse = async (value: unknown) => {
        if (!isObject(value) || typeof (value as Partial<Flag>).enabled !== 'boolean') throw doesNotFit(`the flag ${name}`);
        return { value: await fit(`the flag ${name}`, value, schema), isOn: (value as Flag).enabled };
      };
      const entry = add(profile, name, schema, async ({ value }) => (value === VARIANTS ? undefined : parse(value)));
      const read = async (scope?: ReadScope, context: FlagContext = {}) =>
        (await store.read(entry, scope?.signal)) ??
        parse(await evaluate(profileOf(), entry.name(), context, agent, scope?.signal));
      return {
        get: async (scope, context) => (await read(scope, context)).value,
        isOn: async (scope, context) => (await read(scope, context)).isOn,
      };
    },
    async ready(scope?: ReadScope) {
      const failed: string[] = [];
      const errors: unknown[] = [];
      for (const settled of await Promise.allSettled(store.entries.map((entry) => store.read(entry, scope?.signal)))) {
        if (settled.status === 'rejected') errors.push(settled.reason);
      }
      scope?.signal?.throwIfAborted();
      for (const error of errors) failed.push((error as Error).message.replace('framework: ', ''));
      const [first] = errors;
      if (errors.length < 2) {
        if (first) throw first;
        return;
      }
      const code = first instanceof ParametersError ? first.code : 'parameters.failed';
      throw new ParametersError(code, `${failed.length} values could not be read: ${failed.join('; ')}`, first);
    },
  };
  return values as Parameters;
}

/** Parsers quote values in their errors, so the errors are dropped. */
function parseJson(name: string, { value }: Fetched): unknown {
  const parsed = fromJson(String(value));
  if (parsed === undefined) throw new ParametersError('parameters.invalid_value', `${name} is not JSON`);
  return parsed;
}

/** The value as its schema returns it. The error has the paths of issues, never a value. */
async function fit(name: string, value: unknown, schema: ValueSchema<unknown> | undefined): Promise<unknown> {
  if (!schema) return value;
  const result = await schema['~standard'].validate(value as never);
  if (!result.issues) return result.value;
  const paths = new Set(result.issues.map(issuePath).filter((path) => path !== ''));
  throw doesNotFit(name, [...paths].slice(0, 5));
}

function doesNotFit(name: string, paths: readonly string[] = []): ParametersError {
  const at = paths.length > 0 ? `: ${paths.join(', ')}` : '';
  return new ParametersError('parameters.invalid_value', `${name} does not fit its schema${at}`);
}
