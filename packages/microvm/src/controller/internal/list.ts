import { toView } from '../../internal/codec.js';
import type { SessionRecord } from '../../registry/registry.js';
import type { CallerFacts } from '../caller.js';
import type { MicrovmSessionList } from '../types.js';
import { encodeCursor, parseList } from './input.js';
import { answer, observe, type Parts, withheldIfLeaking } from './parts.js';

/** Calls of the service at a time. */
const AT_ONCE = 5;

/** One page of the caller's sessions. */
export async function listSessions(parts: Parts, facts: CallerFacts, input: unknown): Promise<MicrovmSessionList> {
  const { limit, after, refresh } = parseList(input);
  const { tenantId, namespace, identity, signal } = facts;
  const authSubject = parts.settings.ownership === 'subject' ? identity : undefined;
  const page = await parts.registry.list({ tenantId, namespace }, { limit, after, authSubject }, { signal });
  const records = refresh ? await refreshAll(parts, facts, page.records) : page.records;
  const nextCursor = page.next === undefined ? null : encodeCursor(page.next);
  return withheldIfLeaking({ ...answer('list', facts), sessions: records.map(toView), nextCursor });
}

/** The sessions as the service shows them now. One that cannot be asked stays as it is stored. */
async function refreshAll(
  parts: Parts,
  facts: CallerFacts,
  records: readonly SessionRecord[],
): Promise<readonly SessionRecord[]> {
  const refreshed: SessionRecord[] = [];
  for (let from = 0; from < records.length; from += AT_ONCE) {
    const some = records.slice(from, from + AT_ONCE);
    refreshed.push(...(await Promise.all(some.map((record) => observe(parts, facts, record).catch(() => record)))));
  }
  return refreshed;
}
