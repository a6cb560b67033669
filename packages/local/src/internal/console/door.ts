import { type IncomingMessage, type ServerResponse, request as sendRequest } from 'node:http';
import { pipeline } from 'node:stream/promises';

/** Headers of one connection (RFC 9110 section 7.6.1), and what belongs to the console alone. */
const OWN_HEADERS =
  /^(?:connection|keep-alive|te|trailer|transfer-encoding|upgrade|proxy-.*|host|origin|referer|cookie|authorization|sec-.*|door-authorization)$/;
const OWN_ANSWER_HEADERS =
  /^(?:connection|keep-alive|trailer|transfer-encoding|upgrade|set-cookie|content-security-policy|access-control-.*)$/;

/**
 * Passes a request of the page on to a door of the service, so that the page needs no other origin. The header
 * `door-authorization` becomes the service's `authorization`; the console's token stays here. The status of the answer is in
 * `door-status`: a refusal of the service is no failure of the page, and a browser reports each status of 400 or more as one.
 */
export async function passToDoor(
  request: IncomingMessage,
  response: ServerResponse,
  door: { readonly port: number; readonly path: string },
): Promise<void> {
  const own = request.headers['door-authorization'];
  const kept = Object.entries(request.headers).filter(([name]) => !OWN_HEADERS.test(name));
  const headers = { ...Object.fromEntries(kept), ...(typeof own === 'string' && { authorization: own }) };
  const { method = 'GET' } = request;
  const onward = sendRequest({ host: '127.0.0.1', port: door.port, path: door.path, method, headers });
  response.on('close', () => onward.destroy());
  const answered = new Promise<IncomingMessage>((resolve, reject) =>
    onward.on('response', resolve).on('error', reject),
  );
  void pipeline(request, onward).catch(() => {});
  const answer = await answered;
  const answerHeaders = Object.entries(answer.headers).filter(([name]) => !OWN_ANSWER_HEADERS.test(name));
  response.writeHead(200, { ...Object.fromEntries(answerHeaders), 'door-status': String(answer.statusCode ?? 502) });
  response.flushHeaders();
  await pipeline(answer, response).catch(() => {});
}
