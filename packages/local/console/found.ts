import { computed, effect, signal } from '@preact/signals';
import { call } from './api.js';
import { allIds, foundIds, type IdList } from './parts/id-list.js';
import { matches } from './parts/view.js';
import { count, newest, position } from './rows.js';
import { calm } from './store.js';

const SEARCH_MS = 200;
const SEARCH_AGAIN_MS = 1000;
/** Later searches look again at so many invocations before the last one: they may have changed since. */
const AGAIN = 300;

export const filter = signal('');

interface Found {
  readonly filter: string;
  /** The newest first. */
  readonly ids: readonly number[];
  /** The search has seen all invocations up to this number. */
  readonly last: number;
}

const found = signal<Found | undefined>(undefined);

/** The invocations that match the filter; until the host has answered, those of the newest rows. */
export const shown = computed((): IdList => {
  const wanted = filter.value;
  if (wanted === '') return allIds(position.value.oldest, position.value.last);
  const result = found.value?.filter === wanted ? found.value : undefined;
  const seen = result?.last ?? 0;
  const newer = newest.value.filter((row) => row.id > seen && matches(row, wanted)).map(({ id }) => id);
  // The result of the host can include invocations that are newer than the last row of the page.
  return foundIds([...new Set([...newer, ...(result?.ids ?? [])])]);
});

/** Reads all invocations that match from the host, then only the newer ones. */
async function search(): Promise<void> {
  const wanted = filter.value;
  const { last, oldest } = position.value;
  const before = found.value?.filter === wanted ? found.value : undefined;
  if (wanted === '' || before?.last === last) return;
  const from = before ? Math.max(oldest, before.last - AGAIN) : 0;
  const ids = await call('GET /api/search', { query: { filter: wanted, from: String(from) } });
  const older = before ? before.ids.filter((id) => id < from && id >= oldest) : [];
  if (filter.value === wanted) found.value = { filter: wanted, ids: [...ids, ...older], last };
}

const searchSoon = calm(() => void search().catch(() => {}), SEARCH_MS);
const searchAgain = calm(() => void search().catch(() => {}), SEARCH_AGAIN_MS);

effect(() => {
  if (filter.value === '') found.value = undefined;
  else searchSoon();
});
effect(() => {
  if (filter.value !== '' && count.value > 0 && position.value.last > 0) searchAgain();
});
