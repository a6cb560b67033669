import { ClientError } from './errors.js';
import { jsonOrText } from './internal/json.js';

/** The names of the members of a message of {@link openSocket}. */
export interface SocketEnvelope {
  /** The member that API Gateway's route selection expression reads. Default `action`, for `$request.body.action`. */
  readonly route?: string;
  /** The member with the type of a received message. Default `type`. */
  readonly type?: string;
  /** The member with the data, in both directions. Default `data`. */
  readonly data?: string;
}

/** Options of {@link openSocket}. */
export interface SocketOptions {
  /**
   * The address, `wss://…`, also as a function, which is called for each connection. A browser cannot set headers on a WebSocket: send a
   * token in the query or in `protocols`.
   */
  readonly url: string | (() => string | Promise<string>);
  /** Subprotocols, offered to the service (RFC 6455 section 1.9). */
  readonly protocols?: readonly string[];
  /** The names of the members of a message. */
  readonly envelope?: SocketEnvelope;
  /** Closes the socket. */
  readonly signal?: AbortSignal;
  /** Milliseconds for the first connection. Default 10,000. */
  readonly timeoutMs?: number;
  /** The constructor. Default: that of the platform, which Node.js has from 22 on; the one of the package `ws` fits Node.js 20. */
  readonly webSocket?: new (
    url: string,
    protocols: string[],
  ) => WebSocketLike;
  /** Called when the connection is lost (`false`) and when it is open again (`true`): subscriptions of the service may be gone. */
  readonly onConnection?: (open: boolean) => void;
}

/** The part of a WebSocket that {@link openSocket} uses. */
export interface WebSocketLike {
  /** 1 while it is open. */
  readonly readyState: number;
  /** Called when it opens. */
  onopen: ((event: never) => void) | null;
  /** Called when it is closed. */
  onclose: ((event: never) => void) | null;
  /** Called before `onclose` for a failure. */
  onerror: ((event: never) => void) | null;
  /** Called for each message. */
  onmessage: ((event: never) => void) | null;
  /** Sends text. */
  send(text: string): void;
  /** Closes it. */
  close(): void;
}

type Sockets<C> = C extends { readonly socket: infer S extends { readonly in: object; readonly out: object } }
  ? S
  : { readonly in: Record<string, unknown>; readonly out: Record<string, unknown> };

/** A contract that states its envelope needs it in the options, with the same names. */
type EnvelopeOf<C> = C extends { readonly socket: { readonly envelope: infer E } } ? { readonly envelope: E } : unknown;

/** An open WebSocket that connects again when its connection is lost. */
export interface Socket<C> {
  /**
   * Sends a message.
   *
   * @throws ClientError `client.not_connected` while there is no connection: nothing is kept for later
   */
  send<K extends keyof Sockets<C>['in'] & string>(route: K, data: Sockets<C>['in'][K]): void;
  /** Calls the listener for each message of a type. Returns a function that removes it. */
  on<K extends keyof Sockets<C>['out'] & string>(type: K, listener: (data: Sockets<C>['out'][K]) => void): () => void;
  /** Closes the socket permanently. */
  close(): void;
}

/** The longest pause between two attempts to connect. */
const MAX_PAUSE_MS = 30_000;

/**
 * Opens a WebSocket and waits until it is open. A lost connection is opened again, with full jitter from 0.5 to 30 s.
 *
 * @throws ClientError `client.network` if the first connection fails, `client.timeout`, `client.aborted`
 * @example
 * const socket = await openSocket<Chat>({ url: `wss://chat.example.com/prod?token=${token}` });
 * socket.on('note-added', (note) => show(note));
 * socket.send('say', { text: 'hello' });
 */
export async function openSocket<C>(options: SocketOptions & EnvelopeOf<C>): Promise<Socket<C>> {
  const { envelope = {}, signal, timeoutMs = 10_000 } = options;
  const { route = 'action', type = 'type', data: member = 'data' } = envelope;
  const listeners = new Map<string, Set<(data: never) => void>>();
  let current: WebSocketLike | undefined;
  let failures = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isClosed = false;

  const close = () => {
    isClosed = true;
    clearTimeout(timer);
    signal?.removeEventListener('abort', close);
    current?.close();
  };
  const receive = ({ data }: { readonly data: unknown }) => {
    const message = jsonOrText(String(data)) as Record<string, unknown> | null;
    for (const listener of [...(listeners.get(String(message?.[type])) ?? [])]) listener(message?.[member] as never);
  };
  const connect = async (): Promise<void> => {
    const url = typeof options.url === 'string' ? options.url : await options.url();
    const Constructor = options.webSocket ?? WebSocket;
    const socket = new Constructor(url, [...(options.protocols ?? [])]);
    current = socket;
    socket.onmessage = receive;
    await new Promise<unknown>((resolve, reject) => {
      socket.onopen = resolve;
      socket.onerror = () => undefined;
      socket.onclose = ({ code }: { readonly code: number }) => reject(new Error(`closed with ${code}`));
    });
    failures = 0;
    socket.onclose = () => {
      if (isClosed) return;
      options.onConnection?.(false);
      again();
    };
  };
  const again = () => {
    timer = setTimeout(
      () => {
        failures += 1;
        connect().then(
          () => (isClosed ? current?.close() : options.onConnection?.(true)),
          () => isClosed || again(),
        );
      },
      Math.random() * Math.min(MAX_PAUSE_MS, 500 * 2 ** failures),
    );
  };

  signal?.addEventListener('abort', close);
  let isLate = false;
  timer = setTimeout(() => {
    isLate = true;
    close();
  }, timeoutMs);
  try {
    if (signal?.aborted) throw signal.reason;
    await connect();
    clearTimeout(timer);
  } catch (cause) {
    close();
    const code = signal?.aborted ? 'client.aborted' : isLate ? 'client.timeout' : 'client.network';
    throw new ClientError(code, 'the WebSocket did not open', { cause });
  }
  return {
    send(name, data) {
      if (current?.readyState !== 1)
        throw new ClientError('client.not_connected', `${name}: the WebSocket is not open`);
      current.send(JSON.stringify({ [route]: name, [member]: data }));
    },
    on(name, listener) {
      const set = listeners.get(name) ?? new Set();
      listeners.set(name, set.add(listener as (data: never) => void));
      return () => void set.delete(listener as (data: never) => void);
    },
    close,
  };
}
