import type { ServerResponse } from 'node:http';
import type { InvocationRecord, Journal } from '../journal/journal.js';
import type { ConsoleEvent, InvocationRow } from './api.js';

/** Maximum bytes buffered for a page that does not read. Beyond them the page is disconnected, and connects again. */
const MAX_WAITING = 8 * 1024 * 1024;

/** The record without its large members. */
export function toRow(record: InvocationRecord): InvocationRow {
  const {
    event: _e,
    answer: _a,
    client: _c,
    explain: _x,
    thrown: _t,
    spans: _s,
    logs: _l,
    awsCalls: _w,
    ...row
  } = record;
  return row;
}

/**
 * Streams events as one JSON object per line: first the newest `last` records, then each change. The headers are
 * sent immediately, because a browser's `fetch` resolves with them.
 */
export function streamEvents(response: ServerResponse, journal: Journal, last: number): void {
  response.writeHead(200, { 'content-type': 'application/x-ndjson; charset=utf-8' });
  response.flushHeaders();
  const write = (event: ConsoleEvent) => {
    if (response.writableLength > MAX_WAITING) response.destroy();
    else response.write(`${JSON.stringify(event)}\n`);
  };
  const unsubscribe = journal.subscribe((change) =>
    write(change.type === 'record' ? { type: 'record', record: toRow(change.record) } : change),
  );
  response.on('close', unsubscribe);
  for (const record of last > 0 ? journal.list().slice(-last) : []) write({ type: 'record', record: toRow(record) });
  write({ type: 'ready' });
}
