import { encodeUtf8, FrameworkError, type WebSocketClient, type WebSocketContext } from '@sallyport/core';
import type { ContextState, ContextTransport } from '@sallyport/core/pipeline';
import { objectOf } from './doors/door.js';
import { textOf } from './doors/paths.js';
import type { WebSocketClientFactory } from './settings.js';

/** Binds a WebSocket event to its context. */
export class WebSocketTransport implements ContextTransport {
  readonly #state: ContextState;
  readonly #factory: WebSocketClientFactory;
  #context: WebSocketContext | undefined;

  constructor(state: ContextState, factory: WebSocketClientFactory) {
    this.#state = state;
    this.#factory = factory;
  }

  webSocket(): WebSocketContext {
    this.#context ??= new SocketContext(this.#state, this.#factory);
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
  readonly managementEndpoint: string;
  readonly #state: ContextState;
  readonly #factory: WebSocketClientFactory;
  #client: Promise<WebSocketClient> | undefined;

  constructor(state: ContextState, factory: WebSocketClientFactory) {
    const context = objectOf(objectOf(state.event).requestContext);
    const { connectedAt } = context;
    this.connectionId = textOf(context.connectionId);
    this.routeKey = textOf(context.routeKey).trim();
    this.eventType = textOf(context.eventType);
    this.domainName = textOf(context.domainName);
    this.stage = textOf(context.stage);
    this.apiId = textOf(context.apiId);
    this.connectedAt = typeof connectedAt === 'number' && Number.isFinite(connectedAt) ? connectedAt : 0;
    this.disconnectReason = textOf(context.disconnectReason);
    this.managementEndpoint = managementEndpoint(this.domainName, this.stage, textOf(context.path));
    this.#state = state;
    this.#factory = factory;
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
    if (text === undefined) throw new FrameworkError('app.internal');
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
    return this.#factory(this.managementEndpoint, this.#state.lambdaContext);
  }
}

/** `https://host/stage` for the gateway's own host name; a custom domain maps the stage itself. */
function managementEndpoint(domainName: string, stage: string, path: string): string {
  if (domainName === '') return '';
  if (domainName.includes('.execute-api.')) return `https://${domainName}${stage === '' ? '' : `/${stage}`}`;
  const trimmed = path.replace(/^\/+|\/+$/g, '');
  return `https://${domainName}${trimmed === '' ? '' : `/${trimmed}`}`;
}
