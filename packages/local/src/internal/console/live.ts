import type { ServerResponse } from 'node:http';
import type { History } from '../history/history.js';
import type { ConsoleEvent } from './api.js';

/** Maximum bytes buffered for a page that does not read. Beyond them the page is disconnected; it connects again and resumes. */
const MAX_WAITING = 8 * 1024 * 1024;
/** Maximum number of records sent to a page when it opens; the page reads older ones when it shows them. */
const MAX_RECORDS = 1000;

/**
 * Streams events as one JSON object per line: first the records that the page does not have, then each change. The headers are
 * sent immediately, because a browser's `fetch` resolves with them.
 *
 * @param query `since`: the cursor of an earlier stream; else `last`: the number of the newest records, default 1,000
 */
export function streamEvents(response: ServerResponse, history: History, query: URLSearchParams): void {
  response.writeHead(200, { 'content-type': 'application/x-ndjson; charset=utf-8' });
  response.flushHeaders();
  const write = (events: readonly ConsoleEvent[]) => {
    if (response.writableLength > MAX_WAITING) response.destroy();
    else response.write(events.map((event) => `${JSON.stringify(event)}\n`).join(''));
  };
  const rowsOf = (ids: readonly number[]): readonly ConsoleEvent[] =>
    ids.flatMap((id): readonly ConsoleEvent[] => {
      const record = history.row(id);
      return record ? [{ type: 'record', record }] : [];
    });
  const position = () => ({ cursor: history.cursor, ...history.bounds() });
  const unsubscribe = history.subscribe(({ ids, notes }) =>
    write([
      ...rowsOf(ids),
      ...notes.map((note): ConsoleEvent => ({ type: 'note', note })),
      { type: 'at', ...position() },
    ]),
  );
  response.on('close', unsubscribe);
  const missed = history.changedSince(query.get('since') ?? '');
  write([...rowsOf(missed ?? newest(history, toCount(query.get('last')))), { type: 'ready', ...position() }]);
}

/** The numbers of the newest records, oldest first. */
export function newest(history: History, count: number): readonly number[] {
  const { oldest, last } = history.bounds();
  const first = Math.max(oldest, last - count + 1);
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, at) => first + at);
}

function toCount(text: string | null): number {
  const count = text === null ? MAX_RECORDS : Number(text);
  return Number.isInteger(count) && count >= 0 ? Math.min(count, MAX_RECORDS) : MAX_RECORDS;
}
