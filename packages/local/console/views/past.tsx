import { useEffect, useState } from 'preact/hooks';
import type { PastTable } from '../../src/internal/console/api.js';
import { call } from '../api.js';
import { Json } from '../parts/json.js';
import { RevealKeys } from '../parts/reveal.js';
import { Empty, Mark } from '../parts/small.js';
import { clockTime } from '../parts/view.js';
import { go, selected } from '../route.js';
import { newest } from '../rows.js';
import { attempt } from '../store.js';

/** Maximum number of invocations in the list. */
const MAX_CHOICES = 50;

/** The table and the invocation in the address: `#/tables/notes@12`. */
export function placeOf(address: string): { readonly name: string; readonly at: number | undefined } {
  const [name = '', id] = address.split('@');
  return { name, at: id === undefined ? undefined : Number(id) };
}

/** Chooses the time at which a table is shown: now, or when an invocation began. */
export function TimePicker({ name }: { readonly name: string }) {
  const { at } = placeOf(selected.value);
  const choices = newest.value.slice(0, MAX_CHOICES);
  const isListed = at === undefined || choices.some(({ id }) => id === at);
  return (
    <label>
      time{' '}
      <select
        id="time"
        aria-keyshortcuts="t"
        value={String(at ?? '')}
        onChange={({ currentTarget: { value } }) => go('tables', value === '' ? name : `${name}@${value}`)}
      >
        <option value="">now</option>
        {!isListed && <option value={String(at)}>when #{at} began</option>}
        {choices.map(({ id, startedAt, kind, origin }) => (
          <option key={id} value={String(id)}>
            when #{id} began, {clockTime(startedAt)} {kind ?? origin.kind} {origin.target}
          </option>
        ))}
      </select>
    </label>
  );
}

/** The items of a table when an invocation began. */
export function PastItems({ name, at }: { readonly name: string; readonly at: number }) {
  const [past, setPast] = useState<PastTable>();
  useEffect(() => {
    setPast(undefined);
    void attempt('', async () =>
      setPast(await call('GET /api/past/{table}/{id}', { params: { table: name, id: String(at) } })),
    );
  }, [name, at]);
  if (!past) return <Empty>The items are being read.</Empty>;
  const { items, created, isPartial } = past;
  return (
    <>
      <RevealKeys />
      <p class="hint">
        {items.length} items when <a href={`#/invocations/${at}`}>#{at}</a> began; {created} were created since.
        {isPartial && ' The table has more items than are shown.'}
      </p>
      {items.map(({ item, isChanged, hidden }, index) => (
        <div key={index}>
          {isChanged && <Mark tone="warn">changed since</Mark>}
          <Json
            label={`Item ${index + 1}`}
            value={item}
            reveals={{
              of: `item ${index + 1} of ${name} when #${at} began`,
              places: hidden,
              read: ({ path }) =>
                call('POST /api/reveal-earlier', { body: { id: at, table: name, index, shown: item, path } }),
            }}
          />
        </div>
      ))}
    </>
  );
}
