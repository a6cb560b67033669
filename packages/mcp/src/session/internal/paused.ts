import { sha256Url } from '@sallyport/core/internal';
import { type McpRequest, nowMs } from '../../http/internal/transport.js';
import type { RequestId } from '../../protocol/types.js';
import { MAX_PAUSED_MS } from '../../run/internal/record.js';
import { type ServerData, storeOf } from '../../server/internal/server-data.js';
import { decodeRow, encodeRow, toTtl } from '../../store/store.js';
import type { Session } from './session.js';
import { StreamLog } from './stream-log.js';

/** The most paused calls of a session. */
const MAX_OPEN_STREAMS = 32;
const PREFIX = 'open#';
const MARGIN_MS = 60_000;

/**
 * Adds a call to the session's list of paused calls. Near the limit, several concurrent calls may all be rejected, but the limit
 * is never exceeded.
 */
export async function openStream(
  server: ServerData,
  session: Session,
  stream: string,
  id: RequestId,
  now: number,
): Promise<boolean> {
  const partition = session.partition ?? '';
  const ttl = toTtl(now + MAX_PAUSED_MS + MARGIN_MS);
  const store = storeOf(server);
  await store.put({ partition, sort: PREFIX + stream, version: 1, ttl, data: encodeRow([id]) });
  const open = await listOpen(server, partition);
  if (open.length <= MAX_OPEN_STREAMS) return true;
  await store.take({ partition, sort: PREFIX + stream });
  return false;
}

export async function closeOpenStream(server: ServerData, session: Session, stream: string): Promise<void> {
  await storeOf(server).take({ partition: session.partition ?? '', sort: PREFIX + stream });
}

/** Names of the paused streams of this request. */
async function findOpenStreams(server: ServerData, session: Session, id: RequestId): Promise<readonly string[]> {
  const open = await listOpen(server, session.partition ?? '');
  return open.filter((row) => decodeRow<[RequestId]>(row)[0] === id).map((row) => row.sort.slice(PREFIX.length));
}

async function listOpen(server: ServerData, partition: string) {
  const rows = await storeOf(server).list(partition, PREFIX, MAX_OPEN_STREAMS + 1);
  return rows.filter((row) => row.sort.startsWith(PREFIX));
}

const FLAG_TTL_MS = 600_000;

/** Marks a request as cancelled, so that a running call stops on any instance. A paused call is closed immediately. */
export async function cancelRequest(
  server: ServerData,
  session: Session,
  id: RequestId,
  http: McpRequest,
): Promise<void> {
  const { partition } = session;
  if (partition === undefined) return;
  const row = {
    partition,
    sort: flagOf(id),
    version: 1,
    ttl: toTtl(nowMs(http.clock) + FLAG_TTL_MS),
    data: encodeRow(1),
  };
  await storeOf(server).put(row);
  for (const stream of await findOpenStreams(server, session, id)) {
    const found = await StreamLog.read(server, partition, stream, http);
    if (!found || (found.head.state !== 'waiting' && found.head.state !== 'open')) continue;
    if (await found.log.save({ ...found.head, state: 'cancelled', pending: [] })) {
      await closeOpenStream(server, session, stream);
    }
  }
}

/** True if the client has cancelled a request. */
export async function isCancelled(server: ServerData, session: Session, id: RequestId): Promise<boolean> {
  const { partition } = session;
  return partition !== undefined && (await storeOf(server).get({ partition, sort: flagOf(id) })) !== undefined;
}

/** `"1"` and `1` are different requests. A string that is too long for a key is replaced by its hash. */
function flagOf(id: RequestId): string {
  if (typeof id === 'number') return `cancel#n#${id}`;
  return id.length > 64 ? `cancel#h#${sha256Url(id)}` : `cancel#s#${id}`;
}
