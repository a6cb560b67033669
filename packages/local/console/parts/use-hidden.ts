import { useEffect, useState } from 'preact/hooks';
import type { HiddenPlace } from '../../src/internal/journal/hidden.js';
import type { InvocationRecord } from '../../src/internal/journal/journal.js';
import { call } from '../api.js';
import type { Reveals } from './reveal.js';

/** A record is read after it has been open for this many milliseconds: a page that follows the newest invocation reads none. */
const OPEN_MS = 300;
/** The forms of a hidden value: a word, a card number, a long string. */
const HIDDEN = /\[REDACTED\]|\*{4}|…\[\+\d+\]/;

/** The hidden places of a record; `undefined` while they are read, and if nothing seems hidden. */
export function useHidden(record: InvocationRecord): Reveals | undefined {
  const { id, status } = record;
  const [places, setPlaces] = useState<readonly HiddenPlace[]>();
  useEffect(() => {
    let isGone = false;
    const read = () => {
      if (!HIDDEN.test(JSON.stringify(record))) return;
      call('GET /api/invocations/{id}/hidden', { params: { id: String(id) } })
        .then((found) => isGone || setPlaces(found))
        // An old record is on disk only in its sanitized form.
        .catch(() => {});
    };
    const timer = setTimeout(read, OPEN_MS);
    return () => {
      isGone = true;
      clearTimeout(timer);
    };
  }, [id, status]);
  return (
    places && {
      of: `#${id}`,
      places,
      read: ({ path }) => call('POST /api/reveal', { body: { id, path } }),
    }
  );
}
