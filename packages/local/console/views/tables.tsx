import { computed, signal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import type { BucketView, TableView } from '../../src/internal/console/api.js';
import { call } from '../api.js';
import { useKeys } from '../keys.js';
import { Json } from '../parts/json.js';
import { Action, Empty } from '../parts/small.js';
import { neighbour } from '../parts/view.js';
import { go, selected } from '../route.js';
import { attempt, run, stateVersion } from '../store.js';

const tables = signal<readonly TableView[] | undefined>(undefined);
const buckets = signal<readonly BucketView[]>([]);
/** Counts how often all data was read again. */
const reads = signal(0);

const names = computed(() => tables.value?.map(({ name }) => name) ?? []);
/** The current table: the chosen table, else the first. */
const current = computed(() => names.value.find((name) => name === selected.value) ?? names.value[0]);

function step(by: number): void {
  const next = neighbour(names.value, current.value, by);
  if (next !== undefined) go('tables', next);
}

function read(): void {
  if (run.value?.state !== 'on') return;
  reads.value += 1;
  void attempt('', async () => {
    [tables.value, buckets.value] = await Promise.all([call('GET /api/tables'), call('GET /api/buckets')]);
  });
}

/** Tables with their items, and buckets with their objects. */
export function TablesView() {
  useEffect(read, [stateVersion.value, run.value?.state]);
  useKeys([
    { key: 'j', does: 'Next table', run: () => step(1) },
    { key: 'k', does: 'Previous table', run: () => step(-1) },
    { key: 'u', does: 'Read again', run: read },
  ]);
  return (
    <div class="page">
      {run.value && run.value.state !== 'on' && <p class="note">{run.value.state}</p>}
      <div class="bar">
        <h2>
          Tables <span class="quiet">{names.value.length}</span>
        </h2>
        <Action label="Read again" shortcut="u" onClick={read} />
      </div>
      {names.value.length === 0 && <Empty>No tables.</Empty>}
      {tables.value?.map((table) => (
        <Table key={table.name} table={table} isOpen={table.name === current.value} />
      ))}
      <h2>
        Buckets <span class="quiet">{buckets.value.length}</span>
      </h2>
      {buckets.value.length === 0 && <Empty>No buckets.</Empty>}
      {buckets.value.map((bucket) => (
        <Bucket key={bucket.name} bucket={bucket} />
      ))}
    </div>
  );
}

function Table({ table, isOpen }: { readonly table: TableView; readonly isOpen: boolean }) {
  return (
    <section class="card" aria-label={`Table ${table.name}`}>
      <div class="bar">
        <h3>
          <a href={`#/tables/${encodeURIComponent(table.name)}`} aria-current={isOpen ? 'true' : undefined}>
            {table.name}
          </a>{' '}
          <span class="quiet">{table.keys.join(', ')}</span>
        </h3>
        <span class="quiet">{table.items} items</span>
      </div>
      {isOpen && <Items table={table.name} />}
    </section>
  );
}

function Items({ table }: { readonly table: string }) {
  const [items, setItems] = useState<readonly unknown[]>();
  const [next, setNext] = useState<string | null>(null);
  const load = (start: string | null, before: readonly unknown[]) =>
    void attempt(before.length > 0 ? 'More items are shown' : '', async () => {
      const page = await call('GET /api/tables/{name}', {
        params: { name: table },
        ...(start !== null && { query: { start } }),
      });
      setItems([...before, ...page.items]);
      setNext(page.next);
    });
  const more = () => next !== null && load(next, items ?? []);
  useEffect(() => load(null, []), [table, reads.value]);
  useKeys([{ key: 'm', does: 'Show more items', run: more }]);
  if (items === undefined) return <Empty>The items are being read.</Empty>;
  if (items.length === 0) return <Empty>It is empty.</Empty>;
  return (
    <>
      {items.map((item, index) => (
        <Json key={index} label={`Item ${index + 1}`} value={item} />
      ))}
      {next !== null && <Action label="More items" shortcut="m" onClick={more} />}
    </>
  );
}

function Bucket({ bucket }: { readonly bucket: BucketView }) {
  return (
    <section class="card" aria-label={`Bucket ${bucket.name}`}>
      <h3>{bucket.name}</h3>
      {bucket.objects.length === 0 ? (
        <Empty>It is empty.</Empty>
      ) : (
        <table class="wide">
          <thead>
            <tr>
              <th scope="col">key</th>
              <th scope="col" class="number">
                bytes
              </th>
              <th scope="col">changed</th>
            </tr>
          </thead>
          <tbody>
            {bucket.objects.map(({ key, size, modified }) => (
              <tr key={key}>
                <td>
                  <code>{key}</code>
                </td>
                <td class="number">{size}</td>
                <td>{modified}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}
