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
} from '@sallyport/core';
import { parseLog, parseObservability, reportHooks } from '@sallyport/core/pipeline';
import type { EventMiddleware } from '../batch/handler.js';
import { refused } from '../errors.js';
import { STREAM_FAILURE_IDENTIFIER_ENV } from '../schema.js';
import type { Kernel } from './internal/kernel.js';

/** By what failed stream records are reported; `auto` decides by the environment. */
export type StreamFailureIdentifier = 'auto' | 'eventID' | 'sequenceNumber';

/** Closed: an unknown key is refused. */
export interface EventRouterOptions {
  /**
   * By what a failed record of a table stream or data stream is reported. `eventID` is the contract between runtimes, AWS
   * takes only `sequenceNumber` (`kinesis.sequenceNumber`, `dynamodb.SequenceNumber`). `auto` is `sequenceNumber` in an
   * execution environment of Lambda (`AWS_LAMBDA_FUNCTION_NAME` and `AWS_LAMBDA_RUNTIME_API` are set) and `eventID`
   * elsewhere. Default: the variable `FRAMEWORK_STREAM_FAILURE_IDENTIFIER`, else `auto`.
   */
  readonly streamFailureIdentifier?: StreamFailureIdentifier;
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
  /** Gets failures of records, and what `ctx.log` writes; `false` for silence. Default: JSON lines on standard output. */
  readonly log?: Logger | false;
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

const IDENTIFIERS: readonly unknown[] = ['auto', 'eventID', 'sequenceNumber'];

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
  const { deadlineMarginMs = 500, maskErrors = false, clock, ids = randomIds } = options;
  if (!(Number.isFinite(deadlineMarginMs) && deadlineMarginMs >= 0)) {
    throw invalidOption('deadlineMarginMs', 'a number of milliseconds');
  }
  if (!isCount(options.queueConcurrency ?? 1)) throw invalidOption('queueConcurrency', 'a whole number');
  if (typeof maskErrors !== 'boolean') throw invalidOption('maskErrors', 'true or false');
  if (clock !== undefined) assertMethod('clock', clock, 'now');
  assertMethod('ids', ids, 'newId');
  const environment = options.environment ?? process.env;
  if (typeof environment !== 'object') throw invalidOption('environment', 'an object');
  const log = parseLog(options.log, environment);
  return {
    clock: completeClock(clock),
    ids,
    environment,
    log,
    observability: reportHooks(parseObservability(options.observability), log),
    marginMs: deadlineMarginMs,
    streamIdentifier: streamIdentifierOf(options, environment),
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

/**
 * By what stream records are reported: the option, else the variable, else by the environment. AWS accepts the sequence
 * number alone (https://docs.aws.amazon.com/lambda/latest/dg/services-ddb-batchfailurereporting.html).
 *
 * @throws FrameworkError for any other value of either, also of the variable that an option overrides
 */
function streamIdentifierOf(
  { streamFailureIdentifier: option }: EventRouterOptions,
  environment: Environment,
): 'eventID' | 'sequenceNumber' {
  const variable = environment[STREAM_FAILURE_IDENTIFIER_ENV] || undefined;
  assertIdentifier('streamFailureIdentifier', option);
  assertIdentifier(STREAM_FAILURE_IDENTIFIER_ENV, variable);
  const chosen = option ?? variable ?? 'auto';
  if (chosen !== 'auto') return chosen;
  const onLambda = environment.AWS_LAMBDA_FUNCTION_NAME && environment.AWS_LAMBDA_RUNTIME_API;
  return onLambda ? 'sequenceNumber' : 'eventID';
}

function assertIdentifier(name: string, value: unknown): asserts value is StreamFailureIdentifier | undefined {
  if (value === undefined || IDENTIFIERS.includes(value)) return;
  throw refused(`${name} must be auto, eventID or sequenceNumber`);
}
