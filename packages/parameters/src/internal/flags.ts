import type { FullClock } from '@sallyport/core';
import { fromJson, isObject, lazily, ownOf, throwMissing, withDeadline } from '@sallyport/core/internal';
import { ParametersError } from '../errors.js';
import {
  type Answers,
  type AwsSender,
  type Fetched,
  notFound,
  type Source,
  sendTo,
  toParametersError,
} from './source.js';

/** A profile of AppConfig, by names or ids. */
export interface FlagsProfile {
  /** Name or id of the application. */
  readonly application: string;
  /** Name or id of the environment. */
  readonly environment: string;
  /** Name or id of the configuration profile, of the type `AWS.AppConfig.FeatureFlags`. */
  readonly profile: string;
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
export function appConfig(given: AwsSender | undefined, profileOf: () => FlagsProfile): Source {
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

/** Port and time limit of the Agent. */
export interface AgentSettings {
  readonly port: string;
  readonly clock: FullClock;
  readonly timeoutMs: number;
}

/**
 * A flag as AppConfig Agent evaluates it for a context.
 *
 * @throws ParametersError `parameters.agent_required`, `parameters.invalid_input`, `parameters.not_found`, `parameters.unavailable`
 * @see https://docs.aws.amazon.com/appconfig/latest/userguide/appconfig-integration-retrieving-feature-flags.html
 * @see https://docs.aws.amazon.com/appconfig/latest/userguide/appconfig-code-samples-agent-read-feature-flag-with-variants.html
 */
export async function evaluate(
  { application, environment, profile }: FlagsProfile,
  name: string,
  context: Readonly<Record<string, string>>,
  { port, clock, timeoutMs: ms }: AgentSettings,
  signal: AbortSignal | undefined,
): Promise<unknown> {
  const parts = ['applications', application, 'environments', environment, 'configurations', profile];
  const url = `http://localhost:${port}/${parts.map(encodeURIComponent).join('/')}?flag=${encodeURIComponent(name)}`;
  const headers = { context: contextHeader(name, context) };
  try {
    return await withDeadline({ ms, clock, signal }, async (inner) => {
      const answer = await fetch(url, { headers, signal: inner });
      if (answer.status === 404) throw notFound(`the flag ${name}`);
      // A failure of the Agent is classified by its status, as a failure of AWS.
      if (!answer.ok) throw { $metadata: { httpStatusCode: answer.status } };
      const value: unknown = await answer.json();
      return isObject(value) && !('enabled' in value) ? ownOf(value, name) : value;
    });
  } catch (error) {
    signal?.throwIfAborted();
    if (((error as Error).cause as { readonly code?: unknown } | undefined)?.code !== 'ECONNREFUSED')
      throw toParametersError(error, `the flag ${name}`);
    const problem = `the flags of ${profile} have variants: add the layer of AppConfig Agent to the function`;
    throw new ParametersError('parameters.agent_required', problem, error);
  }
}

/** Keys and values that the Agent reads unchanged: a comma would start a new pair. */
function contextHeader(name: string, context: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(context);
  const wrong = pairs.find(([key, value]) => !/^[\w.-]+$/.test(key) || !/^[\x20-\x2b\x2d-\x7e]*$/.test(value));
  if (!wrong) return pairs.map((pair) => pair.join('=')).join(',');
  const problem = `the flag ${name} needs context values of printable ASCII without commas, unlike ${JSON.stringify(wrong[0])}`;
  throw new ParametersError('parameters.invalid_input', problem);
}
