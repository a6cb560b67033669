import { type Clock, decodeUtf8, encodeUtf8, type FullClock } from '@sallyport/core';
import { completeClock, createFastMap, internalError, OutgoingResponse } from '@sallyport/core/internal';
import { defineOptions, kind, withMethods } from '@sallyport/core/options';
import { abandon, iteratorOf, type Source, toJsonText } from './responses.js';

/** Options of {@link sseEventStream}. */
export interface SseStreamOptions {
  /** Milliseconds without an event after which a comment is sent, so that proxies do not close the connection. */
  readonly heartbeatMs?: number;
  /** Stops the stream when it aborts. `ctx.signal` aborts at the deadline, and when the client disconnects. */
  readonly signal?: AbortSignal;
  /** The clock for the heartbeat. Default: the machine's clock. */
  readonly clock?: Clock;
}

/** Validators and defaults for {@link SseStreamOptions}. */
export const SSE_OPTIONS = defineOptions<SseStreamOptions>()({
  heartbeatMs: kind<number>(
    'a positive number of milliseconds',
    (value) => Number.isFinite(value) && Number(value) > 0,
  ),
  signal: kind<AbortSignal>('an AbortSignal', (value) => value instanceof AbortSignal),
  clock: withMethods<Clock>('now'),
});

/**
 * Serialises a list of server-sent events as one text.
 *
 * @throws FrameworkError `app.internal` for an event that the format cannot represent
 */
export function sse(status: number, events: Iterable<SseEvent>): OutgoingResponse {
  let body = '';
  for (const event of events) body += encodeSseEvent(event);
  return new OutgoingResponse(status, sseHeaders(), body);
}

/**
 * Sends server-sent events as they arrive: status 200, one event in each chunk. The next event is requested only after the
 * previous one was read. When the reader ends or the signal aborts, the source's `return()` runs and all timers are cleared.
 *
 * @throws FrameworkError `app.invalid_configuration` for an unknown option or a bad heartbeat
 * @example app.get('/ticks', (ctx) => sseEventStream(ticks(), { heartbeatMs: 15_000, signal: ctx.signal }));
 */
export function sseEventStream(events: Source<SseEvent>, options: SseStreamOptions = {}): OutgoingResponse {
  const { heartbeatMs, signal, clock } = SSE_OPTIONS.parse(options);
  const response = new OutgoingResponse(200, sseHeaders(), '');
  response.bodyStream = {
    [Symbol.asyncIterator]: () => new SseIterator(events, { heartbeatMs, signal, clock: completeClock(clock) }),
  };
  return response;
}

/** WHATWG HTML section 9.2. */
function sseHeaders(): Record<string, string[]> {
  const headers = createFastMap<string[]>();
  headers['content-type'] = ['text/event-stream'];
  headers['cache-control'] = ['no-cache'];
  return headers;
}

/** One server-sent event. */
export interface SseEvent {
  /** The id that the client sends when it reconnects; `''` is not sent. */
  readonly id?: string;
  /** The event's type. `''` is not sent; clients then use the type `message`. */
  readonly event?: string;
  /** Milliseconds after which the client reconnects. */
  readonly retry?: number;
  /** Text and UTF-8 bytes are sent unchanged, `undefined` as empty text, any other value as JSON. */
  readonly data?: unknown;
}

/** The format ends a field at these (WHATWG HTML section 9.2.6). */
const UNSAFE = /[\r\n\0]/;
const LINE_END = /\r\n|\r|\n/;

/**
 * The frame of one event: `id`, `event` and `retry` when they are set, a `data` line for each line, and a blank line.
 *
 * @throws FrameworkError `app.internal` when `id` or `event` contains CR, LF or NUL, `retry` is not a whole number of
 * milliseconds, or `data` is not JSON
 */
export function encodeSseEvent(event: SseEvent): string {
  const { id, event: type, retry, data } = event;
  let frame = '';
  if (id !== undefined && id !== '') frame += `id: ${fieldValue('id', id)}\n`;
  if (type !== undefined && type !== '') frame += `event: ${fieldValue('event', type)}\n`;
  if (retry !== undefined) frame += `retry: ${milliseconds(retry)}\n`;
  for (const line of dataText(data).split(LINE_END)) frame += `data: ${line}\n`;
  return `${frame}\n`;
}

function dataText(data: unknown): string {
  if (typeof data === 'string') return data;
  if (data === undefined) return '';
  return data instanceof Uint8Array ? decodeUtf8(data) : toJsonText(data);
}

function fieldValue(name: string, value: string): string {
  if (typeof value !== 'string' || UNSAFE.test(value))
    throw internalError(`sse ${name} must be text without CR, LF and NUL`);
  return value;
}

function milliseconds(retry: number): number {
  if (!Number.isSafeInteger(retry) || retry < 0)
    throw internalError('sse retry must be a whole number of milliseconds');
  return retry;
}

export interface SseIteratorOptions {
  readonly heartbeatMs: number | undefined;
  readonly signal: AbortSignal | undefined;
  readonly clock: FullClock;
}

/** The result of a wait for the next chunk. */
type Outcome = { readonly result: IteratorResult<SseEvent> } | { readonly error: unknown } | 'heartbeat' | 'ended';

const HEARTBEAT = encodeUtf8(': keep-alive\n\n');
const DONE: IteratorResult<Uint8Array> = { done: true, value: undefined };

/** The frames of a source of events. It requests one event at a time, and sends a heartbeat while the reader waits. */
class SseIterator implements AsyncIterator<Uint8Array> {
  readonly #options: SseIteratorOptions;
  readonly #source: AsyncIterator<SseEvent> | Iterator<SseEvent>;
  readonly #onAbort = () => this.#end();
  /** Ends the current wait. */
  #wake: ((outcome: Outcome) => void) | undefined;
  #pulling = false;
  /** An event that arrived without a waiting reader, because a heartbeat had been sent instead. */
  #ready: Outcome | undefined;
  /** The call of `next` before this one. */
  #turn: Promise<unknown> = Promise.resolve();
  #ended = false;

  constructor(events: Source<SseEvent>, options: SseIteratorOptions) {
    this.#options = options;
    this.#source = iteratorOf(events);
    options.signal?.addEventListener('abort', this.#onAbort);
    if (options.signal?.aborted) this.#end();
  }

  next(): Promise<IteratorResult<Uint8Array>> {
    const turn = this.#turn.then(() => this.#step());
    this.#turn = turn.catch(() => {});
    return turn;
  }

  async return(): Promise<IteratorResult<Uint8Array>> {
    this.#end();
    return DONE;
  }

  async #step(): Promise<IteratorResult<Uint8Array>> {
    if (this.#ended) return DONE;
    const outcome = this.#takeReady() ?? (await this.#wait());
    if (outcome === 'heartbeat') return { done: false, value: HEARTBEAT };
    if (outcome === 'ended') return DONE;
    if ('result' in outcome && !outcome.result.done) return { done: false, value: this.#encode(outcome.result.value) };
    this.#finish();
    if ('error' in outcome) throw outcome.error;
    return DONE;
  }

  #takeReady(): Outcome | undefined {
    const ready = this.#ready;
    this.#ready = undefined;
    return ready;
  }

  /** The first of: the source's next event, a heartbeat, the end. */
  #wait(): Promise<Outcome> {
    return new Promise((resolve) => {
      const { heartbeatMs, clock } = this.#options;
      const stop = heartbeatMs === undefined ? undefined : clock.after(heartbeatMs, () => this.#wake?.('heartbeat'));
      this.#wake = (outcome) => {
        stop?.();
        this.#wake = undefined;
        resolve(outcome);
      };
      void this.#pull();
    });
  }

  async #pull(): Promise<void> {
    if (this.#pulling) return;
    this.#pulling = true;
    let outcome: Outcome;
    try {
      outcome = { result: await this.#source.next() };
    } catch (error) {
      outcome = { error };
    }
    this.#pulling = false;
    if (this.#wake) this.#wake(outcome);
    else this.#ready = outcome;
  }

  #encode(event: SseEvent): Uint8Array {
    try {
      return encodeUtf8(encodeSseEvent(event));
    } catch (error) {
      this.#end();
      throw error;
    }
  }

  /** Ends early: ends the source, and resolves the current wait. */
  #end(): void {
    if (this.#ended) return;
    this.#finish();
    abandon(this.#source);
    this.#wake?.('ended');
  }

  #finish(): void {
    this.#ended = true;
    this.#options.signal?.removeEventListener('abort', this.#onAbort);
  }
}
