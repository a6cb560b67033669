import { parseAccept } from '../../http/internal/accept.js';
import { type Exchange, nowMs, type Reply } from '../../http/internal/exchange.js';
import { allowOf, notAllowed } from '../../http/internal/not-allowed.js';
import { COMMENT_FRAME, messageFrame, primingFrame, retryFrame } from '../../http/internal/sse.js';
import { changeNotification, listenReply } from '../../methods/internal/listen.js';
import { RPC } from '../../protocol/internal/protocol.js';
import type { Core } from '../../server/internal/core.js';
import { hashText } from '../../store/internal/crypto.js';
import { resumeStream } from './resume.js';
import { deleteSession } from './session.js';
import { resolveSession, sessionError } from './session-era.js';
import type { Session } from './session-shape.js';
import { isSubscribed } from './session-subscriptions.js';
import { parseEventId } from './stream-log.js';

/** How long a client keeps away between two listeners. */
const IDLE_RETRY_MS = 30_000;
const FEED_MS = 300_000;

/** DELETE: ends a durable session. */
export async function serveDelete(core: Core, exchange: Exchange): Promise<Reply> {
  const resolved = await resolveSession(core, exchange, null);
  if ('status' in resolved) return resolved;
  if (core.settings.sessions === 'sealed') return notAllowed('POST');
  await deleteSession(core, resolved.sessionId);
  return { status: 200, headers: {}, body: '' };
}

/** GET: the rest of a stream, or a listener for changes. */
export async function serveGet(core: Core, exchange: Exchange): Promise<Reply> {
  if (!parseAccept(exchange.header('accept'))?.sse) return sessionError(406, RPC.invalidRequest, 'Not acceptable');
  const resolved = await resolveSession(core, exchange, null);
  if ('status' in resolved) return resolved;
  const { session } = resolved;
  const lastEventId = (exchange.header('last-event-id')[0] ?? '').trim();
  if (lastEventId === '') return listen(core, exchange, session) ?? notAllowed(allowOf(core));
  const place = parseEventId(lastEventId);
  if (!place) return sessionError(400, RPC.invalidRequest, 'Malformed Last-Event-ID');
  if (session.partition === undefined) return notAllowed(allowOf(core));
  if (place.stream === listenerId(session.partition)) {
    return listen(core, exchange, session, place.sequence) ?? notAllowed(allowOf(core));
  }
  return (await resumeStream(core, exchange, session, place.stream, place.sequence)) ?? notAllowed(allowOf(core));
}

/** A listener, where the door streams and there are changes to hear of. */
function listen(core: Core, exchange: Exchange, session: Session, since?: number): Reply | undefined {
  const { partition } = session;
  if (!core.settings.changes || !exchange.canStream || partition === undefined) return undefined;
  const now = nowMs(exchange.clock);
  return listenReply(core, exchange, {
    from: since === undefined || since > now ? now : Math.max(since, now - FEED_MS),
    head: COMMENT_FRAME,
    frame: async (change) => {
      const wanted = 'list' in change || (await isSubscribed(core, session, change.resource));
      return wanted ? messageFrame(changeNotification(change)) : '';
    },
    tail: (position) => {
      if (session.version < '2025-11-25') return retryFrame(IDLE_RETRY_MS);
      return primingFrame(`${listenerId(partition)}.${position}`, IDLE_RETRY_MS);
    },
  });
}

/** A session's listener keeps its name, so that the next one goes on where the last one ended. */
function listenerId(partition: string): string {
  return hashText(`listen ${partition}`).slice(0, 12);
}
