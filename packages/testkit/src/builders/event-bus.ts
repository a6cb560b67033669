import { FrameworkError } from '@sallyport/core';
import { defineOptions, INVALID_CONFIGURATION } from '@sallyport/core/options';
import { anyText, anything, date, filled, textList } from '../internal/kinds.js';
import { ACCOUNT, type Answered, EPOCH, REGION } from './shape.js';

/** Options of {@link buildEventBusEvent}. */
export interface EventBusOptions {
  /** Sender of the event. Default: `test.source`. */
  readonly source?: string;
  /** The kind of event. Default: `Test Event`. */
  readonly detailType?: string;
  /** The payload, copied. Default: `{}`. */
  readonly detail?: unknown;
  /** The event's id; may be blank. Default: `evt-1`. */
  readonly id?: string;
  /** ARNs of the resources concerned. Default: `[]`. */
  readonly resources?: readonly string[];
  /** A member `metadata` at the top of the event, which portable envelopes use and AWS does not send. Default: left out. */
  readonly metadata?: unknown;
  /** A member `headers` at the top of the event, which portable envelopes use and AWS does not send. Default: left out. */
  readonly headers?: unknown;
  /** Time of the event. Default: the epoch. */
  readonly time?: Date;
}

/** Options of {@link buildScheduledEvent}. */
export interface ScheduledOptions {
  /** Name of the rule that fired. Default: `test-rule`, unless `schedule` is given. */
  readonly rule?: string;
  /** Name of the schedule that fired, in the group `default`. Default: none. Not together with `rule`. */
  readonly schedule?: string;
  /** The payload. Default: `{}` for a rule; the string `{}` for a schedule, as EventBridge Scheduler sends it. */
  readonly detail?: unknown;
  /** The event's id; may be blank. Default: `evt-1`. */
  readonly id?: string;
  /** A member `metadata` at the top of the event. Default: left out. */
  readonly metadata?: unknown;
  /** A member `headers` at the top of the event. Default: left out. */
  readonly headers?: unknown;
  /** Time at which it fired. Default: the epoch. */
  readonly time?: Date;
}

/**
 * An event of an event bus.
 *
 * @see https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-events.html
 */
export interface EventBusEvent extends Answered<unknown> {
  /** Version of the envelope, `0`. */
  readonly version: string;
  /** The event's id. */
  readonly id: string;
  /** The kind of event. */
  readonly 'detail-type': string;
  /** Sender of the event. */
  readonly source: string;
  /** Account number, 12 digits. */
  readonly account: string;
  /** Time of the event: ISO 8601, without milliseconds if they are 0. */
  readonly time: string;
  /** The region, `us-east-1`. */
  readonly region: string;
  /** ARNs of the resources concerned. */
  readonly resources: string[];
  /** The payload. */
  readonly detail: unknown;
  /** Of portable envelopes; absent unless it was given. */
  readonly metadata?: unknown;
  /** Of portable envelopes; absent unless it was given. */
  readonly headers?: unknown;
}

const SHARED = { id: anyText.default('evt-1'), metadata: anything, headers: anything, time: date.default(EPOCH) };

const OPTIONS = defineOptions<EventBusOptions>()({
  ...SHARED,
  source: anyText.default('test.source'),
  detailType: anyText.default('Test Event'),
  detail: anything.default({}),
  resources: textList.default([]),
});

const SCHEDULED = defineOptions<ScheduledOptions>()({ ...SHARED, rule: filled, schedule: filled, detail: anything });

/**
 * Builds an event of an event bus.
 *
 * @throws FrameworkError `app.invalid_configuration` for an unknown option or a wrong type
 */
export function buildEventBusEvent(options: EventBusOptions = {}): EventBusEvent {
  const { id, detailType, source, time, resources, detail, metadata, headers } = OPTIONS.parse(options);
  return {
    version: '0',
    id,
    'detail-type': detailType,
    source,
    account: ACCOUNT,
    time: time.toISOString().replace('.000Z', 'Z'),
    region: REGION,
    resources: [...resources],
    detail: structuredClone(detail),
    ...(metadata !== undefined && { metadata: structuredClone(metadata) }),
    ...(headers !== undefined && { headers: structuredClone(headers) }),
  };
}

/**
 * Builds the event of a rule or a schedule that fired.
 *
 * @throws FrameworkError `app.invalid_configuration` for an unknown option, a wrong type, or both a rule and a schedule
 */
export function buildScheduledEvent(options: ScheduledOptions = {}): EventBusEvent {
  const { rule, schedule, detail, ...rest } = SCHEDULED.parse(options);
  if (rule !== undefined && schedule !== undefined) {
    throw new FrameworkError(
      INVALID_CONFIGURATION,
      'framework: options "rule" and "schedule" exclude each other: pass one of them',
    );
  }
  const detailOr = (fallback: unknown) => (detail === undefined ? fallback : detail);
  const arn = (service: string, resource: string) => `arn:aws:${service}:${REGION}:${ACCOUNT}:${resource}`;
  const origin =
    schedule === undefined
      ? { source: 'aws.events', resources: [arn('events', `rule/${rule ?? 'test-rule'}`)], detail: detailOr({}) }
      : {
          source: 'aws.scheduler',
          resources: [arn('scheduler', `schedule/default/${schedule}`)],
          detail: detailOr('{}'),
        };
  return buildEventBusEvent({ ...rest, ...origin, detailType: 'Scheduled Event' });
}
