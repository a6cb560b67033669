import { type Client, readRejected } from './client.js';
import type { CallOptions } from './contract.js';
import { ClientError } from './errors.js';
import { readEvents } from './internal/event-lines.js';

/** The revision of MCP whose requests need no session. */
const VERSION = '2026-07-28';
/** Tools can take longer than routes. */
const TIMEOUT_MS = 60_000;

type Tools<C> = C extends { readonly tool: infer T }
  ? T
  : Record<string, { readonly input: unknown; readonly output: unknown }>;
type Member<T, K extends string> = T extends { readonly [P in K]: infer V } ? V : unknown;

/** Options of {@link callTool}. */
export interface ToolOptions extends CallOptions {
  /** The path of the MCP server. Default `/mcp`. */
  readonly path?: string;
  /** Called for each `notifications/progress`. */
  readonly onProgress?: (progress: number, total: number | undefined, message: string | undefined) => void;
}

/** The result of a tool. */
export type ToolAnswer<Output> =
  | { readonly ok: true; readonly data: Output; readonly content: readonly unknown[] }
  | {
      readonly ok: false;
      readonly error: {
        /** The JSON-RPC code, or `tool` if the tool ran and reported an error (`isError`). */
        readonly code: number | 'tool';
        readonly message: string;
      };
      readonly content: readonly unknown[];
    };

/**
 * Calls a tool of an MCP server over HTTP, without a session. Sent once: a tool may have effects. `data` is the structured content, or
 * the joined text if the tool has no output schema.
 *
 * @throws ClientError as a call does; `client.rejected` with the service's error if the server rejected the request; `client.foreign` if
 *   the tool needs an answer of the user, which needs a client of MCP
 * @example const found = await callTool(api, 'search', { text: 'invoice' });
 */
export async function callTool<C, K extends keyof Tools<C> & string>(
  api: Client<C>,
  name: K,
  input: Member<Tools<C>[K], 'input'>,
  options: ToolOptions = {},
): Promise<ToolAnswer<Member<Tools<C>[K], 'output'>>> {
  const { path = '/mcp', timeoutMs = TIMEOUT_MS, signal: caller, onProgress } = options;
  const operation = `POST ${path}`;
  const limit = AbortSignal.timeout(timeoutMs);
  const signal = caller ? AbortSignal.any([limit, caller]) : limit;
  const failed = (cause: unknown) => {
    const code = caller?.aborted ? 'client.aborted' : limit.aborted ? 'client.timeout' : 'client.network';
    return cause instanceof ClientError && !signal.aborted
      ? cause
      : new ClientError(code, `${name} has no answer`, { cause });
  };
  try {
    const response = await api.raw(operation, {
      signal,
      timeoutMs,
      headers: {
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': VERSION,
        'mcp-method': 'tools/call',
        'mcp-name': headerValue(name),
      },
      body: {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: {
          name,
          arguments: input,
          _meta: {
            'io.modelcontextprotocol/protocolVersion': VERSION,
            'io.modelcontextprotocol/clientInfo': { name: '@sallyport/client', version: '1' },
            'io.modelcontextprotocol/clientCapabilities': {},
            ...(onProgress && { progressToken: 1 }),
          },
        },
      },
    });
    return answerOf(await readMessage(operation, response, onProgress)) as ToolAnswer<Member<Tools<C>[K], 'output'>>;
  } catch (error) {
    throw failed(error);
  }
}

interface RpcMessage {
  readonly method?: string;
  readonly params?: { readonly progress?: number; readonly total?: number; readonly message?: string };
  readonly result?: { readonly content?: unknown; readonly structuredContent?: unknown; readonly isError?: boolean };
  readonly error?: { readonly code: number; readonly message: string };
}

/** The answer to the request: the body, or the one message of a stream that is not a notification. */
async function readMessage(
  operation: string,
  response: Response,
  onProgress: ToolOptions['onProgress'],
): Promise<RpcMessage> {
  const type = response.headers.get('content-type') ?? '';
  if (response.ok && response.body && type.startsWith('text/event-stream')) {
    for await (const { data } of readEvents(response.body, { lastId: '', retryMs: 0, ended: false })) {
      const message = JSON.parse(data) as RpcMessage;
      if (message.result || message.error) return message;
      const { progress, total, message: text } = message.params ?? {};
      if (message.method === 'notifications/progress' && progress !== undefined) onProgress?.(progress, total, text);
    }
    throw new ClientError('client.network', `${operation}: the stream ended without a result`);
  }
  const copy = response.clone();
  const body = (await response.json().catch(() => undefined)) as RpcMessage | undefined;
  // The error of JSON-RPC has a number as its code; the service's own error has a string.
  if (body?.result || typeof body?.error?.code === 'number') return body;
  throw new ClientError('client.rejected', `${operation}: status ${response.status}`, {
    status: response.status,
    answer: await readRejected(operation, copy),
  });
}

function answerOf({ result, error }: RpcMessage): ToolAnswer<unknown> {
  if (error) return { ok: false, error: { code: error.code, message: error.message }, content: [] };
  if (!Array.isArray(result?.content))
    throw new ClientError('client.foreign', 'the tool needs an answer of the user: use a client of MCP');
  const content: readonly unknown[] = result.content;
  const text = content.map((part) => (part as { text?: string }).text ?? '').join('');
  return result.isError
    ? { ok: false, error: { code: 'tool', message: text }, content }
    : { ok: true, data: result.structuredContent ?? text, content };
}

/** A name outside visible ASCII is encoded, by MCP's rules for headers. */
function headerValue(text: string): string {
  if (/^[\x21-\x7e]+$/.test(text)) return text;
  return `=?base64?${btoa(String.fromCharCode(...new TextEncoder().encode(text)))}?=`;
}
