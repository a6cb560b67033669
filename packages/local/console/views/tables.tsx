import { computed, signal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import type { ServiceData, StoreView } from '../../src/internal/console/api.js';
import type { HiddenPlace } from '../../src/internal/journal/hidden.js';
import { call } from '../api.js';
import { useKeys } from '../keys.js';
import { Json } from '../parts/json.js';
import { RevealKeys } from '../parts/reveal.js';
import { Action, Empty } from '../parts/small.js';
import { neighbour } from '../parts/view.js';
import { go, selected } from '../route.js';
import { attempt, run, stateVersion } from '../store.js';
import { PastItems, placeOf, TimePicker } from './past.js';

const data = signal<readonly ServiceData[] | undefined>(undefined);
/** Counts how often all data was read again. */
const reads = signal(0);

/** Only stores whose items are shown as JSON are opened one at a time. */
const names = computed(() =>
  (data.value ?? []).flatMap(({ columns, stores }) => (columns.length > 0 ? [] : stores.map(({ name }) => name))),
);
/** The current table: the chosen table, else the first. */
const current = computed(() => names.value.find((name) => name === placeOf(selected.value).name) ?? names.value[0]);

function step(by: number): void {
  const next = neighbour(names.value, current.value, by);
  if (next !== undefined) go('tables', next);
}

function read(): void {
  if (run.value?.state !== 'on') return;
  reads.value += 1;
  void attempt('', async () => {
    data.value = await call('GET /api/data');
  });
}

/** The data of all services: tables with their items, buckets with their objects. */
export function TablesView() {
  useEffect(read, [stateVersion.value, run.value?.state]);
  useKeys([
    { key: 'j', does: 'Next table', run: () => step(1) },
    { key: 'k', does: 'Previous table', run: () => step(-1) },
    { key: 'u', does: 'Read again', run: read },
    { key: 't', does: 'Choose the time of the table', run: () => document.getElementById('time')?.focus() },
  ]);
  return (
    <div class="page">
      {run.value && run.value.state !== 'on' && <p class="note">{run.value.state}</p>}
      {(data.value ?? []).map((one, place) => (
        <Service key={one.service} data={one} isFirst={place === 0} />
      ))}
    </div>
  );
}

function Service({
  data: { service, title, one, columns, stores },
  isFirst,
}: {
  readonly data: ServiceData;
  readonly isFirst: boolean;
}) {
  return (
    <>
      <div class="bar">
        <h2>
          {title} <span class="quiet">{stores.length}</span>
        </h2>
        {isFirst && <Action label="Read again" shortcut="u" primary onClick={read} />}
      </div>
      {stores.length === 0 && <Empty>No {title.toLowerCase()}.</Empty>}
      {stores.map((store) => (
        <Store key={store.name} service={service} one={one} columns={columns} store={store} />
      ))}
    </>
  );
}

interface StoreProps {
  readonly service: string;
  readonly one: string;
  readonly columns: readonly string[];
  readonly store: StoreView;
}

function Store({ service, one, columns, store: { name, about, count } }: StoreProps) {
  const isOpen = name === current.value;
  const { at } = placeOf(selected.value);
  const isPast = isOpen && at !== undefined;
  return (
    <section class="card" aria-label={`${one} ${name}`}>
      <div class="bar">
        <h3>
          {columns.length > 0 ? (
            name
          ) : (
            <a href={`#/tables/${encodeURIComponent(name)}`} aria-current={isOpen ? 'true' : undefined}>
              {name}
            </a>
          )}{' '}
          <span class="quiet">{about}</span>
        </h3>
        {isOpen && service === 'dynamodb' && <TimePicker name={name} />}
        {!isPast && <span class="quiet">{count} items</span>}
      </div>
      {isPast && <PastItems name={name} at={at} />}
      {!isPast && (isOpen || columns.length > 0) && <Items service={service} name={name} columns={columns} />}
    </section>
  );
}

interface Item {
  readonly shown: unknown;
  /** Its place in its page, which begins at `start`. */
  readonly index: number;
  readonly start: string | null;
  readonly hidden: readonly HiddenPlace[];
}

function readHidden(service: string, name: string, { start, index, shown }: Item, path: readonly string[]) {
  const body = { service, name, index, shown, path, ...(start !== null && { start }) };
  return call('POST /api/reveal-item', { body });
}

function Items({ service, name, columns }: Pick<StoreProps, 'service' | 'columns'> & { readonly name: string }) {
  const [items, setItems] = useState<readonly Item[]>();
  const [next, setNext] = useState<string | null>(null);
  const load = (start: string | null, before: readonly Item[]) =>
    void attempt(before.length > 0 ? 'More items are shown' : '', async () => {
      const page = await call('GET /api/data/{service}/{name}', {
        params: { service, name },
        ...(start !== null && { query: { start } }),
      });
      const found = page.items.map((shown, index) => ({ shown, index, start, hidden: page.hidden[index] ?? [] }));
      setItems([...before, ...found]);
      setNext(page.next);
    });
  const more = () => next !== null && load(next, items ?? []);
  useEffect(() => load(null, []), [service, name, reads.value]);
  useKeys(columns.length > 0 ? [] : [{ key: 'm', does: 'Show more items', run: more }]);
  if (items === undefined) return <Empty>The items are being read.</Empty>;
  if (items.length === 0) return <Empty>It is empty.</Empty>;
  return (
    <>
      {columns.length === 0 && <RevealKeys />}
      {columns.length > 0 ? (
        <Columns columns={columns} items={items.map(({ shown }) => shown)} />
      ) : (
        items.map((item, at) => (
          <Json
            key={at}
            label={`Item ${at + 1}`}
            value={item.shown}
            reveals={{
              of: `item ${at + 1} of ${name}`,
              places: item.hidden,
              read: ({ path }) => readHidden(service, name, item, path),
            }}
          />
        ))
      )}
      {next !== null && <Action label="More items" shortcut="m" onClick={more} />}
    </>
  );
}

function Columns({ columns, items }: { readonly columns: readonly string[]; readonly items: readonly unknown[] }) {
  return (
    <table class="wide">
      <thead>
        <tr>
          {columns.map((column) => (
            <th key={column} scope="col">
              {column}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {items.map((item, index) => (
          <tr key={index}>
            {columns.map((column) => (
              <td key={column}>{String((item as Readonly<Record<string, unknown>>)[column] ?? '')}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
