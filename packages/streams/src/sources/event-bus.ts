import { firstTraceId, membersOf, objectPart, scheduledRun, stringOf, trimmedText } from '@sallyport/core/internal';
import { defineOptions, type OptionKind, parsed } from '@sallyport/core/options';
import { refused } from '../errors.js';
import { type EventSource, keyText, type LooseRecord, type SourceDefinition } from './source.js';

/**
 * An EventBridge event, a schedule's event, or an envelope of the same form:
 * https://docs.aws.amazon.com/eventbridge/latest/ref/overiew-event-structure.html.
 */
export interface EventBusEvent<DetailType extends string = string, Detail = unknown> {
  /** The event's id in EventBridge. */
  readonly id: string;
  /** Version of this shape, `0`. */
  readonly version: string;
  /** The account that sent the event, 12 digits. */
  readonly account: string;
  /** Time of the event, ISO 8601 in UTC with seconds. */
  readonly time: string;
  /** The region that it was sent in, as in `eu-central-1`. */
  readonly region: string;
  /** ARNs of the resources concerned; for a schedule's event the ARN of the rule or schedule. */
  readonly resources: string[];
  /** Sender of the event: `aws.ec2`, or a custom name. */
  readonly source: string;
  /** Kind of `detail`, together with `source`. */
  readonly 'detail-type': DetailType;
  /** The sender's data. It is not validated. */
  readonly detail: Detail;
  /** The name of the replay; absent unless the event came from an archive. */
  readonly 'replay-name'?: string;
  /** The spelling of envelopes that were not sent by EventBridge; absent in EventBridge events. */
  readonly detailType?: string;
  /** An addition of Sallyport's envelopes: `correlation_id` is read from it. Absent in EventBridge events. */
  readonly metadata?: unknown;
  /** An addition of Sallyport's envelopes: `x-correlation-id` is read from it. Absent in EventBridge events. */
  readonly headers?: unknown;
}

/** Selects the events of a handler. Every given field must equal the field of the event; at least one is required. */
export interface EventBusSelector {
  /** The event's `source`. */
  readonly source?: string;
  /** The event's `detail-type`, else its `detailType`. */
  readonly detailType?: string;
  /** Name or ARN of the rule, as found in `resources`, or a logical name that `FRAMEWORK_EVENT_SOURCES` maps to it under `rule`. */
  readonly ruleName?: string;
  /** Name or ARN of the schedule, as found in `resources`, or a logical name that `FRAMEWORK_EVENT_SOURCES` maps to it under `schedule`. */
  readonly scheduleName?: string;
}

const SCHEDULED = 'Scheduled Event';

/** A member of the trace context. */
const detailMember: NonNullable<SourceDefinition['carrier']> = (event, name) => stringOf(membersOf(event.detail)[name]);

export const EVENT_BUS: SourceDefinition = {
  kind: 'event-bus',
  noun: 'event-bus',
  eventNoun: 'event-bus event',
  answer: 'result or null',
  // A replay of an archive keeps the id, so its events have the keys of the first delivery; only `replay-name` differs.
  key: (event, awsRequestId) =>
    detailTypeOf(event).trim() === SCHEDULED
      ? keyText(scheduledRun({ id: event.id, detail: event.detail }, awsRequestId).idempotencyKey)
      : keyText(event.id),
  recordId: (event) => stringOf(event.id),
  // The bus has no attributes: a sender adds the trace context to the detail.
  traceId: (record) => firstTraceId(detailMember(record, 'traceparent'), ''),
  carrier: detailMember,
  sentMs: (event) => Date.parse(stringOf(event.time)),
  facts(event, awsRequestId) {
    const detailType = detailTypeOf(event);
    const correlationId = correlationOf(event, awsRequestId).id;
    return { detailType, correlationId, scheduled: detailType === SCHEDULED };
  },
};

const EMPTY = 'event-bus selector is empty';

const FIELD: OptionKind<string> = parsed('a string that is not blank', (value, name) => {
  if (typeof value !== 'string') throw refused(`option "${name}" of an event-bus selector must be a string`);
  if (value.trim() === '') throw refused(EMPTY);
  return value;
});

/** Validators and defaults for {@link EventBusSelector}. */
export const SELECTOR = defineOptions<EventBusSelector>()({
  source: FIELD,
  detailType: FIELD,
  ruleName: FIELD,
  scheduleName: FIELD,
});

/**
 * A frozen copy with its fields in one order.
 *
 * @throws FrameworkError for an unknown key, a field that is blank or not a string, or no field
 */
export function parseSelector(selector: EventBusSelector): EventBusSelector {
  if (typeof selector !== 'object')
    throw refused("event-bus selector must be an object, for example { source: 'billing' }");
  if (selector === null) throw refused(EMPTY);
  const fields = Object.entries(SELECTOR.parse(selector)).filter(([, value]) => value !== undefined);
  if (fields.length === 0) throw refused(EMPTY);
  return Object.freeze(Object.fromEntries(fields));
}

/** The selector as one line: its name in log records and error messages. */
export function selectorName(selector: EventBusSelector): string {
  return Object.entries(selector)
    .map(([field, value]) => `${field}=${value}`)
    .join(' ');
}

/** `detail-type` if it is a string, else `detailType`. */
export function detailTypeOf(event: LooseRecord): string {
  const native = event['detail-type'];
  return typeof native === 'string' ? native : stringOf(event.detailType);
}

/** The source of an event, which has no ARN. */
export function eventSourceOf(event: LooseRecord): EventSource {
  return { name: stringOf(event.source), arn: '', account: stringOf(event.account), region: stringOf(event.region) };
}

/** The name of a rule is the last segment; a custom or partner bus precedes it. */
const RULE = /^arn:[^:]+:events:[^:]*:[^:]*:rule\/(?:.+\/)?([^/]+)$/;
const SCHEDULE = /^arn:[^:]+:scheduler:[^:]*:[^:]*:schedule\/[^/]+\/([^/]+)$/;

export function matchesSelector(selector: EventBusSelector, event: LooseRecord): boolean {
  const { source, detailType, ruleName, scheduleName } = selector;
  return (
    (source === undefined || source === event.source) &&
    (detailType === undefined || detailType === detailTypeOf(event)) &&
    (ruleName === undefined || isNamed(event.resources, RULE, ruleName)) &&
    (scheduleName === undefined || isNamed(event.resources, SCHEDULE, scheduleName))
  );
}

function isNamed(resources: unknown, arn: RegExp, name: string): boolean {
  if (!Array.isArray(resources)) return false;
  return resources.some((resource) => {
    const match = arn.exec(stringOf(resource));
    return match !== null && (match[1] === name || match[0] === name);
  });
}

const MAX_ID = 256;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that an id must not contain.
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;

/** The correlation id of an event, and the field that it was read from. */
export interface Correlation {
  readonly id: string;
  readonly source: string;
}

/**
 * The correlation of an event: the first usable id of its metadata, headers, detail, its own id and the invocation's id. An id is
 * usable when it has 1 to 256 characters and no control character.
 */
export function correlationOf(event: LooseRecord, awsRequestId: unknown): Correlation {
  const headers = objectPart(event.headers);
  const candidates: (readonly [string, unknown])[] = [
    ['metadata.correlation_id', objectPart(event.metadata).correlation_id],
    ...Object.keys(headers)
      .filter((name) => name.toLowerCase() === 'x-correlation-id')
      .flatMap((name) => [headers[name]].flat())
      .map((value) => ['headers.x-correlation-id', value] as const),
    ['detail.correlation_id', objectPart(event.detail).correlation_id],
    ['event.id', event.id],
    ['lambda.aws_request_id', awsRequestId],
  ];
  for (const [source, value] of candidates) {
    const id = trimmedText(value);
    if (isUsable(id)) return { id, source };
  }
  return { id: '', source: '' };
}

/** Characters are counted only if the UTF-16 length is too long. */
function isUsable(id: string): boolean {
  return (
    id !== '' && !CONTROL.test(id) && (id.length <= MAX_ID || (id.length <= MAX_ID * 2 && [...id].length <= MAX_ID))
  );
}
