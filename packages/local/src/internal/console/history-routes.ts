import { localError } from '../errors.js';
import type { History } from '../history/history.js';
import type { InvocationRecord } from '../journal/journal.js';
import { compareRecords } from '../recordings/compare.js';
import { saveTest, type TestedFunctions } from '../recordings/save-test.js';
import { MAX_INVOCATIONS, traceIds, traceViewOf } from '../traces/trace-view.js';
import type { InvocationRow } from './api.js';
import { readId } from './bodies.js';
import { newest } from './live.js';
import type { HistoryRoutes } from './routes.js';

/** Maximum number of rows of one answer. */
const MAX_ROWS = 1000;

/**
 * The routes that read invocations.
 *
 * @param sync resolves when the history has all changes until now
 * @param tested the functions of the run, for tests of them
 */
export function historyRoutes(history: History, sync: () => Promise<void>, tested: TestedFunctions): HistoryRoutes {
  return {
    async 'GET /api/invocations'({ query }) {
      await sync();
      const ids = rangeOf(query) ?? newest(history, MAX_ROWS);
      return ids.flatMap((id): readonly InvocationRow[] => {
        const row = history.row(id);
        return row ? [row] : [];
      });
    },
    async 'GET /api/search'({ query }) {
      await sync();
      return history.search(query.get('filter') ?? '', Number(query.get('from') ?? 0) || 0);
    },
    async 'GET /api/compare'({ query }) {
      await sync();
      return compareRecords(recordOf(history, query.get('before')), recordOf(history, query.get('now')));
    },
    async 'GET /api/invocations/{id}'({ params }) {
      await sync();
      return recordOf(history, params.id);
    },
    async 'POST /api/tests'({ body }) {
      await sync();
      return { file: saveTest(recordOf(history, String(readId(body).id)), tested) };
    },
    async 'GET /api/traces/{id}'({ params }) {
      const { id, xray } = traceIds(params.id ?? '');
      await sync();
      const found = await Promise.all([history.search(id), history.search(xray)]);
      const ids = [...new Set(found.flat())].slice(0, MAX_INVOCATIONS);
      const records = ids.flatMap((one) => history.get(one) ?? []);
      return traceViewOf(
        id,
        records.filter(({ traceId, traced }) => traceId === xray || traced.some((span) => span.traceId === id)),
      );
    },
  };
}

function recordOf(history: History, id: string | null = null): InvocationRecord {
  const record = history.get(Number(id));
  if (!record) throw localError('local.not_found', `framework: invocation ${id} is no longer kept`);
  return record;
}

/** The numbers of `ids=1,2,9` or of `from=1&to=200`, at most 1,000; `undefined` without these parameters. */
function rangeOf(query: URLSearchParams): readonly number[] | undefined {
  const ids = query.get('ids');
  if (ids !== null) return ids.split(',').slice(0, MAX_ROWS).map(Number);
  if (!query.has('from')) return undefined;
  const from = Number(query.get('from'));
  const count = Math.min(MAX_ROWS, Number(query.get('to')) - from + 1);
  if (!(count >= 0)) throw localError('local.invalid_request', 'framework: from and to must be numbers of invocations');
  return Array.from({ length: count }, (_, at) => from + at);
}
