import type { TriggerKind } from '@sallyport/core';
import { type EventFacts, encodeSafeValue, trimmedText } from '@sallyport/core/internal';

/** Kinds that are answered with a batch report. */
export type BatchKind = 'queue' | 'table-stream' | 'stream';

/** Kinds whose events are lists of records; each record names the ARN of its source. */
export type RecordKind = BatchKind | 'topic';

/** Source of a record or event. */
export interface EventSource {
  /** Last part of the ARN that names the queue, table, stream or topic; for an event its `source`. `''` when unknown. */
  readonly name: string;
  /** The ARN of the queue, table, stream (without consumer) or topic; `''` when unknown, and for events of an event bus. */
  readonly arn: string;
  /** The AWS account, 12 digits; `''` when unknown. */
  readonly account: string;
  /** The AWS region, as in `eu-central-1`; `''` when unknown. */
  readonly region: string;
}

/** The member that reports a failed stream record; see the option `streamFailureIdentifier`. */
export type StreamIdentifier = 'eventID' | 'sequenceNumber';

/** Rules that follow from the options of a registration. */
export interface RunRules {
  /** Limit of concurrent records. */
  readonly concurrency: number;
  /** The limit that the registration states; absent if it is a default. */
  readonly asked?: number | undefined;
  /** True if a failure stops the batch. */
  readonly stops: boolean;
  /** True if a batch without a completed record fails the invocation. */
  readonly failsWhole?: boolean;
}

/** One kind of source, with all kind-specific behaviour of the router. */
export interface SourceDefinition {
  readonly kind: TriggerKind;
  /** Name of the source in error messages. */
  readonly noun: string;
  /** Name of one event in error messages; default: the kind. */
  readonly eventNoun?: string;
  /** Description of the answer, for `explain`. */
  readonly answer: string;
  /** The longest time that the service waits for an answer, in milliseconds; it may be shorter than the function's own. */
  readonly maxMs?: number | undefined;
  /**
   * The natural key of a record: equal for every delivery of the same event, and different for different events of one source.
   * Required: a kind without natural keys sets `undefined`, with the reason in a comment.
   */
  readonly key: ((record: LooseRecord, awsRequestId: unknown) => string | undefined) | undefined;
  /** The id from the service; `''` if absent. */
  recordId(record: LooseRecord): string;
  /** The trace that a record belongs to; `''` if absent. */
  traceId?(record: LooseRecord): string;
  /** A member of the trace context of a record: `traceparent`, `tracestate`, `x-amzn-trace-id`; `''` if absent. */
  carrier?(record: LooseRecord, name: string): string;
  /** Facts for metrics, spans and log records that only records of this kind have. */
  facts?(record: LooseRecord, awsRequestId: unknown): Partial<EventFacts>;
  /** The time at which a record was sent, in epoch milliseconds; NaN if unknown. */
  readonly sentMs?: ((record: LooseRecord) => number) | undefined;
  /** True if the records of an invocation are observed as a batch, although the kind has no `failureIdentifier`. */
  readonly isBatch?: boolean | undefined;
  /** The identifier of a failed record in a batch report. A kind without it answers results instead. */
  failureIdentifier?(record: LooseRecord, identifier: StreamIdentifier): unknown;
  /** The group whose later records wait for this one; `undefined` if records do not wait for each other. */
  orderedGroup?(record: LooseRecord, source: EventSource): string | undefined;
  /** @throws FrameworkError for an event that cannot be answered correctly */
  assertSupported?(event: unknown): void;
}

/** A kind of source whose handlers are registered under a name or an ARN. */
export interface RecordSource extends SourceDefinition {
  readonly kind: RecordKind;
  /** The method that registers it, and its key in `FRAMEWORK_EVENT_SOURCES`. */
  readonly method: string;
  /** Groups: the ARN without its tail, region, account, name. */
  readonly arn: RegExp;
  /** The ARN of the source in a record; `undefined` if the record is of another kind. */
  arnOf(record: LooseRecord | null): unknown;
  /**
   * Checks the options of a registration.
   *
   * @param place the physical name or ARN of the source
   * @param concurrency of queues without the option `concurrency`
   * @throws FrameworkError for an option that is unknown, wrong, or does not fit the source
   */
  rules(options: object | undefined, place: string, concurrency: number): RunRules;
}

/** A record or event before it is checked: the members that the framework reads, each of any type. */
export interface LooseRecord {
  readonly [key: string]: unknown;
  readonly attributes?: Members;
  readonly messageAttributes?: Readonly<Record<string, Members>> | null;
  readonly kinesis?: Members;
  readonly dynamodb?: Members;
  readonly Sns?: (Members & { readonly MessageAttributes?: Readonly<Record<string, Members>> | null }) | null;
}

type Members = Readonly<Record<string, unknown>> | null | undefined;

/** The key of a record that its service identifies by one string; `undefined` for a blank string. */
export function keyText(id: unknown): string | undefined {
  return trimmedText(id) || undefined;
}

export function isLooseRecord(value: unknown): value is LooseRecord {
  return typeof value === 'object' && value !== null;
}

/** The list of records of an event; `undefined` if absent. */
export function readRecords(event: unknown): readonly LooseRecord[] | undefined {
  const records = (event as { readonly Records?: unknown } | null | undefined)?.Records;
  return Array.isArray(records) ? records : undefined;
}

/** The parts of a record's ARN, without its tail; `undefined` when service or resource do not fit. */
export function parseSourceArn(source: RecordSource, arn: string): EventSource | undefined {
  const match = source.arn.exec(arn);
  if (!match) return undefined;
  const [, whole = '', region = '', account = '', name = ''] = match;
  return { name, arn: whole, account, region };
}

/** One line of `name=value` pairs. No value can start another pair or another line. */
export function safeLog(fields: Readonly<Record<string, string | number | boolean>>): string {
  return Object.entries(fields)
    .map(([name, value]) => `${name}=${encodeSafeValue(String(value))}`)
    .join(' ');
}
