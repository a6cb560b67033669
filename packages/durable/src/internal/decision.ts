import { isObject } from '@sallyport/core/internal';

/** Member names of dates in a decision of `@sallyport/ratelimit`: JSON has no dates. */
const DATE = /At$/;

/** A recorded decision, with its dates. */
export function withDates<T>(value: T): T {
  if (Array.isArray(value)) return value.map(withDates) as T;
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([name, member]) => [
    name,
    DATE.test(name) && typeof member === 'string' ? new Date(member) : withDates(member),
  ]);
  return Object.fromEntries(entries) as T;
}
