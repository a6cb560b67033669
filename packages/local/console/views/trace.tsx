import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { InvocationRow } from '../../src/internal/console/api.js';
import type { TraceView as Trace, TraceNode } from '../../src/internal/traces/trace-view.js';
import { call } from '../api.js';
import { useKeys } from '../keys.js';
import { Json } from '../parts/json.js';
import { Action, Empty, Mark } from '../parts/small.js';
import { clockTime, duration, neighbour, toneOf } from '../parts/view.js';
import { go, selected } from '../route.js';
import { newest } from '../rows.js';
import { attempt } from '../store.js';

/** Traces that the list shows. */
const MAX_TRACES = 50;
/** Levels that are indented; deeper spans are at the last one. */
const MAX_INDENT = 12;

const trace = signal<Trace | undefined>(undefined);
const current = signal(0);
const given = signal('');

function read(): void {
  const id = selected.value;
  if (id === '') return;
  void attempt('', async () => {
    const found = await call('GET /api/traces/{id}', { params: { id } });
    if (selected.peek() !== id) return;
    if (trace.peek()?.id !== found.id) current.value = 0;
    trace.value = found;
  });
}

/** All invocations and spans of one trace on one scale, or the newest traces. */
export function TracesView() {
  useEffect(() => {
    trace.value = undefined;
    read();
  }, [selected.value]);
  useKeys([
    { key: 'u', does: 'Read the trace again', run: read },
    { key: '/', does: 'Enter the id of a trace', run: () => document.getElementById('trace-id')?.focus() },
  ]);
  return (
    <div class="page">
      <form
        class="bar"
        onSubmit={(event) => {
          event.preventDefault();
          go('traces', given.value.trim());
        }}
      >
        <h2 class="grow">Trace</h2>
        <label class="trace-id">
          id{' '}
          <input
            id="trace-id"
            value={given.value}
            spellcheck={false}
            onInput={(event) => {
              given.value = event.currentTarget.value;
            }}
          />
        </label>
        <button type="submit" class="action">
          Show
        </button>
        <Action label="Read again" shortcut="u" onClick={read} disabled={selected.value === ''} />
      </form>
      {selected.value === '' ? <Newest /> : trace.value && <Waterfall trace={trace.value} />}
    </div>
  );
}

/** The newest traces, by the invocations that are in memory. */
function Newest() {
  const traces = new Map<string, InvocationRow[]>();
  for (const row of newest.value) {
    const rows = traces.get(row.traceId);
    if (rows) rows.push(row);
    else if (traces.size < MAX_TRACES) traces.set(row.traceId, [row]);
  }
  if (traces.size === 0) return <Empty>No invocations yet.</Empty>;
  return (
    <ul class="records" aria-label="Newest traces">
      {[...traces].map(([id, rows]) => {
        const first = rows.at(-1) as InvocationRow;
        const bad = rows.find((row) => toneOf(row) === 'bad');
        return (
          <li key={id} class="record card">
            <a href={`#/traces/${encodeURIComponent(id)}`}>
              {first.kind ?? first.origin.kind} {first.origin.target}
            </a>{' '}
            <span class="quiet">
              {clockTime(first.startedAt)}, {rows.length} {rows.length === 1 ? 'invocation' : 'invocations'}
            </span>{' '}
            {bad && <Mark tone="bad">{bad.summary || bad.status}</Mark>}
          </li>
        );
      })}
    </ul>
  );
}

function Waterfall({ trace: { id, startedAt, endedAt, nodes, leftOut } }: { readonly trace: Trace }) {
  const indexes = nodes.map((_, index) => index);
  const step = (by: number) => {
    current.value = neighbour(indexes, current.value, by) ?? 0;
    document.getElementById(`trace-bar-${current.value}`)?.scrollIntoView({ block: 'nearest' });
  };
  const fail = () => {
    const failing = indexes.filter((index) => nodes[index]?.error !== null);
    current.value = failing.find((index) => index > current.value) ?? failing[0] ?? current.value;
  };
  const open = () => go('invocations', String(nodes[current.value]?.invocation ?? ''));
  useKeys([
    { key: 'j', does: 'Next bar', run: () => step(1) },
    { key: 'k', does: 'Previous bar', run: () => step(-1) },
    { key: 'x', does: 'Next failure', run: fail },
    { key: 'Enter', does: 'Open the invocation', run: open },
  ]);
  const failures = nodes.filter(({ error }) => error !== null).length;
  const chosen = nodes[Math.min(current.value, nodes.length - 1)];
  return (
    <>
      <p>
        <code>{id}</code>{' '}
        <span class="quiet">
          {clockTime(startedAt)}, {duration(endedAt - startedAt)}, {nodes.length} bars
          {leftOut > 0 && `, ${leftOut} more are left out`}
        </span>{' '}
        {failures > 0 && <Mark tone="bad">{failures} failed</Mark>}
      </p>
      <ol class="waterfall" aria-label="Waterfall">
        {nodes.map((node, index) => (
          <Bar
            key={`${node.invocation}-${node.spanId}`}
            node={node}
            index={index}
            from={startedAt}
            length={Math.max(1, endedAt - startedAt)}
          />
        ))}
      </ol>
      {chosen && <Chosen node={chosen} />}
    </>
  );
}

function Bar(props: {
  readonly node: TraceNode;
  readonly index: number;
  readonly from: number;
  readonly length: number;
}) {
  const { node, index, from, length } = props;
  const { name, depth, startedAt, endedAt, sentAt, error, kind } = node;
  const place = (at: number) => ((at - from) / length) * 99;
  const waited = sentAt === null ? '' : `, waited ${duration(startedAt - sentAt)}`;
  const took = endedAt === null ? 'runs' : duration(endedAt - startedAt);
  return (
    <li>
      <button
        type="button"
        id={`trace-bar-${index}`}
        class={index === current.value ? 'trace-row current' : 'trace-row'}
        aria-pressed={index === current.value}
        onClick={() => {
          current.value = index;
        }}
      >
        <span class={`time-name indent-${Math.min(depth, MAX_INDENT)}`} title={name}>
          {kind === 'invocation' && <span class="quiet">#{node.invocation} </span>}
          {name}
          {error !== null && <span class="mark bad">{error}</span>}
        </span>
        <svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
          {sentAt !== null && <line class="wait" x1={place(sentAt)} x2={place(startedAt)} y1="4" y2="4" />}
          <rect
            class={error !== null ? 'bad' : kind}
            x={place(startedAt)}
            width={Math.max(0.6, place(endedAt ?? startedAt) - place(startedAt))}
            y="0"
            height="8"
          />
          {node.lines.map(({ at }, line) => (
            <rect key={line} class="tick" x={place(Math.max(at, from))} width="0.3" y="0" height="8" />
          ))}
        </svg>
        <span class="number">
          {took}
          <span class="hidden">{waited}</span>
        </span>
      </button>
    </li>
  );
}

/** The selected bar: its attributes, and its lines with their times. */
function Chosen({ node }: { readonly node: TraceNode }) {
  const { name, kind, invocation, startedAt, sentAt, error, attributes, lines } = node;
  return (
    <section class="card" aria-label="Selected bar">
      <h3>{name}</h3>
      <p>
        {kind} of <a href={`#/invocations/${invocation}`}>#{invocation}</a>
        {sentAt !== null && `, waited ${duration(startedAt - sentAt)}`}{' '}
        {error !== null && <Mark tone="bad">{error}</Mark>}
      </p>
      {lines.length > 0 && (
        <ol class="logs" aria-label="Lines">
          {lines.map(({ at, level, text }, index) => (
            <li key={index} class={`level-${level}`}>
              <span class="quiet">+{Math.max(0, Math.round(at - startedAt))} ms</span> <b>{level}</b>{' '}
              <code>{text}</code>
            </li>
          ))}
        </ol>
      )}
      <Json label={`Attributes of ${name}`} value={attributes} />
    </section>
  );
}
