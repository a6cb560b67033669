import { FrameworkError, INVALID_CONFIGURATION } from '@sallyport/core';
import { anything, type Checks, checkOptions, date, nonBlank, text, textList } from '../internal/check.js';
import { ACCOUNT, type Answered, EPOCH, REGION } from './shape.js';

export interface EventBusOptions {
  /** `test.source` unless given. */
  readonly source?: string;
  /** `Test Event` unless given. */
  readonly detailType?: string;
  /** `{}` unless given. */
  readonly detail?: unknown;
  /** `evt-1` unless given; may be blank. */
  readonly id?: string;
  readonly resources?: readonly string[];
  /** Portable envelope conventions, not native fields; left out unless given. */
  readonly metadata?: unknown;
  readonly headers?: unknown;
  readonly time?: Date;
}

export interface ScheduledOptions {
  /** A rule's name; `test-rule` unless it or `schedule` is given. */
  readonly rule?: string;
  /** A schedule's name, in the group `default`. */
  readonly schedule?: string;
  /** `{}` of a rule; the text `{}` of a schedule, as it sends it. */
  readonly detail?: unknown;
  readonly id?: string;
  readonly metadata?: unknown;
  readonly headers?: unknown;
  readonly time?: Date;
}

export interface EventBusEvent extends Answered<unknown> {
  readonly version: string;
  readonly id: string;
  readonly 'detail-type': string;
  readonly source: string;
  readonly account: string;
  readonly time: string;
  readonly region: string;
  readonly resources: string[];
  readonly detail: unknown;
  readonly metadata?: unknown;
  readonly headers?: unknown;
}

const SHARED_CHECKS = { detail: anything, id: text, metadata: anything, headers: anything, time: date };
const CHECKS: Checks<EventBusOptions> = { ...SHARED_CHECKS, source: text, detailType: text, resources: textList };
const SCHEDULED_CHECKS: Checks<ScheduledOptions> = { ...SHARED_CHECKS, rule: nonBlank, schedule: nonBlank };

/**
 * An event-bus event.
 *
 * @throws FrameworkError for an unknown option or a wrong type
 */
export function buildEventBusEvent(options: EventBusOptions = {}): EventBusEvent {
  checkOptions(options, CHECKS);
  const { metadata, headers, time = EPOCH } = options;
  return {
    version: '0',
    id: options.id ?? 'evt-1',
    'detail-type': options.detailType ?? 'Test Event',
    source: options.source ?? 'test.source',
    account: ACCOUNT,
    time: time.toISOString().replace('.000Z', 'Z'),
    region: REGION,
    resources: [...(options.resources ?? [])],
    detail: options.detail === undefined ? {} : structuredClone(options.detail),
    ...(metadata !== undefined && { metadata: structuredClone(metadata) }),
    ...(headers !== undefined && { headers: structuredClone(headers) }),
  };
}

/**
 * The event of a rule or a schedule that fired.
 *
 * @throws FrameworkError for an unknown option, a wrong type, or both a rule and a schedule
 */
export function buildScheduledEvent(options: ScheduledOptions = {}): EventBusEvent {
  checkOptions(options, SCHEDULED_CHECKS);
  const { rule, schedule, ...rest } = options;
  if (rule !== undefined && schedule !== undefined) {
    throw new FrameworkError(INVALID_CONFIGURATION, 'framework: option "rule" contradicts option "schedule"');
  }
  const origin =
    schedule === undefined
      ? { source: 'aws.events', resources: [arn('events', `rule/${rule ?? 'test-rule'}`)] }
      : { source: 'aws.scheduler', resources: [arn('scheduler', `schedule/default/${schedule}`)], detail: '{}' };
  return buildEventBusEvent({ detailType: 'Scheduled Event', ...origin, ...defined(rest) });
}

function defined<T extends object>(options: T): T {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as T;
}

function arn(service: string, resource: string): string {
  return `arn:aws:${service}:${REGION}:${ACCOUNT}:${resource}`;
}
