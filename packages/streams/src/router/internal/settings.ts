import {
  type Clock,
  type Environment,
  type FullClock,
  type IdGenerator,
  type Logger,
  type Observability,
  randomIds,
} from '@sallyport/core';
import {
  callHook,
  completeClock,
  createDefaultLogger,
  guardHook,
  isObject,
  isText,
  registerCopy,
  reportHooks,
} from '@sallyport/core/internal';
import type { EventMiddleware } from '../../batch/handler.js';
import { refused } from '../../errors.js';
import { VERSION } from '../../internal/version.js';
import { EVENT_SOURCES_ENV } from '../../schema.js';
import type { StreamIdentifier } from '../../sources/source.js';

registerCopy('@sallyport/streams', VERSION, new Error());

/** Settings that all batches of one router share. */
export interface RouterSettings {
  readonly clock: FullClock;
  readonly ids: IdGenerator;
  readonly environment: Environment;
  readonly physicalNames: PhysicalNames;
  readonly log: Logger;
  readonly observability: Observability;
  readonly marginMs: number;
  /** The identifier in reports of failed stream records. */
  readonly streamIdentifier: StreamIdentifier;
  readonly maskErrors: boolean;
  /** Message of the error that replaces a handler's error. */
  readonly failureText: string;
  /** First registered is outermost. */
  readonly middlewares: readonly EventMiddleware[];
}

/** The options that {@link toSettings} reads. */
interface CommonOptions {
  readonly deadlineMarginMs: number;
  readonly clock: Clock | undefined;
  readonly ids: IdGenerator | undefined;
  readonly environment: Environment | undefined;
  readonly log: Logger | undefined;
}

/**
 * The settings of a router from its options; settings of only some routers are separate parameters.
 *
 * @throws FrameworkError when `FRAMEWORK_EVENT_SOURCES` is not a JSON object of names
 */
export function toSettings(
  { deadlineMarginMs, clock, ids = randomIds, environment = process.env, log: given }: CommonOptions,
  hooks: Observability,
  own: Pick<RouterSettings, 'streamIdentifier' | 'maskErrors' | 'failureText' | 'middlewares'>,
): RouterSettings {
  const log = given ?? createDefaultLogger(environment);
  return {
    clock: completeClock(clock),
    ids,
    environment,
    physicalNames: readPhysicalNames(environment),
    log,
    observability: reportHooks(hooks, log),
    marginMs: deadlineMarginMs,
    ...own,
  };
}

/** A warning of the framework: to the hook `observability.log`, else to the logger. */
export function warn(
  { observability, log }: RouterSettings,
  event: string,
  fields: Readonly<Record<string, unknown>>,
): void {
  if (observability.log) callHook(observability, 'log', { level: 'warn', event, ...fields });
  else guardHook(() => log.warn(event, fields));
}

/** Logical to physical names, under the registering method's name or for all of them. */
export type PhysicalNames = Readonly<Record<string, unknown>>;

/**
 * Reads `FRAMEWORK_EVENT_SOURCES`: `{ "queue": { "orders": "<physical name or ARN>" }, "tableStream": {}, … }`, or the
 * inner object only, for every kind of source.
 */
function readPhysicalNames(environment: Environment): PhysicalNames {
  const text = environment[EVENT_SOURCES_ENV];
  if (!text?.trim()) return {};
  try {
    const names: unknown = JSON.parse(text);
    if (isObject(names) && Object.values(names).every(isNameOrNames)) return names;
  } catch {
    // Rejected below, without the parser's message, which quotes the input.
  }
  throw refused(`${EVENT_SOURCES_ENV} must be a JSON object of names`);
}

/** The physical name for a registration; the given name if the map does not contain it. */
export function physicalName(names: PhysicalNames, method: string, name: string): string {
  for (const map of [names[method], names]) {
    if (isObject(map) && typeof map[name] === 'string') return map[name];
  }
  return name;
}

function isNameOrNames(value: unknown): boolean {
  return isText(value) || (isObject(value) && Object.values(value).every(isText));
}
