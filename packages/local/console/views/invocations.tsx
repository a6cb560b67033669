import { computed, effect, signal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { InvocationRow } from '../../src/internal/console/api.js';
import { filter, shown } from '../found.js';
import { useKeys } from '../keys.js';
import { Empty, Mark } from '../parts/small.js';
import { clockTime, duration, toneOf } from '../parts/view.js';
import { go, selected } from '../route.js';
import { count, position, rowOf } from '../rows.js';
import { calm } from '../store.js';
import { Detail } from './detail.js';

/** As `.row[role="option"]` in main.css. */
const ROW_PX = 28;
/** Number of rows that exist above and below the visible rows. */
const OVERSCAN = 12;
const FOLLOW_MS = 1000;

/** The newest row, at most once a second: a detail that changes with each event cannot be read. */
const followed = signal<number | undefined>(undefined);
const follow = calm(() => {
  followed.value = shown.value.at(0);
}, FOLLOW_MS);
effect(() => {
  if (shown.value.length > 0) follow();
});

/** The number of the current row: the chosen row, else the followed one. */
const currentId = computed(() => {
  const id = Number(selected.value);
  const { oldest, last } = position.value;
  if (id >= oldest && id > 0) return id <= last ? id : undefined;
  const next = followed.value;
  return next !== undefined && shown.value.placeOf(next) >= 0 ? next : shown.value.at(0);
});

/**
 * The current row. `undefined` until a chosen row arrives, so that no action runs for another row.
 */
const current = computed(() => (currentId.value === undefined ? undefined : rowOf(currentId.value)));

function step(by: number): void {
  const { length } = shown.value;
  const place = shown.value.placeOf(currentId.value ?? 0);
  const next = shown.value.at(Math.min(length - 1, Math.max(0, place + by)));
  if (next !== undefined) go('invocations', String(next));
}

/** The list of invocations and one of them in detail. */
export function InvocationsView() {
  const field = useRef<HTMLInputElement>(null);
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
          <Counts />
        </div>
        <Rows />
      </section>
      <Current />
    </div>
  );
}

function Counts() {
  return (
    <span class="quiet">
      {shown.value.length} of {count.value}
    </span>
  );
}

function Current() {
  const row = current.value;
  if (row) return <Detail key={row.id} row={row} />;
  return (
    <section class="detail" aria-label="Invocation">
      <Empty>{row === null ? 'This invocation is no longer kept.' : 'Nothing is selected.'}</Empty>
    </section>
  );
}

function Rows() {
  if (shown.value.length === 0)
    return (
      <Empty>
        {count.value === 0
          ? 'No invocation yet. Press s to send an event, or call a door.'
          : 'No invocation matches the filter.'}
      </Empty>
    );
  return <List />;
}

/** A separate component: a list that was empty begins at its top. */
function List() {
  const list = useRef<HTMLDivElement>(null);
  const active = currentId.value;
  const ids = shown.value;
  const [top, setTop] = useState(0);
  const place = ids.placeOf(active ?? 0);
  const newestId = ids.at(0);
  const before = useRef(newestId);
  useEffect(() => {
    const box = list.current;
    // The list shows a chosen row. It does not move for the followed row, which changes while the reader scrolls.
    if (!box || place < 0 || selected.value === '') return;
    const [above, below] = [place * ROW_PX, (place + 1) * ROW_PX - box.clientHeight];
    if (box.scrollTop > above) box.scrollTop = above;
    else if (box.scrollTop < below) box.scrollTop = below;
  }, [active]);
  useLayoutEffect(() => {
    // New rows are inserted above: the visible rows keep their place.
    const moved = ids.placeOf(before.current ?? 0);
    if (list.current && list.current.scrollTop > 0 && moved > 0) list.current.scrollTop += moved * ROW_PX;
    before.current = newestId;
  }, [newestId]);
  const visible = Math.ceil(Math.min(list.current?.clientHeight ?? window.innerHeight, window.innerHeight) / ROW_PX);
  // The list can have become shorter than the place that a reader has scrolled to.
  const topPlace = Math.min(Math.floor(top / ROW_PX), Math.max(0, ids.length - visible));
  const first = Math.max(0, topPlace - OVERSCAN);
  const end = Math.min(ids.length, topPlace + visible + OVERSCAN);
  const isThere = place >= first && place < end;
  const move = (event: KeyboardEvent) => {
    const by = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (by === 0) return;
    event.preventDefault();
    step(by);
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
            paddingBottom: `${Math.max(0, ids.length - end) * ROW_PX}px`,
          }}
        >
          {Array.from({ length: Math.max(0, end - first) }, (_, at) => ids.at(first + at) ?? 0).map((id, at) => (
            <Row key={id} id={id} isActive={id === active} place={first + at + 1} count={ids.length} />
          ))}
        </div>
      </div>
    </>
  );
}

interface RowProps {
  readonly id: number;
  readonly isActive: boolean;
  readonly place: number;
  readonly count: number;
}

function Row({ id, isActive, place, count }: RowProps) {
  const row = rowOf(id);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the list moves the selection by key
    // biome-ignore lint/a11y/useFocusableInteractive: the list has the focus and names its active option
    <div
      id={`invocation-${id}`}
      class="row"
      role="option"
      aria-selected={isActive}
      aria-posinset={place}
      aria-setsize={count}
      onClick={() => go('invocations', String(id))}
    >
      {row ? <Cells row={row} /> : <span class="quiet">{row === null ? `#${id} is no longer kept` : `#${id}`}</span>}
    </div>
  );
}

function Cells({ row }: { readonly row: InvocationRow }) {
  return (
    <>
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
    </>
  );
}
