import { FrameworkError, isFrameworkError, type StandardSchema } from '@sallyport/core';
import { INVALID_CONFIGURATION } from '@sallyport/core/options';
import { streamsError } from '../../errors.js';
import { fitted } from '../../payload/internal/fit.js';
import type { SendFailure, SendReport, Sent } from '../report.js';
import { deliverItems, GROUP_FAILED } from './deliver-items.js';
import type { Item, Lane, Outcome } from './lane.js';

/** Options of {@link sendAll}. */
export interface SendAllOptions<Entry, O> {
  /** The target, for errors: `queue "orders"`. */
  readonly place: string;
  readonly values: readonly unknown[];
  readonly each: O | ((value: unknown, index: number) => O) | undefined;
  readonly schema: StandardSchema | undefined;
  readonly lane: Lane<Entry>;
  readonly timeoutMs: number;
  make(value: unknown, options: O): Entry;
  /** The group of an entry; entries of a group are sent in order. */
  groupOf(options: O): string | undefined;
}

/**
 * Makes the entries of all values, sends them, and reports each value once: accepted or failed.
 *
 * @throws FrameworkError `app.invalid_configuration`, before anything is sent
 */
export async function sendAll<Entry, O extends { readonly signal?: AbortSignal }>(
  options: SendAllOptions<Entry, O>,
): Promise<SendReport<never>> {
  const { place, values, each, lane, timeoutMs } = options;
  const ids: (string | undefined)[] = values.map(() => undefined);
  const failed = new Map<number, FrameworkError>();
  /** Groups with a value that cannot be sent. */
  const stopped = new Set<string>();
  const items: Item<Entry>[] = [];
  const limit = AbortSignal.timeout(timeoutMs);
  const signals = new Set<AbortSignal>([limit]);
  for (const [index, value] of values.entries()) {
    const given = (typeof each === 'function' ? each(value, index) : each) as O;
    if (given?.signal) signals.add(given.signal);
    const group = options.groupOf(given);
    try {
      if (group !== undefined && stopped.has(group)) throw sendFailed(place, GROUP_FAILED);
      if (options.schema) await fitted(options.schema, value);
      const entry = options.make(value, given);
      const bytes = lane.sizeOf(entry);
      if (bytes > lane.maxBytes)
        throw streamsError('streams.entry_too_large', `${place}: ${bytes} bytes, the limit is ${lane.maxBytes}`);
      items.push({ index, entry, group });
    } catch (error) {
      if (!isFrameworkError(error) || error.code === INVALID_CONFIGURATION) throw error;
      failed.set(index, error);
      if (group !== undefined) stopped.add(group);
    }
  }
  const report = ({ index }: Item<Entry>, outcome: Outcome) => {
    if ('id' in outcome) ids[index] = outcome.id;
    else failed.set(index, sendFailed(place, outcome.reason));
  };
  await deliverItems(items, lane, AbortSignal.any([...signals]), report);
  const failures = [...failed].sort(([a], [b]) => a - b);
  return {
    ids,
    failed: failures.map(([index, error]) => ({ index, value: values[index], error }) as SendFailure<never>),
  };
}

/** The id of the only entry. @throws FrameworkError its error */
export function onlyOf({ ids: [id = ''], failed: [failure] }: SendReport<unknown>): Sent {
  if (failure) throw failure.error;
  return { id };
}

function sendFailed(place: string, reason: string): FrameworkError {
  return new FrameworkError('streams.send_failed', `framework: ${place} did not accept the entry: ${reason}`, {
    details: { reason },
  });
}
