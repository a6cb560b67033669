import type { Clock, Handler, LambdaContext, Logger, MetricRecord, SecurePrincipal, SpanHook } from '@sallyport/core';
import { createLogger } from '@sallyport/core/observability';
import { STREAM_ACCESS } from '@sallyport/http/internal';
import { Optional, SecureApp } from '@sallyport/secure';
import { guardStore } from '../../judge/guard-store.js';
import {
  createMcpServer,
  type McpServer,
  type McpServerOptions,
  type McpStore,
  memoryMcpStore,
  mountMcp,
} from '../../src/index.js';

export const SECRET = { current: 'a secret of the tests that is long enough' };
export const LATEST = '2025-11-25';
export const STATELESS = '2026-07-28';

/** A line of the log, parsed. */
export type Line = Readonly<Record<string, unknown>>;

/** A logger that writes its lines into a list. */
export function logTo(lines: Line[]): Logger {
  return createLogger({ environment: {}, write: (line) => lines.push(JSON.parse(line) as Line) });
}

export interface RigOptions {
  /** Default: silence. */
  readonly log?: Logger;
  /** The metric hook of the container. Default: none. */
  readonly metric?: (record: MetricRecord) => unknown;
  /** The tracer of the container. Default: none. */
  readonly span?: SpanHook;
  /** Options of the server; `store: null` means no store. */
  readonly server?: Partial<Omit<McpServerOptions, 'store'>> & { readonly store?: McpStore | null };
  readonly register?: (server: McpServer) => void;
  /** Serves instead of the server's own handler. */
  readonly handler?: Handler;
  /** True if the door streams. Default `false`. */
  readonly streaming?: boolean;
  readonly clock?: Clock;
  readonly remainingMs?: number;
  /** The pattern of the routes. Default `/mcp`. */
  readonly path?: string;
}

export interface Sent {
  readonly headers?: Readonly<Record<string, string>>;
  /** Default `/mcp`. */
  readonly path?: string;
  /** `identity`, or `kind/identity/tenant`. */
  readonly user?: string;
  readonly streaming?: boolean;
  readonly remainingMs?: number;
  /** The tenant that the runtime names (tenant isolation), next to the principal. */
  readonly tenantId?: string;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: answers are read member by member.
  readonly json: any;
  readonly events: readonly SseEvent[];
}

export interface SseEvent {
  readonly id?: string;
  readonly retry?: number;
  // biome-ignore lint/suspicious/noExplicitAny: messages are read member by member.
  readonly data: any;
}

/** A function with an MCP server: every request meets a fresh engine over a store that must rest afterwards. */
export class Rig {
  readonly options: RigOptions;
  readonly store: McpStore | undefined;
  readonly violations: string[] = [];
  readonly logged: object[] = [];
  #requests = 0;

  constructor(options: RigOptions = {}) {
    this.options = options;
    const { store } = options.server ?? {};
    this.store = store === null ? undefined : (store ?? memoryMcpStore(options.clock ? { clock: options.clock } : {}));
  }

  server(store: McpStore | undefined = this.store): McpServer {
    const { store: _, ...rest } = this.options.server ?? {};
    const server = createMcpServer({
      ...{ name: 'tested', version: '1.0.0', secret: SECRET },
      ...(store ? { store } : {}),
      ...(this.options.clock ? { clock: this.options.clock } : {}),
      ...rest,
    });
    this.options.register?.(server);
    return server;
  }

  #app(store: McpStore | undefined): SecureApp {
    const { clock } = this.options;
    const app = new SecureApp({
      principalResolver: (ctx) => toPrincipal(ctx.header('x-user') ?? '', ctx.header('x-scopes')),
      observability: {
        log: (record) => this.logged.push(record),
        ...(this.options.metric && { metric: this.options.metric }),
        ...(this.options.span && { span: this.options.span }),
      },
      ...(clock ? { clock } : {}),
      log: this.options.log ?? false,
    });
    const server = this.server(store);
    const { handler = server.handler, path = '/mcp' } = this.options;
    mountMcp(app, { ...server, handler }, { path, posture: Optional() });
    return app;
  }

  /** The pipeline's answer; a live body when the door streams. */
  async open(method: string, body: string, sent: Sent = {}) {
    const { streaming = this.options.streaming ?? false } = sent;
    const guarded = this.store && guardStore(this.store, (what) => this.violations.push(what));
    const app = this.#app(guarded?.store);
    const event = toEvent(method, body, sent);
    const context = this.#context(sent);
    const end = () => guarded?.end();
    if (!streaming) {
      const answer = (await app.serveLambdaFunctionURL(event, context)) as FunctionUrlAnswer;
      end();
      return {
        status: answer.statusCode,
        headers: answer.headers,
        body: [Buffer.from(answer.body, answer.isBase64Encoded ? 'base64' : 'utf8')],
      };
    }
    const opened = app[STREAM_ACCESS].http.serveStream('function-url', event, context);
    const response = await opened.response;
    const headers = Object.fromEntries(
      Object.entries(response.headers).map(([name, values]) => [name, values.join(',')]),
    );
    if (!response.bodyStream) {
      end();
      return { status: response.status, headers, body: [response.body] };
    }
    return {
      status: response.status,
      headers,
      body: endingWith(response.bodyStream, end),
      abort: () => opened.exchange.state.abort(new Error('client is gone')),
    };
  }

  #context(sent: Sent): LambdaContext {
    this.#requests += 1;
    const remainingMs = sent.remainingMs ?? this.options.remainingMs ?? 30_000;
    const { clock } = this.options;
    const now = () => (clock ? clock.now().getTime() : Date.now());
    const started = now();
    return {
      awsRequestId: `request-${this.#requests}`,
      getRemainingTimeInMillis: () => remainingMs - (now() - started),
      ...(sent.tenantId === undefined ? {} : { tenantId: sent.tenantId }),
    };
  }

  async send(method: string, body: unknown, sent: Sent = {}): Promise<Answer> {
    const text = typeof body === 'string' ? body : body === undefined ? '' : JSON.stringify(body);
    const opened = await this.open(method, text, sent);
    return toAnswer(opened.status, opened.headers, await readAll(opened.body));
  }

  post(body: unknown, sent: Sent = {}): Promise<Answer> {
    return this.send('POST', body, sent);
  }

  /** A session of the given revision. */
  async connect(
    init: {
      version?: string;
      capabilities?: object;
      user?: string;
      accept?: string;
      streaming?: boolean;
      tenantId?: string;
    } = {},
  ): Promise<Connection> {
    const { version = LATEST, capabilities = ALL, user, accept, streaming, tenantId } = init;
    const params = { protocolVersion: version, capabilities, clientInfo: { name: 'tester', version: '1' } };
    const answer = await this.post(
      { jsonrpc: '2.0', id: 'init', method: 'initialize', params },
      { ...(user === undefined ? {} : { user }), ...(tenantId === undefined ? {} : { tenantId }) },
    );
    return new Connection(this, answer.headers['mcp-session-id'] ?? '', version, { user, accept, streaming });
  }

  /** A request of the stateless era with all its headers. */
  stateless(
    method: string,
    params: object = {},
    sent: Sent & { id?: unknown; meta?: object; capabilities?: object } = {},
  ): Promise<Answer> {
    const { id = 1, meta, capabilities = {}, headers, ...rest } = sent;
    const message = statelessMessage(id, method, params, capabilities, meta);
    return this.post(message, { ...rest, headers: { ...statelessHeaders(method, params), ...headers } });
  }

  /** For the official clients. */
  readonly fetch = async (_input: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const headers = Object.fromEntries(new Headers(init.headers));
    const opened = await this.open(init.method ?? 'GET', String(init.body ?? ''), {
      headers,
      user: headers['x-user'] ?? '',
    });
    this.fetched.push({ method: init.method ?? 'GET', status: opened.status });
    init.signal?.addEventListener('abort', () => opened.abort?.());
    const empty = opened.status === 202 || opened.status === 204;
    return new Response(empty ? null : toWebStream(opened.body), { status: opened.status, headers: opened.headers });
  };
  readonly fetched: { method: string; status: number }[] = [];
}

/** All capabilities that a client can declare. */
export const ALL = { elicitation: {}, sampling: {}, roots: {} };

/** One session, seen from a client. */
export class Connection {
  readonly rig: Rig;
  readonly id: string;
  readonly version: string;
  readonly #sent: Sent;
  #next = 0;

  constructor(
    rig: Rig,
    id: string,
    version: string,
    options: { user?: string | undefined; accept?: string | undefined; streaming?: boolean | undefined },
  ) {
    this.rig = rig;
    this.id = id;
    this.version = version;
    const { user, accept, streaming } = options;
    this.#sent = {
      headers: { ...(id === '' ? {} : { 'mcp-session-id': id }), ...(accept === undefined ? {} : { accept }) },
      ...(user === undefined ? {} : { user }),
      ...(streaming === undefined ? {} : { streaming }),
    };
  }

  sent(more: Sent = {}): Sent {
    return {
      ...this.#sent,
      ...more,
      headers: { ...this.#sent.headers, 'mcp-protocol-version': this.version, ...more.headers },
    };
  }

  request(method: string, params: object = {}, more: Sent & { id?: unknown } = {}): Promise<Answer> {
    this.#next += 1;
    const { id = this.#next, ...sent } = more;
    return this.rig.post({ jsonrpc: '2.0', id, method, params }, this.sent(sent));
  }

  call(name: string, args: object = {}, more: Sent & { id?: unknown; meta?: object } = {}): Promise<Answer> {
    const { meta, ...rest } = more;
    return this.request('tools/call', { name, arguments: args, ...(meta ? { _meta: meta } : {}) }, rest);
  }

  post(message: unknown, more: Sent = {}): Promise<Answer> {
    return this.rig.post(message, this.sent(more));
  }

  notify(method: string, params: object = {}): Promise<Answer> {
    return this.post({ jsonrpc: '2.0', method, params });
  }

  answer(id: unknown, result: unknown, more: Sent = {}): Promise<Answer> {
    return this.post({ jsonrpc: '2.0', id, result }, more);
  }

  resume(lastEventId: string, more: Sent = {}): Promise<Answer> {
    return this.rig.send(
      'GET',
      undefined,
      this.sent({ ...more, headers: { accept: 'text/event-stream', 'last-event-id': lastEventId, ...more.headers } }),
    );
  }

  delete(more: Sent = {}): Promise<Answer> {
    return this.rig.send('DELETE', undefined, this.sent(more));
  }
}

interface FunctionUrlAnswer {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly isBase64Encoded: boolean;
}

function toPrincipal(user: string, held = ''): SecurePrincipal | null {
  if (user === '') return null;
  const [a = '', b, tenantId = ''] = user.split('/');
  const scopes = held === '' ? {} : { scopes: held.split(' ') };
  if (b === undefined) return { identity: a, scopes: ['notes:read'], ...scopes };
  return { kind: a as 'external', identity: b, ...(tenantId === '' ? {} : { tenantId }), ...scopes };
}

export function toEvent(method: string, body: string, { headers = {}, user, path = '/mcp' }: Sent): object {
  return {
    version: '2.0',
    routeKey: '$default',
    rawPath: path,
    rawQueryString: '',
    headers: {
      host: 'tested.lambda-url.eu-west-1.on.aws',
      ...(method === 'POST'
        ? { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
        : {}),
      ...(user === undefined ? {} : { 'x-user': user }),
      ...headers,
    },
    requestContext: {
      domainName: 'tested.lambda-url.eu-west-1.on.aws',
      http: { method, path, sourceIp: '192.0.2.1' },
    },
    body,
    isBase64Encoded: false,
  };
}

export function statelessMessage(
  id: unknown,
  method: string,
  params: object,
  capabilities: object = {},
  meta: object = {},
) {
  const { _meta = {}, ...rest } = params as { _meta?: object };
  return {
    jsonrpc: '2.0',
    id,
    method,
    params: {
      ...rest,
      _meta: {
        'io.modelcontextprotocol/protocolVersion': STATELESS,
        'io.modelcontextprotocol/clientCapabilities': capabilities,
        ..._meta,
        ...meta,
      },
    },
  };
}

export function statelessHeaders(method: string, params: object): Record<string, string> {
  const { name, uri } = params as { name?: string; uri?: string };
  const named =
    method === 'tools/call' || method === 'prompts/get' ? name : method === 'resources/read' ? uri : undefined;
  return {
    'mcp-protocol-version': STATELESS,
    'mcp-method': method,
    ...(named === undefined ? {} : { 'mcp-name': named }),
  };
}

async function* endingWith(
  body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  end: () => void,
): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } finally {
    end();
  }
}

export async function readAll(body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

function toWebStream(body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): ReadableStream<Uint8Array> {
  const iterator = Symbol.asyncIterator in body ? body[Symbol.asyncIterator]() : body[Symbol.iterator]();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await iterator.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      await iterator.return?.();
    },
  });
}

function toAnswer(status: number, headers: Readonly<Record<string, string>>, text: string): Answer {
  const isSse = headers['content-type'] === 'text/event-stream';
  return {
    status,
    headers,
    text,
    json: !isSse && text !== '' ? JSON.parse(text) : undefined,
    events: isSse ? parseSse(text) : [],
  };
}

/** Events of a stream; a block of `retry` alone counts, without data. */
export function parseSse(text: string): readonly SseEvent[] {
  return text
    .split('\n\n')
    .filter((block) => block !== '' && !block.startsWith(':'))
    .map((block) => {
      const fields = new Map(block.split('\n').map((line) => line.split(/: ?(.*)/s) as [string, string]));
      const [id, retry, data] = [fields.get('id'), fields.get('retry'), fields.get('data')];
      return {
        ...(id === undefined ? {} : { id }),
        ...(retry === undefined ? {} : { retry: Number(retry) }),
        data: data ? JSON.parse(data) : data,
      };
    });
}
