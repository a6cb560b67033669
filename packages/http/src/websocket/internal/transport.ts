import {
  type Environment,
  encodeUtf8,
  FrameworkError,
  type LambdaContext,
  type MaybePromise,
  type WebSocketClient,
  type WebSocketContext,
} from '@sallyport/core';
import { type ContextState, type ContextTransport, internalError, lazily, stringOf } from '@sallyport/core/internal';
import { invalidOption } from '@sallyport/core/options';
import { objectOf } from '../../doors/internal/event.js';
import { WEBSOCKET_ENDPOINT_ENV } from '../../schema.js';

/** Creates the client for a management endpoint; called when a first message is sent. */
export type WebSocketClientFactory = (
  endpoint: string,
  lambdaContext: LambdaContext | undefined,
) => MaybePromise<WebSocketClient>;

/** The settings with which a container sends to connections. */
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
  /** One client for each context. If the factory failed, the next call tries again. */
  readonly #client = lazily(() => this.#create());

  constructor(state: ContextState, clients: WebSocketClients) {
    const context = objectOf(objectOf(state.event).requestContext);
    this.connectionId = stringOf(context.connectionId);
    this.routeKey = stringOf(context.routeKey).trim();
    this.eventType = stringOf(context.eventType);
    this.domainName = stringOf(context.domainName);
    this.stage = stringOf(context.stage);
    this.apiId = stringOf(context.apiId);
    this.connectedAt = numberOf(context.connectedAt);
    this.disconnectReason = stringOf(context.disconnectReason);
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
    const { gone } = await client.postToConnection(this.connectionId, bytes, { signal: this.#state.signal });
    if (gone) throw new FrameworkError('websocket.gone', 'connection is gone', { statusCode: 410 });
  }

  async sendJSONMessage(value: unknown): Promise<void> {
    const text = JSON.stringify(value === undefined ? null : value) as string | undefined;
    if (text === undefined) throw internalError('value is not JSON');
    await this.sendMessage(text);
  }

  client(): Promise<WebSocketClient> {
    return this.#client();
  }

  async #create(): Promise<WebSocketClient> {
    return this.#clients.factory(this.managementEndpoint, this.#state.lambdaContext);
  }
}

function numberOf(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0;
}

const OPTION = 'webSocketEndpoint';

/**
 * The endpoint that is configured for all events: the option `webSocketEndpoint`, else the variable
 * `FRAMEWORK_WEBSOCKET_ENDPOINT` unless it is blank. Without a slash at its end.
 *
 * @throws FrameworkError `app.invalid_configuration` that names the option or the variable, for anything but an
 * http or https URL as a string, without credentials, query or fragment
 */
export function configuredEndpoint(option: unknown, environment: Environment): string | undefined {
  if (option !== undefined) return parseEndpoint(option, OPTION);
  const variable = environment[WEBSOCKET_ENDPOINT_ENV]?.trim();
  return variable ? parseEndpoint(variable, WEBSOCKET_ENDPOINT_ENV) : undefined;
}

function parseEndpoint(value: unknown, name: string): string {
  const url = typeof value === 'string' && URL.canParse(value) ? new URL(value) : undefined;
  const valid =
    /^https?:$/.test(url?.protocol ?? '') && `${url?.username}${url?.password}${url?.search}${url?.hash}` === '';
  if (!valid)
    throw invalidOption(name, 'an http or https URL such as https://abc123.execute-api.eu-west-1.amazonaws.com/prod');
  return (value as string).replace(/\/+$/, '');
}

/**
 * The endpoint of an event's own API. It does not use the host name that the client connected to: a custom domain may map the API
 * to a path that the event does not contain. The region is from the API's own host name, else from the function. If region
 * or API id is unknown, the endpoint is the host name, followed by the stage unless it is a custom domain.
 *
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/apigateway-how-to-call-websocket-api-connections.html
 */
function managementEndpoint(
  { apiId, domainName, stage }: Pick<WebSocketContext, 'apiId' | 'domainName' | 'stage'>,
  environment: Environment,
): string {
  const path = stage === '' ? '' : `/${stage}`;
  if (domainName.includes('.execute-api.')) return `https://${domainName}${path}`;
  const region = environment.AWS_REGION ?? '';
  if (apiId !== '' && region !== '') return `https://${apiId}.execute-api.${region}.${domainSuffix(region)}${path}`;
  return domainName === '' ? '' : `https://${domainName}`;
}

/** @see https://docs.amazonaws.cn/en_us/aws/latest/userguide/endpoints-Beijing.html */
function domainSuffix(region: string): string {
  return region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
}
