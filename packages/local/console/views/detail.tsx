import { useEffect, useRef, useState } from 'preact/hooks';
import type { InvocationRow } from '../../src/internal/console/api.js';
import type { InvocationRecord, StateChange } from '../../src/internal/journal/journal.js';
import { call } from '../api.js';
import { useKeys } from '../keys.js';
import { Json, Text } from '../parts/json.js';
import { RevealButtons, RevealKeys, type Reveals, within } from '../parts/reveal.js';
import { SavedTest, saveTest } from '../parts/saved-test.js';
import { Action, Empty, Mark } from '../parts/small.js';
import { Tabs } from '../parts/tabs.js';
import { useHidden } from '../parts/use-hidden.js';
import { clockTime, counted, duration, errorText, nextSteps, toneOf, whatNext } from '../parts/view.js';
import { go, view } from '../route.js';
import { newest, rowOf } from '../rows.js';
import { attempt, now, sources } from '../store.js';
import { Calls } from './calls.js';
import { Compare } from './compare.js';
import { Differences } from './differences.js';
import { Explained } from './explained.js';
import { Failures } from './failures.js';
import { Hidden } from './hidden.js';
import { editEvent } from './send.js';
import { Story } from './story.js';
import { TimeLine } from './time-line.js';

/** One invocation in detail. */
export function Detail({ row }: { readonly row: InvocationRow }) {
  const record = useRecord(row);
  const replay = () =>
    void attempt('', async () => {
      const { outcome, differences } = await call('POST /api/replay', { body: { id: row.id } });
      // Not if the reader went to another view in the meantime.
      if (view.value === 'invocations') go('invocations', String(outcome.id));
      void attempt(replayText(row.id, differences), async () => {});
    });
  const edit = () => record && editEvent(row.id, record.event);
  const save = (as: 'recording' | 'fixture') =>
    void attempt('', async () => {
      const { file } = await call('POST /api/recordings', { body: { id: row.id, as } });
      attempt(`Saved ${file}`, async () => {});
    });
  const hurry = () => {
    const step = nextSteps(row).find(({ until: at }) => at !== null);
    if (step) hurryRecord(row, step);
  };
  useKeys([
    { key: 'r', does: 'Replay the invocation', run: replay },
    { key: 'e', does: 'Edit the event and send it again', run: edit },
    { key: 'c', does: 'Compare with an earlier invocation', run: () => document.getElementById('compare')?.focus() },
    { key: 'w', does: 'Save it as a recording', run: () => save('recording') },
    { key: 'f', does: 'Save it as a fixture', run: () => save('fixture') },
    { key: 't', does: 'Save it as a test of the service', run: () => saveTest(row.id) },
    { key: 'n', does: 'End the wait of its first record', run: hurry },
  ]);
  return (
    <section class="detail" aria-label={`Invocation ${row.id}`}>
      <div class="bar">
        <h2>
          <span class="quiet">#{row.id}</span> {row.kind ?? row.origin.kind} {row.origin.target}
        </h2>
        <Action label="Replay" shortcut="r" primary onClick={replay} />
        <Action label="Edit" shortcut="e" onClick={edit} />
        <Action label="Save" shortcut="w" onClick={() => save('recording')} />
        <Action label="Fixture" shortcut="f" onClick={() => save('fixture')} />
        <Action label="Save as test" shortcut="t" onClick={() => saveTest(row.id)} />
      </div>
      <SavedTest of={[row.id]} />
      <Failures failures={row.failures} />
      <Differences differences={row.differences} />
      <Facts row={row} record={record} />
      <Chain row={row} />
      <Story row={row} />
      <Next row={row} />
      {record && <TimeLine record={record} />}
      <Compare row={row} />
      {record && <Contents key={row.id} record={record} />}
    </section>
  );
}

/** The result of a replay, for the status line. */
function replayText(id: number, differences: readonly string[] | null): string {
  if (differences === null) return `Replayed #${id}: there is no response to compare with`;
  if (differences.length === 0) return `Replayed #${id}: the same response`;
  return `Replayed #${id}: another response at ${differences.join(', ')}`;
}

/** A changing record is read again at most once in this many milliseconds. */
const READ_MS = 300;

/** The whole record; it is read again when its row changes. */
function useRecord(row: InvocationRow): InvocationRecord | undefined {
  const [record, setRecord] = useState<InvocationRecord>();
  const readAt = useRef(0);
  useEffect(() => {
    let gone = false;
    const read = () => {
      readAt.current = Date.now();
      call('GET /api/invocations/{id}', { params: { id: String(row.id) } })
        .then((value) => gone || setRecord(value))
        .catch(() => {});
    };
    const timer = setTimeout(read, Math.max(0, readAt.current + READ_MS - Date.now()));
    return () => {
      gone = true;
      clearTimeout(timer);
    };
  }, [row]);
  return record;
}

function Facts({ row, record }: { readonly row: InvocationRow; readonly record: InvocationRecord | undefined }) {
  const [gate] = row.gate;
  const start = row.environment?.start;
  return (
    <dl class="facts">
      <Fact name="result">
        <Mark tone={toneOf(row)}>{row.summary || row.status}</Mark> {duration(row.ms)}
      </Fact>
      <Fact name="began">
        {clockTime(row.startedAt)} {start}
        {start !== undefined && start !== 'warm' && ` ${duration(row.environment?.initMs ?? null)}`}
      </Fact>
      {gate && (
        <Fact name="gate">
          {gate.outcome}: {gate.posture}
          {gate.scopes.length > 0 && ` (${gate.scopes.join(', ')})`}, {gate.principalKind ?? 'anonymous'}
        </Fact>
      )}
      {row.traceId !== '' && (
        <Fact name="trace">
          <a href={`#/traces/${encodeURIComponent(row.traceId)}`}>show the waterfall</a>
        </Fact>
      )}
      {row.origin.alias && <Fact name="alias">{row.origin.alias}</Fact>}
      {row.origin.as && <Fact name="sent as">{row.origin.as}</Fact>}
      {row.maxMemoryMb !== null && <Fact name="memory">{row.maxMemoryMb} MB</Fact>}
      {row.leftovers.length > 0 && <Fact name="not closed">{row.leftovers.join(', ')}</Fact>}
      {record && record.logsDropped > 0 && <Fact name="log lines dropped">{record.logsDropped}</Fact>}
    </dl>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: preact.ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** The cause of the invocation, and its effects. */
function Chain({ row }: { readonly row: InvocationRow }) {
  const cause = row.causedBy === null ? undefined : rowOf(row.causedBy);
  const caused = newest.value.filter(({ causedBy }) => causedBy === row.id).reverse();
  if (!cause && caused.length === 0) return null;
  return (
    <ul class="chain" aria-label="Chain">
      {cause && <Link verb="caused by" row={cause} />}
      {caused.map((one) => (
        <Link key={one.id} verb="caused" row={one} />
      ))}
    </ul>
  );
}

function Link({ verb, row }: { readonly verb: string; readonly row: InvocationRow }) {
  return (
    <li>
      {verb}{' '}
      <a href={`#/invocations/${row.id}`}>
        #{row.id} {row.kind ?? row.origin.kind} {row.origin.target}
      </a>{' '}
      <Mark tone={toneOf(row)}>{row.summary || row.status}</Mark>
    </li>
  );
}

/** AWS's next step for each record. */
function Next({ row }: { readonly row: InvocationRow }) {
  const steps = nextSteps(row).filter(({ state }) => state !== 'in-flight');
  if (steps.length === 0) return null;
  return (
    <ul class="next" aria-label="Next">
      {steps.map((step) => {
        const { source, recordId, state, deliveries, until: at } = step;
        const most = sources.value.find(({ kind, name }) => `${kind} ${name}` === source)?.maxDeliveries;
        const waits = at !== null && at > now.value;
        return (
          <li key={source + recordId}>
            <code>{recordId}</code>{' '}
            {at === null
              ? `${WORDS[state] ?? state} after ${counted(deliveries)}`
              : whatNext({ deliveries, until: at }, most ?? deliveries + 1, now.value)}
            {waits && <Action label="Now" of={recordId} shortcut="n" onClick={() => hurryRecord(row, step)} />}
          </li>
        );
      })}
    </ul>
  );
}

/** The states of the engines, for display. */
const WORDS: Readonly<Record<string, string>> = {
  waiting: 'waits for capacity',
  delayed: 'waits',
  done: 'done',
  'dead-letter': 'moved to the dead letters',
  discarded: 'dropped',
  expired: 'expired',
};

function hurryRecord({ origin }: InvocationRow, { source, recordId }: Pick<StateChange, 'source' | 'recordId'>): void {
  const found = sources.value.find(({ kind, name }) => `${kind} ${name}` === source);
  if (!found) return;
  const body = {
    kind: found.kind,
    name: found.name,
    action: 'now',
    recordId,
    ...(origin.function && { function: origin.function }),
  } as const;
  void attempt(`${recordId} is delivered now`, () => call('POST /api/sources', { body }));
}

function Contents({ record }: { readonly record: InvocationRecord }) {
  const { client, logs } = record;
  const reveals = useHidden(record);
  const calls = within(reveals, 'awsCalls');
  return (
    <>
      {reveals && <RevealKeys />}
      <Tabs
        label="Contents"
        tabs={[
          {
            name: 'event',
            title: 'Event',
            content: () => <Json label="Event" value={record.event} reveals={within(reveals, 'event')} />,
          },
          { name: 'answer', title: 'Answer', content: () => <Answer record={record} reveals={reveals} /> },
          ...(client
            ? [
                {
                  name: 'client',
                  title: 'Client',
                  content: () => <Client client={client} reveals={within(reveals, 'client')} />,
                },
              ]
            : []),
          {
            name: 'logs',
            title: `Logs ${logs.length}`,
            content: () => <Logs record={record} reveals={within(reveals, 'logs')} />,
          },
          { name: 'explain', title: 'Explain', content: () => <Explained value={record.explain} /> },
          ...(record.awsCalls.length > 0
            ? [
                {
                  name: 'aws',
                  title: `AWS ${record.awsCalls.length}`,
                  content: () => <Calls record={record} reveals={calls} />,
                },
              ]
            : []),
          { name: 'hidden', title: 'Hidden', content: () => <Hidden id={record.id} /> },
        ]}
      />
    </>
  );
}

interface PartProps {
  readonly record: InvocationRecord;
  readonly reveals: Reveals | undefined;
}

function Answer({ record, reveals }: PartProps) {
  if (record.error) {
    return <Text label="Error" text={errorText(record.error)} reveals={within(reveals, 'error')} />;
  }
  if (record.client?.streamed) return <Empty>The response was streamed: see the Client tab.</Empty>;
  if (record.ms === null) return <Empty>It still runs.</Empty>;
  return <Json label="Answer" value={record.answer ?? null} reveals={within(reveals, 'answer')} />;
}

/** The response that the client of a door received. */
function Client(props: Pick<PartProps, 'reveals'> & { readonly client: NonNullable<InvocationRecord['client']> }) {
  const { client, reveals } = props;
  const lines = client.headers.map(([name, value]) => `${name}: ${value}`);
  const end = client.cut ? '\n\n(broken off)' : '';
  const text = [`status ${client.status}`, ...lines, '', client.body].join('\n') + end;
  return <Text label="Client" text={text} reveals={reveals} />;
}

function Logs({ record, reveals }: PartProps) {
  if (record.logs.length === 0) return <Empty>The function wrote nothing.</Empty>;
  return (
    <ol class="logs">
      {record.logs.map(({ at, level, text }, index) => (
        <li key={index} class={`level-${level}`}>
          <span class="quiet">+{Math.max(0, Math.round(at - record.startedAt))} ms</span> <b>{level}</b>{' '}
          <code>{text}</code> <OfLine reveals={within(reveals, String(index))} />
        </li>
      ))}
    </ol>
  );
}

function OfLine({ reveals }: Pick<PartProps, 'reveals'>) {
  return reveals ? <RevealButtons reveals={reveals} /> : null;
}
