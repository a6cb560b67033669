import { type IncomingMessage, type OutgoingHttpHeaders, type ServerResponse, request as sendRequest } from 'node:http';
import { pipeline } from 'node:stream/promises';
import type { Outgoing } from '../doors/iam-authorizer.js';
import type { DoorAnswer } from './messages.js';

/** Headers of one connection (RFC 9110 section 7.6.1), and headers for the console only. */
const OWN_HEADERS =
  /^(?:connection|keep-alive|te|trailer|transfer-encoding|upgrade|proxy-.*|host|origin|referer|cookie|authorization|content-length|sec-.*|door-authorization)$/;
const OWN_ANSWER_HEADERS =
  /^(?:connection|keep-alive|trailer|transfer-encoding|upgrade|set-cookie|content-security-policy|access-control-.*)$/;

/** A request to a door. */
export interface WayToDoor {
  /** Path and query, still encoded. */
  readonly path: string;
  /** The whole body: a signature covers it. */
  readonly body: Buffer;
  /** Finds the door and completes the headers: a signature where the door has an IAM authorizer. */
  open(sent: Omit<Outgoing, 'port'>): Promise<DoorAnswer>;
}

/**
 * Forwards a request of the page to a door of the service, so that the page needs no other origin. The header
 * `door-authorization` becomes the service's `authorization`; the console's token is not forwarded. The response has its status in
 * `door-status`: a rejection by the service is not a failure of the page, and a browser reports each status of 400 or more as a failure.
 *
 * @returns false if the door is not open: nothing was sent
 */
export async function passToDoor(
  request: IncomingMessage,
  response: ServerResponse,
  { path, body, open }: WayToDoor,
): Promise<boolean> {
  const own = request.headers['door-authorization'];
  const kept = Object.entries(request.headers).filter(([name]) => !OWN_HEADERS.test(name));
  const given = { ...Object.fromEntries(kept), ...(typeof own === 'string' && { authorization: own }) };
  const { method = 'GET' } = request;
  const door = await open({ method, path, headers: given, body });
  if (!door) return false;
  const { port, headers } = door;
  const onward = sendRequest({ host: '127.0.0.1', port, path, method, headers: headers as OutgoingHttpHeaders });
  response.on('close', () => onward.destroy());
  const answered = new Promise<IncomingMessage>((resolve, reject) =>
    onward.on('response', resolve).on('error', reject),
  );
  onward.end(body.length === 0 ? undefined : body);
  const answer = await answered;
  const answerHeaders = Object.entries(answer.headers).filter(([name]) => !OWN_ANSWER_HEADERS.test(name));
  response.writeHead(200, { ...Object.fromEntries(answerHeaders), 'door-status': String(answer.statusCode ?? 502) });
  response.flushHeaders();
  await pipeline(answer, response).catch(() => {});
  return true;
}
