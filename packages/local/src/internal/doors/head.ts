import type { ServerResponse } from 'node:http';

/** Of the connection between client and door; no event has them. */
export const HOP_BY_HOP = new Set([
  'connection',
  'keep-alive',
  'transfer-encoding',
  'upgrade',
  'te',
  'trailer',
  'proxy-connection',
  'expect',
]);

/** Puts status and headers on an answer; those of the connection are the server's own. */
export function writeHead(
  response: ServerResponse,
  status: number,
  headers: readonly (readonly [string, string])[],
): void {
  response.statusCode = status;
  for (const [name, value] of headers) {
    const lower = name.toLowerCase();
    if (lower !== 'content-length' && !HOP_BY_HOP.has(lower)) response.appendHeader(name, value);
  }
}
