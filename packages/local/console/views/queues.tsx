import { computed, signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { SourceAction, SourceRecordView, SourceView } from '../../src/internal/sources/sources.js';
import { call } from '../api.js';
import { useKeys } from '../keys.js';
import { Text } from '../parts/json.js';
import { useScrolledTo } from '../parts/scroll.js';
import { Action, Empty, Mark } from '../parts/small.js';
import { counted, neighbour, whatNext } from '../parts/view.js';
import { selected } from '../route.js';
import { attempt, now, refresh, run, sources } from '../store.js';
import { deliveriesOf, useDeliveries } from './story.js';

/** A record in the list, for the keys; `undefined` for a schedule itself. */
interface Place {
  readonly source: SourceView;
  readonly record: SourceRecordView | undefined;
  readonly isDead: boolean;
}

const isSchedule = ({ kind }: SourceView) => kind === 'schedule';
/** The filter that dropped a record, by the kind of its source; for other kinds it is the mapping. */
const FILTERED_BY: Readonly<Record<string, string>> = {
  topic: 'the filter policy does not match',
  'event-bus': 'no rule matches',
};
const SPEEDS: readonly number[] = [1, 2, 10, 60, 1000];

const places = computed<readonly Place[]>(() =>
  sources.value.flatMap((source) => [
    ...(isSchedule(source) ? [{ source, record: undefined, isDead: false }] : []),
    ...source.records.map((record) => ({ source, record, isDead: false })),
    ...source.deadLetters.map((record) => ({ source, record, isDead: true })),
    ...source.filtered.latest.map((record) => ({ source, record, isDead: false })),
  ]),
);
const chosen = signal('');
const opened = signal('');

const nameOf = ({ source, record, isDead }: Place) =>
  `${source.kind} ${source.name} ${isDead} ${record?.id ?? ''} ${record?.function ?? ''}`;
/** The chosen record, else the record of the address, else the first. */
const current = computed(
  () =>
    places.value.find((place) => nameOf(place) === chosen.value) ??
    places.value.find(({ record }) => record !== undefined && record.id === selected.value) ??
    places.value[0],
);

/** Queues, streams and asynchronous invocations, with their waiting messages and dead letters. */
export function QueuesView() {
  // A link to a record is stronger than an earlier choice.
  useEffect(() => {
    if (selected.value !== '') chosen.value = '';
  }, [selected.value]);
  const step = (by: number) => {
    const next = neighbour(places.value, current.value, by);
    if (next) chosen.value = nameOf(next);
  };
  const onCurrent = (action: SourceAction, wantsDead: boolean) => () => {
    const { source, record, isDead } = current.value ?? {};
    if (source && record && isDead === wantsDead) act(source, action, record);
  };
  const fire = () => {
    const source = current.value?.source;
    if (source && isSchedule(source)) act(source, 'fire');
  };
  useKeys([
    { key: 'j', does: 'Next record or schedule', run: () => step(1) },
    { key: 'k', does: 'Previous record or schedule', run: () => step(-1) },
    { key: 'n', does: 'End its wait', run: onCurrent('now', false) },
    { key: 'b', does: 'Send the dead letter back', run: onCurrent('send-back', true) },
    { key: 'l', does: 'Show or hide it', run: () => current.value && toggle(current.value) },
    { key: 'x', does: 'Delete the dead letter', run: onCurrent('delete', true) },
    { key: 'f', does: 'Run the schedule now', run: fire },
    { key: '+', does: 'Shorten waits', run: () => changeSpeed(1) },
    { key: '-', does: 'Lengthen waits', run: () => changeSpeed(-1) },
  ]);
  return (
    <div class="page">
      <div class="bar">
        <h2>Queues, streams and asynchronous invocations</h2>
        <Speed />
      </div>
      {sources.value.length === 0 && <Empty>The service registers no source.</Empty>}
      {sources.value.map((source) => (
        <Source key={`${source.kind} ${source.name}`} source={source} />
      ))}
    </div>
  );
}

function Speed() {
  return (
    <label>
      speed{' '}
      <select
        value={String(run.value?.speed ?? 1)}
        aria-keyshortcuts="+ -"
        onChange={({ currentTarget }) => setSpeed(Number(currentTarget.value))}
      >
        {SPEEDS.map((speed) => (
          <option key={speed} value={String(speed)}>
            {speed}×
          </option>
        ))}
      </select>
    </label>
  );
}

function changeSpeed(by: 1 | -1): void {
  const now = run.value?.speed ?? 1;
  const next = by > 0 ? SPEEDS.find((speed) => speed > now) : SPEEDS.findLast((speed) => speed < now);
  if (next !== undefined) setSpeed(next);
}

function setSpeed(speed: number): void {
  void attempt(speed === 1 ? 'Waits are in real time' : `Waits are ${speed} times shorter`, async () => {
    await call('POST /api/speed', { body: { speed } });
    refresh();
  });
}

function Source({ source }: { readonly source: SourceView }) {
  const { kind, name, records, deadLetters, deadLetterName, done, filtered, hasHandler } = source;
  const isCurrent = isSchedule(source) && current.value?.source === source && current.value.record === undefined;
  const element = useScrolledTo<HTMLElement>(isCurrent);
  return (
    <section
      ref={element}
      class={isCurrent ? 'card choice-mark current' : 'card choice-mark'}
      aria-label={`${kind} ${name}`}
      aria-current={isCurrent || undefined}
    >
      <div class="bar">
        <h3>
          {name} <span class="quiet">{kind}</span>
        </h3>
        <span class="quiet">
          {records.length} here, {done} done{filtered.count > 0 && `, ${filtered.count} filtered`}
          {deadLetters.length > 0 && `, ${deadLetters.length} given up`}
        </span>
        {!hasHandler && <Mark tone="warn">no handler</Mark>}
        {isSchedule(source) && (
          <Action label="Run now" of={name} shortcut="f" primary={isCurrent} onClick={() => act(source, 'fire')} />
        )}
      </div>
      <Records source={source} records={records} isDead={false} />
      {deadLetters.length > 0 && (
        <>
          <h4>{deadLetterName}</h4>
          <Records source={source} records={deadLetters} isDead={true} />
        </>
      )}
      {filtered.count > 0 && (
        <>
          <h4>filtered</h4>
          <Records source={source} records={filtered.latest} isDead={false} />
        </>
      )}
    </section>
  );
}

function Records(props: {
  readonly source: SourceView;
  readonly records: readonly SourceRecordView[];
  readonly isDead: boolean;
}) {
  const { source, records, isDead } = props;
  if (records.length === 0) return null;
  return (
    <ul class="records">
      {records.map((record) => (
        <Record key={`${record.id} ${record.function ?? ''}`} source={source} record={record} isDead={isDead} />
      ))}
    </ul>
  );
}

function Record(place: Place & { readonly record: SourceRecordView }) {
  const { source, record, isDead } = place;
  const isCurrent = current.value !== undefined && nameOf(current.value) === nameOf(place);
  // The settings of a source of several functions are not those of each function.
  const deliveries = record.function === undefined ? source.maxDeliveries : record.deliveries;
  const element = useScrolledTo<HTMLLIElement>(isCurrent);
  return (
    <li ref={element} class={isCurrent ? 'record current' : 'record'} aria-current={isCurrent || undefined}>
      <div class="bar">
        <code>{record.id}</code>
        {record.function !== undefined && <span class="quiet">{record.function}</span>}
        {record.lane !== '' && <span class="quiet">{record.lane}</span>}
        <span class="grow">
          {isDead
            ? `dead letter after ${counted(deliveries)}`
            : record.until !== null
              ? whatNext({ deliveries: record.deliveries, until: record.until }, source.maxDeliveries, now.value)
              : record.state === 'filtered'
                ? `filtered: ${FILTERED_BY[source.kind] ?? 'no pattern of the mapping matches'}`
                : `${record.state}, delivery ${record.deliveries} of ${source.maxDeliveries}`}
        </span>
        {record.until !== null && (
          <Action
            label="Now"
            of={record.id}
            shortcut="n"
            primary={isCurrent}
            onClick={() => act(source, 'now', record)}
          />
        )}
        {isDead && (
          <Action
            label="Send back"
            of={record.id}
            shortcut="b"
            primary={isCurrent}
            onClick={() => act(source, 'send-back', record)}
          />
        )}
        <Action label="Look" of={record.id} shortcut="l" onClick={() => toggle(place)} />
        {isDead && <Action label="Delete" of={record.id} shortcut="x" onClick={() => act(source, 'delete', record)} />}
      </div>
      {isDead && <Reason record={record} />}
      {opened.value === nameOf(place) && <Text label={`Record ${record.id}`} text={record.preview} />}
    </li>
  );
}

/** The reason for a dead letter: the failure of the last invocation that received it. */
function Reason({ record: { id, function: fn } }: { readonly record: SourceRecordView }) {
  const last = deliveriesOf(useDeliveries([id]), id, fn).at(-1);
  if (!last) return null;
  const failure = last.failures.find(({ record }) => record === id) ?? last.failures[0];
  return (
    <p class="reason">
      <a href={`#/invocations/${last.id}`}>#{last.id}</a>{' '}
      {failure ? `${failure.type}: ${failure.message}` : last.summary}
    </p>
  );
}

const DID: Readonly<Record<SourceAction, string>> = {
  now: 'is delivered now',
  'send-back': 'is back in its source',
  delete: 'is deleted',
  fire: 'runs',
};

function act({ kind, name }: SourceView, action: SourceAction, record?: SourceRecordView): void {
  const { id: recordId, function: fn } = record ?? {};
  const body = { kind, name, action, ...(recordId && { recordId }), ...(fn && { function: fn }) };
  void attempt(`${recordId ?? name} ${DID[action]}`, async () => {
    sources.value = await call('POST /api/sources', { body });
  });
}

function toggle(place: Place): void {
  opened.value = opened.value === nameOf(place) ? '' : nameOf(place);
  chosen.value = nameOf(place);
}
