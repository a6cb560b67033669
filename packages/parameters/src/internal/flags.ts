import { fromJson, isObject, lazily, throwMissing } from '@sallyport/core/internal';
import { invalidConfiguration } from '@sallyport/core/options';
import { ParametersError } from '../errors.js';
import type { Flag, FlagContext, FlagReader, FlagsProfile, ReadScope, ValueSchema } from '../readers.js';
import { FLAGS_PROFILE_ENV } from '../schema.js';
import { evaluate } from './agent.js';
import { doesNotFit, type Engine, fit } from './engine.js';
import { type Answers, type AwsSender, type Fetched, notFound, type Source, sendTo } from './source.js';

/** The state of a flag, and its value after its schema. */
interface FlagState {
  readonly value: unknown;
  readonly isOn: boolean;
}

/** `flag` of an engine. */
export function flagReader({ settings, clock, variable, define }: Engine) {
  const { clients, timeoutMs, environment = process.env } = settings;
  const profileOf = (): FlagsProfile => {
    if (settings.flags) return settings.flags;
    const parts = variable(FLAGS_PROFILE_ENV).split('/');
    const [application = '', env = '', profile = ''] = parts;
    if (parts.length === 3 && !parts.includes('')) return { application, environment: env, profile };
    throw invalidConfiguration(`the variable ${FLAGS_PROFILE_ENV} must be application/environment/profile`);
  };
  const source = appConfig(clients?.appConfigData, profileOf);
  const agent = { port: environment.AWS_APPCONFIG_EXTENSION_HTTP_PORT ?? '2772', clock, timeoutMs };
  return (name: string, schema?: ValueSchema<unknown>): FlagReader<unknown> => {
    // Only the name of the profile can be in a variable.
    const definition = { name: typeof name === 'string' ? name : '', schema };
    const { get } = define(source, 'flag', definition, async (id, { hasVariants, value }) =>
      hasVariants ? undefined : toFlag(id, value, schema),
    );
    const read = async (scope: ReadScope = {}, context: FlagContext = {}) => {
      const state = (await get(scope)) as FlagState | undefined;
      if (state) return state;
      return toFlag(name, await evaluate(profileOf(), name.trim(), context, agent, scope.signal), schema);
    };
    return {
      get: async (...given) => (await read(...given)).value,
      isOn: async (...given) => (await read(...given)).isOn,
    };
  };
}

async function toFlag(name: string, value: unknown, schema: ValueSchema<unknown> | undefined): Promise<FlagState> {
  if (!isObject(value) || typeof (value as Partial<Flag>).enabled !== 'boolean') throw doesNotFit(`the flag ${name}`);
  return { value: await fit(`the flag ${name}`, value, schema), isOn: (value as Flag).enabled };
}

/** The flags by name; `variants` if AppConfig Agent must evaluate them. */
type Flags = Readonly<Record<string, unknown>> | 'variants';

interface Latest {
  readonly Configuration?: Uint8Array | null;
  readonly ContentType?: string;
  readonly NextPollConfigurationToken?: string;
  readonly NextPollIntervalInSeconds?: number;
}

/**
 * The flags of one profile: one call returns all of them, and an empty answer means that nothing changed. A token is valid for one call.
 *
 * @see https://docs.aws.amazon.com/appconfig/2019-10-09/APIReference/API_appconfigdata_GetLatestConfiguration.html
 */
function appConfig(given: AwsSender | undefined, profileOf: () => FlagsProfile): Source {
  const open = lazily(async () => {
    const name = '@aws-sdk/client-appconfigdata';
    const sdk = await import('@aws-sdk/client-appconfigdata').catch(throwMissing(name));
    return { sdk, client: given ?? (new sdk.AppConfigDataClient({}) as AwsSender) };
  });
  let token: string | undefined;
  let flags: Flags | undefined;
  let version = 0;
  const start = async (signal: AbortSignal) => {
    const { sdk, client } = await open();
    const { application, environment, profile } = profileOf();
    const command = new sdk.StartConfigurationSessionCommand({
      ApplicationIdentifier: application,
      EnvironmentIdentifier: environment,
      ConfigurationProfileIdentifier: profile,
    });
    return (await sendTo<{ InitialConfigurationToken?: string }>(client, command, signal)).InitialConfigurationToken;
  };
  const poll = async (signal: AbortSignal): Promise<Latest> => {
    const { sdk, client } = await open();
    const held = token;
    // A call without an answer may have used the token.
    token = undefined;
    const ConfigurationToken = held ?? (await start(signal));
    try {
      return await sendTo(client, new sdk.GetLatestConfigurationCommand({ ConfigurationToken }), signal);
    } catch (error) {
      // A token expires after 24 hours, for example while the environment is frozen.
      if (held !== undefined && (error as Error).name === 'BadRequestException') return poll(signal);
      throw error;
    }
  };
  const source = {
    service: 'appconfig',
    most: Number.MAX_SAFE_INTEGER,
    pauseMs: 15_000,
    async fetch(names: readonly string[], signal: AbortSignal): Promise<Answers> {
      const latest = await poll(signal);
      // The SDK returns `null` for an empty body.
      const content = latest.Configuration ?? new Uint8Array();
      if (content.length > 0 || flags === undefined) {
        flags = contentOf(content, latest.ContentType ?? '');
        version += 1;
      }
      token = latest.NextPollConfigurationToken;
      source.pauseMs = (latest.NextPollIntervalInSeconds ?? 15) * 1000;
      const all = flags;
      const flagOf = (name: string): Fetched | Error => {
        if (all === 'variants') return { value: undefined, version: String(version), hasVariants: true };
        return Object.hasOwn(all, name) ? { value: all[name], version: String(version) } : notFound(`the flag ${name}`);
      };
      return new Map(names.map((name) => [name, flagOf(name)]));
    },
  };
  return source;
}

/**
 * Profiles in which a flag has variants are not JSON but Amazon Ion.
 *
 * @see https://docs.aws.amazon.com/appconfig/latest/userguide/appconfig-agent-how-to-use-local-development-samples.html
 */
function contentOf(bytes: Uint8Array, type: string): Flags {
  if (!type.startsWith('application/json')) return 'variants';
  const flags = fromJson(Buffer.from(bytes).toString());
  if (isObject(flags)) return flags as Flags;
  throw new ParametersError('parameters.invalid_value', 'the profile of flags is not a JSON object');
}
