import { isObject } from '@sallyport/core/internal';
import type { TopicEvent } from '@sallyport/testkit/events';
import type { FleetFunction } from '../config/config.js';
import { topicFilter } from '../services/sns/topic-filter.js';
import { deliveredFilter } from '../sources/record-filter.js';
import type { Place } from './fleet-route.js';

/** The records of an event that match the filters of one function. */
export interface FilteredEvent {
  readonly event: unknown;
  /** Indexes of its records in the whole event; `undefined` if the event has no records, or all of them are left. */
  readonly kept: readonly number[] | undefined;
}

type Filter = (event: unknown) => FilteredEvent | undefined;

const WHOLE: Filter = (event) => ({ event, kept: undefined });

/**
 * Applies the filters of each function to the events of its sources, as each event source mapping and each subscription does on AWS.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/invocation-eventfiltering.html
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-message-filtering.html
 */
export class FleetFilters {
  readonly #filters = new Map<string, Filter>();

  /** @throws FrameworkError `local.usage` for a pattern that AWS rejects */
  constructor(functions: readonly FleetFunction[]) {
    for (const { name, deployed } of functions) {
      for (const { kind, name: source = 'default', settings } of deployed.sources) {
        const filter = filterOf(kind, source, settings);
        if (filter) this.#filters.set(`${name} ${kind} ${source}`, filter);
      }
    }
  }

  /** The event that a function receives from a place; `undefined` if its filters match no record. */
  apply({ name }: FleetFunction, event: unknown, { kind, target }: Place): FilteredEvent | undefined {
    return (this.#filters.get(`${name} ${kind} ${target}`) ?? WHOLE)(event);
  }
}

function filterOf(kind: string, name: string, settings: Readonly<Record<string, unknown>>): Filter | undefined {
  if (kind === 'topic' && settings.filterPolicy !== undefined) {
    const takes = topicFilter(name, settings);
    return (event) => (takes(event as TopicEvent) ? WHOLE(event) : undefined);
  }
  const takes = deliveredFilter(kind, name, settings.filters);
  if (!takes) return undefined;
  return (event) => {
    const records: readonly unknown[] = isObject(event) && Array.isArray(event.Records) ? event.Records : [];
    const kept = records.flatMap((record, index) => (takes(record) ? [index] : []));
    if (kept.length === 0) return undefined;
    if (kept.length === records.length) return WHOLE(event);
    return { event: { ...(event as object), Records: kept.map((index) => records[index]) }, kept };
  };
}
