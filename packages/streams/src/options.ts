import {
  assertKnownOptions,
  type Clock,
  completeClock,
  type Environment,
  type IdGenerator,
  invalidOption,
  isLambda,
  type Logger,
  type Observability,
  randomIds,
  silentLogger,
} from '@sallyport/core';
import { parseObservability } from '@sallyport/core/pipeline';
import type { EventMiddleware } from './context.js';
import { refused } from './errors.js';
import type { Kernel } from './kernel.js';

/** Closed: an unknown key is refused. */
export interface EventRouterOptions {
  /**
   * By what a failed record of a table stream or data stream is reported. The contract says `eventID`, AWS takes only
   * `sequenceNumber`. Without the option the variable `FRAMEWORK_STREAM_FAILURE_IDENTIFIER` decides, else it is `eventID`.
   */
  readonly streamFailureIdentifier?: 'eventID' | 'sequenceNumber';
  /** Messages of one standard queue that run at once where its registration does not say; default 1. */
  readonly queueConcurrency?: number;
  /** Milliseconds before the end of the invocation from which no record starts; default 500. */
  readonly deadlineMarginMs?: number;
  /** Whether errors of topic and event-bus handlers are thrown without their text; default `false`. */
  readonly maskErrors?: boolean;
  readonly clock?: Clock;
  readonly ids?: IdGenerator;
  /** Read instead of `process.env`. */
  readonly environment?: Environment;
  readonly observability?: Observability;
  /** Gets the errors of records, and what `ctx.log` writes; silent by default. */
  readonly log?: Logger;
}

const KEYS = [
  'streamFailureIdentifier',
  'queueConcurrency',
  'deadlineMarginMs',
  'maskErrors',
  'clock',
  'ids',
  'environment',
  'observability',
  'log',
] as const;

const IDENTIFIER_VARIABLE = 'FRAMEWORK_STREAM_FAILURE_IDENTIFIER';

/** Whether a value is a whole number of at least 1. */
export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 1;
}

/**
 * The options with their defaults filled in.
 *
 * @throws FrameworkError `app.invalid_configuration` for an unknown key or a value of a wrong type
 */
export function parseOptions(options: EventRouterOptions, failureText: string, middlewares: EventMiddleware[]): Kernel {
  assertKnownOptions(options, KEYS);
  const { deadlineMarginMs = 500, maskErrors = false, clock, ids = randomIds, log = silentLogger } = options;
  if (!(Number.isFinite(deadlineMarginMs) && deadlineMarginMs >= 0)) {
    throw invalidOption('deadlineMarginMs', 'a number of milliseconds');
  }
  if (!isCount(options.queueConcurrency ?? 1)) throw invalidOption('queueConcurrency', 'a whole number');
  if (typeof maskErrors !== 'boolean') throw invalidOption('maskErrors', 'true or false');
  if (clock !== undefined) assertMethod('clock', clock, 'now');
  assertMethod('ids', ids, 'newId');
  assertMethod('log', log, 'error');
  const environment = options.environment ?? process.env;
  if (typeof environment !== 'object') throw invalidOption('environment', 'an object');
  return {
    clock: completeClock(clock),
    ids,
    environment,
    log,
    observability: parseObservability(options.observability),
    marginMs: deadlineMarginMs,
    chosenIdentifier: parseIdentifier(options.streamFailureIdentifier, environment[IDENTIFIER_VARIABLE]),
    isLambda: isLambda(environment),
    maskErrors,
    failureText,
    middlewares,
  };
}

function assertMethod(key: string, value: object, method: string): void {
  if (typeof (value as Record<string, unknown> | null)?.[method] !== 'function') {
    throw invalidOption(key, `an object with ${method}()`);
  }
}

/** What was chosen, by option or variable; each that is there must hold. */
function parseIdentifier(option: unknown, variable: string | undefined): 'eventID' | 'sequenceNumber' | undefined {
  const chosen = [option, variable || undefined].filter((value) => value !== undefined);
  for (const value of chosen) {
    if (value !== 'eventID' && value !== 'sequenceNumber') {
      throw refused('streamFailureIdentifier must be eventID or sequenceNumber');
    }
  }
  return chosen[0] as 'eventID' | 'sequenceNumber' | undefined;
}
