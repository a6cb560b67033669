import type { JsonObject, RequestId } from '../types.js';

export interface RpcRequest {
  readonly kind: 'request';
  readonly id: RequestId;
  readonly method: string;
  readonly params: JsonObject | undefined;
}

export interface RpcNotification {
  readonly kind: 'notification';
  readonly method: string;
  readonly params: JsonObject | undefined;
}

export interface RpcResponse {
  readonly kind: 'response';
  readonly id: RequestId;
  readonly result?: unknown;
  /** True if the other side answered with an error. */
  readonly failed: boolean;
}

/** A value that is not JSON-RPC 2.0; `id` is set if it could be read. */
export interface RpcInvalid {
  readonly kind: 'invalid';
  readonly id: RequestId | undefined;
}

export type RpcMessage = RpcRequest | RpcNotification | RpcResponse | RpcInvalid;

/** `isObject` of core for this folder and the schema check, which is loaded alone: with an import of core, a start would load more. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Reads one JSON-RPC 2.0 message from parsed JSON. Never throws. */
export function parseMessage(value: unknown): RpcMessage {
  if (!isJsonObject(value)) return INVALID;
  const id = own(value, 'id');
  const readable = typeof id === 'string' || (typeof id === 'number' && Number.isInteger(id)) ? id : undefined;
  const invalid: RpcInvalid = readable === undefined ? INVALID : { kind: 'invalid', id: readable };
  if (own(value, 'jsonrpc') !== '2.0') return invalid;
  const method = own(value, 'method');
  if (method === undefined) return parseResponse(value, readable) ?? invalid;
  const params = own(value, 'params');
  if (typeof method !== 'string' || method === '') return invalid;
  if (params !== undefined && !isJsonObject(params)) return invalid;
  if (Object.hasOwn(value, 'result') || Object.hasOwn(value, 'error')) return invalid;
  if (id === undefined) return { kind: 'notification', method, params };
  return readable === undefined ? INVALID : { kind: 'request', id: readable, method, params };
}

const INVALID: RpcInvalid = { kind: 'invalid', id: undefined };

function parseResponse(value: JsonObject, id: RequestId | undefined): RpcResponse | undefined {
  const failed = Object.hasOwn(value, 'error');
  if (id === undefined || failed === Object.hasOwn(value, 'result')) return undefined;
  if (!failed) return { kind: 'response', id, result: value.result, failed };
  return isJsonObject(value.error) ? { kind: 'response', id, failed } : undefined;
}

/** An own member of the object, never a member of its prototype. */
export function own(value: JsonObject, key: string): unknown {
  return Object.hasOwn(value, key) ? value[key] : undefined;
}

/** A successful JSON-RPC response as JSON. `result` is JSON, too. */
export function resultText(id: RequestId, result: string): string {
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`;
}

/** A JSON-RPC error response as JSON. The id `null` is written as `"id":null`, `undefined` omits the member. */
export function errorText(id: RequestId | null | undefined, code: number, message: string, data?: unknown): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message, data } });
}

export const INTERNAL_ERROR = 'Internal error';

/** The deepest JSON that the server accepts. */
const MAX_JSON_DEPTH = 64;

/** True if JSON text nests deeper than `limit`; brackets inside strings do not count. */
export function nestsDeeper(text: string, limit = MAX_JSON_DEPTH): boolean {
  if (text.length <= limit * 2) return false;
  let depth = 0;
  for (let index = 0; index < text.length; index += 1) {
    const char = text.charCodeAt(index);
    if (char === 34) index = endOfString(text, index);
    else if (char === 123 || char === 91) {
      depth += 1;
      if (depth > limit) return true;
    } else if (char === 125 || char === 93) depth -= 1;
  }
  return false;
}

/** The index of the closing quote of the string that starts at `start`. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end > 0) {
    let slash = end - 1;
    while (text.charCodeAt(slash) === 92) slash -= 1;
    if ((end - slash) % 2 === 1) return end;
    end = text.indexOf('"', end + 1);
  }
  return text.length;
}

/** A map of strings without a prototype, or `undefined`. */
export function toTexts(value: unknown): Record<string, string> | undefined {
  if (!isJsonObject(value)) return undefined;
  const texts: Record<string, string> = Object.create(null);
  for (const [key, text] of Object.entries(value)) {
    if (typeof text !== 'string') return undefined;
    texts[key] = text;
  }
  return texts;
}
