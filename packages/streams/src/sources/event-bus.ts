import { assertKnownOptions } from '@sallyport/core';
import { refused } from '../errors.js';
import { type LooseRecord, textOf } from './internal/loose-record.js';

/** What an event-bus handler wants: every given field must equal the event's. */
export interface EventBusSelector {
  readonly source?: string;
  /** `detail-type`, else `detailType`. */
  readonly detailType?: string;
  /** Name or ARN of the rule, as found in `resources`. */
  readonly ruleName?: string;
  /** Name or ARN of the schedule, as found in `resources`. */
  readonly scheduleName?: string;
}

const FIELDS = ['source', 'detailType', 'ruleName', 'scheduleName'] as const;

/** The rule's own name is the last segment; a custom or partner bus stands before it. */
const RULE = /^arn:[^:]+:events:[^:]*:[^:]*:rule\/(?:.+\/)?([^/]+)$/;
const SCHEDULE = /^arn:[^:]+:scheduler:[^:]*:[^:]*:schedule\/[^/]+\/([^/]+)$/;

/**
 * A frozen copy with its fields in one order.
 *
 * @throws FrameworkError for an unknown key, a field that is no text, or no field at all
 */
export function parseSelector(selector: EventBusSelector): EventBusSelector {
  if (typeof selector !== 'object' || selector === null) throw refused('event-bus selector is empty');
  assertKnownOptions(selector, FIELDS);
  const copy: { -readonly [K in keyof EventBusSelector]: string } = {};
  let given = 0;
  for (const field of FIELDS) {
    const value: unknown = selector[field];
    if (value === undefined) continue;
    if (textOf(value).trim() === '') throw refused('event-bus selector is empty');
    copy[field] = textOf(value);
    given += 1;
  }
  if (given === 0) throw refused('event-bus selector is empty');
  return Object.freeze(copy);
}

/** The selector as one line: its name in records and error texts. */
export function selectorName(selector: EventBusSelector): string {
  return Object.entries(selector)
    .map(([field, value]) => `${field}=${value}`)
    .join(' ');
}

/** `detail-type` where it is text, else `detailType`. */
export function detailTypeOf(event: LooseRecord): string {
  const native = event['detail-type'];
  return typeof native === 'string' ? native : textOf(event.detailType);
}

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
    const match = arn.exec(textOf(resource));
    return match !== null && (match[1] === name || match[0] === name);
  });
}
