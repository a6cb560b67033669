import { isObject, Lru, membersOf } from '@sallyport/core/internal';
import { VERSION } from '../../internal/version.js';
import { LATEST_SESSION_VERSION, META, STATELESS_VERSION } from '../../protocol/internal/protocol.js';
import type { JsonObject } from '../../protocol/types.js';
import { RemoteFailure, RemoteRpcError } from './remote-failure.js';
import { postMessage, type RemotePlace } from './remote-http.js';

/** Counts the proxies that a request has passed. */
export const HOPS_HEADER = 'mcp-proxy-hops';

/** Sessions of one remote server, one for each caller: sessions can have state. */
const MAX_SESSIONS = 100;
/** Pages of a list of tools. */
const MAX_PAGES = 20;

const CLIENT = { name: 'sallyport-proxy', version: VERSION };

/** The circumstances of one request. */
export interface RemoteRequest {
  /** The key of the caller; `''` for the list of tools. */
  readonly caller: string;
  /** The number of proxies, with this one. */
  readonly hops: number;
  readonly signal: AbortSignal;
  readonly onProgress?: (progress: number, total: number | undefined, message: string | undefined) => void;
}

/** A session with a remote server. Some servers do not have ids of sessions. */
interface Session {
  readonly id: string | undefined;
  readonly version: string;
}

/** A client of a remote server, in the era that it speaks. It declares no capabilities, so that the server sends no questions. */
export class RemoteServer {
  readonly #place: RemotePlace;
  #isStateless: Promise<boolean> | undefined;
  readonly #sessions = new Lru<Promise<Session>>(MAX_SESSIONS);
  readonly #timeoutMs: number;
  #lastId = 0;

  /** @param timeoutMs for the requests that several calls wait for */
  constructor(place: RemotePlace, timeoutMs: number) {
    this.#place = place;
    this.#timeoutMs = timeoutMs;
  }

  /** All tools, in the form of `tools/list`. */
  async listTools(request: RemoteRequest): Promise<readonly JsonObject[]> {
    const tools: JsonObject[] = [];
    let cursor: unknown;
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const result = await this.#request('tools/list', cursor === undefined ? {} : { cursor }, request);
      if (!Array.isArray(result.tools) || !result.tools.every(isObject)) throw new RemoteFailure('invalid');
      tools.push(...(result.tools as JsonObject[]));
      cursor = result.nextCursor;
      if (typeof cursor !== 'string' || cursor === '') return tools;
    }
    throw new RemoteFailure('too_large');
  }

  /** Calls a tool. */
  async callTool(name: string, args: JsonObject, request: RemoteRequest): Promise<JsonObject> {
    const result = await this.#request('tools/call', { name, arguments: args }, request);
    if (result.resultType === 'input_required') throw new RemoteFailure('question');
    if (!Array.isArray(result.content)) throw new RemoteFailure('invalid');
    const { content, structuredContent, isError } = result;
    return {
      content,
      ...(isObject(structuredContent) && { structuredContent }),
      ...(isError === true && { isError }),
    };
  }

  async #request(method: string, params: JsonObject, request: RemoteRequest): Promise<JsonObject> {
    this.#isStateless ??= this.#speaksStateless(this.#shared(request)).catch((error: unknown) => {
      this.#isStateless = undefined;
      throw error;
    });
    if (await this.#isStateless) return this.#sendStateless(method, params, request);
    const session = await this.#sessionOf(request);
    try {
      return await this.#sendIn(session, method, params, request);
    } catch (error) {
      // The remote server has lost the session and has not run the request.
      if (!(error instanceof RemoteRpcError) || error.code !== SESSION_NOT_FOUND || session.id === undefined)
        throw error;
      this.#sessions.delete(request.caller);
      return this.#sendIn(await this.#sessionOf(request), method, params, request);
    }
  }

  /** A request that several calls wait for: it does not end when the first of them is cancelled. */
  #shared({ caller, hops }: RemoteRequest): RemoteRequest {
    return { caller, hops, signal: AbortSignal.timeout(this.#timeoutMs) };
  }

  /** True if the server supports the revision without sessions. */
  async #speaksStateless(request: RemoteRequest): Promise<boolean> {
    try {
      const { supportedVersions } = await this.#sendStateless('server/discover', {}, request);
      return Array.isArray(supportedVersions) && supportedVersions.includes(STATELESS_VERSION);
    } catch (error) {
      // A server with sessions answers the unknown revision with an error, and some with text.
      const status = error instanceof RemoteFailure && error.kind === 'invalid' ? error.status : undefined;
      if (error instanceof RemoteRpcError || (status !== undefined && status >= 400)) return false;
      throw error;
    }
  }

  async #sendStateless(method: string, params: JsonObject, request: RemoteRequest): Promise<JsonObject> {
    const { name } = params;
    const meta = {
      [META.protocolVersion]: STATELESS_VERSION,
      [META.clientInfo]: CLIENT,
      [META.clientCapabilities]: {},
    };
    return this.#send(method, params, request, {
      headers: {
        'mcp-protocol-version': STATELESS_VERSION,
        'mcp-method': method,
        ...(typeof name === 'string' && { 'mcp-name': headerValue(name) }),
      },
      meta,
      // A stream of this revision has no questions.
      refuse: undefined,
    });
  }

  #sessionOf(request: RemoteRequest): Promise<Session> {
    const known = this.#sessions.get(request.caller);
    if (known) return known;
    const made = this.#initialize(this.#shared(request)).catch((error: unknown) => {
      this.#sessions.delete(request.caller);
      throw error;
    });
    this.#sessions.set(request.caller, made);
    return made;
  }

  async #initialize({ hops, signal }: RemoteRequest): Promise<Session> {
    const params = { protocolVersion: LATEST_SESSION_VERSION, capabilities: {}, clientInfo: CLIENT };
    const message = { jsonrpc: '2.0', id: this.#nextId(), method: 'initialize', params };
    const hopHeader = { [HOPS_HEADER]: String(hops) };
    const { headers, result } = await postMessage(this.#place, { message, headers: hopHeader, signal });
    const version = result?.protocolVersion;
    if (typeof version !== 'string') throw new RemoteFailure('invalid');
    const session = { id: headers.get('mcp-session-id') ?? undefined, version };
    await postMessage(this.#place, {
      message: { jsonrpc: '2.0', method: 'notifications/initialized' },
      headers: { ...hopHeader, ...headersOf(session) },
      signal,
    });
    return session;
  }

  #sendIn(session: Session, method: string, params: JsonObject, request: RemoteRequest): Promise<JsonObject> {
    const headers = headersOf(session);
    const refuse = async (id: unknown) => {
      const error = { code: -32601, message: 'Method not found' };
      const { hops, signal } = request;
      const all = { ...headers, [HOPS_HEADER]: String(hops) };
      await postMessage(this.#place, { message: { jsonrpc: '2.0', id, error }, headers: all, signal });
    };
    return this.#send(method, params, request, { headers, meta: {}, refuse });
  }

  async #send(
    method: string,
    params: JsonObject,
    { hops, signal, onProgress }: RemoteRequest,
    { headers, meta, refuse }: Wire,
  ): Promise<JsonObject> {
    const id = this.#nextId();
    const progress = onProgress && { progressToken: id };
    const _meta = { ...meta, ...progress };
    const withMeta = Object.keys(_meta).length > 0 ? { ...params, _meta } : params;
    const { result } = await postMessage(this.#place, {
      message: { jsonrpc: '2.0', id, method, params: withMeta },
      headers: { ...headers, [HOPS_HEADER]: String(hops) },
      signal,
      onNotification: (notification) => {
        const { progressToken, progress: at, total, message } = membersOf(notification.params);
        if (notification.method !== 'notifications/progress' || progressToken !== id || typeof at !== 'number') return;
        onProgress?.(
          at,
          typeof total === 'number' ? total : undefined,
          typeof message === 'string' ? message : undefined,
        );
      },
      onQuestion: (asked) => {
        if (!refuse) throw new RemoteFailure('question');
        return refuse(asked);
      },
    });
    if (!result) throw new RemoteFailure('invalid');
    return result;
  }

  #nextId(): number {
    this.#lastId += 1;
    return this.#lastId;
  }
}

/** The additions of an era to a request. */
interface Wire {
  readonly headers: Readonly<Record<string, string>>;
  readonly meta: JsonObject;
  /** Answers a question of the server with an error. */
  readonly refuse: ((id: unknown) => Promise<void>) | undefined;
}

/** The code of an unknown session; the status is 404. */
const SESSION_NOT_FOUND = -32001;

function headersOf({ id, version }: Session): Readonly<Record<string, string>> {
  return { 'mcp-protocol-version': version, ...(id !== undefined && { 'mcp-session-id': id }) };
}

/** A header value of the revision without sessions: base64 for characters that a header cannot have. */
function headerValue(text: string): string {
  return /^[\x21-\x7e]+$/.test(text) ? text : `=?base64?${Buffer.from(text).toString('base64')}?=`;
}
