import type { SendResult } from '../../src/internal/send/send.js';
import { Json, Text } from '../parts/json.js';
import { Mark } from '../parts/small.js';
import { nextSteps, toneOf } from '../parts/view.js';
import { newest } from '../store.js';

/** The results of a request: the response of each door, side by side, or records in a source. */
export function SendResults({ result: { invocations, recordIds } }: { readonly result: SendResult }) {
  return (
    <>
      {recordIds.length > 0 && <Records ids={recordIds} />}
      <div class="answers">
        {invocations.map((one) => (
          <section
            key={`${one.door} ${one.outcome.id}`}
            class="card"
            aria-label={`Answer of ${one.door ?? 'the function'}`}
          >
            <div class="bar">
              <h3>{one.door ?? 'the function'}</h3>
              <a href={`#/invocations/${one.outcome.id}`}>#{one.outcome.id}</a>
            </div>
            {one.client ? (
              <>
                <p>
                  <Mark tone={toneOf({ status: 'ok', summary: String(one.client.status) })}>{one.client.status}</Mark>{' '}
                  {one.client.streamed && 'streamed'} {one.client.cut && 'broken off'}
                </p>
                <Text
                  label={`Answer of ${one.door}`}
                  text={[...one.client.headers.map(([name, value]) => `${name}: ${value}`), '', one.client.body].join(
                    '\n',
                  )}
                />
              </>
            ) : one.outcome.ok ? (
              <Json label="Answer" value={one.outcome.answer ?? null} />
            ) : (
              <p>
                <Mark tone="bad">{one.outcome.error.errorType}</Mark> {one.outcome.error.errorMessage}
              </p>
            )}
          </section>
        ))}
      </div>
    </>
  );
}

/** The records that a source accepted; the source delivers them asynchronously. */
function Records({ ids }: { readonly ids: readonly string[] }) {
  const rows = newest.value.filter(({ origin }) => origin.recordIds?.some((id) => ids.includes(id)));
  return (
    <section class="card" aria-label="Records">
      <p>
        The source has{' '}
        {ids.map((id) => (
          <code key={id}>{id} </code>
        ))}{' '}
        It delivers them asynchronously: <a href="#/queues">queues</a>.
      </p>
      <ul class="chain">
        {rows.map((row) => (
          <li key={row.id}>
            <a href={`#/invocations/${row.id}`}>
              #{row.id} {row.origin.target}
            </a>{' '}
            <Mark tone={toneOf(row)}>{row.summary || row.status}</Mark>{' '}
            {nextSteps(row)
              .filter(({ recordId }) => ids.includes(recordId))
              .map(({ state }) => state)
              .join(', ')}
          </li>
        ))}
      </ul>
    </section>
  );
}
