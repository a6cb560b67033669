import { useEffect, useState } from 'preact/hooks';
import type { InvocationRow } from '../../src/internal/console/api.js';
import { call } from '../api.js';
import { Mark } from '../parts/small.js';
import { clockTime, nextSteps, toneOf } from '../parts/view.js';
import { newest, rowOf } from '../rows.js';
import { sources } from '../store.js';

/** Maximum number of records of a batch whose deliveries are shown. */
const MAX_RECORDS = 10;

/** All deliveries of the records of an invocation, to their end: tried again, done, or a dead letter. */
export function Story({ row }: { readonly row: InvocationRow }) {
  const ids = (row.origin.recordIds ?? []).slice(0, MAX_RECORDS);
  const rows = useDeliveries(ids);
  const mine = (id: string) => deliveriesOf(rows, id, row.origin.function);
  const told = ids.filter((id) => mine(id).length > 1 || endOf(mine(id), id)?.state === 'dead-letter');
  if (told.length === 0) return null;
  return (
    <section aria-label="Deliveries">
      {told.map((id) => (
        <One key={id} recordId={id} rows={mine(id)} row={row} />
      ))}
    </section>
  );
}

function One(props: {
  readonly recordId: string;
  readonly rows: readonly InvocationRow[];
  readonly row: InvocationRow;
}) {
  const { recordId, rows, row } = props;
  const end = endOf(rows, recordId);
  const source = sources.value.find(({ kind, name }) => `${kind} ${name}` === end?.source);
  return (
    <>
      <h3>
        <code>{recordId}</code>
      </h3>
      <ol class="chain">
        {rows.map((one, at) => {
          const failure = one.failures.find(({ record }) => record === recordId) ?? one.failures[0];
          return (
            <li key={one.id} aria-current={one.id === row.id ? 'true' : undefined}>
              delivery {at + 1}, {clockTime(one.startedAt)} <a href={`#/invocations/${one.id}`}>#{one.id}</a>{' '}
              <Mark tone={toneOf(one)}>{one.summary || one.status}</Mark>{' '}
              {failure && `${failure.type}: ${failure.message}`}
            </li>
          );
        })}
        {end?.state === 'dead-letter' && (
          <li>
            then a <a href={`#/queues/${encodeURIComponent(recordId)}`}>dead letter</a>
            {source && ` in ${source.deadLetterName}`}
          </li>
        )}
        {end && GONE[end.state] && <li>then {GONE[end.state]}</li>}
      </ol>
    </>
  );
}

/** The ends of a record that no destination receives. */
const GONE: Readonly<Record<string, string>> = {
  discarded: 'dropped: the source has no dead-letter queue or failure destination',
  expired: 'given up: it is older than its source allows',
};

/** The last change of a record. */
const endOf = (rows: readonly InvocationRow[], recordId: string) =>
  rows
    .flatMap((one) => nextSteps(one))
    .filter((step) => step.recordId === recordId)
    .at(-1);

/** @param fn the function, in a run of several functions: each is retried alone */
export const deliveriesOf = (rows: readonly InvocationRow[], recordId: string, fn: string | undefined) =>
  rows.filter(({ origin }) => origin.recordIds?.includes(recordId) && (fn === undefined || origin.function === fn));

/** The rows of all invocations that received one of the records, oldest first: stored ones, and new ones as they arrive. */
export function useDeliveries(recordIds: readonly string[]): readonly InvocationRow[] {
  const [found, setFound] = useState<readonly number[]>([]);
  useEffect(() => {
    let isGone = false;
    const read = async () => {
      const all = await Promise.all(recordIds.map((id) => call('GET /api/search', { query: { filter: id } })));
      if (!isGone) setFound(all.flat());
    };
    if (recordIds.length > 0) void read().catch(() => {});
    return () => {
      isGone = true;
    };
  }, [recordIds.join(' ')]);
  const receives = ({ origin }: InvocationRow) => recordIds.some((id) => origin.recordIds?.includes(id));
  const ids = new Set([...found, ...newest.value.filter(receives).map(({ id }) => id)]);
  return [...ids]
    .sort((a, b) => a - b)
    .flatMap((id) => rowOf(id) ?? [])
    .filter(receives);
}
