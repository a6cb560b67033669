import { FrameworkError, type FullClock, type WebSocketClient, type WebSocketConnection } from '@sallyport/core';
import { WEBSOCKET_MAX_MESSAGE_BYTES } from '@sallyport/core/internal';
import type { ErrorNotification } from '@sallyport/core/observability';
import { defineOptions, func, withMethods } from '@sallyport/core/options';
import { filled } from '../internal/kinds.js';

/** Calls that a fake keeps, so that a test in a loop does not fill the memory. */
const MAX_CALLS = 10_000;

function keep<T>(list: T[], entry: T): void {
  if (list.length < MAX_CALLS) list.push(entry);
}

/** Errors to be thrown by the next calls, one each. */
class Failures {
  readonly #next: { readonly error: unknown }[] = [];

  add(error: unknown): void {
    this.#next.push({ error });
  }

  /** @throws the error passed to `failNext`, once */
  raise(): void {
    const failure = this.#next.shift();
    if (failure) throw failure.error;
  }
}

/** Options of every fake. */
export interface FakeOptions {
  /** Called before each answer: the environment's `pause`, so that `interleave` can suspend the call there. Default: none. */
  readonly pause?: () => Promise<void>;
}

const pause = func<() => Promise<void>>().default(async () => {});

/** Options of {@link fakeWebSocketClient}. */
export interface FakeWebSocketClientOptions extends FakeOptions {
  /** Value of the client's `endpoint`. Default: `https://api1.execute-api.us-east-1.amazonaws.com/dev`. */
  readonly endpoint?: string;
}

/** One call of a {@link FakeWebSocketClient}. */
export interface WebSocketCall {
  /** The method that was called. */
  readonly method: 'postToConnection' | 'getConnection' | 'deleteConnection';
  /** The connection that it was called for. */
  readonly connectionId: string;
  /** The posted data; absent for the other two methods. */
  readonly data?: Uint8Array;
}

/** A management client over connections in memory. An unknown connection is gone, as in API Gateway. */
export interface FakeWebSocketClient extends WebSocketClient {
  /** The endpoint that the client reports. */
  readonly endpoint: string;
  /** The calls, in order; the first 10,000. */
  readonly calls: readonly WebSocketCall[];
  /** The open connections by id. */
  readonly connections: ReadonlyMap<string, WebSocketConnection>;
  /** Opens a connection. Default of its members: the epoch and `''`. */
  connect(connectionId: string, connection?: Partial<WebSocketConnection>): void;
  /** Makes the next call fail with this error. */
  failNext(error: unknown): void;
}

/** Validators and defaults for {@link FakeWebSocketClientOptions}. */
export const FAKE_CLIENT_OPTIONS = defineOptions<FakeWebSocketClientOptions>()({
  endpoint: filled.default('https://api1.execute-api.us-east-1.amazonaws.com/dev'),
  pause,
});

const NEW_CONNECTION: WebSocketConnection = {
  connectedAt: new Date(0),
  lastActiveAt: new Date(0),
  sourceIp: '',
  userAgent: '',
};

/**
 * Makes a management client for WebSocket connections.
 *
 * @throws FrameworkError `app.invalid_configuration` for an unknown option or a wrong type
 * @example const app = env.app({ webSocketClientFactory: () => client });
 */
export function fakeWebSocketClient(options: FakeWebSocketClientOptions = {}): FakeWebSocketClient {
  const { endpoint, pause: turn } = FAKE_CLIENT_OPTIONS.parse(options);
  const calls: WebSocketCall[] = [];
  const failures = new Failures();
  const connections = new Map<string, WebSocketConnection>();
  const record = async (call: WebSocketCall) => {
    await turn();
    keep(calls, call);
    failures.raise();
  };
  return {
    endpoint,
    calls,
    connections,
    connect: (connectionId, connection) => void connections.set(connectionId, { ...NEW_CONNECTION, ...connection }),
    failNext: (error) => failures.add(error),
    async postToConnection(connectionId, data) {
      if (data.length > WEBSOCKET_MAX_MESSAGE_BYTES) {
        const message = `framework: message exceeds ${WEBSOCKET_MAX_MESSAGE_BYTES} bytes`;
        throw new FrameworkError('websocket.too_large', message, { statusCode: 413 });
      }
      await record({ method: 'postToConnection', connectionId, data: Uint8Array.from(data) });
      return { gone: !connections.has(connectionId) };
    },
    async getConnection(connectionId) {
      await record({ method: 'getConnection', connectionId });
      return connections.get(connectionId) ?? null;
    },
    async deleteConnection(connectionId) {
      await record({ method: 'deleteConnection', connectionId });
      connections.delete(connectionId);
    },
  };
}

/** The topic of an error notifier, in memory. */
export interface FakePublisher {
  /** For the notifier's option `publish`. */
  readonly publish: (notification: ErrorNotification) => Promise<void>;
  /** Published notifications, in order; the first 10,000. */
  readonly messages: readonly ErrorNotification[];
  /** Makes the next publication fail with this error. */
  failNext(error: unknown): void;
}

const PUBLISHER = defineOptions<FakeOptions>()({ pause });

/**
 * Makes the topic of an error notifier.
 *
 * @throws FrameworkError `app.invalid_configuration` for an unknown option or a wrong type
 */
export function fakePublisher(options: FakeOptions = {}): FakePublisher {
  const { pause: turn } = PUBLISHER.parse(options);
  const messages: ErrorNotification[] = [];
  const failures = new Failures();
  return {
    async publish(notification) {
      await turn();
      failures.raise();
      keep(messages, notification);
    },
    messages,
    failNext: (error) => failures.add(error),
  };
}

/** The lines of a logger or an EMF sink; the first 10,000 of each list. */
export interface CaptureWriter {
  /** For the logger's or the EMF sink's option `write`. */
  readonly write: (line: string) => void;
  /** Each line parsed. */
  readonly lines: readonly Readonly<Record<string, unknown>>[];
  /** Each line, unparsed. */
  readonly raw: readonly string[];
}

/** Makes a writer that keeps its lines. `write` throws a `SyntaxError` for a line that is not JSON. */
export function captureWriter(): CaptureWriter {
  const lines: Record<string, unknown>[] = [];
  const raw: string[] = [];
  return {
    write(line) {
      keep(lines, JSON.parse(line) as Record<string, unknown>);
      keep(raw, line);
    },
    lines,
    raw,
  };
}

/** Result of one call of a fake handler: it waits if `waitMs` is set, then throws or answers. */
export interface FakeResult<T> {
  /** Value that the call returns. Default: `undefined`. */
  readonly returns?: T;
  /** Value that the call throws; a present member counts, even if it is `undefined`. Default: nothing. */
  readonly throws?: unknown;
  /** Milliseconds of the clock before the result; needs the option `clock`. Default: none. */
  readonly waitMs?: number;
}

/** Options of {@link fakeHandler}. */
export interface FakeHandlerOptions extends FakeOptions {
  /** The clock of results with `waitMs`; without one such a call throws a `TypeError`. Default: none. */
  readonly clock?: FullClock;
}

/** The part of the context that a fake handler uses. */
interface HandlerContext {
  readonly signal: AbortSignal;
}

/** A handler of requests, records or events. */
export interface FakeHandler<T> {
  (ctx: HandlerContext, event?: unknown): Promise<T>;
  /** Argument of each call besides the context; the first 10,000. */
  readonly events: readonly unknown[];
  /** Number of calls. */
  readonly callCount: number;
  /** The signal of each call; the first 10,000. */
  readonly signals: readonly AbortSignal[];
}

/** Validators and defaults for {@link FakeHandlerOptions}. */
export const FAKE_HANDLER_OPTIONS = defineOptions<FakeHandlerOptions>()({
  clock: withMethods<FullClock>('after'),
  pause,
});

/**
 * Makes a handler with one result for each call; further calls use the last result.
 *
 * @throws FrameworkError `app.invalid_configuration` for an unknown option or a wrong type
 * @example app.queue('orders', fakeHandler([{ throws: new Error('first') }, { returns: undefined }]));
 */
export function fakeHandler<T>(results: readonly FakeResult<T>[], options: FakeHandlerOptions = {}): FakeHandler<T> {
  const { clock, pause: turn } = FAKE_HANDLER_OPTIONS.parse(options);
  const events: unknown[] = [];
  const signals: AbortSignal[] = [];
  let callCount = 0;
  const handler = async (ctx: HandlerContext, event?: unknown): Promise<T> => {
    const result = results[Math.min(callCount, results.length - 1)] ?? {};
    callCount += 1;
    keep(events, event);
    keep(signals, ctx.signal);
    await turn();
    const { waitMs } = result;
    if (waitMs !== undefined) {
      if (!clock) throw new TypeError('a result with waitMs needs the option clock');
      await new Promise<void>((resolve) => {
        clock.after(waitMs, resolve);
      });
    }
    if ('throws' in result) throw result.throws;
    return result.returns as T;
  };
  return Object.defineProperties(handler, {
    events: { value: events },
    signals: { value: signals },
    callCount: { get: () => callCount },
  }) as FakeHandler<T>;
}
