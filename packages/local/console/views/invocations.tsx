import { computed, signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { InvocationRow } from '../../src/internal/console/api.js';
import { useKeys } from '../keys.js';
import { Empty, Mark } from '../parts/small.js';
import { clockTime, duration, matches, toneOf } from '../parts/view.js';
import { go, selected } from '../route.js';
import { newest } from '../store.js';
import { Detail } from './detail.js';

const filter = signal('');
const shown = computed(() => newest.value.filter((row) => matches(row, filter.value)));
/** The current row: the chosen row, else the newest. */
const current = computed(() => {
  const chosen = Number(selected.value);
  return newest.value.find(({ id }) => id === chosen) ?? shown.value[0];
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
  useEffect(() => list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' }), [active]);
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
        aria-activedescendant={active === undefined ? undefined : `invocation-${active}`}
        onKeyDown={move}
      >
        {shown.value.map((row) => (
          <Row key={row.id} row={row} isActive={row.id === active} />
        ))}
      </div>
    </>
  );
}

function Row({ row, isActive }: { readonly row: InvocationRow; readonly isActive: boolean }) {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the list moves the selection by key
    // biome-ignore lint/a11y/useFocusableInteractive: the list has the focus and names its active option
    <div
      id={`invocation-${row.id}`}
      class="row"
      role="option"
      aria-selected={isActive}
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
