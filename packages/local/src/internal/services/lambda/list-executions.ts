import type { ExecutionSummary } from '@sallyport/testkit/durable';
import { AwsFault } from '../../aws/wire.js';

/** https://docs.aws.amazon.com/lambda/latest/api/API_ListDurableExecutionsByFunction.html */
const PAGE = { usual: 100, most: 1_000 };

/**
 * The page of executions that `ListDurableExecutionsByFunction` selects, newest first.
 *
 * @param all the executions of a function, oldest first
 * @throws AwsFault `InvalidParameterValueException`
 * @see https://docs.aws.amazon.com/lambda/latest/api/API_ListDurableExecutionsByFunction.html
 */
export function listExecutions(
  all: readonly ExecutionSummary[],
  query: URLSearchParams,
  qualifier: string | undefined,
): { readonly page: readonly ExecutionSummary[]; readonly next: string | undefined } {
  const name = query.get('DurableExecutionName') ?? '';
  const statuses = query.getAll('Statuses');
  const version = query.get('Qualifier') ?? qualifier;
  const after = timeIn(query, 'StartedAfter') ?? Number.NEGATIVE_INFINITY;
  const before = timeIn(query, 'StartedBefore') ?? Number.POSITIVE_INFINITY;
  const selected = all.filter(
    (one) =>
      one.name.includes(name) &&
      (statuses.length === 0 || statuses.includes(one.status)) &&
      (version === undefined || !isVersion(version) || version === one.version) &&
      one.startedAt.getTime() > after &&
      one.startedAt.getTime() < before,
  );
  if (query.get('ReverseOrder') !== 'true') selected.reverse();
  const most = integerIn(query, 'MaxItems', PAGE.most) || PAGE.usual;
  const from = integerIn(query, 'Marker', selected.length);
  const end = from + most;
  return { page: selected.slice(from, end), next: end < selected.length ? String(end) : undefined };
}

/** Executions of a run are of one version: an alias names it too. */
function isVersion(qualifier: string): boolean {
  return /^(?:\$LATEST|\d+)$/.test(qualifier);
}

function timeIn(query: URLSearchParams, name: string): number | undefined {
  const given = query.get(name);
  if (given === null) return undefined;
  const at = Date.parse(given);
  if (Number.isNaN(at)) throw invalid(`${name} must be a time in ISO 8601`);
  return at;
}

function integerIn(query: URLSearchParams, name: string, most: number): number {
  const given = query.get(name) ?? '0';
  if (!/^\d+$/.test(given) || Number(given) > most) throw invalid(`${name} must be between 0 and ${most}`);
  return Number(given);
}

function invalid(message: string): AwsFault {
  return new AwsFault(400, 'InvalidParameterValueException', message);
}
