import type { InvocationRecord } from '../../src/internal/journal/journal.js';
import { duration } from '../parts/view.js';

interface Bar {
  readonly name: string;
  readonly kind: string;
  readonly from: number;
  readonly to: number;
  readonly failed: boolean;
}

/** Init, spans and AWS calls next to each other, on one scale. */
export function TimeLine({ record }: { readonly record: InvocationRecord }) {
  const bars = barsOf(record);
  if (bars.length === 0) return null;
  const start = Math.min(...bars.map(({ from }) => from));
  const length = Math.max(1, Math.max(...bars.map(({ to }) => to)) - start);
  return (
    <figure class="time-line">
      <figcaption class="hidden">Time line</figcaption>
      {bars.map((bar, index) => (
        <div key={index} class="time-row">
          <span class="time-name" title={bar.name}>
            {bar.name}
          </span>
          <svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
            <rect
              class={bar.failed ? 'bar bad' : `bar ${bar.kind}`}
              x={((bar.from - start) / length) * 99}
              width={Math.max(0.6, ((bar.to - bar.from) / length) * 100)}
              y="0"
              height="8"
            />
          </svg>
          <span class="number">{duration(bar.to - bar.from)}</span>
        </div>
      ))}
    </figure>
  );
}

function barsOf(record: InvocationRecord): readonly Bar[] {
  const end = record.startedAt + (record.ms ?? 0);
  const spans = record.spans.map(({ name, kind, startedAt, endedAt, error }) => ({
    name,
    kind,
    from: startedAt,
    to: endedAt ?? end,
    failed: error !== null,
  }));
  const calls = record.awsCalls.map(({ service, operation, resource, at, ms, error }) => ({
    name: `${service} ${operation} ${resource}`.trim(),
    kind: 'aws',
    from: at,
    to: at + ms,
    failed: error !== null,
  }));
  const known = new Set(spans.map(({ kind }) => kind));
  return [...spans, ...(known.has('aws') ? [] : calls)].sort((a, b) => a.from - b.from).slice(0, 60);
}
