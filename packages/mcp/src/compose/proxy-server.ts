import type { FullClock, MaybePromise } from '@sallyport/core';
import {
  Breaker,
  callerKey,
  completeClock,
  guardHook,
  isObject,
  StoreTimeout,
  withDeadline,
} from '@sallyport/core/internal';
import { defineOptions, integer, invalidConfiguration, kind, list, text } from '@sallyport/core/options';
import { parseSecureUrl } from '../oauth/internal/urls.js';
import type { JsonObject } from '../protocol/types.js';
import type { McpContext } from '../run/context.js';
import { toolError } from '../run/internal/answer.js';
import { runOf } from '../run/internal/handler-context.js';
import { proxyUnavailable } from '../server/errors.js';
import { compileTool } from '../server/internal/compile.js';
import type { Tool } from '../server/internal/registry.js';
import type { McpServer } from '../server/server.js';
import { serverDataIn } from './internal/data.js';
import { assertPrefix, prefixed } from './internal/prefix.js';
import { RemoteFailure, RemoteRpcError } from './internal/remote-failure.js';
import { HOPS_HEADER, RemoteServer } from './internal/remote-server.js';
import { selectsTool, TOOL_SELECTION, type ToolSelection } from './tool-selection.js';

/** Options of {@link proxyServer}; an unknown key is rejected. */
export interface ProxyServerOptions {
  /** The MCP endpoint of the remote server: `https:`, or `http:` on loopback. Required. */
  readonly url: string;
  /**
   * Headers of each request, such as the token of this server for the remote server, or a function that returns them. The headers of the
   * caller are never sent. Default none.
   */
  readonly headers?: Readonly<Record<string, string>> | (() => MaybePromise<Readonly<Record<string, string>>>);
  /** The tools that callers may use, by their names at the remote server; tags are in `_meta.tags`. Required. */
  readonly tools: ToolSelection;
  /** Scopes that a caller of this server needs, all of them. Default none: every caller of the MCP route may use the tools. */
  readonly scopes?: readonly string[];
  /** The tools as `tools/list` of the remote server returned them. Default: they are requested now. */
  readonly definitions?: readonly JsonObject[];
  /** Milliseconds for one call, 1 to 900,000. Default 10,000. */
  readonly timeoutMs?: number;
  /** Maximum size of one response in bytes. Default 1 MiB. */
  readonly maxBytes?: number;
}

/** Validators and defaults for {@link ProxyServerOptions}. */
export const PROXY_SERVER_OPTIONS = /* @__PURE__ */ defineOptions<ProxyServerOptions>()({
  url: /* @__PURE__ */ kind<string>(
    'an absolute https URL without user name and fragment',
    (value) => parseSecureUrl(value, { query: true }) !== undefined,
  ).required(),
  headers: /* @__PURE__ */ kind<NonNullable<ProxyServerOptions['headers']>>(
    'an object of header values, or a function that returns it',
    (value) =>
      typeof value === 'function' ||
      (isObject(value) && Object.values(value).every((header) => typeof header === 'string')),
  ),
  tools: /* @__PURE__ */ TOOL_SELECTION.required(),
  scopes: /* @__PURE__ */ list(text('the name of a scope'), 'a list of scopes'),
  definitions: /* @__PURE__ */ kind<readonly JsonObject[]>(
    'a list of tools',
    (value) => Array.isArray(value) && value.every(isObject),
  ),
  timeoutMs: /* @__PURE__ */ integer(1, 900_000, 'milliseconds').default(10_000),
  maxBytes: /* @__PURE__ */ integer(1, undefined, 'bytes').default(1024 * 1024),
});

/** A request that has passed this number of proxies is not sent to another. */
const MAX_HOPS = 4;
/** The pauses after a call without an answer: the first, and the longest. */
const PAUSES = { firstPauseMs: 1000, maxPauseMs: 30_000 };

/**
 * Adds tools of a remote MCP server to a server. Names get a prefix: `crm_search`. Calls are sent to the remote server with the headers of the
 * option `headers`. A call that fails is a result with `isError`; after a call without an answer, calls fail immediately for a second, and longer
 * if the server remains down. Questions of the remote server are rejected.
 *
 * @param prefix letters, digits, `.`, `_` and `-`; `''` for no prefix
 * @returns the names of the tools
 * @throws FrameworkError `app.invalid_configuration` for an invalid option, and for a remote server without these tools;
 *   `mcp.proxy_unavailable` if the remote server does not return its tools; `mcp.invalid_registration` for a name that exists
 *   already; `mcp.closed` after the first request
 *
 * @example
 * await proxyServer(server, 'crm', {
 *   url: 'https://crm.example.com/mcp',
 *   headers: async () => ({ authorization: `Bearer ${await crmToken()}` }),
 *   tools: ['search', 'read_*'],
 * });
 */
export async function proxyServer(
  server: McpServer,
  prefix: string,
  options: ProxyServerOptions,
): Promise<readonly string[]> {
  const data = serverDataIn(server);
  assertPrefix(prefix);
  const { url, headers, tools, scopes, definitions, timeoutMs, maxBytes } = PROXY_SERVER_OPTIONS.parse(options);
  const clock = completeClock(data.settings.clock);
  const toHeaders = typeof headers === 'function' ? headers : () => headers ?? {};
  const remote = new RemoteServer({ url, headers: toHeaders, maxBytes }, timeoutMs);
  const proxy = new Proxied(remote, clock, timeoutMs);
  const listed = definitions ?? (await proxy.listTools());
  const selected = listed.filter(({ name, _meta }) => {
    return typeof name === 'string' && selectsTool(tools, name, isObject(_meta) ? _meta.tags : undefined);
  });
  for (const entry of tools) {
    if (typeof entry === 'string' && !entry.endsWith('*') && !selected.some(({ name }) => name === entry)) {
      throw invalidConfiguration(`option "tools": the remote server has no tool "${entry}"`);
    }
  }
  if (selected.length === 0) throw invalidConfiguration('option "tools": the remote server has no such tool');
  const compiled = selected.map((definition): Tool => {
    const { name, title, description, icons, annotations, inputSchema, outputSchema } = definition as RemoteTool;
    const shown = { title, description, icons, annotations, output: outputSchema, scopes };
    const about = Object.fromEntries(Object.entries(shown).filter(([, value]) => value !== undefined));
    const tool = compileTool(
      prefixed(prefix, name),
      { ...about, input: inputSchema ?? { type: 'object' } },
      (args: JsonObject, ctx: McpContext) => proxy.call(name, args, ctx),
      data.settings.argumentErrors,
    );
    // The remote server checks its arguments and results.
    return { ...tool, checkInput: undefined, checkOutput: undefined };
  });
  for (const tool of compiled) data.registry.addTool(tool);
  return compiled.map(({ name }) => name);
}

/** A tool of a remote list. `compileTool` checks the other members. */
interface RemoteTool extends JsonObject {
  readonly name: string;
  readonly inputSchema?: JsonObject;
}

/** Calls of a remote server, with their time limit and breaker. */
class Proxied {
  readonly #remote: RemoteServer;
  readonly #clock: FullClock;
  readonly #timeoutMs: number;
  readonly #breaker: Breaker;

  constructor(remote: RemoteServer, clock: FullClock, timeoutMs: number) {
    this.#remote = remote;
    this.#clock = clock;
    this.#timeoutMs = timeoutMs;
    this.#breaker = new Breaker(clock, { ...PAUSES, refuse: (cause) => new RemoteFailure('unavailable', { cause }) });
  }

  async listTools(): Promise<readonly JsonObject[]> {
    try {
      return await this.#within(undefined, (signal) => this.#remote.listTools({ caller: '', hops: 1, signal }));
    } catch (cause) {
      throw proxyUnavailable(cause);
    }
  }

  /** The result of a call. Failures are results, too, and are logged. */
  async call(name: string, args: JsonObject, ctx: McpContext): Promise<JsonObject> {
    const { signal: outer, http, principal, tenantId } = ctx;
    const hops = hopsOf(http.header(HOPS_HEADER)) + 1;
    try {
      if (hops > MAX_HOPS) throw new RemoteFailure('loop');
      const caller = callerKey({ principal, authIdentity: http.authIdentity, tenantId });
      const wantsProgress = runOf(ctx).scope.progressToken !== undefined;
      const onProgress: McpContext['progress'] = (...progress) => ctx.progress(...progress);
      const request = { caller, hops, ...(wantsProgress && { onProgress }) };
      return await this.#breaker.run(
        () => this.#within(outer, (signal) => this.#remote.callTool(name, args, { ...request, signal })),
        (error) => !outer.aborted && hasNoAnswer(error),
      );
    } catch (error) {
      if (error instanceof RemoteRpcError) return toolError(rpcText(error));
      if (!(error instanceof RemoteFailure)) throw error;
      const { kind: failure, status } = error;
      guardHook(() =>
        http.log.warn('mcp.proxy_failed', { tool: name, failure, ...(status !== undefined && { status }) }),
      );
      return toolError(error.message);
    }
  }

  async #within<T>(signal: AbortSignal | undefined, run: (signal: AbortSignal) => Promise<T>): Promise<T> {
    try {
      return await withDeadline({ ms: this.#timeoutMs, clock: this.#clock, signal }, run);
    } catch (error) {
      throw error instanceof StoreTimeout ? new RemoteFailure('timeout', { cause: error }) : error;
    }
  }
}

function hasNoAnswer(error: unknown): boolean {
  return error instanceof RemoteFailure && (error.kind === 'timeout' || error.kind === 'unavailable');
}

/** The number in the header; a value that is not a number counts as the limit. */
function hopsOf(header: string | undefined): number {
  if (header === undefined) return 0;
  return /^\d{1,3}$/.test(header) ? Number(header) : MAX_HOPS;
}

/** The message of an error that a model can correct; other messages are for developers. */
function rpcText({ code, message }: RemoteRpcError): string {
  const line = message
    .replace(/[\s\p{Cc}\p{Cf}]+/gu, ' ')
    .slice(0, 200)
    .toWellFormed();
  return code === -32602 && line !== '' ? `The server of this tool rejected the call: ${line}` : 'The tool failed.';
}
