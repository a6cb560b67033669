import type { RequestId } from '../../protocol/types.js';
import { type Core, storeOf } from '../../server/internal/core.js';
import { hashText } from '../../store/internal/crypto.js';
import { encodeRow, toTtl } from '../../store/store.js';
import { closeOpenStream, findOpenStreams } from './open-streams.js';
import type { Session } from './session-shape.js';
import { StreamLog } from './stream-log.js';

const FLAG_TTL_MS = 600_000;

/** Marks a request as cancelled, wherever it runs, and ends it where it is parked. */
export async function cancelRequest(core: Core, session: Session, id: RequestId, now: () => number): Promise<void> {
  const { partition } = session;
  if (partition === undefined) return;
  const row = { partition, sort: flagOf(id), version: 1, ttl: toTtl(now() + FLAG_TTL_MS), data: encodeRow(1) };
  await storeOf(core).put(row);
  for (const stream of await findOpenStreams(core, session, id)) {
    const found = await StreamLog.read(core, partition, stream, now);
    if (!found || (found.head.state !== 'waiting' && found.head.state !== 'open')) continue;
    if (await found.log.save({ ...found.head, state: 'cancelled', pending: [] })) {
      await closeOpenStream(core, session, stream);
    }
  }
}

/** Whether the client has cancelled a request. */
export async function isCancelled(core: Core, session: Session, id: RequestId): Promise<boolean> {
  const { partition } = session;
  return partition !== undefined && (await storeOf(core).get({ partition, sort: flagOf(id) })) !== undefined;
}

/** `"1"` and `1` are two requests. A text that is too long for a key stands there as its hash. */
function flagOf(id: RequestId): string {
  if (typeof id === 'number') return `cancel#n#${id}`;
  return id.length > 64 ? `cancel#h#${hashText(id)}` : `cancel#s#${id}`;
}
