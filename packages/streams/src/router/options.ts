import type { Clock, Environment, IdGenerator, Logger, Observability } from '@sallyport/core';
import { parseObservability } from '@sallyport/core/internal';
import { boolean, defineOptions, type OptionKinds, oneOf, parsed } from '@sallyport/core/options';
import type { EventMiddleware } from '../batch/handler.js';
import { refused } from '../errors.js';
import { STREAM_FAILURE_IDENTIFIER_ENV } from '../schema.js';
import type { StreamIdentifier } from '../sources/source.js';
import { COMMON_OPTIONS } from './internal/common-options.js';
import { type RouterSettings, toSettings } from './internal/settings.js';

/** The identifier in reports of failed stream records; `auto` depends on the environment. */
export type StreamFailureIdentifier = 'auto' | StreamIdentifier;

/** Options of `createEventRouter`. An unknown key is rejected. */
export interface EventRouterOptions {
  /**
   * The identifier in reports of failed records of a table stream or data stream. `eventID` is the contract between runtimes; AWS
   * accepts only `sequenceNumber` (`kinesis.sequenceNumber`, `dynamodb.SequenceNumber`). `auto` is `sequenceNumber` in an
   * execution environment of Lambda (`AWS_LAMBDA_FUNCTION_NAME` and `AWS_LAMBDA_RUNTIME_API` are set) and `eventID`
   * elsewhere. Default: the variable `FRAMEWORK_STREAM_FAILURE_IDENTIFIER`, else `auto`.
   */
  readonly streamFailureIdentifier?: StreamFailureIdentifier;
  /** Concurrent messages of one standard queue, unless its registration sets `concurrency`: a whole number; default 1. */
  readonly queueConcurrency?: number;
  /** Milliseconds before the end of the invocation from which no record starts; default 500. */
  readonly deadlineMarginMs?: number;
  /** True if errors of topic and event-bus handlers are thrown without their message; default `false`. */
  readonly maskErrors?: boolean;
  /** The clock. Default: the machine's clock. */
  readonly clock?: Clock;
  /** Generates ids. Default: random ids. */
  readonly ids?: IdGenerator;
  /** Read instead of `process.env`. */
  readonly environment?: Environment;
  /** Hooks for log records, metrics and spans of every record and batch, and the metrics for `ctx.metric`. Default: none. */
  readonly observability?: Observability;
  /** Receives failures of records and the output of `ctx.log`; pass `false` to disable logging. Default: JSON lines on standard output. */
  readonly log?: Logger | false;
}

const IDENTIFIER = oneOf('auto', 'eventID', 'sequenceNumber');

/** Validators of {@link EventRouterOptions}, for containers that accept them among their own options. */
export const EVENT_ROUTER_OPTION_KINDS = {
  streamFailureIdentifier: IDENTIFIER,
  ...COMMON_OPTIONS,
  maskErrors: boolean.default(false),
  observability: parsed<Observability>('hooks', (value) => parseObservability(value as Observability)),
} satisfies OptionKinds<EventRouterOptions>;

const OPTIONS = defineOptions<EventRouterOptions>()(EVENT_ROUTER_OPTION_KINDS);

/**
 * Checks the options of an event router.
 *
 * @throws FrameworkError `app.invalid_configuration` for an unknown key, a wrong value, or a wrong value of
 *   `FRAMEWORK_STREAM_FAILURE_IDENTIFIER`
 */
export function parseEventRouterOptions(
  given: EventRouterOptions,
  failureText: string,
  middlewares: readonly EventMiddleware[],
): { readonly settings: RouterSettings; readonly queueConcurrency: number } {
  const options = OPTIONS.parse(given);
  const settings = toSettings(options, options.observability ?? {}, {
    streamIdentifier: streamIdentifierOf(options.streamFailureIdentifier, options.environment ?? process.env),
    maskErrors: options.maskErrors,
    failureText,
    middlewares,
  });
  return { settings, queueConcurrency: options.queueConcurrency };
}

/**
 * The identifier of failed stream records: the option, else the variable, else by the environment. AWS accepts only the sequence
 * number (https://docs.aws.amazon.com/lambda/latest/dg/services-ddb-batchfailurereporting.html). A wrong variable is rejected
 * even if an option overrides it.
 */
function streamIdentifierOf(option: StreamFailureIdentifier | undefined, environment: Environment): StreamIdentifier {
  const variable = environment[STREAM_FAILURE_IDENTIFIER_ENV] || undefined;
  if (variable !== undefined && variable !== 'auto' && variable !== 'eventID' && variable !== 'sequenceNumber') {
    throw refused(`${STREAM_FAILURE_IDENTIFIER_ENV} must be ${IDENTIFIER.wanted}`);
  }
  const chosen = option ?? variable ?? 'auto';
  if (chosen !== 'auto') return chosen;
  const onLambda = environment.AWS_LAMBDA_FUNCTION_NAME && environment.AWS_LAMBDA_RUNTIME_API;
  return onLambda ? 'sequenceNumber' : 'eventID';
}
