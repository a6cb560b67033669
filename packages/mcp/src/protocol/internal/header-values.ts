import { isObject } from '@sallyport/core/internal';
import type { JsonObject } from '../types.js';

const ENCODED = /^=\?base64\?(.*)\?=$/s;
const NUMBER = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/;

/** Decodes a header value: literal, or `=?base64?…?=` in exact case; `undefined` for bad base64 or UTF-8. */
export function decodeHeaderValue(value: string): string | undefined {
  const encoded = ENCODED.exec(value.trim())?.[1];
  if (encoded === undefined) return value.trim();
  const bytes = Buffer.from(encoded, 'base64');
  if (bytes.toString('base64') !== encoded) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** True if the header occurs exactly once and has this value. */
export function headerEquals(values: readonly string[], text: string): boolean {
  return values.length === 1 && decodeHeaderValue(values[0] ?? '') === text;
}

/** An argument that clients also send in a `Mcp-Param-…` header, so that routers can read it. */
export interface ParamHeader {
  /** In lower case. */
  readonly header: string;
  readonly path: readonly string[];
}

/**
 * True if headers and arguments match. A value without its header, a header without its value, and different values do not match.
 */
export function paramHeadersAgree(
  headers: readonly ParamHeader[],
  args: JsonObject,
  header: (name: string) => readonly string[],
): boolean {
  return headers.every(({ header: name, path }) => agrees(valueAt(args, path), header(name)));
}

function agrees(value: unknown, values: readonly string[]): boolean {
  if (value === undefined || value === null) return values.length === 0;
  if (values.length !== 1) return false;
  const text = decodeHeaderValue(values[0] ?? '');
  if (typeof value === 'number') return text !== undefined && NUMBER.test(text) && Number(text) === value;
  return typeof value === 'string' || typeof value === 'boolean' ? text === String(value) : false;
}

function valueAt(args: JsonObject, path: readonly string[]): unknown {
  let value: unknown = args;
  for (const name of path) {
    if (!isObject(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return value;
}
