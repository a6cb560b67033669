import { FrameworkError } from '@sallyport/core';
import { completeClock } from '@sallyport/core/internal';
import { COMMENT_FRAME, type McpRequest, nowMs, type Reply, SSE_HEADERS } from '../../http/internal/transport.js';
import { randomText } from '../../internal/crypto.js';
import type { Change } from '../../server/definitions.js';
import { type ServerData, storeOf } from '../../server/internal/server-data.js';
import { CLIENT_WAITS_MS, withLastingStore } from '../../store/internal/lasting.js';
import { decodeRow, encodeRow, toTtl } from '../../store/store.js';
import type { Delivery } from './call.js';
import { type HandlerRun, LOOK_EVERY_MS, type Outcome } from './run.js';

/** Comments keep a stream without events open. */
const COMMENT_EVERY_MS = 15_000;

/** The body of a stream that is written while events happen. A door calls its `return` when the client has disconnected. */
abstract class StreamBody implements AsyncIterableIterator<Uint8Array> {
  protected readonly http: McpRequest;
  /** Ends the wait that is in progress. */
  protected wake: () => void = () => {};
  readonly #frames: AsyncGenerator<Uint8Array, void>;

  constructor(http: McpRequest) {
    this.http = http;
    this.#frames = this.generate();
  }

  protected abstract generate(): AsyncGenerator<Uint8Array, void>;
  protected abstract leave(): void;

  /** Called when the body is complete, or when the client has disconnected. */
  protected watchClient(): void {
    const { signal } = this.http;
    if (signal.aborted) this.leave();
    else signal.addEventListener('abort', () => this.leave(), { once: true });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<Uint8Array, void>> {
    return this.#frames.next();
  }

  async return(): Promise<IteratorResult<Uint8Array, void>> {
    this.leave();
    return this.#frames.return();
  }

  /** Waits until the time has passed, or until `wake` is called and `isReady` returns true. */
  protected pause(ms: number, isReady: () => boolean = () => true): Promise<void> {
    return new Promise((resolve) => {
      const stop = this.http.clock.after(ms, resolve);
      this.wake = () => {
        if (!isReady()) return;
        stop();
        resolve();
      };
    });
  }
}

/**
 * Events that arrive together are stored and written together. If each flush writes to the store, the wait doubles while more
 * events arrive; progress is then slightly delayed.
 */
const FLUSH_MS = 50;
const LONGEST_FLUSH_MS = 1000;

/** The stream of one call, written while its handler runs. */
export class CallBody extends StreamBody {
  readonly #delivery: Delivery;
  readonly #run: HandlerRun;
  #ended: Outcome | undefined;
  #flushMs = FLUSH_MS;

  constructor(delivery: Delivery) {
    super(delivery.http);
    const { run } = delivery;
    this.#delivery = delivery;
    this.#run = run;
    run.onEvent = () => this.wake();
    run.outcome.then((outcome) => {
      this.#ended = outcome;
      this.wake();
    });
    this.watchClient();
  }

  protected leave(): void {
    if (this.#ended) return;
    if (!this.#delivery.sink.resumable) this.#run.cancel();
    this.wake();
  }

  protected async *generate(): AsyncGenerator<Uint8Array, void> {
    const { sink, http } = this.#delivery;
    let finished = false;
    try {
      const head = await sink.open();
      if (head !== '') yield Buffer.from(head, 'utf8');
      let lastWrite = nowMs(http.clock);
      while (!this.#ended) {
        await this.#turn();
        const frames = await this.#flush();
        const quiet = nowMs(http.clock) - lastWrite >= COMMENT_EVERY_MS;
        if (frames === '' && !quiet) continue;
        lastWrite = nowMs(http.clock);
        yield Buffer.from(frames === '' ? COMMENT_FRAME : frames, 'utf8');
      }
      const last = await this.#end(this.#ended);
      finished = true;
      if (last !== '') yield Buffer.from(last, 'utf8');
    } finally {
      if (!finished) await this.#endAlone();
    }
  }

  /** Waits for an event, and then for a short time, so that events that arrive together are written together. */
  async #turn(): Promise<void> {
    const run = this.#run;
    // A run continues after its client has disconnected. Without this wait it would never get the event loop.
    const goesOn = () => this.#ended === undefined;
    if (!run.hasEvents && goesOn()) {
      await this.pause(LOOK_EVERY_MS);
      if (!run.hasEvents) {
        this.#flushMs = FLUSH_MS;
        if (goesOn()) await run.checkCancelled();
        return;
      }
    }
    if (goesOn() && !run.isUrgent) await this.pause(this.#flushMs, () => !goesOn() || run.isUrgent);
  }

  async #flush(): Promise<string> {
    const events = await this.#run.takeEvents();
    if (events.length === 0) return '';
    if (this.#delivery.sink.resumable) this.#flushMs = Math.min(this.#flushMs * 2, LONGEST_FLUSH_MS);
    return this.#delivery.sink.write(events, true);
  }

  async #end(outcome: Outcome): Promise<string> {
    const { sink } = this.#delivery;
    const events = await this.#run.takeEvents();
    const { messages, trailer = '' } = await sink.end(outcome, events);
    return (await sink.write([...events, ...messages], false)) + trailer;
  }

  /** The client has disconnected: the run continues only if the client can resume. */
  async #endAlone(): Promise<void> {
    if (!this.#delivery.sink.resumable) {
      this.#run.cancel();
      return;
    }
    while (!this.#ended) {
      await this.#turn();
      await this.#flush();
    }
    await this.#end(this.#ended);
  }
}

const FEED_TTL_MS = 300_000;
/** Clocks of instances differ: with this overlap, rows that are written late are still read. */
const OVERLAP_MS = 2000;
const PAGE_ROWS = 100;

/** An entry of the feed: a change of the server's registrations, or a changed task. */
export type FeedEntry = Change | { readonly task: string };

/** The server for a change that an application publishes, often after its work: the write is repeated for some seconds. */
export function withPublishingStore(server: ServerData): ServerData {
  const clock = completeClock(server.settings.clock);
  return withLastingStore(server, clock, () => nowMs(clock) + CLIENT_WAITS_MS);
}

/** @throws FrameworkError when the server has no change notifications */
export async function publishChange(
  server: ServerData,
  change: FeedEntry,
  tenantId: string | undefined,
): Promise<void> {
  const { settings } = server;
  if (!settings.changes)
    throw new FrameworkError('mcp.changes_off', 'framework: mcp: publish needs the option "changes"');
  const now = settings.clock.now().getTime();
  const row = {
    partition: feedOf(server),
    sort: `${sortOf(now)}${randomText(9)}`,
    version: 1,
    ttl: toTtl(now + FEED_TTL_MS),
    data: encodeRow(tenantId === undefined ? [change] : [change, tenantId]),
  };
  await storeOf(server).put(row, 'absent');
}

/** A change in the feed. Without a tenant it is for all tenants. */
type FedChange = readonly [change: FeedEntry, tenantId?: string];

/** Reads the feed of changes from a point in time on; returns each change once. */
class FeedReader {
  readonly #server: ServerData;
  readonly #tenantId: string;
  #from: number;
  /** Rows of the overlap that were already returned. */
  #seen = new Set<string>();

  /** @param from epoch milliseconds. Rows that were written shortly before are also read, because clocks differ. */
  constructor(server: ServerData, tenantId: string, from: number) {
    this.#server = server;
    this.#tenantId = tenantId;
    this.#from = from - OVERLAP_MS;
  }

  /** The time up to which the feed was read, in epoch milliseconds. */
  get position(): number {
    return this.#from;
  }

  async poll(now: number): Promise<readonly FeedEntry[]> {
    const changes: FeedEntry[] = [];
    const seen = new Set<string>();
    let after = sortOf(this.#from);
    for (;;) {
      const rows = await storeOf(this.#server).list(feedOf(this.#server), after, PAGE_ROWS);
      for (const row of rows) {
        seen.add(row.sort);
        if (this.#seen.has(row.sort)) continue;
        const [change, tenantId = this.#tenantId] = decodeRow<FedChange>(row);
        if (tenantId === this.#tenantId) changes.push(change);
      }
      const last = rows.at(-1);
      if (!last || rows.length < PAGE_ROWS) break;
      after = last.sort;
    }
    this.#seen = seen;
    this.#from = Math.max(this.#from, now - OVERLAP_MS);
    return changes;
  }
}

function feedOf({ settings }: ServerData): string {
  return `c#${settings.info.name}`;
}

function sortOf(ms: number): string {
  return String(Math.max(0, Math.floor(ms))).padStart(15, '0');
}

/** Milliseconds before the deadline of the invocation at which a listener ends. */
const SAFETY_MS = 2000;

/** The output of a listener. */
export interface Listener {
  /** Epoch milliseconds from which changes are sent. */
  readonly from: number;
  /** Frames at the beginning. */
  readonly head: string;
  /** The frame of a change, or `''` for a change that is not sent. */
  frame(change: FeedEntry): string | Promise<string>;
  /** Frames at the end; `position` is the time up to which the feed was read. */
  tail(position: number): string;
}

/** A stream of changes that ends before the deadline. It polls the feed, because other instances cannot notify it. */
export function listenReply(server: ServerData, http: McpRequest, listener: Listener): Reply {
  return { status: 200, headers: SSE_HEADERS, body: new ListenBody(server, http, listener) };
}

class ListenBody extends StreamBody {
  #gone = false;
  readonly #server: ServerData;
  readonly #listener: Listener;

  constructor(server: ServerData, http: McpRequest, listener: Listener) {
    super(http);
    this.#server = server;
    this.#listener = listener;
    this.watchClient();
  }

  protected leave(): void {
    this.#gone = true;
    this.wake();
  }

  protected async *generate(): AsyncGenerator<Uint8Array, void> {
    const { settings } = this.#server;
    const { clock, deadline } = this.http;
    const end = Math.min(deadline - SAFETY_MS, nowMs(clock) + settings.listenMs);
    const reader = new FeedReader(this.#server, this.http.tenantId, this.#listener.from);
    let lastWrite = nowMs(clock);
    yield Buffer.from(this.#listener.head, 'utf8');
    while (!this.#gone && nowMs(clock) < end) {
      await this.pause(Math.min(settings.changePollMs, end - nowMs(clock)));
      if (this.#gone) return;
      let frames = '';
      for (const change of await reader.poll(nowMs(clock))) frames += await this.#listener.frame(change);
      const quiet = nowMs(clock) - lastWrite >= COMMENT_EVERY_MS;
      if (frames === '' && !quiet) continue;
      lastWrite = nowMs(clock);
      yield Buffer.from(frames === '' ? COMMENT_FRAME : frames, 'utf8');
    }
    if (!this.#gone) yield Buffer.from(this.#listener.tail(reader.position), 'utf8');
  }
}

/** The notification of a change; `meta` is added to its parameters. */
export function changeNotification(change: Change, meta?: object): string {
  const _meta = meta && { _meta: meta };
  if ('resource' in change) {
    return JSON.stringify({
      jsonrpc: '2.0',
      method: 'notifications/resources/updated',
      params: { uri: change.resource, ..._meta },
    });
  }
  const method = `notifications/${change.list}/list_changed`;
  return JSON.stringify(_meta ? { jsonrpc: '2.0', method, params: _meta } : { jsonrpc: '2.0', method });
}
