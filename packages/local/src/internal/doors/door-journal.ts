import { randomUUID } from 'node:crypto';
import type { ClientAnswer } from '@sallyport/testkit/events';
import { startTrace } from '../journal/trace.js';
import type { Failed, InvokeOptions } from '../runtime/invoker.js';
import { refusalText } from './answer.js';
import type { DoorDecision } from './authorizer.js';
import type { DoorHost } from './request.js';

/** Records the response that the client of an invocation received. A response of the function that the door rejected is a warning. */
export function recordClient(
  host: DoorHost,
  id: number,
  client: ClientAnswer,
  summary: string = String(client.status),
): void {
  const warning = refusalText(client, host);
  if (warning) host.journal.append(id, 'logs', { at: Date.now(), level: 'warn', text: warning });
  const { status, headers, body } = client;
  const view = { status, headers, body: readable(Buffer.from(body)), streamed: false, cut: false };
  host.journal.update(id, { client: view, summary });
}

/** Records a request that the door's own authorizer rejected: there is no invocation. */
export function recordRejection(
  host: DoorHost,
  event: object,
  { origin, traceId }: InvokeOptions,
  { reason, client }: Pick<Extract<DoorDecision, { isAllowed: false }>, 'reason' | 'client'>,
): Failed {
  const requestId = randomUUID();
  const { root, segment, parent } = startTrace(traceId, host.clock.now().getTime());
  const id = host.journal.open({ requestId, traceId: root, segment, parent, origin, event });
  const error = { errorType: REJECTIONS[client.status] ?? 'Forbidden', errorMessage: reason };
  host.journal.update(id, { status: 'failed', error });
  recordClient(host, id, client);
  return { ok: false, id, requestId, reason: 'authorizer', error };
}

const REJECTIONS: Readonly<Record<number, string>> = { 401: 'Unauthorized', 404: 'NotFound' };

/** Text is returned unchanged; other bytes are replaced by their count. */
export function readable(bytes: Buffer): string {
  const text = bytes.toString('utf8');
  return text.includes('\u{fffd}') && !Buffer.from(text).equals(bytes) ? `${bytes.length} bytes` : text;
}
