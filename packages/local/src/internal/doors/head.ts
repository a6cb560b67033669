import type { ServerResponse } from 'node:http';

/** Headers of the connection between client and door; events do not contain them. */
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

/** Writes status and headers to a response; the server sets the headers of the connection. */
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
