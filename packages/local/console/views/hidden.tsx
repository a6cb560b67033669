import { useEffect, useState } from 'preact/hooks';
import type { HiddenPlace } from '../../src/internal/journal/hidden.js';
import { call } from '../api.js';
import { useKeys } from '../keys.js';
import { Text } from '../parts/json.js';
import { Action, Empty } from '../parts/small.js';
import { attempt } from '../store.js';

/** The values that the page does not show, each with the reason. One of them at a time can be revealed; it is only in this page. */
export function Hidden({ id }: { readonly id: number }) {
  const [places, setPlaces] = useState<readonly HiddenPlace[]>();
  const [problem, setProblem] = useState('');
  const [open, setOpen] = useState<{ readonly at: number; readonly value: string }>();
  useEffect(() => {
    call('GET /api/invocations/{id}/hidden', { params: { id: String(id) } }).then(setPlaces, ({ message }: Error) =>
      setProblem(message.replace(/^framework: /, '')),
    );
  }, [id]);
  const reveal = (at: number) => {
    const place = places?.[at];
    if (!place) return;
    void attempt(`${place.path.join('.')} is revealed`, async () => {
      const { value } = await call('POST /api/reveal', { body: { id, path: place.path } });
      setOpen({ at, value });
    });
  };
  const revealNext = () => reveal(open === undefined || open.at + 1 >= (places?.length ?? 0) ? 0 : open.at + 1);
  const hide = () => setOpen(undefined);
  useKeys([
    { key: 'v', does: 'Reveal the next hidden value', run: revealNext },
    { key: 'h', does: 'Hide the revealed value', run: hide },
  ]);
  if (problem !== '') return <Empty>{problem}</Empty>;
  if (!places) return <Empty>The hidden values are being read.</Empty>;
  if (places.length === 0) return <Empty>Nothing is hidden in this invocation.</Empty>;
  return (
    <>
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
          {places.map(({ path, why, shown }, at) => {
            const name = path.join('.');
            return (
              <tr key={name}>
                <td>
                  <code>{name}</code>
                </td>
                <td>{why}</td>
                <td>
                  {open?.at === at ? (
                    <>
                      <Text label={`Value of ${name}`} text={open.value} />
                      <Action label="Hide" of={` ${name}`} shortcut="h" onClick={hide} />
                    </>
                  ) : (
                    <>
                      <code>{shown.slice(0, MAX_SHOWN)}</code>{' '}
                      <Action label="Reveal" of={` ${name}`} shortcut="v" onClick={() => reveal(at)} />
                    </>
                  )}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </>
  );
}

const MAX_SHOWN = 80;
