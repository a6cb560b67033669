import { type IncomingMessage, type OutgoingHttpHeaders, type ServerResponse, request as sendRequest } from 'node:http';
import { pipeline } from 'node:stream/promises';
import type { Outgoing } from '../doors/iam-authorizer.js';

/** Headers of one connection (RFC 9110 section 7.6.1), and headers for the console only. */
const OWN_HEADERS =
  /^(?:connection|keep-alive|te|trailer|transfer-encoding|upgrade|proxy-.*|host|origin|referer|cookie|authorization|content-length|sec-.*|door-authorization)$/;
const OWN_ANSWER_HEADERS =
  /^(?:connection|keep-alive|trailer|transfer-encoding|upgrade|set-cookie|content-security-policy|access-control-.*)$/;

/** The address of a door, for the console. */
export interface DoorAddress {
  readonly port: number;
  /** Path and query, still encoded. */
  readonly path: string;
  /** Completes the headers of a request: a signature where the door has an IAM authorizer. */
  headersFor(outgoing: Outgoing): OutgoingHttpHeaders;
}

/**
 * Forwards a request of the page to a door of the service, so that the page needs no other origin. The header
 * `door-authorization` becomes the service's `authorization`; the console's token is not forwarded. The response has its status in
 * `door-status`: a rejection by the service is not a failure of the page, and a browser reports each status of 400 or more as a failure.
 *
 * @param body the whole body: a signature covers it
 */
export async function passToDoor(
  request: IncomingMessage,
  response: ServerResponse,
  body: Buffer,
  { port, path, headersFor }: DoorAddress,
): Promise<void> {
  const own = request.headers['door-authorization'];
  const kept = Object.entries(request.headers).filter(([name]) => !OWN_HEADERS.test(name));
  const given = { ...Object.fromEntries(kept), ...(typeof own === 'string' && { authorization: own }) };
  const { method = 'GET' } = request;
  const headers = headersFor({ port, method, path, headers: given, body });
  const onward = sendRequest({ host: '127.0.0.1', port, path, method, headers });
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
}
