import { computed, effect, signal } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { InvocationRow } from '../../src/internal/console/api.js';
import { call } from '../api.js';
import { useKeys } from '../keys.js';
import { Empty, Mark } from '../parts/small.js';
import { clockTime, duration, matches, toneOf, wordsOf } from '../parts/view.js';
import { go, selected } from '../route.js';
import { calm, newest } from '../store.js';
import { Detail } from './detail.js';

/** As `.row[role="option"]` in main.css. */
const ROW_PX = 28;
/** Number of rows that exist above and below the visible rows. */
const OVERSCAN = 12;
const FOLLOW_MS = 1000;

const filter = signal('');
/** Ids whose whole record contains all words of the filter. */
const found = signal<ReadonlySet<number>>(new Set());
const shown = computed(() =>
  filter.value === ''
    ? newest.value
    : newest.value.filter((row) => matches(row, filter.value, found.value.has(row.id))),
);
/** The newest row, at most once a second: a detail that changes with each event cannot be read. */
const followed = signal<number | undefined>(undefined);
const follow = calm(() => {
  followed.value = shown.value[0]?.id;
}, FOLLOW_MS);
/**
 * The current row: the chosen row, else the followed one. `undefined` until a chosen row arrives, so that no action runs for another row.
 */
const current = computed(() => {
  const id = Number(selected.value);
  if (id > (newest.value[0]?.id ?? 0)) return undefined;
  return (
    newest.value.find((row) => row.id === id) ?? shown.value.find(({ id }) => id === followed.value) ?? shown.value[0]
  );
});

/** Finds the words of the filter in the records of the host. */
async function search(): Promise<void> {
  const { included } = wordsOf(filter.value);
  const ids = included.length === 0 ? [] : await call('GET /api/search', { query: { words: included.join(' ') } });
  found.value = new Set(ids);
}
const searchCalmly = calm(() => void search().catch(() => {}), 200);
effect(() => {
  if (newest.value.length > 0) follow();
  if (filter.value !== '') searchCalmly();
  else found.value = new Set();
});

/** The list of invocations and one of them in detail. */
export function InvocationsView() {
  const field = useRef<HTMLInputElement>(null);
  const step = (by: number) => {
    const index = shown.value.findIndex(({ id }) => id === current.value?.id);
    const next = shown.value[Math.min(shown.value.length - 1, Math.max(0, index + by))];
    if (next) go('invocations', String(next.id));
  };
  useKeys([
    { key: 'j', does: 'Next invocation', run: () => step(1) },
    { key: 'k', does: 'Previous invocation', run: () => step(-1) },
    { key: '/', does: 'Filter', run: () => field.current?.focus() },
  ]);
  return (
    <div class="split">
      <section class="list" aria-label="Invocations">
        <div class="bar">
          <label>
            Filter{' '}
            <input
              ref={field}
              type="search"
              value={filter.value}
              placeholder="queue !ok"
              aria-keyshortcuts="/"
              onInput={({ currentTarget }) => {
                filter.value = currentTarget.value;
              }}
            />
          </label>
          <span class="quiet">
            {shown.value.length} of {newest.value.length}
          </span>
        </div>
        <Rows onStep={step} />
      </section>
      {current.value ? (
        <Detail key={current.value.id} row={current.value} />
      ) : (
        <section class="detail" aria-label="Invocation">
          <Empty>Nothing is selected.</Empty>
        </section>
      )}
    </div>
  );
}

function Rows({ onStep }: { readonly onStep: (by: number) => void }) {
  const list = useRef<HTMLDivElement>(null);
  const active = current.value?.id;
  const [top, setTop] = useState(0);
  const index = shown.value.findIndex(({ id }) => id === active);
  useEffect(() => {
    const box = list.current;
    // The list shows a chosen row. It does not move for the followed row, which changes while the reader scrolls.
    if (!box || index < 0 || selected.value === '') return;
    const [above, below] = [index * ROW_PX, (index + 1) * ROW_PX - box.clientHeight];
    if (box.scrollTop > above) box.scrollTop = above;
    else if (box.scrollTop < below) box.scrollTop = below;
  }, [active]);
  const visible = Math.ceil(Math.min(list.current?.clientHeight ?? window.innerHeight, window.innerHeight) / ROW_PX);
  const first = Math.max(0, Math.floor(top / ROW_PX) - OVERSCAN);
  const end = Math.min(shown.value.length, Math.floor(top / ROW_PX) + visible + OVERSCAN);
  const isThere = index >= first && index < end;
  if (shown.value.length === 0)
    return (
      <Empty>
        {newest.value.length === 0
          ? 'No invocation yet. Press s to send an event, or call a door.'
          : 'No invocation matches the filter.'}
      </Empty>
    );
  const move = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step === 0) return;
    event.preventDefault();
    onStep(step);
  };
  return (
    <>
      <div class="row head" aria-hidden="true">
        <span>time</span>
        <span>trigger</span>
        <span>target</span>
        <span>as</span>
        <span>result</span>
        <span>took</span>
      </div>
      <div
        ref={list}
        role="listbox"
        aria-label="Invocations"
        tabIndex={0}
        aria-activedescendant={active !== undefined && isThere ? `invocation-${active}` : undefined}
        onKeyDown={move}
        onScroll={({ currentTarget }) => setTop(currentTarget.scrollTop)}
      >
        {/* The padding of the scrolling element itself would make it as high as the whole list. */}
        <div
          role="presentation"
          style={{
            paddingTop: `${first * ROW_PX}px`,
            paddingBottom: `${Math.max(0, shown.value.length - end) * ROW_PX}px`,
          }}
        >
          {shown.value.slice(first, end).map((row, place) => (
            <Row
              key={row.id}
              row={row}
              isActive={row.id === active}
              place={first + place + 1}
              count={shown.value.length}
            />
          ))}
        </div>
      </div>
    </>
  );
}

function Row({
  row,
  isActive,
  place,
  count,
}: {
  readonly row: InvocationRow;
  readonly isActive: boolean;
  readonly place: number;
  readonly count: number;
}) {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the list moves the selection by key
    // biome-ignore lint/a11y/useFocusableInteractive: the list has the focus and names its active option
    <div
      id={`invocation-${row.id}`}
      class="row"
      role="option"
      aria-selected={isActive}
      aria-posinset={place}
      aria-setsize={count}
      onClick={() => go('invocations', String(row.id))}
    >
      <span class="time">{clockTime(row.startedAt)}</span>
      <span>{row.kind ?? row.origin.kind}</span>
      <span class="target" title={row.origin.target}>
        {row.causedBy !== null && <span class="quiet">↳ </span>}
        {row.origin.target}
      </span>
      <span>{row.origin.as ?? ''}</span>
      <span>
        <Mark tone={toneOf(row)}>{row.summary || row.status}</Mark>
      </span>
      <span class="number">{duration(row.ms)}</span>
    </div>
  );
}
