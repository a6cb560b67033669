import { canonicalJson } from '@sallyport/core/internal';
import type { DurableRun } from '../types.js';

/** One line, metric or span: its name, and the fields that are equal in every run. */
interface Entry {
  readonly what: 'line' | 'metric' | 'span';
  readonly name: string;
  readonly fields: string;
}

/** Times, durations, ids, and the order of operations that run side by side: they differ in each invocation or run. */
const OWN_FIELD =
  /^(?:ts|time|timestamp|(?:start|end|started|ended)\w*|duration\w*|invocation_id|invocation|trace_?id|span_?id|parent_?span_?id|span|stack|cold_?start|remaining\w*|execution|execution_?id|request[._]?id|correlation_?id|execution_arn|error_id|aws_request_id|tail|faas\.invocation_id)$/i;

/** Lines, metrics and spans that a kill repeated more than once, or that it wrote with other fields. */
export function surplus(expected: DurableRun, actual: DurableRun, isInterrupted: boolean): string[] {
  const known = countsOf(entriesOf(expected));
  const names = new Map<string, string[]>();
  for (const { what, name, fields } of entriesOf(expected)) {
    const key = `${what} ${name}`;
    names.set(key, [...(names.get(key) ?? []), fields]);
  }
  return [...countsOf(entriesOf(actual))].flatMap(([, { entry, count }]) => {
    const { what, name, fields } = entry;
    const before = known.get(keyOf(entry))?.count ?? 0;
    // A step that runs at most once fails when a kill interrupts it: its lines describe the failure.
    if (before === 0 && isInterrupted) return [];
    if (before === 0) {
      const others = names.get(`${what} ${name}`);
      const wanted = others ? `, expected ${others[0]}` : ', and not without a kill';
      return [`the ${what} "${name}" was written with ${fields}${wanted}`];
    }
    const allowed = before + 1;
    return count > allowed
      ? [`the ${what} "${name}" was written ${count} times, at most ${allowed} expected, with ${fields}`]
      : [];
  });
}

function entriesOf({ logs, records }: DurableRun): Entry[] {
  return [
    ...logs.map((line) => {
      const name = `${line.level} ${'event' in line ? line.event : line.message}`;
      return { what: 'line' as const, name, fields: fieldsOf(line) };
    }),
    ...records.metrics.map((metric) => ({ what: 'metric' as const, name: metric.name, fields: fieldsOf(metric) })),
    ...records.spans.map((span) => {
      const { name, parent, attributes } = span;
      return { what: 'span' as const, name, fields: fieldsOf({ parent, ...attributes }) };
    }),
  ];
}

const keyOf = ({ what, name, fields }: Entry) => `${what} ${name} ${fields}`;

function fieldsOf(value: object): string {
  return canonicalJson(kept(value));
}

function kept(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(kept);
  if (typeof value !== 'object' || value === null) return typeof value === 'function' ? undefined : value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) => (OWN_FIELD.test(name) ? [] : [[name, kept(member)]])),
  );
}

function countsOf(entries: readonly Entry[]): Map<string, { readonly entry: Entry; readonly count: number }> {
  const counts = new Map<string, { entry: Entry; count: number }>();
  for (const entry of entries) {
    const key = keyOf(entry);
    counts.set(key, { entry, count: (counts.get(key)?.count ?? 0) + 1 });
  }
  return counts;
}
