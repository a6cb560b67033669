/** Headers of an event stream. No `connection`: HTTP/2 front doors refuse it. */
export const SSE_HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
};

/** A JSON-RPC message as an event. JSON text holds no line break. */
export function messageFrame(json: string, id?: string): string {
  return id === undefined ? `event: message\ndata: ${json}\n\n` : `event: message\nid: ${id}\ndata: ${json}\n\n`;
}

/** An event without data: gives a client the id to resume from. */
export function primingFrame(id: string, retryMs?: number): string {
  return retryMs === undefined ? `id: ${id}\ndata: \n\n` : `id: ${id}\nretry: ${retryMs}\ndata: \n\n`;
}

/** How long a client waits before it comes back. */
export function retryFrame(retryMs: number): string {
  return `retry: ${retryMs}\n\n`;
}

export const COMMENT_FRAME = ':\n\n';
