import { FrameworkError, type WebSocketClient, type WebSocketConnection } from '@sallyport/core';
import { type Checks, checkOptions, func, nonBlank } from '../internal/check.js';
import { CallLog, Failures, type FakeOptions } from './call-log.js';

/** What API Gateway takes in one message. */
const MAX_MESSAGE_BYTES = 128 * 1024;

export interface FakeWebSocketClientOptions extends FakeOptions {
  /** Where it claims to send to. */
  readonly endpoint?: string;
}

export interface WebSocketCall {
  readonly method: 'postToConnection' | 'getConnection' | 'deleteConnection';
  readonly connectionId: string;
  /** What was posted. */
  readonly data?: Uint8Array;
}

/** A management client over connections in memory. An unknown connection is gone, as it is for the real one. */
export interface FakeWebSocketClient extends WebSocketClient {
  readonly endpoint: string;
  readonly calls: readonly WebSocketCall[];
  readonly connections: ReadonlyMap<string, WebSocketConnection>;
  connect(connectionId: string, connection?: Partial<WebSocketConnection>): void;
  /** The next call fails with this. */
  failNext(error: unknown): void;
}

const CHECKS: Checks<FakeWebSocketClientOptions> = { endpoint: nonBlank, pause: func };

const NEW_CONNECTION: WebSocketConnection = {
  connectedAt: new Date(0),
  lastActiveAt: new Date(0),
  sourceIp: '',
  userAgent: '',
};

/** @example const app = env.app({ webSocketClientFactory: () => client }); */
export function fakeWebSocketClient(options: FakeWebSocketClientOptions = {}): FakeWebSocketClient {
  checkOptions(options, CHECKS);
  const { endpoint = 'https://api1.execute-api.us-east-1.amazonaws.com/dev', pause = async () => {} } = options;
  const calls = new CallLog<WebSocketCall>();
  const failures = new Failures();
  const connections = new Map<string, WebSocketConnection>();
  const record = async (call: WebSocketCall) => {
    await pause();
    calls.push(call);
    failures.raise();
  };
  return {
    endpoint,
    calls: calls.entries,
    connections,
    connect: (connectionId, connection) => void connections.set(connectionId, { ...NEW_CONNECTION, ...connection }),
    failNext: (error) => failures.add(error),
    async postToConnection(connectionId, data) {
      if (data.length > MAX_MESSAGE_BYTES) throw tooLarge();
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

function tooLarge(): FrameworkError {
  const message = `framework: message exceeds ${MAX_MESSAGE_BYTES} bytes`;
  return new FrameworkError('websocket.too_large', message, { statusCode: 413 });
}
