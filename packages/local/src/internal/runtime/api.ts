import { once } from 'node:events';
import { createServer, type IncomingMessage, type OutgoingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { LAMBDA_MAX_ANSWER_BYTES } from '@sallyport/core/pipeline';
import type { FunctionError } from './invoker.js';

const ROUTE = /^\/2018-06-01\/runtime\/(?:invocation\/(?:(next)|([^/]+)\/(response|error))|(init\/error))$/;

/** What the server of one environment tells. */
export interface RuntimeApiEvents {
  /** The runtime asked for the next event; `left` names what it left running. */
  onPoll(left: readonly string[]): void;
  onInitError(error: FunctionError): void;
  /** A whole answer, or a streamed one that has begun. */
  onAnswer(requestId: string, answer: RuntimeAnswer): void;
  onError(requestId: string, error: FunctionError): void;
}

export type RuntimeAnswer =
  | { readonly kind: 'whole'; readonly text: string }
  | { readonly kind: 'too-large' }
  | { readonly kind: 'stream'; readonly contentType: string; readonly body: IncomingMessage };

/**
 * The server side of the Lambda Runtime API for one environment.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html
 */
export class RuntimeApi {
  readonly #events: RuntimeApiEvents;
  readonly #server = createServer({ keepAliveTimeout: 0, requestTimeout: 0 }, (request, response) =>
    this.#serve(request, response),
  );
  readonly #polls: ServerResponse[] = [];

  private constructor(events: RuntimeApiEvents) {
    this.#events = events;
  }

  static async start(events: RuntimeApiEvents): Promise<RuntimeApi> {
    const api = new RuntimeApi(events);
    api.#server.listen(0, '127.0.0.1');
    await once(api.#server, 'listening');
    return api;
  }

  /** Host and port, as `AWS_LAMBDA_RUNTIME_API` has them. */
  get address(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** How many polls wait for an event. */
  get polls(): number {
    return this.#polls.length;
  }

  /** Hands an event to the oldest poll. @returns whether there was one */
  handOut(event: string, headers: OutgoingHttpHeaders): boolean {
    const poll = this.#polls.shift();
    poll?.writeHead(200, { 'content-type': 'application/json', ...headers }).end(event);
    return poll !== undefined;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  #serve(request: IncomingMessage, response: ServerResponse): void {
    const match = ROUTE.exec(request.url ?? '');
    const [, next, id, kind] = match ?? [];
    if (!match) response.writeHead(404).end();
    else if (next) this.#poll(request, response);
    else if (!id) void readBody(request).then((body) => this.#takeInitError(body, response));
    else if (kind === 'error')
      void readBody(request).then((body) => this.#takeError(decodeURIComponent(id), body, response));
    else this.#takeAnswer(decodeURIComponent(id), request, response);
  }

  #poll(request: IncomingMessage, response: ServerResponse): void {
    this.#polls.push(response);
    // A worker or process that ended must not be handed an event.
    response.once('close', () => {
      const index = this.#polls.indexOf(response);
      if (index >= 0) this.#polls.splice(index, 1);
    });
    const left = String(request.headers['x-local-left'] ?? '');
    this.#events.onPoll(left === '' ? [] : left.split(','));
  }

  #takeInitError(body: Body, response: ServerResponse): void {
    response.writeHead(202).end();
    this.#events.onInitError(toFunctionError(body));
  }

  #takeError(id: string, body: Body, response: ServerResponse): void {
    response.writeHead(202).end();
    this.#events.onError(id, toFunctionError(body));
  }

  #takeAnswer(id: string, request: IncomingMessage, response: ServerResponse): void {
    request.once('end', () => response.writeHead(202).end());
    if (request.headers['lambda-runtime-function-response-mode'] === 'streaming') {
      const contentType = request.headers['content-type'] ?? 'application/octet-stream';
      this.#events.onAnswer(id, { kind: 'stream', contentType, body: request });
      return;
    }
    void readBody(request).then((body) =>
      this.#events.onAnswer(id, body.isTooLarge ? { kind: 'too-large' } : { kind: 'whole', text: body.text }),
    );
  }
}

interface Body {
  readonly text: string;
  readonly isTooLarge: boolean;
}

/** Reads a body to its end, but keeps no more than Lambda takes. */
async function readBody(request: IncomingMessage): Promise<Body> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes <= LAMBDA_MAX_ANSWER_BYTES) chunks.push(chunk);
    }
  } catch {
    // The process ended in the middle; its end is told by the process.
  }
  return { text: Buffer.concat(chunks).toString('utf8'), isTooLarge: bytes > LAMBDA_MAX_ANSWER_BYTES };
}

function toFunctionError({ text }: Body): FunctionError {
  try {
    const { errorType, errorMessage, trace } = JSON.parse(text) as Partial<FunctionError>;
    return { errorType: errorType ?? 'Error', errorMessage: errorMessage ?? '', ...(trace ? { trace } : {}) };
  } catch {
    return { errorType: 'Runtime.Unknown', errorMessage: text.slice(0, 1000) };
  }
}
