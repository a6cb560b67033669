/** What a GraphQL resolver event carries beside its synthesized request; `ctx.asAppSync()`. */
export interface AppSyncContext {
  readonly fieldName: string;
  readonly parentTypeName: string;
  readonly arguments: Record<string, unknown>;
  readonly identity: unknown;
  readonly source: Record<string, unknown>;
  readonly variables: Record<string, unknown>;
  readonly prev: unknown;
  readonly stash: Record<string, unknown>;
  readonly requestHeaders: Record<string, unknown>;
  readonly selectionSetList: readonly string[];
  readonly selectionSetGraphQL: string;
  readonly rawEvent: unknown;
}

/** A client of the gateway's connection management API, as `@sallyport/http/websocket` makes one. */
export interface WebSocketClient {
  /** Sends at most 128 KiB; `gone` when the connection no longer exists. */
  postToConnection(connectionId: string, data: Uint8Array): Promise<{ readonly gone: boolean }>;
  /** `null` when the connection no longer exists. */
  getConnection(connectionId: string): Promise<WebSocketConnection | null>;
  deleteConnection(connectionId: string): Promise<void>;
}

export interface WebSocketConnection {
  readonly connectedAt: Date | undefined;
  readonly lastActiveAt: Date | undefined;
  readonly sourceIp: string;
  readonly userAgent: string;
}

/** What a WebSocket event carries; `ctx.asWebSocket()`. */
export interface WebSocketContext {
  readonly connectionId: string;
  readonly routeKey: string;
  readonly eventType: string;
  readonly domainName: string;
  readonly stage: string;
  readonly apiId: string;
  /** Epoch milliseconds of the connection, 0 when unknown. */
  readonly connectedAt: number;
  /** Why the connection ended; `''` unless the event is a `$disconnect` that says so. */
  readonly disconnectReason: string;
  /** Close code of the connection (RFC 6455 section 7.4); 0 unless the event is a `$disconnect` that says so. */
  readonly disconnectStatusCode: number;
  /** URL that messages to connections are posted to; `''` when the event tells too little. */
  readonly managementEndpoint: string;
  readonly body: Uint8Array;
  /** Sends to this connection; throws `websocket.gone` (410) when it no longer exists. */
  sendMessage(data: Uint8Array | string): Promise<void>;
  sendJSONMessage(value: unknown): Promise<void>;
  client(): Promise<WebSocketClient>;
}

/** How a surface binds what only it knows to the context. */
export interface ContextTransport {
  appSync?(): AppSyncContext;
  webSocket?(): WebSocketContext;
  /** Values under the reserved `framework.` keys. */
  metadata?(key: string): unknown;
}
