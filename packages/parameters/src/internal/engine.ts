import { systemClock } from '@sallyport/core';
import { fromJson, isObject, parseLog } from '@sallyport/core/internal';
import { invalidConfiguration, issuePath, type ParsedOptions } from '@sallyport/core/options';
import { ParametersError } from '../errors.js';
import type { PARAMETERS_OPTIONS } from '../options.js';
import type { Flag, FlagContext, ValueName, ValueSchema } from '../readers.js';
import { FLAGS_PROFILE_ENV } from '../schema.js';
import { Secret } from '../secret.js';
import { appConfig, evaluate, type FlagsProfile } from './flags.js';
import { parameterStore, secretsManager } from './services.js';
import type { Fetched } from './source.js';
import { type Entry, ParameterStore } from './store.js';

/** A value that an application reads. */
export interface Definition {
  readonly kind: 'parameter' | 'secret' | 'flag';
  readonly name: ValueName;
  readonly schema: ValueSchema<unknown> | undefined;
  readonly secret?: boolean;
  readonly json?: boolean;
  readonly previous?: boolean;
}

/** The state of a flag, and its value after its schema. */
export interface FlagState {
  readonly value: unknown;
  readonly isOn: boolean;
}

/** The cache and its services. */
export interface Engine {
  add(definition: Definition): Entry<unknown>;
  read(entry: Entry<unknown>, signal: AbortSignal | undefined, isForced?: boolean): Promise<unknown>;
  /** A flag with variants. */
  evaluate(
    name: string,
    schema: Definition['schema'],
    context: FlagContext,
    signal: AbortSignal | undefined,
  ): Promise<FlagState>;
  /** @throws ParametersError one error for all values that could not be read */
  ready(signal: AbortSignal | undefined): Promise<void>;
}

type Settings = ParsedOptions<typeof PARAMETERS_OPTIONS.kinds> & { readonly maxAgeMs: number };

/** Creates the cache. It sends no request before the first read. */
export function createEngine(settings: Settings): Engine {
  const { ttlMs, maxAgeMs, timeoutMs, clients = {}, observability, flags } = settings;
  const { clock = systemClock, environment = process.env } = settings;
  const { log = parseLog(undefined, environment) } = settings;
  const store = new ParameterStore({ clock, log, observability, ttlMs, maxAgeMs, timeoutMs });
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
  const secrets = secretsManager(clients.secretsManager);
  const sources = {
    parameter: parameterStore(clients.ssm),
    secret: secrets,
    flag: appConfig(clients.appConfigData, profileOf),
  };
  const agent = { port: environment.AWS_APPCONFIG_EXTENSION_HTTP_PORT ?? '2772', clock, timeoutMs };

  const parse = async (definition: Definition, name: string, fetched: Fetched, signal: AbortSignal) => {
    const { kind, schema, secret, previous } = definition;
    if (kind === 'flag') return fetched.hasVariants ? undefined : toFlag(name, fetched.value, schema);
    const value = await valueIn(definition, name, fetched);
    if (kind === 'parameter' && !secret) {
      if (!fetched.isSecret) return value;
      throw new ParametersError('parameters.secure_string', `${name} is a SecureString: read it with { secret: true }`);
    }
    const before = previous ? await secrets.previous(name, signal) : undefined;
    const old = before && new Secret(await valueIn(definition, name, before), before.version);
    return new Secret(value, fetched.version, old);
  };
  return {
    add(definition) {
      const { kind, name } = definition;
      const nameOf = () => {
        const text = typeof name === 'string' ? name.trim() : variable(name.variable);
        // The name of a parameter in a hierarchy begins with a slash.
        return kind === 'parameter' && /^[^/:]+\//.test(text) ? `/${text}` : text;
      };
      return store.add(sources[kind], nameOf, (fetched, signal) => parse(definition, nameOf(), fetched, signal));
    },
    read: (...given) => store.read(...given),
    evaluate: async (name, schema, context, signal) =>
      toFlag(name, await evaluate(profileOf(), name, context, agent, signal), schema),
    async ready(signal) {
      const settled = await Promise.allSettled(store.entries.map((entry) => store.read(entry, signal)));
      signal?.throwIfAborted();
      const errors = settled.flatMap((one) => (one.status === 'rejected' ? [one.reason as Error] : []));
      const [first] = errors;
      if (!first) return;
      if (errors.length === 1) throw first;
      const code = first instanceof ParametersError ? first.code : 'parameters.failed';
      const problems = errors.map(({ message }) => message.replace('framework: ', '')).join('; ');
      throw new ParametersError(code, `${errors.length} values could not be read: ${problems}`, first);
    },
  };
}

async function toFlag(name: string, value: unknown, schema: ValueSchema<unknown> | undefined): Promise<FlagState> {
  if (!isObject(value) || typeof (value as Partial<Flag>).enabled !== 'boolean') throw doesNotFit(`the flag ${name}`);
  return { value: await fit(`the flag ${name}`, value, schema), isOn: (value as Flag).enabled };
}

async function valueIn({ json, schema }: Definition, name: string, fetched: Fetched): Promise<unknown> {
  return fit(name, json ? parseJson(name, fetched) : fetched.value, schema);
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
