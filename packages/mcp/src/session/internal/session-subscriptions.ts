import { MAX_SUBSCRIPTIONS } from '../../methods/internal/subscriptions.js';
import { invalidParams } from '../../run/internal/call.js';
import { type Core, storeOf } from '../../server/internal/core.js';
import { hashText } from '../../store/internal/crypto.js';
import { encodeRow, toTtl } from '../../store/store.js';
import type { Session } from './session-shape.js';

const PREFIX = 'sub#';

/** Notes that a session wants to know of changes of a resource. */
export async function subscribe(core: Core, session: Session, uri: string, expiresMs: number): Promise<void> {
  const key = keyOf(session, uri);
  const rows = await storeOf(core).list(key.partition, PREFIX, MAX_SUBSCRIPTIONS);
  const others = rows.filter(({ sort }) => sort.startsWith(PREFIX) && sort !== key.sort);
  if (others.length >= MAX_SUBSCRIPTIONS) throw invalidParams(`At most ${MAX_SUBSCRIPTIONS} subscriptions`);
  await storeOf(core).put({ ...key, version: 1, ttl: toTtl(expiresMs), data: encodeRow(1) });
}

export async function unsubscribe(core: Core, session: Session, uri: string): Promise<void> {
  await storeOf(core).take(keyOf(session, uri));
}

export async function isSubscribed(core: Core, session: Session, uri: string): Promise<boolean> {
  return (await storeOf(core).get(keyOf(session, uri))) !== undefined;
}

function keyOf({ partition = '' }: Session, uri: string) {
  return { partition, sort: PREFIX + hashText(uri) };
}
