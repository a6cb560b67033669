import { membersOf } from '@sallyport/core/internal';
import type { Data } from '../../internal/kinds.js';
import type { Violation } from '../result.js';

/** Records a violation. */
export type Violate = (kind: Violation['kind'], record: string, text: string) => void;

/** Delays before Lambda's retries of a failed asynchronous invocation. */
export const RETRY_DELAYS_MS: readonly number[] = [60_000, 120_000];

/** The entries of a list; empty for any other value. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The answer's result for each record, by id. A missing, repeated or unknown id is a violation. */
export function resultsById(
  list: readonly unknown[],
  key: string,
  ids: readonly string[],
  violate: Violate,
): ReadonlyMap<string, Data> {
  const results = new Map<string, Data>();
  for (const entry of list.map(membersOf)) {
    const id = String(entry[key]);
    if (!ids.includes(id))
      violate(
        'unknown-identifier',
        ids[0] ?? '',
        `the answer has a result for ${key} ${JSON.stringify(id)}, which is not a record of the invocation`,
      );
    else if (results.has(id))
      violate('answered-twice', id, `the answer has two results for record ${id}: return one result for each record`);
    else results.set(id, entry);
  }
  for (const id of ids) {
    if (results.has(id)) continue;
    violate(
      'missing-record',
      id,
      `the answer has no result for record ${id}: return a result for each record, including failed records`,
    );
  }
  return results;
}
