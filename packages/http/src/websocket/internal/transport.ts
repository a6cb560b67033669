import { encodeUtf8, FrameworkError, type WebSocketClient, type WebSocketContext } from '@sallyport/core';
import type { ContextState, ContextTransport } from '@sallyport/core/pipeline';
import { objectOf } from '../../doors/internal/event.js';
import { textOf } from '../../doors/internal/paths.js';
import { refused } from '../../internal/refused.js';
import type { WebSocketClientFactory } from '../../pipeline/options.js';
import { managementEndpoint } from './endpoint.js';

/** How a container reaches the connections of its APIs. */
export interface WebSocketClients {
  readonly factory: WebSocketClientFactory;
  /** Used in place of the event's address. */
  readonly endpoint: string | undefined;
}

/** Binds a WebSocket event to its context. */
export class WebSocketTransport implements ContextTransport {
  readonly #state: ContextState;
  readonly #clients: WebSocketClients;
  #context: WebSocketContext | undefined;

  constructor(state: ContextState, clients: WebSocketClients) {
    this.#state = state;
    this.#clients = clients;
  }

  webSocket(): WebSocketContext {
    this.#context ??= new SocketContext(this.#state, this.#clients);
    return this.#context;
  }
}

class SocketContext implements WebSocketContext {
  readonly connectionId: string;
  readonly routeKey: string;
  readonly eventType: string;
  readonly domainName: string;
  readonly stage: string;
  readonly apiId: string;
  readonly connectedAt: number;
  readonly disconnectReason: string;
  readonly disconnectStatusCode: number;
  readonly managementEndpoint: string;
  readonly #state: ContextState;
  readonly #clients: WebSocketClients;
  #client: Promise<WebSocketClient> | undefined;

  constructor(state: ContextState, clients: WebSocketClients) {
    const context = objectOf(objectOf(state.event).requestContext);
    this.connectionId = textOf(context.connectionId);
    this.routeKey = textOf(context.routeKey).trim();
    this.eventType = textOf(context.eventType);
    this.domainName = textOf(context.domainName);
    this.stage = textOf(context.stage);
    this.apiId = textOf(context.apiId);
    this.connectedAt = numberOf(context.connectedAt);
    this.disconnectReason = textOf(context.disconnectReason);
    this.disconnectStatusCode = numberOf(context.disconnectStatusCode);
    this.managementEndpoint = clients.endpoint ?? managementEndpoint(this, state.runtime.environment);
    this.#state = state;
    this.#clients = clients;
  }

  get body(): Uint8Array {
    return this.#state.request.body;
  }

  async sendMessage(data: Uint8Array | string): Promise<void> {
    const client = await this.client();
    const bytes = typeof data === 'string' ? encodeUtf8(data) : data;
    const { gone } = await client.postToConnection(this.connectionId, bytes);
    if (gone) throw new FrameworkError('websocket.gone', 'connection is gone', { statusCode: 410 });
  }

  async sendJSONMessage(value: unknown): Promise<void> {
    const text = JSON.stringify(value === undefined ? null : value) as string | undefined;
    if (text === undefined) throw refused('value is not JSON');
    await this.sendMessage(text);
  }

  /** One client a context; a factory that failed is asked again next time. */
  client(): Promise<WebSocketClient> {
    this.#client ??= this.#create().catch((error: unknown) => {
      this.#client = undefined;
      throw error;
    });
    return this.#client;
  }

  async #create(): Promise<WebSocketClient> {
    return this.#clients.factory(this.managementEndpoint, this.#state.lambdaContext);
  }
}

function numberOf(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0;
}
