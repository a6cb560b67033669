import type { JsonObject } from '../types.js';
import { isObject } from './json-rpc.js';

const ENCODED = /^=\?base64\?(.*)\?=$/s;
/** RFC 9110 section 5.6.2. */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const NUMBER = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/;

/** Decodes the text of a header: literal, or `=?base64?…?=` in exact case; `undefined` for bad base64 or UTF-8. */
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

/** Whether there is exactly one such header, and its text is this one. */
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
 * The `x-mcp-header` annotations of an input schema, or a text that describes what is wrong with one. Names are tokens, and
 * unique when case is ignored. The property has the type string, integer or boolean, and is reached only through `properties`.
 */
export function findParamHeaders(schema: unknown): readonly ParamHeader[] | string {
  const found: ParamHeader[] = [];
  const problem = walkProperties(schema, [], found);
  if (problem !== undefined) return problem;
  if (countAnnotations(schema) !== found.length)
    return 'x-mcp-header is only for properties that "properties" leads to';
  return found;
}

function walkProperties(schema: unknown, path: readonly string[], found: ParamHeader[]): string | undefined {
  const properties = isObject(schema) ? schema.properties : undefined;
  if (!isObject(properties)) return undefined;
  for (const [name, property] of Object.entries(properties)) {
    if (!isObject(property)) continue;
    const here = [...path, name];
    if (Object.hasOwn(property, 'x-mcp-header')) {
      const problem = addHeader(property, here, found);
      if (problem !== undefined) return problem;
    }
    const nested = walkProperties(property, here, found);
    if (nested !== undefined) return nested;
  }
  return undefined;
}

function addHeader(property: JsonObject, path: readonly string[], found: ParamHeader[]): string | undefined {
  const name = property['x-mcp-header'];
  if (typeof name !== 'string' || !TOKEN.test(name)) return 'x-mcp-header must be a header token';
  if (!['string', 'integer', 'boolean'].includes(property.type as string)) {
    return 'x-mcp-header is only for properties of type string, integer or boolean';
  }
  const header = `mcp-param-${name.toLowerCase()}`;
  if (found.some((other) => other.header === header)) return 'x-mcp-header names must differ';
  found.push({ header, path });
  return undefined;
}

/** All annotations at any place, so that a misplaced one is detected. Data below `default` or `const` is not an annotation. */
function countAnnotations(schema: unknown): number {
  if (Array.isArray(schema)) return schema.reduce((sum: number, item) => sum + countAnnotations(item), 0);
  if (!isObject(schema)) return 0;
  let count = Object.hasOwn(schema, 'x-mcp-header') ? 1 : 0;
  for (const [key, value] of Object.entries(schema)) {
    if (DATA_KEYWORDS.has(key)) continue;
    count += countAnnotations(MAP_KEYWORDS.has(key) && isObject(value) ? Object.values(value) : value);
  }
  return count;
}

const DATA_KEYWORDS = new Set(['default', 'const', 'enum', 'examples']);
/** The members of these are names of the user, not keywords. */
const MAP_KEYWORDS = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']);

/**
 * Whether headers and arguments match. A value without its header, a header without its value, and different values do not match.
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
  if (text === undefined) return false;
  if (typeof value === 'number') return NUMBER.test(text) && Number(text) === value;
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
