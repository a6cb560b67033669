import { Json } from '../parts/json.js';
import { Empty, Mark } from '../parts/small.js';

/** The result of `explain` of dispatch; for a function of another framework, the result of the built-in table. */
interface Explanation {
  readonly kind: string | null;
  readonly error: string | null;
  readonly entrypoint: string | null;
  readonly target: unknown;
  readonly rows: readonly {
    readonly kind: string;
    readonly origin: string;
    readonly outcome: string;
    readonly misses: readonly { readonly path: string; readonly expected: string; readonly found: string }[];
  }[];
}

/** The classification of an event: each row of the table, and the reason why it did not match. */
export function Explained({ value }: { readonly value: unknown }) {
  const explanation = value as Explanation | null | undefined;
  if (!explanation?.rows) return <Empty>The handler is not a Sallyport handler, so there is no explanation.</Empty>;
  return (
    <div class="explained">
      <p>
        {explanation.kind === null ? (
          <Mark tone="bad">{explanation.error ?? 'no row matches'}</Mark>
        ) : (
          <>
            Row {explanation.rows.findIndex(({ outcome }) => outcome === 'matched') + 1} of {explanation.rows.length}:{' '}
            <b>{explanation.kind}</b>
            {explanation.entrypoint && (
              <>
                , served by <code>{explanation.entrypoint}</code>
              </>
            )}
          </>
        )}
      </p>
      {explanation.target !== null && explanation.target !== undefined && (
        <Json label="Target" value={explanation.target} />
      )}
      <table>
        <thead>
          <tr>
            <th scope="col">row</th>
            <th scope="col">outcome</th>
            <th scope="col">mismatch</th>
          </tr>
        </thead>
        <tbody>
          {explanation.rows.map(({ kind, outcome, misses }, index) => (
            <tr key={index}>
              <td>{kind}</td>
              <td>
                <Mark tone={outcome === 'matched' ? 'good' : outcome === 'shadowed' ? 'warn' : 'none'}>{outcome}</Mark>
              </td>
              <td>
                {misses.slice(0, 3).map(({ path, expected, found }) => (
                  <div key={path + expected}>
                    <code>{path}</code> is {found}, not {expected}
                  </div>
                ))}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
