import { FrameworkError } from '@sallyport/core';
import { EVENT_SOURCES_ENV } from '../../schema.js';
import { detailTypeOf } from '../../sources/event-bus.js';
import { type LooseRecord, textOf } from '../../sources/internal/loose-record.js';

const MAX_NAME = 256;
const MAX_NAMES = 20;

/**
 * The error of a record or event that no handler is registered for.
 *
 * @param why goes into the cause, which only logs show: what came, and what is registered
 */
export function noHandler(kind: string, why: string): FrameworkError {
  const what = kind === 'event-bus' ? 'event-bus event' : kind;
  return new FrameworkError('streams.no_handler', `framework: no handler for ${what}`, { cause: new Error(why) });
}

/** Why a record has no handler. Handlers are often registered under a name that is not the deployed one. */
export function whyNoRecordHandler(record: LooseRecord | null, names: readonly string[]): string {
  const arn = textOf(record?.eventSourceARN) || textOf(record?.Sns?.TopicArn);
  const hint = names.length > 0 ? `; ${EVENT_SOURCES_ENV} maps their names to deployed ones` : '';
  return `the record comes from ${quoted(arn)}; ${registered(names)}${hint}`;
}

/** Why an event-bus event has no handler. */
export function whyNoEventHandler(event: LooseRecord, selectors: readonly string[]): string {
  const source = quoted(textOf(event.source));
  return `the event has source ${source} and detail type ${quoted(detailTypeOf(event))}; ${registered(selectors)}`;
}

function registered(names: readonly string[]): string {
  if (names.length === 0) return 'no handler of this kind is registered';
  return `handlers are registered for ${names.slice(0, MAX_NAMES).join(', ')}${names.length > MAX_NAMES ? ', …' : ''}`;
}

function quoted(name: string): string {
  return JSON.stringify(name.slice(0, MAX_NAME));
}
