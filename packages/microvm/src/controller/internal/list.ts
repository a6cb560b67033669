import { toView } from '../../internal/codec.js';
import type { SessionRecord } from '../../registry/registry.js';
import type { CallerFacts } from '../caller.js';
import type { MicrovmSessionList } from '../types.js';
import { encodeCursor, parseList } from './input.js';
import { answer, type Dependencies, observe, withheldIfLeaking } from './shared.js';

/** Concurrent calls of the service. */
const AT_ONCE = 5;

/** One page of the caller's sessions. */
export async function listSessions(
  deps: Dependencies,
  facts: CallerFacts,
  input: unknown,
): Promise<MicrovmSessionList> {
  const { limit, after, refresh } = parseList(input);
  const { tenantId, namespace, identity, signal } = facts;
  const authSubject = deps.settings.ownership === 'subject' ? identity : undefined;
  const page = await deps.registry.list({ tenantId, namespace }, { limit, after, authSubject }, { signal });
  const records = refresh ? await refreshAll(deps, facts, page.records) : page.records;
  const nextCursor = page.next === undefined ? null : encodeCursor(page.next);
  return withheldIfLeaking({ ...answer('list', facts), sessions: records.map(toView), nextCursor });
}

/** Updates sessions from the service. If a call fails, the stored session is returned. */
async function refreshAll(
  deps: Dependencies,
  facts: CallerFacts,
  records: readonly SessionRecord[],
): Promise<readonly SessionRecord[]> {
  const refreshed: SessionRecord[] = [];
  for (let from = 0; from < records.length; from += AT_ONCE) {
    const some = records.slice(from, from + AT_ONCE);
    refreshed.push(...(await Promise.all(some.map((record) => observe(deps, facts, record).catch(() => record)))));
  }
  return refreshed;
}
