import { signal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import type { InvocationRow } from '../../src/internal/console/api.js';
import type { Difference } from '../../src/internal/recordings/compare.js';
import { call } from '../api.js';
import { useKeys } from '../keys.js';
import { SavedTest, saveTest } from '../parts/saved-test.js';
import { Action, Empty } from '../parts/small.js';
import { clockTime } from '../parts/view.js';
import { newest } from '../rows.js';
import { attempt } from '../store.js';

/** Maximum number of invocations in the list. */
const MAX_CHOICES = 20;
/** The chosen invocation, by the invocation that it is compared with. */
const chosen = signal<{ readonly of: number; readonly before: number } | undefined>(undefined);

/** The differences from an earlier invocation of the same target. */
export function Compare({ row }: { readonly row: InvocationRow }) {
  const choices = newest.value.filter(({ id, origin }) => id < row.id && origin.target === row.origin.target);
  const before = chosen.value?.of === row.id ? chosen.value.before : undefined;
  const [differences, setDifferences] = useState<readonly Difference[]>();
  useEffect(() => {
    setDifferences(undefined);
    if (before === undefined) return;
    void attempt('', async () => {
      setDifferences(await call('GET /api/compare', { query: { before: String(before), now: String(row.id) } }));
    });
  }, [before, row.id]);
  const saveBefore = () => before !== undefined && saveTest(before);
  useKeys(differences ? [{ key: 'b', does: 'Save the earlier invocation as a test', run: saveBefore }] : []);
  if (choices.length === 0) return null;
  return (
    <section aria-label="Comparison">
      <label>
        Compare with{' '}
        <select
          id="compare"
          aria-keyshortcuts="c"
          value={String(before ?? '')}
          onChange={({ currentTarget: { value } }) => {
            chosen.value = value === '' ? undefined : { of: row.id, before: Number(value) };
          }}
        >
          <option value="">no other invocation</option>
          {choices.slice(0, MAX_CHOICES).map((one) => (
            <option key={one.id} value={String(one.id)}>
              #{one.id} {clockTime(one.startedAt)} {one.summary || one.status}
            </option>
          ))}
        </select>
      </label>
      {differences && before !== undefined && (
        <>
          <Differences differences={differences} />
          <div class="bar">
            <Action label={`Save #${before} as test`} shortcut="b" onClick={saveBefore} />
            <Action label={`Save #${row.id} as test`} shortcut="t" onClick={() => saveTest(row.id)} />
          </div>
          <SavedTest of={[before]} />
        </>
      )}
    </section>
  );
}

function Differences({ differences }: { readonly differences: readonly Difference[] }) {
  if (differences.length === 0) return <Empty>Nothing differs but ids and times.</Empty>;
  return (
    <table class="wide">
      <thead>
        <tr>
          <th scope="col">member</th>
          <th scope="col">before</th>
          <th scope="col">now</th>
        </tr>
      </thead>
      <tbody>
        {differences.map((difference) => (
          <tr key={difference.path}>
            <td>
              <code>{difference.path.replace(/^\$\./, '')}</code>
            </td>
            <td>{shortText(difference.before)}</td>
            <td>{shortText(difference.now)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function shortText(value: unknown): string {
  if (value === undefined) return 'absent';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}
