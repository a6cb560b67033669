import { useEffect, useState } from 'preact/hooks';
import type { WriteView } from '../../src/internal/console/api.js';
import type { AwsCall, InvocationRecord } from '../../src/internal/journal/journal.js';
import { call } from '../api.js';
import { Json } from '../parts/json.js';
import { type Reveals, within } from '../parts/reveal.js';
import { Empty } from '../parts/small.js';

/** The items that the calls of an invocation wrote; none while they are read, and if they are no longer known. */
export function useWrites({ id, awsCalls }: InvocationRecord): readonly WriteView[] {
  const [writes, setWrites] = useState<readonly WriteView[]>([]);
  const count = awsCalls.filter(isOfTable).length;
  useEffect(() => {
    let isGone = false;
    if (count > 0)
      call('GET /api/invocations/{id}/writes', { params: { id: String(id) } })
        .then((found) => isGone || setWrites(found))
        .catch(() => {});
    return () => {
      isGone = true;
    };
  }, [id, count]);
  return writes;
}

const isOfTable = ({ service }: AwsCall) => service === 'dynamodb';

/**
 * One written item before and after its call, next to each other.
 *
 * @param index its place among the writes of the invocation
 */
export function Images({
  write,
  index,
  id,
}: {
  readonly write: WriteView;
  readonly index: number;
  readonly id: number;
}) {
  const { table, key, isChanged, before, after, hidden } = write;
  const name = `${table} ${JSON.stringify(key)}`;
  const reveals: Reveals = {
    of: name,
    places: hidden,
    read: ({ path }) => call('POST /api/reveal-earlier', { body: { id, index, shown: { before, after }, path } }),
  };
  return (
    <section aria-label={`Item of ${name}`}>
      <h4>
        Item of{' '}
        <a href={`#/tables/${encodeURIComponent(`${table}@${id}`)}`}>
          {table} when #{id} began
        </a>
      </h4>
      {isChanged ? (
        <div class="images">
          <Image label={`Before in ${name}`} title="before" item={before} reveals={within(reveals, 'before')} />
          <Image label={`After in ${name}`} title="after" item={after} reveals={within(reveals, 'after')} />
        </div>
      ) : (
        <Empty>The call did not change the item.</Empty>
      )}
    </section>
  );
}

interface ImageProps {
  readonly label: string;
  readonly title: string;
  readonly item: unknown;
  readonly reveals: Reveals | undefined;
}

function Image({ label, title, item, reveals }: ImageProps) {
  return (
    <div>
      <h5>{title}</h5>
      {item === null ? <Empty>There is no item.</Empty> : <Json label={label} value={item} reveals={reveals} />}
    </div>
  );
}
