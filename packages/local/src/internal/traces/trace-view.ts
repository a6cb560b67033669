import { localError } from '../errors.js';
import type { InvocationRecord, LogLine } from '../journal/journal.js';
import type { TracedSpan } from './traced-span.js';

/** One bar of a trace: an invocation, or a span in it. Times are milliseconds since the epoch. */
export interface TraceNode {
  /** 0 for the first invocation of the trace. */
  readonly depth: number;
  /** The number of the invocation. */
  readonly invocation: number;
  /** `''` for the bar of the invocation itself. */
  readonly spanId: string;
  /** `queue orders`, `GET /notes/{id}`. */
  readonly name: string;
  /** `invocation`, or the kind of the span: `server`, `client`. */
  readonly kind: string;
  readonly startedAt: number;
  /** `null` while it runs. */
  readonly endedAt: number | null;
  /** The time at which its event was sent; `null` if it did not wait, or if this is unknown. */
  readonly sentAt: number | null;
  /** The code of the failure; `null` for success. */
  readonly error: string | null;
  readonly attributes: Readonly<Record<string, unknown>>;
  /** Events of the span; the log lines of the invocation. */
  readonly lines: readonly LogLine[];
}

/** A trace with all its invocations, in the order in which it is drawn. */
export interface TraceView {
  /** 32 hexadecimal digits. */
  readonly id: string;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly nodes: readonly TraceNode[];
  /** Bars that are left out because of the limit. */
  readonly leftOut: number;
}

const MAX_NODES = 500;
const MAX_LINES = 50;
/** Invocations of one trace that are read. */
export const MAX_INVOCATIONS = 200;

/**
 * Both forms of the id of a trace.
 *
 * @throws FrameworkError `local.invalid_request` for any other string
 */
export function traceIds(given: string): { readonly id: string; readonly xray: string } {
  const id = given
    .trim()
    .toLowerCase()
    .replace(/^1-([\da-f]{8})-([\da-f]{24})$/, '$1$2');
  if (!/^[\da-f]{32}$/.test(id)) {
    throw localError(
      'local.invalid_request',
      'framework: the id of a trace must be 32 hexadecimal digits, or 1-<8>-<24> as X-Ray writes it',
    );
  }
  return { id, xray: `1-${id.slice(0, 8)}-${id.slice(8)}` };
}

interface Knot {
  readonly node: Omit<TraceNode, 'depth'>;
  readonly children: Knot[];
  parent: Knot | undefined;
}

/** The picture of a trace from the records of its invocations. @throws FrameworkError `local.not_found` without an invocation */
export function traceViewOf(id: string, records: readonly InvocationRecord[]): TraceView {
  if (records.length === 0) {
    throw localError('local.not_found', `framework: no kept invocation belongs to the trace ${id}`);
  }
  const ordered = [...records].sort((a, b) => a.startedAt - b.startedAt || a.id - b.id);
  const spans = new Map<string, Knot>();
  const invocations = new Map<number, Knot>();
  for (const record of ordered) {
    invocations.set(record.id, knotOf(invocationNode(record)));
    for (const span of record.traced) spans.set(span.spanId, knotOf(spanNode(record.id, span)));
  }
  for (const record of ordered) {
    const top = invocations.get(record.id) as Knot;
    const own = new Set(record.traced.map(({ spanId }) => spanId));
    for (const { spanId, parentId } of record.traced)
      adopt(own.has(parentId) ? spans.get(parentId) : top, spans.get(spanId));
    adopt(causeOf(record, own, spans) ?? invocations.get(record.causedBy ?? 0), top);
  }
  const nodes: TraceNode[] = [];
  for (const knot of invocations.values()) if (!knot.parent) draw(knot, 0, nodes);
  const ends = nodes.flatMap(({ startedAt, endedAt }) => [startedAt, endedAt ?? startedAt]);
  return {
    id,
    startedAt: Math.min(...nodes.map(({ startedAt }) => startedAt)),
    endedAt: Math.max(...ends),
    nodes: nodes.slice(0, MAX_NODES),
    leftOut: Math.max(0, nodes.length - MAX_NODES),
  };
}

const knotOf = (node: Knot['node']): Knot => ({ node, children: [], parent: undefined });

/** A parent that is below its child would be a cycle. */
function adopt(parent: Knot | undefined, child: Knot | undefined): void {
  if (!parent || !child || child.parent) return;
  for (let above: Knot | undefined = parent; above; above = above.parent) if (above === child) return;
  child.parent = parent;
  parent.children.push(child);
}

/** The span of another invocation that sent the event of this one: by the trace header, else a parent or a link of its spans. */
function causeOf(
  { parentSpan, traced }: InvocationRecord,
  own: ReadonlySet<string>,
  spans: ReadonlyMap<string, Knot>,
): Knot | undefined {
  if (spans.has(parentSpan)) return spans.get(parentSpan);
  for (const { parentId, links } of traced) {
    const found = [parentId, ...links].find((spanId) => !own.has(spanId) && spans.has(spanId));
    if (found !== undefined) return spans.get(found);
  }
  return undefined;
}

function draw(knot: Knot, depth: number, into: TraceNode[]): void {
  const { node, children, parent } = knot;
  const sentAt = node.spanId === '' && parent ? (parent.node.endedAt ?? null) : null;
  into.push({ ...node, depth, sentAt: sentAt !== null && sentAt < node.startedAt ? sentAt : null });
  for (const child of children.sort((a, b) => a.node.startedAt - b.node.startedAt)) draw(child, depth + 1, into);
}

function invocationNode(record: InvocationRecord): Knot['node'] {
  const { id, kind, origin, startedAt, ms, status, summary, error, failures, logs } = record;
  const isFailed = status === 'failed' || failures.length > 0;
  return {
    invocation: id,
    spanId: '',
    name: `${kind ?? origin.kind} ${origin.target}`.trim(),
    kind: 'invocation',
    startedAt,
    endedAt: ms === null ? null : startedAt + ms,
    sentAt: null,
    error: isFailed ? (error?.errorType ?? failures[0]?.type ?? summary) : null,
    attributes: { 'faas.invocation_id': record.requestId },
    lines: logs.slice(0, MAX_LINES),
  };
}

function spanNode(invocation: number, span: TracedSpan): Knot['node'] {
  const { spanId, name, kind, startedAt, endedAt, error, attributes, events } = span;
  const lines = events.map((event) => ({ at: event.at, level: 'event', text: event.name }));
  return { invocation, spanId, name, kind, startedAt, endedAt, sentAt: null, error, attributes, lines };
}
