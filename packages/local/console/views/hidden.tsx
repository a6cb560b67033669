import { useEffect, useState } from 'preact/hooks';
import type { HiddenPlace } from '../../src/internal/journal/hidden.js';
import { call } from '../api.js';
import { RevealButtons, RevealKeys, type Reveals } from '../parts/reveal.js';
import { Empty } from '../parts/small.js';

/** The values that the page does not show, each with the reason. One of them at a time can be revealed; it is only in this page. */
export function Hidden({ id }: { readonly id: number }) {
  const [places, setPlaces] = useState<readonly HiddenPlace[]>();
  const [problem, setProblem] = useState('');
  useEffect(() => {
    call('GET /api/invocations/{id}/hidden', { params: { id: String(id) } }).then(setPlaces, ({ message }: Error) =>
      setProblem(message.replace(/^framework: /, '')),
    );
  }, [id]);
  if (problem !== '') return <Empty>{problem}</Empty>;
  if (!places) return <Empty>The hidden values are being read.</Empty>;
  if (places.length === 0) return <Empty>Nothing is hidden in this invocation.</Empty>;
  const reveals: Reveals = {
    of: `#${id}`,
    places,
    read: ({ path }) => call('POST /api/reveal', { body: { id, path } }),
  };
  return (
    <>
      <RevealKeys />
      <p class="hint">A revealed value is not stored and not logged.</p>
      <table class="wide">
        <thead>
          <tr>
            <th scope="col">place</th>
            <th scope="col">reason</th>
            <th scope="col">value</th>
          </tr>
        </thead>
        <tbody>
          {places.map((place) => (
            <tr key={place.path.join('.')}>
              <td>
                <code>{place.path.join('.')}</code>
              </td>
              <td>{place.why}</td>
              <td>
                <code>{place.shown.slice(0, MAX_SHOWN)}</code> <RevealButtons reveals={reveals} places={[place]} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}

const MAX_SHOWN = 80;
