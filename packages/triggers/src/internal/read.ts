import { isObject, type Members, stringOf } from '@sallyport/core/internal';
import type { EventSource } from '@sallyport/streams/delivery';
import { invalidEvent } from '../errors.js';

const MAX_RECORDS = 10_000;

/**
 * The members of each entry of a list.
 *
 * @throws FrameworkError `triggers.invalid_event` for a value that is not a list, more than 10,000 entries, or an entry that is not an object
 */
export function recordsOf(kind: string, place: string, list: unknown): readonly Members[] {
  if (!Array.isArray(list)) throw invalidEvent(kind, `${place} must be a list`);
  if (list.length > MAX_RECORDS) throw invalidEvent(kind, `${place} has more than ${MAX_RECORDS} entries`);
  return list.map((entry, index) => {
    if (!isObject(entry)) throw invalidEvent(kind, `${place}[${index}] must be an object`);
    return entry;
  });
}

/** Reads a required string. @throws FrameworkError `triggers.invalid_event` for a value that is not a string with a visible character */
export function requiredText(kind: string, place: string, value: unknown): string {
  const text = stringOf(value);
  if (text.trim() === '') throw invalidEvent(kind, `${place} must be text`);
  return text;
}

/** Source of an event, by an ARN: `arn:partition:service:region:account:resource`. */
export function sourceOf(name: string, arn: unknown): EventSource {
  const text = stringOf(arn);
  const [, , , region = '', account = ''] = text.split(':', 5);
  return { name, arn: text, account, region };
}
