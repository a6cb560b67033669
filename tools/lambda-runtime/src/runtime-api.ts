import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Invocation, type InvocationOptions, type InvocationResult } from './invocation.js';

const ROUTE = /^\/2018-06-01\/runtime\/(?:invocation\/(?:(next)|([^/]+)\/(response|error))|(init\/error))$/;

export interface RuntimeApiOptions {
  /** Default `test`. */
  readonly functionName?: string;
  /** Maximum number of concurrent invocations; default 1. */
  readonly maxConcurrency?: number;
  /** Called after an invocation has timed out; its outcome is `timeout` by then. */
  readonly onTimeout?: () => void;
}

/** The error that a runtime reports when it cannot load the function. */
export interface InitError {
  readonly errorType: string;
  readonly errorMessage: string;
}

/**
 * The server side of the Lambda Runtime API on a loopback port: passes events to a runtime that polls, and collects its
 * answers. An event is passed only while fewer than `maxConcurrency` are unanswered, in the order of `invoke`.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html
 */
export class RuntimeApi {
  /** Errors that runtimes reported instead of starting. */
  readonly initErrors: InitError[] = [];
  readonly #functionName: string;
  readonly #maxConcurrency: number;
  readonly #onTimeout: () => void;
  readonly #server = createServer((request, response) => this.#serve(request, response));
  readonly #queued: Invocation[] = [];
  readonly #polls: ServerResponse[] = [];
  readonly #out = new Map<string, Invocation>();

  private constructor({ functionName = 'test', maxConcurrency = 1, onTimeout = () => {} }: RuntimeApiOptions) {
    this.#functionName = functionName;
    this.#maxConcurrency = maxConcurrency;
    this.#onTimeout = onTimeout;
  }

  /** A server that listens. */
  static async start(options: RuntimeApiOptions = {}): Promise<RuntimeApi> {
    const api = new RuntimeApi(options);
    api.#server.listen(0, '127.0.0.1');
    await once(api.#server, 'listening');
    return api;
  }

  /** Host and port, as `AWS_LAMBDA_RUNTIME_API` has them. */
  get address(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Resolves when the invocation has ended, with any outcome. */
  invoke(event: unknown, options: InvocationOptions = {}): Promise<InvocationResult> {
    const invocation = new Invocation(options.requestId ?? randomUUID(), event, options);
    this.#queued.push(invocation);
    this.#handOut();
    return invocation.result;
  }

  /** Settles all queued and unanswered invocations as `exit`, after the process has exited. */
  abandon(): void {
    for (const invocation of [...this.#out.values(), ...this.#queued.splice(0)]) invocation.end('exit');
    this.#out.clear();
  }

  async close(): Promise<void> {
    this.abandon();
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, 'close');
  }

  #serve(request: IncomingMessage, response: ServerResponse): void {
    const match = ROUTE.exec(request.url ?? '');
    const [, next, id, kind] = match ?? [];
    if (!match) {
      response.writeHead(404).end();
    } else if (next) {
      this.#polls.push(response);
      // A worker or process that has exited must not receive an event.
      response.once('close', () => this.#forget(response));
      this.#handOut();
    } else if (id) {
      this.#takeAnswer(id, kind as 'response' | 'error', request, response);
    } else {
      void text(request).then((body) => {
        this.initErrors.push(JSON.parse(body) as InitError);
        response.writeHead(202).end();
      });
    }
  }

  #takeAnswer(id: string, kind: 'response' | 'error', request: IncomingMessage, response: ServerResponse): void {
    const invocation = this.#out.get(id);
    if (!invocation) {
      request.resume();
      response.writeHead(400).end();
      return;
    }
    request.once('end', () => response.writeHead(202).end());
    invocation.receive(request, kind, () => {
      this.#out.delete(id);
      this.#handOut();
    });
  }

  #handOut(): void {
    while (this.#out.size < this.#maxConcurrency && this.#queued.length > 0 && this.#polls.length > 0) {
      const invocation = this.#queued.shift() as Invocation;
      const poll = this.#polls.shift() as ServerResponse;
      this.#out.set(invocation.requestId, invocation);
      const { headers, body } = invocation.handOut(this.#functionName, () => {
        invocation.end('timeout');
        this.#out.delete(invocation.requestId);
        this.#onTimeout();
      });
      poll.writeHead(200, headers).end(body);
    }
  }

  #forget(poll: ServerResponse): void {
    const index = this.#polls.indexOf(poll);
    if (index >= 0) this.#polls.splice(index, 1);
  }
}
