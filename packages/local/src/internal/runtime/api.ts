import { randomBytes, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Target } from '../guard/check.js';
import { guardRequests } from '../guard/listener.js';
import { POLICIES } from '../guard/policies.js';

const ROUTE = /^\/2018-06-01\/runtime\/(?:invocation\/(?:(next)|([^/]+)\/(response|error))|init\/error)$/;
/** The header with which the shim authenticates its request for an event; pages and other programs do not have its value. */
const KEY_HEADER = 'x-local-key';

/** Events of the server of one environment. */
export interface RuntimeApiEvents {
  /** The runtime requests the next event; `left` names resources that the handler did not close. */
  onPoll(left: readonly string[]): void;
  /** Must read the whole request. */
  onInitError(request: IncomingMessage): void | Promise<void>;
  /** The runtime begins to send a response or an error of an event, once. Must read the whole request. */
  onReply(requestId: string, kind: 'response' | 'error', request: IncomingMessage): void | Promise<void>;
  /** An error of the server. */
  onFault(error: unknown): void;
}

/**
 * The server side of the Lambda Runtime API for one environment.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html
 */
export class RuntimeApi {
  /** The required value of the header `x-local-key` of `next`; the shim receives it in its environment. */
  readonly key = randomBytes(24).toString('base64url');
  readonly #events: RuntimeApiEvents;
  readonly #server: Server;
  readonly #polls: ServerResponse[] = [];
  /** Ids of delivered events that have no response yet. */
  readonly #open = new Set<string>();

  private constructor(events: RuntimeApiEvents) {
    this.#events = events;
    const guard = { policy: POLICIES.runtime, allowHosts: [], onFault: (error: unknown) => events.onFault(error) };
    this.#server = createServer(
      { keepAliveTimeout: 0, requestTimeout: 0 },
      guardRequests(guard, (request: IncomingMessage, response, target) => this.#serve(request, response, target)),
    );
  }

  static async start(events: RuntimeApiEvents): Promise<RuntimeApi> {
    const api = new RuntimeApi(events);
    api.#server.listen(0, '127.0.0.1');
    await once(api.#server, 'listening');
    return api;
  }

  /** Host and port, the value of `AWS_LAMBDA_RUNTIME_API`. */
  get address(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Number of polls that wait for an event. */
  get polls(): number {
    return this.#polls.length;
  }

  /** Delivers an event to the oldest poll. @returns true if a poll was waiting */
  handOut(requestId: string, event: string, headers: OutgoingHttpHeaders): boolean {
    const poll = this.#polls.shift();
    if (poll) this.#open.add(requestId);
    poll?.writeHead(200, { 'content-type': 'application/json', ...headers }).end(event);
    return poll !== undefined;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async #serve(request: IncomingMessage, response: ServerResponse, { path }: Target): Promise<void> {
    const match = ROUTE.exec(path);
    const [, next, id, kind] = match ?? [];
    if (!match || request.method !== (next ? 'GET' : 'POST')) return sendError(response, 404, 'NotFound');
    if (next) return this.#isShim(request) ? this.#poll(request, response) : sendError(response, 403, 'Forbidden');
    // The id must equal the id of a delivered event exactly, so it is not decoded.
    if (id !== undefined && !this.#open.delete(id)) return sendError(response, 400, 'InvalidRequestID');
    request.once('end', () => response.writeHead(202).end());
    if (id === undefined) return this.#events.onInitError(request);
    return this.#events.onReply(id, kind === 'error' ? 'error' : 'response', request);
  }

  #isShim({ headers }: IncomingMessage): boolean {
    const [given, own] = [Buffer.from(String(headers[KEY_HEADER] ?? '')), Buffer.from(this.key)];
    return given.length === own.length && timingSafeEqual(given, own);
  }

  #poll(request: IncomingMessage, response: ServerResponse): void {
    this.#polls.push(response);
    // An event must not be delivered to a worker or process that has ended.
    response.once('close', () => {
      const index = this.#polls.indexOf(response);
      if (index >= 0) this.#polls.splice(index, 1);
    });
    const left = String(request.headers['x-local-left'] ?? '');
    this.#events.onPoll(left === '' ? [] : left.split(','));
  }
}

/** An error in the form of the Runtime API. AWS's OpenAPI document of the API lists 400, 403, 413 and 500. */
function sendError(response: ServerResponse, status: number, errorType: string): void {
  const body = JSON.stringify({ errorMessage: STATUS_CODES[status], errorType });
  response.writeHead(status, { 'content-type': 'application/json' }).end(body);
}
