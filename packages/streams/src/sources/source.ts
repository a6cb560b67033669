import type { TriggerKind } from '@sallyport/core';
import { type EventFacts, encodeSafeValue, trimmedText } from '@sallyport/core/pipeline';

/** Kinds that are answered with a batch report. */
export type BatchKind = 'queue' | 'table-stream' | 'stream';

/** Kinds whose events are lists of records; each record names the ARN of its source. */
export type RecordKind = BatchKind | 'topic';

/** Where a record or event came from. */
export interface EventSource {
  /** Last part of the ARN that names the queue, table, stream or topic; of an event its `source`. `''` when unknown. */
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

/** What the options of a registration come to. */
export interface RunRules {
  /** How many of its records may run at once. */
  readonly concurrency: number;
  /** True if a failure ends the batch. */
  readonly stops: boolean;
  /** True if a batch without a completed record fails the invocation. */
  readonly failsWhole?: boolean;
}

/** One kind of source, with everything that the router decides by the kind. */
export interface SourceDefinition {
  readonly kind: TriggerKind;
  /** What error messages call the source that a handler is registered for. */
  readonly noun: string;
  /** What error messages call one event; the kind when left out. */
  readonly eventNoun?: string;
  /** What an invocation is answered with, as `explain` says it. */
  readonly answer: string;
  /** The longest time that the service waits for an answer, in milliseconds; it may be shorter than the function's own. */
  readonly maxMs?: number;
  /**
   * The natural key of a record: equal for every delivery of the same event, and different for different events of one source.
   * Required, so that every new kind states its key, or states with a reason that it has none.
   */
  readonly key: ((record: LooseRecord, awsRequestId: unknown) => string | undefined) | undefined;
  /** The id that the service gave a record; `''` without one. */
  recordId(record: LooseRecord): string;
  /** The trace that a record says it belongs to; `''` without one. */
  traceId?(record: LooseRecord): string;
  /** What only records of this kind say to metrics, spans and log records. */
  facts?(record: LooseRecord, awsRequestId: unknown): Partial<EventFacts>;
  /** The identifier by which the service knows a failed record of a batch. A kind without it answers results instead. */
  failureIdentifier?(record: LooseRecord, identifier: StreamIdentifier): unknown;
  /** The group whose later records wait for this one; `undefined` where records do not wait for each other. */
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
  /** The ARN that a record says it comes from; `undefined` when its tag is another kind's. */
  arnOf(record: LooseRecord | null): unknown;
  /**
   * Checks the options of a registration.
   *
   * @param place the physical name or ARN of the source
   * @param concurrency of queues whose registration does not say
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

/** The key of a record that its service identifies by one string; `undefined` for a blank one. */
export function keyText(id: unknown): string | undefined {
  return trimmedText(id) || undefined;
}

/** Text as it is, anything else `''`. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

export function isObject(value: unknown): value is LooseRecord {
  return typeof value === 'object' && value !== null;
}

/** The list of records of an event, if it has one. */
export function readRecords(event: unknown): readonly LooseRecord[] | undefined {
  const records = (event as { readonly Records?: unknown } | null | undefined)?.Records;
  return Array.isArray(records) ? records : undefined;
}

/** The parts of a record's ARN, its tail cut off; `undefined` when service or resource do not fit. */
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
