import type { Difference } from '@sallyport/testkit/events';
import { isPrinted } from '../differences/record.js';
import { cleanText } from '../journal/cleaner.js';
import type { InvocationRecord } from '../journal/journal.js';

/** `12:00:04`. */
export function clockTime(at: number): string {
  return new Date(at).toTimeString().slice(0, 8);
}

/** `12:00:04  queue orders  1 of 2 failed  41 ms`. */
export function invocationLine(given: InvocationRecord): string {
  const record = toPrint(given);
  const { startedAt, origin, kind, summary, ms, environment } = record;
  const where = origin.function === undefined ? '' : ` > ${origin.function}`;
  const parts = [
    clockTime(startedAt),
    `${kind ?? origin.kind} ${origin.target}${where}`.trim(),
    summaryText(record, summary),
  ];
  if (ms !== null) parts.push(`${ms} ms`);
  if (environment && environment.initMs > 0) parts.push(`${environment.start} ${environment.initMs} ms`);
  return parts.filter((part) => part !== '').join('  ');
}

/** `--reveal` is for the page alone. */
function toPrint(record: InvocationRecord): InvocationRecord {
  const { origin, summary, error, failures } = record;
  return { ...record, ...cleanText({ origin, summary, error, failures }) };
}

function summaryText({ origin, answer }: InvocationRecord, summary: string): string {
  const { batchItemFailures } = (answer ?? {}) as { readonly batchItemFailures?: readonly unknown[] };
  const count = origin.recordIds?.length;
  if (count === undefined || !Array.isArray(batchItemFailures) || batchItemFailures.length === 0) return summary;
  return `${batchItemFailures.length} of ${count} failed`;
}

/** One line for each difference: `on AWS: …`. */
export function differenceLines(differences: readonly Difference[], indent: string): string {
  return differences
    .filter(isPrinted)
    .map((one) => `${indent}${one.topic === 'retry' ? 'AWS' : 'on AWS'}: ${cleanText(one.text)}\n`)
    .join('');
}

/** The `--json` line of an invocation; never contains its event, response or log lines. */
export function invocationJson(given: InvocationRecord): string {
  const record = toPrint(given);
  const { id, requestId, origin, kind, status, summary, ms, error, failures, environment, startedAt, leftovers } =
    record;
  const { differences } = record;
  return JSON.stringify({
    type: 'invocation',
    id,
    requestId,
    startedAt,
    origin,
    kind,
    status,
    summary,
    ms,
    error,
    failures,
    environment,
    leftovers,
    differences,
  });
}

/** `20 routes, 8 event handlers, 1 MCP server`. */
export function inventoryText({
  routes,
  triggers,
  mcp,
  isOurs,
}: {
  readonly isOurs: boolean;
  readonly routes: readonly unknown[];
  readonly triggers: readonly unknown[];
  readonly mcp: readonly unknown[];
}): string {
  if (!isOurs) return 'not a Sallyport handler: routes and triggers are unknown';
  const counts: readonly (readonly [number, string])[] = [
    [routes.length, 'route'],
    [triggers.length, 'event handler'],
    [mcp.length, 'MCP server'],
  ];
  return counts
    .filter(([count]) => count > 0)
    .map(([count, word]) => `${count} ${word}${count === 1 ? '' : 's'}`)
    .join(', ');
}
