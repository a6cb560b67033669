import { APPSYNC_OPTIONS, type AppSyncOptions } from '@sallyport/appsync/surface';
import { FrameworkError, INVALID_CONFIGURATION } from '@sallyport/core';
import { isPlainObject, LOG_WANTED, parseObservability } from '@sallyport/core/pipeline';
import { EVENT_OPTIONS, type SurfaceOptions } from '@sallyport/dispatch/assembly';
import type { PipelineOptions } from '@sallyport/http';
import { assertPipelineOptions, PIPELINE_OPTIONS } from '@sallyport/http/pipeline';
import type { EventRouterOptions } from '@sallyport/streams';
import { type Challenge, isChallenge } from './gate.js';
import type { SecurePrincipalResolver } from './principal.js';

/** Closed: an unknown key is refused at construction. */
export interface SecureOptions
  extends PipelineOptions,
    AppSyncOptions,
    SurfaceOptions,
    Pick<EventRouterOptions, 'streamFailureIdentifier' | 'queueConcurrency' | 'deadlineMarginMs' | 'maskErrors'> {
  /** Finds out who calls. Without one every operation but `Public` and `Optional` ones answers 401. */
  readonly principalResolver?: SecurePrincipalResolver;
  /**
   * `www-authenticate` of 401 answers over HTTP: a text, one by route, or `false` for none at all. Default: `Bearer` where the
   * resolver is one of `@sallyport/secure/jwt`, alone or in `firstPrincipal`; else what the resolver itself set.
   */
  readonly challenge?: Challenge;
  /** Whether the header `x-tenant-id` names the tenant where neither runtime nor principal does. Default `false`. */
  readonly trustTenantHeader?: boolean;
  /** Whether WebSocket events are served before any socket route is registered. Default `false`. */
  readonly webSocketSupport?: boolean;
}

/** Every option as an own member, so that nothing is ever read from a prototype. */
export type ParsedOptions = { readonly [K in keyof Required<SecureOptions>]: SecureOptions[K] };

type Check = (value: unknown) => boolean;

const isFunction: Check = (value) => typeof value === 'function';
const isBoolean: Check = (value) => typeof value === 'boolean';
const isCount: Check = (value) => Number.isSafeInteger(value) && (value as number) >= 1;
const isMilliseconds: Check = (value) => typeof value === 'number' && value >= 0 && value < Number.POSITIVE_INFINITY;
const oneOf =
  (...values: readonly unknown[]): Check =>
  (value) =>
    values.includes(value);
const hasMethods =
  (...names: readonly string[]): Check =>
  (value) =>
    typeof value === 'object' &&
    value !== null &&
    names.every((name) => typeof (value as Record<string, unknown>)[name] === 'function');

/** An option of the pipeline's is what the pipeline takes. */
const pipelineOption =
  (name: string): Check =>
  (value) =>
    accepts(() => assertPipelineOptions({ [name]: value }));

const isClock: Check = (value) => {
  const { monotonicMs, after } = (value ?? {}) as Readonly<Record<string, unknown>>;
  return hasMethods('now')(value) && [monotonicMs, after].every((method) => method === undefined || isFunction(method));
};

/** What each option may be; a value of `undefined` is an option left out. */
const CHECKS: Readonly<Record<string, Check>> = {
  ...Object.fromEntries(PIPELINE_OPTIONS.map((name) => [name, pipelineOption(name)])),
  clock: isClock,
  ids: hasMethods('newId'),
  observability: (value) => value !== null && accepts(() => parseObservability(value as object)),
  streamFailureIdentifier: oneOf('auto', 'eventID', 'sequenceNumber'),
  queueConcurrency: isCount,
  deadlineMarginMs: isMilliseconds,
  maskErrors: isBoolean,
  batchConcurrency: isCount,
  batchResult: oneOf('native', 'envelope'),
  errorMode: oneOf('object', 'throw'),
  principalResolver: isFunction,
  challenge: (value) => value === false || isFunction(value) || isChallenge(value),
  trustTenantHeader: isBoolean,
  webSocketSupport: isBoolean,
  surfaces: Array.isArray,
  directInvocations: oneOf('refuse', 'serve'),
};

/** Names of the options, for those who hand them on to the parts of a container. */
export const OPTION_NAMES = { pipeline: PIPELINE_OPTIONS, events: EVENT_OPTIONS, appSync: APPSYNC_OPTIONS } as const;

/**
 * A copy of the options that nobody else holds.
 *
 * @throws FrameworkError `framework: invalid secure configuration`, with the name of the option that is wrong and never its
 *   value
 */
export function parseOptions(options: unknown): ParsedOptions {
  if (!isPlainObject(options)) throw invalidConfiguration();
  const parsed: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  for (const name of Object.keys(CHECKS)) parsed[name] = undefined;
  for (const key of Reflect.ownKeys(options)) {
    const check = typeof key === 'string' && Object.hasOwn(CHECKS, key) ? CHECKS[key] : undefined;
    const value: unknown = check && options[key as string];
    if (!check || (value !== undefined && !check(value))) throw invalidConfiguration(String(key), HINTS[String(key)]);
    parsed[key as string] = value;
  }
  return { ...parsed, maskErrors: parsed.maskErrors ?? true } as unknown as ParsedOptions;
}

/** What an option must be, where its name does not say enough. */
const HINTS: Readonly<Partial<Record<string, string>>> = Object.assign(Object.create(null), { log: LOG_WANTED });

function invalidConfiguration(key?: string, hint?: string): FrameworkError {
  const text = 'framework: invalid secure configuration';
  const named = key === undefined ? text : `${text}: ${key}`;
  return new FrameworkError(INVALID_CONFIGURATION, hint === undefined ? named : `${named} must be ${hint}`);
}

function accepts(check: () => void): boolean {
  try {
    check();
    return true;
  } catch {
    return false;
  }
}
