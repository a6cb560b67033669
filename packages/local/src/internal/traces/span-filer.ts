import type { Journal } from '../journal/journal.js';
import type { TracedSpan } from './traced-span.js';

/** Spans of one invocation that are kept. */
const MAX_SPANS = 1000;
/** Spans whose invocation is stored, for children that arrive in another datagram. */
const MAX_KNOWN = 20_000;

const REQUEST_ID = 'sallyport.invocation.id';

/** Adds received spans to the records of their invocations. */
export class SpanFiler {
  readonly #journal: Journal;
  readonly #report: (error: Error) => void;
  readonly #known = new Map<string, number>();
  readonly #counts = new Map<number, number>();

  constructor(journal: Journal, report: (error: Error) => void) {
    this.#journal = journal;
    this.#report = report;
  }

  file(spans: readonly TracedSpan[]): void {
    const byId = new Map(spans.map((span) => [span.spanId, span]));
    let lost = 0;
    for (const span of spans) {
      const id = this.#invocationOf(span, byId);
      const count = id === undefined ? MAX_SPANS : (this.#counts.get(id) ?? 0);
      if (id === undefined || count >= MAX_SPANS) {
        lost += 1;
        continue;
      }
      this.#remember(this.#counts, id, count + 1);
      this.#remember(this.#known, span.spanId, id);
      this.#journal.append(id, 'traced', span);
    }
    if (lost > 0) {
      this.#report(
        new Error(`${lost} spans are of an unknown invocation, or above the limit of ${MAX_SPANS} for each`),
      );
    }
  }

  /**
   * The invocation of the first span above: by its request id, by the segment that is its parent, else the newest of the trace. A cycle of
   * parents ends at the number of spans.
   */
  #invocationOf(span: TracedSpan, byId: ReadonlyMap<string, TracedSpan>): number | undefined {
    let top = span;
    for (let step = 0; step < byId.size; step += 1) {
      const parent = byId.get(top.parentId);
      if (!parent || REQUEST_ID in top.attributes) break;
      top = parent;
    }
    const requestId = top.attributes[REQUEST_ID];
    const root = `1-${top.traceId.slice(0, 8)}-${top.traceId.slice(8)}`;
    return (
      (typeof requestId === 'string' ? this.#journal.idOf(requestId) : undefined) ??
      this.#known.get(top.parentId) ??
      this.#journal.idByTrace(`Root=${root};Parent=${top.parentId}`)
    );
  }

  #remember<K>(map: Map<K, number>, key: K, value: number): void {
    map.set(key, value);
    const [oldest] = map.keys();
    if (map.size > MAX_KNOWN && oldest !== undefined) map.delete(oldest);
  }
}
