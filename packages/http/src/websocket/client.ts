import {
  type CallScope,
  type Clock,
  FrameworkError,
  type FullClock,
  type WebSocketClient,
  type WebSocketConnection,
} from '@sallyport/core';
import { completeClock, throwMissing } from '@sallyport/core/internal';
import { defineOptions, func, invalidOption, kind, withMethods } from '@sallyport/core/options';
import { assertMessageSize, type BroadcastOptions, type BroadcastResult, broadcast } from './broadcast.js';

/** Options of {@link createWebSocketClient}. */
export interface WebSocketClientOptions {
  /** Passed to the AWS client: credentials, region, retries. The region is taken from an `execute-api` endpoint. */
  readonly config?: Readonly<Record<string, unknown>>;
  /** Milliseconds after which a call fails, retries included. Default 5,000. */
  readonly timeoutMs?: number;
  /** Times the timeout. Default: the machine's clock. */
  readonly clock?: Clock;
  /** Loads the AWS client. Default: imports the installed package at first use. */
  readonly loadSdk?: () => Promise<ManagementSdk>;
}

/** Validators and defaults for {@link WebSocketClientOptions}. */
export const CLIENT_OPTIONS = defineOptions<WebSocketClientOptions>()({
  config: kind<Readonly<Record<string, unknown>>>('an object', (value) => typeof value === 'object' && value !== null),
  timeoutMs: kind<number>(
    'a positive number of milliseconds',
    (value) => Number.isFinite(value) && Number(value) > 0,
  ).default(5000),
  clock: withMethods<Clock>('now'),
  loadSdk: func<() => Promise<ManagementSdk>>(),
});

/** The gateway's connection management API. */
export interface ManagementClient extends WebSocketClient {
  /** See {@link broadcast}. */
  broadcast(connectionIds: Iterable<string>, data: Uint8Array, options?: BroadcastOptions): Promise<BroadcastResult>;
  /** Closes idle sockets; the client opens new ones when it is used again. */
  close(): void;
}

/**
 * A client for the endpoint of one stage. The AWS client is an optional peer dependency that is imported when the first
 * call is made.
 *
 * A call that fails throws `websocket.request_failed`. Its message contains operation and status (0 without an answer), never the
 * payload; its cause is the AWS error.
 *
 * @throws FrameworkError `app.invalid_configuration` for an unknown option or an endpoint that is not a URL
 * @example
 * const client = createWebSocketClient('https://abc123.execute-api.eu-west-1.amazonaws.com/prod');
 * const { gone } = await client.postToConnection(connectionId, new TextEncoder().encode('hello'));
 */
export function createWebSocketClient(endpoint: string, options: WebSocketClientOptions = {}): ManagementClient {
  const { timeoutMs, config = {}, clock, loadSdk = loadManagementSdk } = CLIENT_OPTIONS.parse(options);
  if (typeof endpoint !== 'string' || !/^https?:\/\/[^/]/.test(endpoint))
    throw invalidOption('endpoint', 'an http(s) URL');
  return new Client({ endpoint, config, timeoutMs, clock: completeClock(clock), loadSdk });
}

interface Settings {
  readonly endpoint: string;
  readonly config: Readonly<Record<string, unknown>>;
  readonly timeoutMs: number;
  readonly clock: FullClock;
  readonly loadSdk: () => Promise<ManagementSdk>;
}

interface Sdk {
  readonly module: ManagementSdk;
  readonly client: SdkClient;
}

class Client implements ManagementClient {
  readonly #settings: Settings;
  #sdk: Promise<Sdk> | undefined;

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  async postToConnection(
    connectionId: string,
    data: Uint8Array,
    scope?: CallScope,
  ): Promise<{ readonly gone: boolean }> {
    assertMessageSize(data);
    const answer = await this.#call('post_to_connection', connectionId, scope, (sdk, ConnectionId) => {
      return new sdk.PostToConnectionCommand({ ConnectionId, Data: data });
    });
    return { gone: answer === GONE };
  }

  async getConnection(connectionId: string, scope?: CallScope): Promise<WebSocketConnection | null> {
    const answer = await this.#call('get_connection', connectionId, scope, (sdk, ConnectionId) => {
      return new sdk.GetConnectionCommand({ ConnectionId });
    });
    return answer === GONE ? null : toConnection(answer);
  }

  async deleteConnection(connectionId: string, scope?: CallScope): Promise<void> {
    await this.#call('delete_connection', connectionId, scope, (sdk, ConnectionId) => {
      return new sdk.DeleteConnectionCommand({ ConnectionId });
    });
  }

  broadcast(connectionIds: Iterable<string>, data: Uint8Array, options?: BroadcastOptions): Promise<BroadcastResult> {
    return broadcast(this, connectionIds, data, options);
  }

  close(): void {
    this.#sdk?.then(
      ({ client }) => client.destroy(),
      () => {},
    );
    this.#sdk = undefined;
  }

  /** One call: `GONE` for a connection that no longer exists, else the answer. */
  async #call(
    operation: string,
    connectionId: string,
    { signal }: CallScope = {},
    command: (sdk: ManagementSdk, connectionId: string) => object,
  ): Promise<unknown> {
    if (typeof connectionId !== 'string' || connectionId === '') {
      throw new FrameworkError('websocket.invalid_connection', 'framework: connection id is empty');
    }
    signal?.throwIfAborted();
    const { module, client } = await this.#load();
    const abort = new AbortController();
    const stop = this.#settings.clock.after(this.#settings.timeoutMs, () => abort.abort());
    const abortSignal = signal ? AbortSignal.any([signal, abort.signal]) : abort.signal;
    try {
      return await client.send(command(module, connectionId), { abortSignal });
    } catch (cause) {
      signal?.throwIfAborted();
      const status = statusOf(cause);
      if (status === 410) return GONE;
      throw new FrameworkError('websocket.request_failed', `framework: ${operation} failed (${status})`, { cause });
    } finally {
      stop();
    }
  }

  /** The AWS client, made once. After a failure the next call tries again. */
  #load(): Promise<Sdk> {
    this.#sdk ??= this.#create().catch((error: unknown) => {
      this.#sdk = undefined;
      throw error;
    });
    return this.#sdk;
  }

  async #create(): Promise<Sdk> {
    const { endpoint, config, loadSdk } = this.#settings;
    const module = await loadSdk();
    const region = regionOf(endpoint);
    const client = new module.ApiGatewayManagementApiClient({ ...(region && { region }), ...config, endpoint });
    return { module, client };
  }
}

const GONE = Symbol('gone');

/** The region in a gateway's own host name; for other hosts the environment determines it. */
function regionOf(endpoint: string): string | undefined {
  return /^https?:\/\/[^./]+\.execute-api\.([a-z0-9-]+)\./.exec(endpoint)?.[1];
}

/** The HTTP status of an AWS error; 0 when there was no answer. */
function statusOf(error: unknown): number {
  const { $metadata, $response } = (error ?? {}) as {
    $metadata?: { httpStatusCode?: unknown };
    $response?: { statusCode?: unknown };
  };
  const status = $metadata?.httpStatusCode ?? $response?.statusCode;
  return typeof status === 'number' ? status : 0;
}

function toConnection(answer: unknown): WebSocketConnection {
  const { ConnectedAt, LastActiveAt, Identity } = (answer ?? {}) as {
    ConnectedAt?: Date;
    LastActiveAt?: Date;
    Identity?: { SourceIp?: string; UserAgent?: string };
  };
  return {
    connectedAt: ConnectedAt,
    lastActiveAt: LastActiveAt,
    sourceIp: Identity?.SourceIp ?? '',
    userAgent: Identity?.UserAgent ?? '',
  };
}

/** The most endpoints whose clients are kept; a function usually needs one or two. */
const MAX_CLIENTS = 16;

/**
 * Clients for a container's `webSocketClientFactory`, one for each endpoint, so that its sockets remain open from one
 * invocation to the next.
 *
 * @example createApp({ webSocketClientFactory: createWebSocketClientFactory({ timeoutMs: 2_000 }) });
 */
export function createWebSocketClientFactory(
  options: WebSocketClientOptions = {},
): (endpoint: string) => ManagementClient {
  const clients = new Map<string, ManagementClient>();
  return (endpoint) => {
    const present = clients.get(endpoint);
    if (present) return present;
    const client = createWebSocketClient(endpoint, options);
    const [oldest] = clients;
    if (clients.size >= MAX_CLIENTS && oldest) {
      clients.delete(oldest[0]);
      oldest[1].close();
    }
    clients.set(endpoint, client);
    return client;
  };
}

/** The part of an AWS client that is used here. */
export interface SdkClient {
  /** Sends one command; the signal cancels the call. */
  send(command: object, options: { readonly abortSignal: AbortSignal }): Promise<unknown>;
  /** Closes idle sockets. */
  destroy(): void;
}

/**
 * The part of `@aws-sdk/client-apigatewaymanagementapi` that is used here. Its own types are not imported, because the package is
 * optional.
 */
export interface ManagementSdk {
  /** The client. */
  readonly ApiGatewayManagementApiClient: new (
    config: Readonly<Record<string, unknown>>,
  ) => SdkClient;
  /** Sends a message. */
  readonly PostToConnectionCommand: new (input: {
    ConnectionId: string;
    Data: Uint8Array;
  }) => object;
  /** Reads the data of a connection. */
  readonly GetConnectionCommand: new (input: {
    ConnectionId: string;
  }) => object;
  /** Closes a connection. */
  readonly DeleteConnectionCommand: new (input: {
    ConnectionId: string;
  }) => object;
}

/** Not a literal, so that bundlers do not include the AWS client: every container imports this file, and a service that sends no messages does not need it. */
const CLIENT = '@aws-sdk/client-apigatewaymanagementapi';
const IN_A_BUNDLE = 'a bundle needs webSocketClientFactory: createWebSocketClientFactory({ loadSdk })';

/**
 * Imports the installed AWS client, or the client of the Lambda runtime.
 *
 * @throws FrameworkError `app.missing_package`
 */
function loadManagementSdk(): Promise<ManagementSdk> {
  return import(CLIENT).catch(throwMissing(CLIENT, IN_A_BUNDLE));
}
