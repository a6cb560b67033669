import { systemClock } from '@sallyport/core';
import { isTransient, pause, randomFraction } from '@sallyport/core/internal';
import { type Item, type Lane, type Outcome, toRequests } from './lane.js';

/** Requests for one entry, with the first. */
const TRIES = 4;
const WAIT_MS = 50;
/** The reason of an entry that was not sent because an earlier entry of its group failed. */
export const GROUP_FAILED = 'an earlier entry of the group failed';

/**
 * Sends all items. An entry that a service can accept later is sent again, with full jitter, before the next request. After a failed
 * entry the following entries of its group are not sent, so that none overtakes it.
 *
 * @param report receives the outcome of each item, once
 */
export async function deliverItems<Entry>(
  items: readonly Item<Entry>[],
  lane: Lane<Entry>,
  signal: AbortSignal,
  report: (item: Item<Entry>, outcome: Outcome) => void,
): Promise<void> {
  /** Groups with a failed entry. */
  const lost = new Set<string>();
  for (const request of toRequests(items, lane)) {
    let waiting = request.filter((item) => {
      if (item.group === undefined || !lost.has(item.group)) return true;
      report(item, { reason: GROUP_FAILED, isPassing: false });
      return false;
    });
    for (let tries = 1; waiting.length > 0; tries += 1) {
      const outcomes = await submit(lane, waiting, signal);
      const again: Item<Entry>[] = [];
      for (const [place, item] of waiting.entries()) {
        const outcome = outcomes[place] ?? { reason: 'no answer for the entry', isPassing: true };
        if ('reason' in outcome && outcome.isPassing && tries < TRIES && !signal.aborted) {
          again.push(item);
          continue;
        }
        if ('reason' in outcome && item.group !== undefined) lost.add(item.group);
        report(item, outcome);
      }
      waiting = again;
      // After an abort the next request fails immediately, and the entries are reported.
      if (waiting.length > 0)
        await pause(systemClock, randomFraction() * WAIT_MS * 2 ** tries, signal).catch(() => undefined);
    }
  }
}

/** The outcomes of a request; a failed request is the outcome of all its entries. */
async function submit<Entry>(
  lane: Lane<Entry>,
  items: readonly Item<Entry>[],
  signal: AbortSignal,
): Promise<readonly Outcome[]> {
  try {
    signal.throwIfAborted();
    return await lane.submit(
      items.map(({ entry }) => entry),
      signal,
    );
  } catch (error) {
    const { name = 'Error' } = (error ?? {}) as { readonly name?: string };
    // The SDK has tried again. A request without an answer is not sent a third time: entries could be doubled.
    return items.map(() => ({ reason: signal.aborted ? 'aborted' : name, isPassing: isThrottled(error) }));
  }
}

/** True for a request that the service has not begun. */
function isThrottled(error: unknown): boolean {
  return isTransient(error) && /throttl|limit|exceeded/i.test(String((error as { readonly name?: unknown }).name));
}
