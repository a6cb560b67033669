import { computed, signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { ExecutionAction, ExecutionRow, ExecutionView, OperationView } from '../../src/internal/console/api.js';
import { call } from '../api.js';
import { useKeys } from '../keys.js';
import { Json } from '../parts/json.js';
import { useScrolledTo } from '../parts/scroll.js';
import { Action, Empty, Mark } from '../parts/small.js';
import { clockTime, duration, neighbour, type Tone, until } from '../parts/view.js';
import { go, selected } from '../route.js';
import { attempt, executionsVersion, now } from '../store.js';

const rows = signal<readonly ExecutionRow[]>([]);
const opened = signal<ExecutionView | undefined>(undefined);
/** The content of the form that answers a callback, by the id of the operation. */
const answers = signal<Readonly<Record<string, string>>>({});

const current = computed(() => rows.value.find(({ arn }) => arn === selected.value) ?? rows.value[0]);

const TONES: Readonly<Record<string, Tone>> = {
  SUCCEEDED: 'good',
  FAILED: 'bad',
  TIMED_OUT: 'bad',
  STOPPED: 'warn',
  CANCELLED: 'warn',
};
const toneOf = (status: string): Tone => TONES[status] ?? 'busy';
const words = (status: string) => status.toLowerCase().replace('_', ' ');

function read(): void {
  void attempt('', async () => {
    rows.value = await call('GET /api/executions');
    const arn = current.peek()?.arn;
    opened.value = arn === undefined ? undefined : await call('GET /api/executions/{arn}', { params: { arn } });
  });
}

function step(by: number): void {
  const next = neighbour(rows.value, current.value, by);
  if (next) go('executions', next.arn);
}

const DID: Readonly<Record<ExecutionAction['action'], string>> = {
  skip: 'The wait has ended',
  stop: 'The execution is stopped',
  kill: 'The process is killed at the next checkpoint',
  restart: 'Another execution has started',
  complete: 'The callback is answered',
  fail: 'The callback has failed',
};

function act(body: ExecutionAction): void {
  void attempt(DID[body.action], async () => {
    const { arn } = await call('POST /api/executions', { body });
    if (arn !== body.arn) go('executions', arn);
    read();
  });
}

/** The executions of a durable function: failed ones first, with the operations of one of them. */
export function ExecutionsView() {
  useEffect(read, [executionsVersion.value, selected.value]);
  const onCurrent = (action: 'skip' | 'stop' | 'kill' | 'restart') => () =>
    current.value && act({ arn: current.value.arn, action });
  useKeys([
    { key: 'j', does: 'Next execution', run: () => step(1) },
    { key: 'k', does: 'Previous execution', run: () => step(-1) },
    { key: 'n', does: 'End its waits', run: onCurrent('skip') },
    { key: 'r', does: 'Restart it with its event', run: onCurrent('restart') },
  ]);
  return (
    <div class="page">
      <div class="bar">
        <h2>
          Executions <span class="quiet">{rows.value.length}</span>
        </h2>
      </div>
      {rows.value.length === 0 && (
        <Empty>
          No executions. Set "durable" in sallyport.json, and send an event to a handler wrapped by durable.
        </Empty>
      )}
      <ul class="records" aria-label="Executions">
        {rows.value.map((row) => (
          <Row key={row.arn} row={row} />
        ))}
      </ul>
      {opened.value && <Execution view={opened.value} />}
    </div>
  );
}

function Row({ row }: { readonly row: ExecutionRow }) {
  const { arn, name, status, startedAt, endedAt, invocations, waitsFor, error } = row;
  const isCurrent = arn === current.value?.arn;
  const element = useScrolledTo<HTMLLIElement>(isCurrent);
  return (
    <li ref={element} class={isCurrent ? 'record current' : 'record'} aria-current={isCurrent || undefined}>
      <div class="bar">
        <Mark tone={toneOf(status)}>{words(status)}</Mark>
        <a class="grow" href={`#/executions/${encodeURIComponent(arn)}`}>
          {name}
        </a>
        <span class="quiet">
          {clockTime(startedAt)}, {invocations} {invocations === 1 ? 'invocation' : 'invocations'}
          {endedAt !== null && `, ${duration(endedAt - startedAt)}`}
          {waitsFor !== null && `, waits for ${waitsFor}`}
        </span>
      </div>
      {error !== null && <p class="reason">{error}</p>}
    </li>
  );
}

function Execution({ view }: { readonly view: ExecutionView }) {
  const { arn, name, status, event, result, error, operations, invocationIds } = view;
  const isRunning = status === 'RUNNING';
  return (
    <section class="card" aria-label={`Execution ${name}`}>
      <div class="bar">
        <h3 class="grow">{name}</h3>
        {isRunning && (
          <>
            <Action label="End waits" shortcut="n" primary={true} onClick={() => act({ arn, action: 'skip' })} />
            <Action label="Kill at the next checkpoint" onClick={() => act({ arn, action: 'kill' })} />
            <Action label="Stop" of={name} onClick={() => act({ arn, action: 'stop' })} />
          </>
        )}
        <Action label="Restart" shortcut="r" primary={!isRunning} onClick={() => act({ arn, action: 'restart' })} />
      </div>
      {error !== null && <p class="reason">{error}</p>}
      <h4>Operations</h4>
      <TimeLine operations={operations} arn={arn} hasEnded={!isRunning} />
      <h4>Invocations</h4>
      <p class="ids">
        {invocationIds.length === 0 && <span class="quiet">No invocation in this run.</span>}
        {invocationIds.map((id) => (
          <a key={id} href={`#/invocations/${id}`}>
            #{id}
          </a>
        ))}
      </p>
      <h4>Event</h4>
      <Json label={`Event of ${name}`} value={event} />
      {result !== null && (
        <>
          <h4>Result</h4>
          <Json label={`Result of ${name}`} value={result} />
        </>
      )}
    </section>
  );
}

/** The operations on one scale, each with its state. */
function TimeLine(props: {
  readonly operations: readonly OperationView[];
  readonly arn: string;
  readonly hasEnded: boolean;
}) {
  const { operations, arn, hasEnded } = props;
  if (operations.length === 0) return <Empty>No operation yet.</Empty>;
  const start = Math.min(...operations.map(({ startedAt }) => startedAt));
  const end = Math.max(...operations.map(({ startedAt, endedAt }) => endedAt ?? startedAt));
  const length = Math.max(1, end - start);
  return (
    <ol class="records" aria-label="Operations">
      {operations.map((one) => (
        <li key={one.id} class="record">
          <div class="bar">
            <Mark tone={toneOf(one.status)}>{words(one.status)}</Mark>
            <span>{one.kind}</span>
            <strong>{one.name}</strong>
            <svg class="grow" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
              <rect
                class={toneOf(one.status) === 'bad' ? 'bar bad' : 'bar'}
                x={((one.startedAt - start) / length) * 99}
                width={Math.max(0.6, (((one.endedAt ?? end) - one.startedAt) / length) * 100)}
                y="0"
                height="8"
              />
            </svg>
            <span class="quiet">
              {one.attempt !== null && one.attempt > 1 && `attempt ${one.attempt}, `}
              {one.endedAt === null ? waitText(one) : duration(one.endedAt - one.startedAt)}
            </span>
            {one.waits && one.kind !== 'callback' && (
              <Action label="End now" of={one.name} onClick={() => act({ arn, action: 'skip', operation: one.id })} />
            )}
            {hasEnded && one.kind === 'step' && (
              <Action
                label="Restart from here"
                of={one.name}
                onClick={() => act({ arn, action: 'restart', operation: one.id })}
              />
            )}
          </div>
          {one.error !== null && <p class="reason">{one.error}</p>}
          {one.result !== null && <Json label={`Result of ${one.name}`} value={one.result} />}
          {one.waits && one.kind === 'callback' && <Answer arn={arn} operation={one} />}
        </li>
      ))}
    </ol>
  );
}

function waitText({ until: at, waits }: OperationView): string {
  if (!waits) return 'runs';
  return at === null ? 'waits' : `waits, ${until(at, now.value)}`;
}

/** The form that answers a callback. Its id is not on the page. */
function Answer({ arn, operation }: { readonly arn: string; readonly operation: OperationView }) {
  const { id, name } = operation;
  const text = answers.value[id] ?? '{}';
  const complete = () =>
    attempt('', async () => JSON.parse(text) as unknown).then((value) => {
      if (value !== undefined) act({ arn, action: 'complete', operation: id, value });
    });
  return (
    <form
      class="bar"
      aria-label={`Answer ${name}`}
      onSubmit={(event) => {
        event.preventDefault();
        void complete();
      }}
    >
      <label class="grow">
        value as JSON{' '}
        <input
          value={text}
          onInput={({ currentTarget }) => {
            answers.value = { ...answers.value, [id]: currentTarget.value };
          }}
        />
      </label>
      <button class="action primary" type="submit">
        Complete<span class="hidden">{name}</span>
      </button>
      <Action label="Fail" of={name} onClick={() => act({ arn, action: 'fail', operation: id, value: 'rejected' })} />
    </form>
  );
}
