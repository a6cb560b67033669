import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { fromJson, isObject, membersOf } from '@sallyport/core/internal';
import { buildWebSocketEvent, WEBSOCKET_PROFILE, type WebSocketOptions } from '@sallyport/testkit/events';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Target } from '../guard/check.js';
import { guardOf, guardRequests, guardUpgrades, refuseUpgrade } from '../guard/listener.js';
import type { InvokeOutcome } from '../runtime/invoker.js';
import { recordConnectAuthorizer, recordWebSocket } from './api-record.js';
import { forwardedHeaders, toPairs } from './forwarded.js';
import { FrameLengths } from './frame-limit.js';
import { authorizationOf, connectAuthorizerEvent } from './lambda-authorizer.js';
import type { DoorHost } from './request.js';
import type { Sockets, SocketView } from './sockets.js';

/** The host name in the builder's events. */
const DOMAIN = 'api1.execute-api.us-east-1.amazonaws.com';
const { idleMs: IDLE_MS, lifeMs: LIFE_MS, maxFrameBytes: MAX_FRAME_BYTES } = WEBSOCKET_PROFILE;
const GOING_AWAY = 1001;
const UNSUPPORTED_DATA = 1003;
const TOO_LARGE = 1009;

interface Connection {
  readonly id: string;
  readonly socket: WebSocket;
  readonly view: SocketView & { lastActiveAt: Date };
  /** The options that all events of the connection share. */
  readonly common: WebSocketOptions;
  stopIdle: () => void;
  readonly stopLife: () => void;
}

/** The WebSocket door: each connection behaves as on a WebSocket API. */
export class WebSocketDoor implements Sockets {
  readonly server: Server;
  readonly #host: DoorHost;
  readonly #sockets = new WebSocketServer({
    noServer: true,
    maxPayload: WEBSOCKET_PROFILE.maxMessageBytes,
    handleProtocols: (_offered, request) => this.#protocols.get(request) ?? false,
  });
  /** The subprotocol that the answer to `$connect` named. */
  readonly #protocols = new WeakMap<IncomingMessage, string>();
  readonly #connections = new Map<string, Connection>();

  constructor(host: DoorHost) {
    this.#host = host;
    const guard = guardOf(host, 'websocket');
    this.server = createServer(
      guardRequests(guard, (_request: IncomingMessage, response) => {
        response.writeHead(426, { upgrade: 'websocket' }).end();
      }),
    );
    this.server.on(
      'upgrade',
      guardUpgrades(guard, (request, socket, head, target) => this.#connect(request, socket, head, target)),
    );
  }

  post(connectionId: string, data: Uint8Array): boolean {
    const connection = this.#connections.get(connectionId);
    connection?.socket.send(Buffer.from(data).toString('utf8'));
    if (connection) this.#touch(connection);
    return connection !== undefined;
  }

  close(connectionId: string): boolean {
    const connection = this.#connections.get(connectionId);
    connection?.socket.close(1000);
    return connection !== undefined;
  }

  get(connectionId: string): SocketView | undefined {
    return this.#connections.get(connectionId)?.view;
  }

  list(): readonly SocketView[] {
    return [...this.#connections.values()].map(({ view }) => view);
  }

  /** Closes all connections immediately. */
  stop(): void {
    for (const { socket, stopIdle, stopLife } of this.#connections.values()) {
      stopIdle();
      stopLife();
      socket.terminate();
    }
    this.#connections.clear();
  }

  async #connect(request: IncomingMessage, socket: Duplex, head: Buffer, target: Target): Promise<void> {
    const handshake = handshakeOptions(request, target, this.#host.ports.websocket ?? 0);
    const id = `${randomBytes(9).toString('base64url')}=`;
    const connectedAt = new Date();
    const anybody = commonOptions(request, id, connectedAt);
    const isServed = this.#serves('$connect');
    const asked = isServed ? await this.#authorize({ ...anybody, ...handshake }) : {};
    if ('status' in asked) return refuseUpgrade(socket, asked.status);
    // All events of the connection contain the authorizer's context.
    const common = { ...anybody, ...asked };
    if (isServed) {
      const outcome = await this.#invoke('$connect', { ...common, ...handshake });
      const status = statusOf(outcome);
      if (status >= 300) return refuseUpgrade(socket, status);
      const protocol = protocolOf(outcome);
      if (protocol !== undefined) this.#protocols.set(request, protocol);
    }
    this.#sockets.handleUpgrade(request, socket, head, (webSocket) => this.#open(id, webSocket, request, common));
  }

  /** Invokes the Lambda authorizer for a connection, if any. */
  async #authorize(
    options: WebSocketOptions,
  ): Promise<{ readonly status: number } | { readonly authorizer?: Readonly<Record<string, unknown>> }> {
    const authorizer = this.#host.authorizer('webSocket');
    if (!authorizer) return {};
    const event = connectAuthorizerEvent(buildWebSocketEvent(this.#optionsOf('$connect', options)));
    const origin = { kind: 'authorizer', target: '$connect' };
    const outcome = await authorizer.invoke(event, { origin, whenBusy: 'refuse' });
    recordConnectAuthorizer(this.#host, outcome);
    const authorization = authorizationOf('gateway-v1', event.methodArn, outcome);
    if (authorization.isAllowed) return { authorizer: authorization.authorizer };
    this.#host.journal.update(outcome.id, { summary: String(authorization.status) });
    return { status: authorization.status };
  }

  #open(id: string, socket: WebSocket, request: IncomingMessage, common: WebSocketOptions): void {
    const { clock } = this.#host;
    const connectedAt = common.connectedAt ?? new Date();
    const view = {
      connectionId: id,
      connectedAt,
      lastActiveAt: connectedAt,
      sourceIp: common.sourceIp ?? '',
      userAgent: request.headers['user-agent'] ?? '',
    };
    const stopLife = clock.after(LIFE_MS, () => socket.close(GOING_AWAY, 'Going away'));
    const connection: Connection = { id, socket, view, common, stopLife, stopIdle: () => {} };
    this.#connections.set(id, connection);
    this.#touch(connection);
    const lengths = new FrameLengths();
    let isTooLong = false;
    // Before the listener of the WebSocket, so that a frame that is too long is not a message.
    request.socket.prependListener('data', (chunk: Buffer) => {
      if (isTooLong || lengths.longest(chunk) <= MAX_FRAME_BYTES) return;
      isTooLong = true;
      socket.close(TOO_LARGE);
    });
    socket.on('message', (data, isBinary) => {
      if (isTooLong) return;
      // https://docs.aws.amazon.com/apigateway/latest/developerguide/websocket-api-develop-binary-media-types.html
      if (isBinary) socket.close(UNSUPPORTED_DATA);
      else void this.#onMessage(connection, toText(data));
    });
    socket.on('close', (code, reason) => void this.#onClose(connection, code, reason.toString('utf8')));
    socket.on('error', () => {});
  }

  #touch(connection: Connection): void {
    connection.view.lastActiveAt = new Date();
    connection.stopIdle();
    connection.stopIdle = this.#host.clock.after(IDLE_MS, () => connection.socket.close(GOING_AWAY, 'Going away'));
  }

  async #onMessage(connection: Connection, body: string): Promise<void> {
    this.#touch(connection);
    const routeKey = this.#routeOf(body);
    const { socket, id, common } = connection;
    if (routeKey === undefined) return answer(socket, id, 'Forbidden', '-');
    const messageId = randomBytes(9).toString('base64');
    const outcome = await this.#invoke(routeKey, { ...common, body, messageId });
    if (!outcome.ok) return answer(socket, id, 'Internal server error', outcome.requestId);
    const { body: text } = (outcome.answer ?? {}) as { readonly body?: unknown };
    if (this.#host.config.routeResponse && typeof text === 'string' && text !== '') socket.send(text);
  }

  async #onClose(connection: Connection, code: number, reason: string): Promise<void> {
    const { id, common, stopIdle, stopLife } = connection;
    this.#connections.delete(id);
    stopIdle();
    stopLife();
    if (!this.#serves('$disconnect')) return;
    const headers = { Host: DOMAIN, 'x-api-key': '', 'X-Forwarded-For': '', 'x-restapi': '' };
    await this.#invoke('$disconnect', { ...common, headers, disconnectStatusCode: code, disconnectReason: reason });
  }

  /** The route named by the member of the envelope, `action` if the service states no other, else `$default`; `undefined` if the API has no `$default` route either. */
  #routeOf(body: string): string | undefined {
    const message = membersOf(fromJson(body));
    const named = this.#host
      .inspection()
      .routes.find(
        ({ surface, routeKey, action = 'action' }) => surface === 'websocket' && message[action] === routeKey,
      );
    if (named) return named.routeKey;
    return this.#serves('$default') ? '$default' : undefined;
  }

  /** True if the API has this route. A handler that is not a Sallyport handler does not list its routes, and receives every event. */
  #serves(routeKey: string): boolean {
    return !this.#host.inspection().isOurs || this.#isRegistered(routeKey);
  }

  #isRegistered(wanted: string): boolean {
    return this.#host
      .inspection()
      .routes.some(({ surface, routeKey }) => surface === 'websocket' && routeKey === wanted);
  }

  #optionsOf(routeKey: string, options: WebSocketOptions): WebSocketOptions {
    const { stage, deployed } = this.#host.config;
    const known = stage ?? deployed?.fn.doors.find(({ kind }) => kind === 'websocket')?.stage;
    const requestId = randomBytes(8).toString('base64url');
    return { ...options, routeKey, time: new Date(), requestId, ...(known !== undefined && { stage: known }) };
  }

  async #invoke(routeKey: string, options: WebSocketOptions): Promise<InvokeOutcome> {
    const event = buildWebSocketEvent(this.#optionsOf(routeKey, options));
    const startedAt = this.#host.clock.monotonicMs();
    const origin = { kind: 'websocket', target: routeKey };
    const outcome = await this.#host.invoker.invoke(event, { origin, whenBusy: 'refuse' });
    recordWebSocket(this.#host, routeKey, outcome, startedAt);
    return outcome;
  }
}

function commonOptions({ socket }: IncomingMessage, connectionId: string, connectedAt: Date): WebSocketOptions {
  const sourceIp = (socket.remoteAddress ?? '127.0.0.1').replace(/^::ffff:/, '');
  return { connectionId, connectedAt, sourceIp };
}

/** Only the handshake has the headers of the client and a query. */
function handshakeOptions({ rawHeaders, socket }: IncomingMessage, { search }: Target, port: number): WebSocketOptions {
  const sourceIp = (socket.remoteAddress ?? '127.0.0.1').replace(/^::ffff:/, '');
  const headers: Record<string, string[]> = {};
  for (const [name, value] of forwardedHeaders('gateway-v1', toPairs(rawHeaders), { sourceIp, port }))
    headers[name] = [...(headers[name] ?? []), value];
  const query: Record<string, string[]> = {};
  for (const [name, value] of new URLSearchParams(search)) query[name] = [...(query[name] ?? []), value];
  return { headers, query };
}

/** The subprotocol that an answer names; `undefined` if absent. */
function protocolOf(outcome: InvokeOutcome): string | undefined {
  const { headers } = ((outcome.ok ? outcome.answer : undefined) ?? {}) as { readonly headers?: unknown };
  const found = Object.entries(isObject(headers) ? headers : {}).find(
    ([name]) => name.toLowerCase() === 'sec-websocket-protocol',
  );
  return typeof found?.[1] === 'string' ? found[1] : undefined;
}

function statusOf(outcome: InvokeOutcome): number {
  if (!outcome.ok) return outcome.reason === 'throttled' ? 429 : 500;
  const { statusCode } = (outcome.answer ?? {}) as { readonly statusCode?: unknown };
  const status = Number(statusCode);
  return Number.isInteger(status) && status >= 100 && status <= 599 ? status : 500;
}

function answer(socket: WebSocket, connectionId: string, message: string, requestId: string): void {
  socket.send(JSON.stringify({ message, connectionId, requestId }));
}

function toText(data: unknown): string {
  if (Array.isArray(data)) return Buffer.concat(data as Buffer[]).toString('utf8');
  return Buffer.from(data as ArrayBuffer).toString('utf8');
}
