import { brandError } from '@sallyport/core/internal';
import { createTestEnv, type LambdaApp, type TestEnv } from '../env/env.js';
import type { Data } from '../internal/kinds.js';
import { seededRandom } from '../internal/random.js';
import { exchange, type McpHttpAnswer, readEvents, readText } from './exchange.js';
import {
  MCP_CLIENT_OPTIONS,
  MCP_REQUEST_OPTIONS,
  type McpClientOptions,
  type McpQuestion,
  type McpRequestOptions,
} from './options.js';

/** The result of a tool. */
export interface McpToolResult {
  /** Blocks of content. */
  readonly content: readonly { readonly type: string; readonly text?: string; readonly [member: string]: unknown }[];
  /** The structured result, if present. */
  readonly structuredContent?: unknown;
  /** True if the tool reports a failure. */
  readonly isError?: boolean;
  readonly [member: string]: unknown;
}

/** An error in the answer: of the protocol or of HTTP. */
export class McpClientError extends Error {
  static {
    brandError(McpClientError, 'sallyport.McpClientError');
  }

  override readonly name: string = 'McpClientError';
  /** The JSON-RPC code; 0 if the answer is not JSON-RPC. */
  readonly code: number;
  /** HTTP status of the answer. */
  readonly status: number;
  /** The error's `data`. */
  readonly data: unknown;

  constructor(code: number, message: string, status: number, data?: unknown) {
    super(message);
    this.code = code;
    this.status = status;
    this.data = data;
  }
}

interface RpcMessage {
  readonly id?: string | number | null;
  readonly method?: string;
  readonly params?: Data;
  readonly result?: Data;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

const STATELESS = '2026-07-28';
const META = 'io.modelcontextprotocol/';
const INFO = { name: 'sallyport-testkit', version: '1.0.0' };
/** Limit of requests for one answer before the client gives up. */
const MAX_RETURNS = 100;

/**
 * Connects to an MCP server in an app, in memory. Every request is sent through a front door to one of the instances, chosen
 * by `seed`, so that a server that keeps state in its process fails the test.
 *
 * @param instances the containers that serve; they share the server's store
 * @throws FrameworkError `app.invalid_configuration` for a wrong option; McpClientError when the server rejects the connection
 *
 * @example
 * const client = await connectMcp([createService(store), createService(store)], { answer: () => ({ action: 'accept', content: { day: 'monday' } }) });
 * const { content } = await client.callTool('book', { seats: 2 });
 */
export async function connectMcp(
  instances: LambdaApp | readonly LambdaApp[],
  options: McpClientOptions = {},
): Promise<McpTestClient> {
  const client = new McpTestClient([instances].flat(), options);
  await client.connect();
  return client;
}

/** A client of an MCP server, in memory. Made by {@link connectMcp}. */
export class McpTestClient {
  readonly #instances: readonly LambdaApp[];
  readonly #options: ReturnType<(typeof MCP_CLIENT_OPTIONS)['parse']>;
  readonly #env: TestEnv;
  readonly #random: () => number;
  readonly #capabilities: object;
  #sessionId = '';
  #nextId = 0;
  #server: Data = {};

  constructor(instances: readonly LambdaApp[], options: McpClientOptions) {
    this.#instances = instances;
    this.#options = MCP_CLIENT_OPTIONS.parse(options);
    this.#env = this.#options.env ?? createTestEnv();
    this.#random = seededRandom(this.#options.seed);
    const { capabilities, answer } = this.#options;
    this.#capabilities =
      capabilities ?? (answer ? { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} } : {});
  }

  /** The server's description of itself: `capabilities`, `serverInfo`, `instructions`. */
  get server(): Data {
    return this.#server;
  }

  /** The session's id; `''` without sessions. */
  get sessionId(): string {
    return this.#sessionId;
  }

  get #isStateless(): boolean {
    return this.#options.version === STATELESS;
  }

  /** Initializes the session; {@link connectMcp} calls it. */
  async connect(): Promise<void> {
    if (this.#isStateless) {
      this.#server = await this.request('server/discover');
      return;
    }
    const params = { protocolVersion: this.#options.version, capabilities: this.#capabilities, clientInfo: INFO };
    this.#server = await this.request('initialize', params);
    await this.notify('notifications/initialized');
  }

  /** Deletes the session, if the server allows clients to delete sessions. */
  async close(): Promise<void> {
    if (this.#sessionId !== '') await this.#send('DELETE', {});
  }

  /** Calls a tool. The option `answer` answers the handler's questions. */
  async callTool(name: string, args: object = {}, options: McpRequestOptions = {}): Promise<McpToolResult> {
    return (await this.request('tools/call', { name, arguments: args }, options)) as McpToolResult;
  }

  /** Reads a resource. */
  readResource(uri: string, options: McpRequestOptions = {}): Promise<Data> {
    return this.request('resources/read', { uri }, options);
  }

  /** Gets the messages of a prompt. */
  getPrompt(name: string, args: Readonly<Record<string, string>> = {}, options: McpRequestOptions = {}): Promise<Data> {
    return this.request('prompts/get', { name, arguments: args }, options);
  }

  /** All entries of a list, over all its pages. */
  async list(what: 'tools' | 'prompts' | 'resources' | 'resourceTemplates'): Promise<readonly Data[]> {
    const method = what === 'resourceTemplates' ? 'resources/templates/list' : `${what}/list`;
    const items: Data[] = [];
    let cursor: unknown;
    do {
      const page = await this.request(method, cursor === undefined ? {} : { cursor });
      items.push(...(page[what] as Data[]));
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    return items;
  }

  /** Sends a notification. */
  async notify(method: string, params: object = {}): Promise<void> {
    const message = { jsonrpc: '2.0', method, params: this.#isStateless ? this.#withMeta(params, {}) : params };
    await this.#send('POST', this.#headersOf(method, params), message);
  }

  /**
   * Sends a request and returns its result, over questions, lost connections and other instances.
   *
   * @throws McpClientError for an error, or if no answer arrives
   */
  async request(method: string, params: object = {}, options: McpRequestOptions = {}): Promise<Data> {
    const { onProgress, meta } = MCP_REQUEST_OPTIONS.parse(options);
    const id = ++this.#nextId;
    const own = { ...meta, ...(onProgress ? { progressToken: id } : {}) };
    if (this.#isStateless) return this.#requestStateless(id, method, params, own, options);
    const sent = Object.keys(own).length > 0 ? { ...params, _meta: own } : params;
    const answer = await this.#send('POST', {}, { jsonrpc: '2.0', id, method, params: sent });
    if (method === 'initialize') this.#sessionId = answer.headers['mcp-session-id'] ?? '';
    return resultOf(await this.#finish(id, answer, options), answer.status);
  }

  /** Sends a new request with the answers after each round of questions. */
  async #requestStateless(
    id: number,
    method: string,
    params: object,
    meta: object,
    options: McpRequestOptions,
  ): Promise<Data> {
    let sent: object = params;
    for (let round = 0; round < MAX_RETURNS; round += 1) {
      const message = { jsonrpc: '2.0', id, method, params: this.#withMeta(sent, meta) };
      const answer = await this.#send('POST', this.#headersOf(method, params), message);
      const result = resultOf(await this.#finish(id, answer, options), answer.status);
      if (result.resultType !== 'input_required') return result;
      const { inputRequests = {}, requestState } = result as {
        inputRequests?: Record<string, McpQuestion>;
        requestState?: string;
      };
      const inputResponses: Record<string, object> = {};
      for (const [key, question] of Object.entries(inputRequests)) inputResponses[key] = await this.#ask(question);
      sent = { ...params, inputResponses, ...(requestState === undefined ? {} : { requestState }) };
    }
    throw new McpClientError(0, `no result after ${MAX_RETURNS} rounds of questions`, 200);
  }

  /** Reads an answer up to the response with this id; resumes a stream that ends without that response. */
  async #finish(id: number, first: McpHttpAnswer, { cutAfter, ...options }: McpRequestOptions): Promise<RpcMessage> {
    let answer = first;
    let left = cutAfter ?? Number.POSITIVE_INFINITY;
    for (let returns = 0; returns < MAX_RETURNS; returns += 1) {
      if (!(answer.headers['content-type'] ?? '').startsWith('text/event-stream')) {
        return toMessage(answer.status, await readText(answer.body));
      }
      let lastId: string | undefined;
      let retryMs = 0;
      for await (const event of readEvents(answer.body)) {
        lastId = event.id ?? lastId;
        retryMs = event.retryMs ?? retryMs;
        if (event.data === undefined) continue;
        const message = JSON.parse(event.data) as RpcMessage;
        if (message.id === id && message.method === undefined) return message;
        await this.#take(message, options);
        left -= 1;
        if (left <= 0) break;
      }
      left = Number.POSITIVE_INFINITY;
      if (lastId === undefined) throw new McpClientError(0, 'the stream ended without a response', answer.status);
      await this.#env.clock.advance(retryMs);
      answer = await this.#send('GET', { accept: 'text/event-stream', 'last-event-id': lastId });
    }
    throw new McpClientError(0, `the stream was resumed ${MAX_RETURNS} times and had no response`, answer.status);
  }

  async #take({ id, method = '', params = {} }: RpcMessage, options: McpRequestOptions): Promise<void> {
    if (id === undefined || id === null) {
      if (method === 'notifications/progress') options.onProgress?.(params);
      else options.onNotification?.(method, params);
      return;
    }
    const answer = await this.#ask({ method, params }).then(
      (result) => ({ result }),
      () => ({ error: { code: -32603, message: 'the client has no answer' } }),
    );
    await this.#send('POST', {}, { jsonrpc: '2.0', id, ...answer });
  }

  async #ask(question: McpQuestion): Promise<object> {
    const { answer } = this.#options;
    if (!answer)
      throw new McpClientError(0, `no answer for "${question.method}": pass the option "answer" to connectMcp`, 200);
    return answer(question);
  }

  #withMeta(params: object, meta: object): object {
    const own = {
      [`${META}protocolVersion`]: STATELESS,
      [`${META}clientCapabilities`]: this.#capabilities,
      [`${META}clientInfo`]: INFO,
    };
    return { ...params, _meta: { ...own, ...meta } };
  }

  /** Headers in which the stateless revision repeats the method and its parameters. */
  #headersOf(method: string, params: object): Readonly<Record<string, string>> {
    if (!this.#isStateless) return {};
    const { name, uri, taskId } = params as { name?: string; uri?: string; taskId?: string };
    const named = { 'tools/call': name, 'prompts/get': name, 'resources/read': uri }[method] ?? taskId;
    return { 'mcp-method': method, ...(named === undefined ? {} : { 'mcp-name': named }) };
  }

  async #send(method: 'POST' | 'GET' | 'DELETE', own: object, message?: Data): Promise<McpHttpAnswer> {
    const { path, door, streaming, version, headers } = this.#options;
    const sent = {
      ...(message ? { 'content-type': 'application/json', accept: 'application/json, text/event-stream' } : {}),
      ...(message?.method === 'initialize' ? {} : { 'mcp-protocol-version': version }),
      ...(this.#sessionId === '' ? {} : { 'mcp-session-id': this.#sessionId }),
      ...headers,
      ...own,
    };
    const request = { method, path, headers: sent, ...(message ? { body: JSON.stringify(message) } : {}) };
    const index = Math.floor(this.#random() * this.#instances.length);
    const app = this.#instances[index] as LambdaApp;
    return exchange(app, door, streaming, request, this.#env.lambdaContext());
  }
}

/** @throws McpClientError for a body that is not a JSON-RPC message */
function toMessage(status: number, body: string): RpcMessage {
  try {
    return JSON.parse(body) as RpcMessage;
  } catch {
    throw new McpClientError(0, `the answer with HTTP status ${status} is not a JSON-RPC message`, status);
  }
}

function resultOf({ result, error }: RpcMessage, status: number): Data {
  if (error && typeof error.code === 'number') throw new McpClientError(error.code, error.message, status, error.data);
  if (!result) throw new McpClientError(0, `the answer with HTTP status ${status} has no result and no error`, status);
  return result;
}
