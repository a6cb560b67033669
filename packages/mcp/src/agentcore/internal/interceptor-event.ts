import { isObject, stringOf } from '@sallyport/core/internal';
import { own } from '../../protocol/internal/json-rpc.js';
import { RPC } from '../../protocol/internal/protocol.js';
import type { JsonObject } from '../../protocol/types.js';
import { MCP_PATH } from '../../routes/paths.js';
import { type InterceptedRequest, type InterceptedResponse, type Interception, VERDICT } from '../interception.js';

/** One event of an interceptor. */
export interface InterceptorEvent {
  readonly form: 'mcp' | 'http';
  readonly version: unknown;
  readonly request: InterceptedRequest;
  /** Set after the target has answered. */
  readonly response: InterceptedResponse | undefined;
  /** The received parts, unchanged. */
  readonly received: { readonly request: JsonObject; readonly response: JsonObject | undefined };
}

/** The encoding of bodies and of rejections in a form. */
interface Form {
  decode(body: unknown): unknown;
  encode(body: unknown): unknown;
  reject(intercepted: InterceptorEvent, status: number, text: string): JsonObject;
  write(intercepted: InterceptorEvent, verdict: Interception): JsonObject;
}

/** Bodies are parsed JSON; a rejection is a JSON-RPC error. */
const MCP = defineForm('mcp', {
  decode: (body) => body ?? null,
  encode: (body) => body,
  reject({ request: { body } }, status, text) {
    const id = isObject(body) ? own(body, 'id') : undefined;
    const code = status < 500 ? RPC.invalidRequest : RPC.internalError;
    return { statusCode: status, body: { jsonrpc: '2.0', id: id ?? null, error: { code, message: text } } };
  },
});

/** Bodies are base64. */
const HTTP = defineForm('http', {
  decode: (body) => (typeof body === 'string' ? new Uint8Array(Buffer.from(body, 'base64')) : null),
  encode: (body) => (body === null ? null : bytesOf(body).toString('base64')),
  reject: (_intercepted, status, text) => ({
    statusCode: status,
    headers: { 'content-type': 'text/plain; charset=utf-8' },
    body: Buffer.from(text).toString('base64'),
  }),
});

export const FORMS: Readonly<Record<InterceptorEvent['form'], Form>> = { mcp: MCP, http: HTTP };

/** Strings and bytes unchanged, other values as JSON. */
function bytesOf(body: unknown): Buffer {
  if (body instanceof Uint8Array) return Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body ?? null));
}

/** The answer has version 1.0, and the form of the event. */
function defineForm(name: InterceptorEvent['form'], form: Omit<Form, 'write'>): Form {
  return {
    ...form,
    write(intercepted, verdict) {
      const answer = (part: JsonObject): JsonObject => ({ interceptorOutputVersion: '1.0', [name]: part });
      if (verdict[VERDICT] === 'reject') {
        return answer({ transformedGatewayResponse: form.reject(intercepted, verdict.status, verdict.text) });
      }
      const changes = verdict[VERDICT] === 'rewrite' ? verdict : NO_CHANGES;
      const { request, response } = intercepted.received;
      if (!response) return answer({ transformedGatewayRequest: messageOf(form, request, changes) });
      const statusCode = changes.status ?? own(response, 'statusCode');
      return answer({
        transformedGatewayResponse: {
          ...(statusCode !== undefined && { statusCode }),
          ...messageOf(form, response, changes, changes.headers !== undefined),
        },
      });
    },
  };
}

interface Changes {
  readonly headers: Readonly<Record<string, string>> | undefined;
  readonly body: unknown;
  readonly status: number | undefined;
}

const NO_CHANGES: Changes = { headers: undefined, body: undefined, status: undefined };

/** Headers and body; headers of an answer only if they change, because the headers of a stream are already sent. */
function messageOf(form: Omit<Form, 'write'>, received: JsonObject, changes: Changes, withHeaders = true): JsonObject {
  const headers = changes.headers ?? own(received, 'headers');
  const body = changes.body !== undefined ? form.encode(changes.body) : own(received, 'body');
  return {
    ...(withHeaders && isObject(headers) && { headers }),
    ...(body !== undefined && { body }),
  };
}

/** Reads an event of the row of interceptors. */
export function readInterceptorEvent(event: unknown): InterceptorEvent {
  const { interceptorInputVersion: version, mcp, http } = event as JsonObject;
  const form = isObject(mcp) && isObject(own(mcp, 'gatewayRequest')) ? 'mcp' : 'http';
  const parts = (form === 'mcp' ? mcp : http) as JsonObject;
  const request = parts.gatewayRequest as JsonObject;
  const answered = own(parts, 'gatewayResponse');
  const response = isObject(answered) ? answered : undefined;
  const { decode } = FORMS[form];
  return {
    ...{ form, version, received: { request, response } },
    request: {
      form,
      method: stringOf(own(request, 'httpMethod')) || 'POST',
      path: stringOf(own(request, 'path')),
      headers: headersOf(request),
      body: decode(own(request, 'body')),
    },
    response: response && {
      status: Number(own(response, 'statusCode') ?? 0),
      headers: headersOf(response),
      body: decode(own(response, 'body')),
      streaming: own(response, 'isStreamingResponse') === true,
    },
  };
}

/** The path of a request; the path of MCP if the event contains no path. */
export function pathOf({ request: { path } }: InterceptorEvent): string {
  return path.startsWith('/') ? path : MCP_PATH;
}

function headersOf(part: JsonObject): Readonly<Record<string, string>> {
  const headers = own(part, 'headers');
  if (!isObject(headers)) return {};
  const texts = Object.entries(headers).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  return Object.fromEntries(texts.map(([name, value]) => [name.toLowerCase(), value]));
}
