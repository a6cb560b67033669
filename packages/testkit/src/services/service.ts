import { createServer } from 'node:http';
import { createServer as createHttp2Server } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { brandError } from '@sallyport/core/internal';
import { defineOptions, integer, object, oneOf } from '@sallyport/core/options';
import { bodyProblem, type Operation, operationsOf } from './internal/model.js';
import {
  type Answer,
  bytesOf,
  disconnect,
  errorAnswer,
  type Found,
  findOperation,
  type Incoming,
  type Input,
  inputOf,
  type Outgoing,
  parseBody,
  send,
} from './internal/wire.js';

/** An error response of a service: the name of the exception, the HTTP status and a message. */
export class ServiceError extends Error {
  static {
    brandError(ServiceError, 'sallyport.ServiceError');
  }

  override readonly name: string;
  /** The HTTP status. */
  readonly status: number;
  /** Headers of the answer: `retry-after`, for example. */
  readonly headers: Readonly<Record<string, string>>;

  constructor(name: string, status: number, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.name = name;
    this.status = status;
    this.headers = headers;
  }
}

/** Fault of a request. */
export type ServiceFault =
  /** The request has no effect and is answered with this error. */
  | {
      readonly kind: 'error';
      readonly name: string;
      readonly status: number;
      readonly message?: string;
      readonly headers?: Readonly<Record<string, string>>;
    }
  /** The request has no effect and is never answered. */
  | { readonly kind: 'silence' }
  /** The request has no effect, and the connection is closed. */
  | { readonly kind: 'reset' }
  /** The request takes effect, and the connection is closed instead of an answer. */
  | { readonly kind: 'lost-answer' }
  /** The request takes effect and is never answered. */
  | { readonly kind: 'silence-after' }
  /** The request is answered with this body, for any operation. */
  | { readonly kind: 'answer'; readonly status: number; readonly body: string };

/** Requests that a fault applies to. */
export interface FaultRule {
  /** Name of an operation, `PutVectors`. Default: every operation. */
  readonly operation?: string;
  /** Requests that pass before it starts. Default 0. */
  readonly after?: number;
  /** Number of affected requests. Default: all. */
  readonly times?: number;
}

/** One request that arrived. */
export interface ServiceRequest {
  /** The name of the operation. */
  readonly operation: string;
  /** Bytes of its body. */
  readonly bytes: number;
  /** Requests that were in progress when it arrived, itself among them. */
  readonly underWay: number;
  /** Members of the input: the JSON body, labels, query and headers. A raw body is `body`. */
  readonly input: Readonly<Record<string, unknown>>;
}

/** Answers an operation: a JSON body, bytes that are sent unchanged, or bytes with headers. */
export type ServiceHandler = (
  input: Readonly<Record<string, unknown>>,
) => object | Uint8Array | ServiceBytes | Promise<object | Uint8Array>;

/** An answer whose output has members in headers. */
export class ServiceBytes {
  static {
    brandError(ServiceBytes, 'sallyport.ServiceBytes');
  }

  /** The body. */
  readonly bytes: Uint8Array;
  /** The headers of the answer. */
  readonly headers: Readonly<Record<string, string>>;

  constructor(bytes: Uint8Array, headers: Readonly<Record<string, string>>) {
    this.bytes = bytes;
    this.headers = headers;
  }
}

/** Options of {@link startService}. */
export interface ServiceOptions {
  /** The module of the SDK package, whose schemas define the operations: `await import('@aws-sdk/client-s3vectors')`. */
  readonly sdk: object;
  /** Handlers of the operations, by name. An operation without a handler is answered with 501. */
  readonly handlers: Readonly<Record<string, ServiceHandler>>;
  /** `http2` for clients that speak only HTTP/2, such as the Bedrock client. Default `http1`. */
  readonly protocol?: 'http1' | 'http2';
  /** Limit of a body's bytes; larger bodies are answered with `ValidationException`. Default: no limit. */
  readonly maxBodyBytes?: number;
}

const OPTIONS = defineOptions<ServiceOptions>()({
  sdk: object().required(),
  handlers: object<ServiceOptions['handlers']>().required(),
  protocol: oneOf('http1', 'http2').default('http1'),
  maxBodyBytes: integer(1),
});

/** A service on loopback that speaks the wire protocol `restJson1` or `awsJson1.1` to the real AWS client. */
export interface Service {
  /** Option `endpoint` of clients. */
  readonly endpoint: string;
  /** Requests in the order in which they arrived; a copy. */
  readonly requests: readonly ServiceRequest[];
  /** Highest number of concurrent requests. */
  readonly mostAtOnce: number;
  /** Breaks requests from now on. The first matching rule applies. */
  inject(fault: ServiceFault, rule?: FaultRule): void;
  /** Delays requests from now on, before they take effect, until the returned function is called. */
  hold(): () => void;
  /** Clears faults, requests and counts; keeps stored data. */
  clear(): void;
  /** Closes connections and stops listening. */
  stop(): Promise<void>;
}

interface ActiveRule extends Pick<FaultRule, 'operation'> {
  readonly fault: ServiceFault;
  pass: number;
  left: number;
}

/**
 * Starts a local test server for an AWS service without an official local server. Operations, paths and types come from the SDK's
 * own model, so that a request which is not in the model is rejected.
 *
 * @example
 * const sdk = await import('@aws-sdk/client-s3vectors');
 * const service = await startService({ sdk, handlers: { ListVectorBuckets: () => ({ vectorBuckets: [] }) } });
 * const client = new sdk.S3VectorsClient({ endpoint: service.endpoint, region: 'eu-west-1', credentials });
 */
export async function startService(options: ServiceOptions): Promise<Service> {
  const { sdk, handlers, protocol, maxBodyBytes } = OPTIONS.parse(options);
  const service = new LoopbackService({ sdk, handlers, protocol, ...(maxBodyBytes !== undefined && { maxBodyBytes }) });
  await service.start();
  return service;
}

class LoopbackService implements Service {
  readonly #operations: readonly Operation[];
  readonly #options: ServiceOptions;
  readonly #server: ReturnType<typeof createServer> | ReturnType<typeof createHttp2Server>;
  readonly #sockets = new Set<{ destroy(): void }>();
  #requests: ServiceRequest[] = [];
  #rules: ActiveRule[] = [];
  #held: Promise<void> = Promise.resolve();
  #active = 0;
  #most = 0;

  constructor(options: ServiceOptions) {
    this.#options = options;
    this.#operations = operationsOf(options.sdk);
    const serve = (incoming: Incoming, outgoing: Outgoing) => {
      this.#serve(incoming, outgoing).catch(() => disconnect(outgoing));
    };
    this.#server = options.protocol === 'http2' ? createHttp2Server(serve) : createServer(serve);
    this.#server.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
  }

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
  }

  get endpoint(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get requests(): readonly ServiceRequest[] {
    return [...this.#requests];
  }

  get mostAtOnce(): number {
    return this.#most;
  }

  inject(fault: ServiceFault, { operation, after = 0, times = Number.POSITIVE_INFINITY }: FaultRule = {}): void {
    this.#rules.push({ fault, pass: after, left: times, ...(operation !== undefined && { operation }) });
  }

  hold(): () => void {
    let release = () => {};
    this.#held = new Promise<void>((resolve) => {
      release = resolve;
    });
    return release;
  }

  clear(): void {
    this.#rules = [];
    this.#requests = [];
    this.#most = this.#active;
  }

  async stop(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  async #serve(incoming: Incoming, outgoing: Outgoing): Promise<void> {
    this.#active += 1;
    const underWay = this.#active;
    this.#most = Math.max(this.#most, underWay);
    try {
      const body = await bytesOf(incoming);
      const found = findOperation(this.#operations, incoming);
      const input = found && inputOf(found, body);
      this.#requests.push({ operation: found?.operation.name ?? '', bytes: body.length, underWay, input: input ?? {} });
      await this.#held;
      const fault = this.#faultFor(found?.operation.name);
      await this.#answer(outgoing, fault, () => this.#run(found, input, body));
    } finally {
      this.#active -= 1;
    }
  }

  async #answer(outgoing: Outgoing, fault: ServiceFault | undefined, run: () => Promise<Answer>): Promise<void> {
    switch (fault?.kind) {
      case 'silence':
        return;
      case 'reset':
        return disconnect(outgoing);
      case 'error':
        return send(outgoing, errorAnswer(toServiceError(fault)));
      case 'answer':
        return send(outgoing, { status: fault.status, body: Buffer.from(fault.body) });
      case 'lost-answer':
        await run();
        return disconnect(outgoing);
      case 'silence-after':
        await run();
        return;
      case undefined:
        return send(outgoing, await run());
    }
  }

  async #run(found: Found | undefined, input: Input | undefined, body: Buffer): Promise<Answer> {
    try {
      if (!found || !input) throw new ServiceError('UnknownOperationException', 404, 'no such operation');
      if (body.length > (this.#options.maxBodyBytes ?? Number.POSITIVE_INFINITY)) {
        throw new ServiceError('ValidationException', 400, 'the request is too large');
      }
      const problem = found.isRaw ? undefined : bodyProblem(parseBody(body), found.operation.input);
      if (problem !== undefined) throw new ServiceError('ValidationException', 400, problem);
      const handler = this.#options.handlers[found.operation.name];
      if (!handler) throw new ServiceError('NotImplemented', 501, `${found.operation.name} is not served here`);
      const answer = await handler(input);
      const { status } = found.operation;
      if (answer instanceof ServiceBytes) return { status, body: Buffer.from(answer.bytes), headers: answer.headers };
      const bytes = answer instanceof Uint8Array ? Buffer.from(answer) : Buffer.from(JSON.stringify(answer));
      return { status, body: bytes };
    } catch (error) {
      if (error instanceof ServiceError) return errorAnswer(error);
      throw error;
    }
  }

  #faultFor(operation: string | undefined): ServiceFault | undefined {
    for (const rule of this.#rules) {
      if ((rule.operation !== undefined && rule.operation !== operation) || rule.left <= 0) continue;
      if (rule.pass > 0) {
        rule.pass -= 1;
        continue;
      }
      rule.left -= 1;
      return rule.fault;
    }
    return undefined;
  }
}

function toServiceError(fault: ServiceFault & { readonly kind: 'error' }): ServiceError {
  const { name, status, message = 'injected', headers } = fault;
  return new ServiceError(name, status, message, headers);
}
