import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** Fault of a request. */
export type Fault =
  /** The server never receives it; the client receives this error. */
  | { readonly kind: 'error'; readonly status: number; readonly type: string; readonly body?: object }
  /** The server never receives it, and the client receives no answer. */
  | { readonly kind: 'silence' }
  /** The server never receives it; the connection is reset. */
  | { readonly kind: 'reset' }
  /** It is answered after `ms` more milliseconds. */
  | { readonly kind: 'slow'; readonly ms: number }
  /** The server applies it; the connection is reset instead of an answer, after `meanwhile`. */
  | { readonly kind: 'lost-answer'; readonly meanwhile?: () => Promise<unknown> }
  /** The server applies it, and the client receives no answer. */
  | { readonly kind: 'silence-after' }
  /** Removes old items from a failed condition, as for servers that do not support the parameter. */
  | { readonly kind: 'no-old-item' };

/** Header with the caller's id of a call, for {@link FaultProxy.onHang}. */
export const CALL_HEADER = 'x-sallyport-call';

export interface FaultRule {
  /** Name of an operation, `UpdateItem`. Default: every operation. */
  readonly operation?: string;
  /** Number of requests that pass before it starts. Default: 0. */
  readonly after?: number;
  /** Number of affected requests. Default: all. */
  readonly times?: number;
  /** Returns true if the fault applies to the request; called for each request that matches the other members. */
  readonly when?: () => boolean;
}

/** The error of a throttled table. */
export const THROTTLED: Fault = { kind: 'error', status: 400, type: 'ProvisionedThroughputExceededException' };
/** The error of a fault inside the service. */
export const SERVER_ERROR: Fault = { kind: 'error', status: 500, type: 'InternalServerError' };

interface ActiveRule {
  readonly fault: Fault;
  readonly operation: string | undefined;
  readonly when: () => boolean;
  pass: number;
  left: number;
}

interface Answer {
  readonly status: number;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly body: Buffer;
}

/** A loopback HTTP proxy between client and server that injects faults. */
export class FaultProxy {
  readonly #target: URL;
  readonly #server: Server;
  /** Operations in the order in which they arrived. */
  readonly operations: string[] = [];
  #rules: ActiveRule[] = [];
  readonly #onHang = new Set<(call: string) => void>();
  #stopped = new AbortController();

  constructor(target: string) {
    this.#target = new URL(target);
    this.#server = createServer((incoming, outgoing) => {
      this.#serve(incoming, outgoing).catch(() => outgoing.destroy());
    });
  }

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
  }

  /** Option `endpoint` of clients, instead of the server's address. */
  get endpoint(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Makes requests fail from now on. If several rules match, the first one is used. */
  inject(fault: Fault, rule: FaultRule = {}): void {
    const { operation, after: pass = 0, times: left = Number.POSITIVE_INFINITY, when = () => true } = rule;
    this.#rules.push({ fault, operation, when, pass, left });
  }

  /** Removes all rules and recorded operations. */
  clear(): void {
    this.#rules = [];
    this.operations.length = 0;
  }

  /** Calls `listener` when a request that is not answered has had its effect. Returns a function that removes the listener. */
  onHang(listener: (call: string) => void): () => void {
    this.#onHang.add(listener);
    return () => this.#onHang.delete(listener);
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeAllConnections();
    await closed;
  }

  async #serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const operation = operationOf(incoming);
    this.operations.push(operation);
    const fault = this.#faultFor(operation);
    const body = await bytesOf(incoming);
    if (!fault) return send(outgoing, await this.#forward(incoming, body));
    switch (fault.kind) {
      case 'error':
        return send(outgoing, errorAnswer(fault));
      case 'silence':
        return this.#hang(incoming);
      case 'reset':
        return reset(outgoing);
      case 'slow':
        this.#hang(incoming);
        await sleep(fault.ms, undefined, { signal: this.#stopped.signal });
        return send(outgoing, await this.#forward(incoming, body));
      case 'lost-answer':
        await this.#forward(incoming, body);
        await fault.meanwhile?.();
        return reset(outgoing);
      case 'silence-after':
        await this.#forward(incoming, body);
        return this.#hang(incoming);
      case 'no-old-item':
        return send(outgoing, withoutOldItem(await this.#forward(incoming, body)));
    }
  }

  #hang({ headers }: IncomingMessage): void {
    for (const listener of this.#onHang) listener(String(headers[CALL_HEADER]));
  }

  #faultFor(operation: string): Fault | undefined {
    for (const rule of this.#rules) {
      if (rule.operation !== undefined && rule.operation !== operation) continue;
      if (rule.left <= 0) continue;
      if (rule.pass > 0) {
        rule.pass -= 1;
        continue;
      }
      if (!rule.when()) continue;
      rule.left -= 1;
      return rule.fault;
    }
    return undefined;
  }

  #forward(incoming: IncomingMessage, body: Buffer): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const { method, url: path, headers } = incoming;
      const { hostname, port } = this.#target;
      const onward = request({ hostname, port, method, path, headers }, (answer) => {
        bytesOf(answer).then((bytes) => {
          resolve({ status: answer.statusCode ?? 502, headers: answer.headers, body: bytes });
        }, reject);
      });
      onward.once('error', reject);
      onward.end(body);
    });
  }
}

/** Starts a proxy in front of the given server. Stop it when the test ends. */
export async function startFaultProxy(target: string): Promise<FaultProxy> {
  const proxy = new FaultProxy(target);
  await proxy.start();
  return proxy;
}

function operationOf(incoming: IncomingMessage): string {
  const target = incoming.headers['x-amz-target'];
  return typeof target === 'string' ? target.slice(target.lastIndexOf('.') + 1) : '';
}

async function bytesOf(stream: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function reset(outgoing: ServerResponse): void {
  outgoing.socket?.resetAndDestroy();
}

function send(outgoing: ServerResponse, { status, headers, body }: Answer): void {
  outgoing.writeHead(status, { ...headers, 'content-length': String(body.length) });
  outgoing.end(body);
}

function errorAnswer({ status, type, body }: Fault & { kind: 'error' }): Answer {
  const text = JSON.stringify({ __type: `com.amazonaws.dynamodb.v20120810#${type}`, message: 'injected', ...body });
  return { status, headers: { 'content-type': 'application/x-amz-json-1.0' }, body: Buffer.from(text) };
}

function withoutOldItem(answer: Answer): Answer {
  if (answer.status !== 400) return answer;
  const { Item, CancellationReasons, ...rest } = JSON.parse(answer.body.toString()) as Record<string, unknown>;
  const reasons = Array.isArray(CancellationReasons) && {
    CancellationReasons: CancellationReasons.map(({ Item: _, ...reason }: { Item?: unknown }) => reason),
  };
  const { 'x-amz-crc32': _, 'transfer-encoding': __, ...headers } = answer.headers;
  return { status: answer.status, headers, body: Buffer.from(JSON.stringify({ ...rest, ...reasons })) };
}
