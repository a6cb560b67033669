import type { StandardSchema } from '@sallyport/core';
import { isJsonObject } from '../../protocol/internal/json-rpc.js';
import { draftOf } from '../../protocol/internal/protocol.js';
import type { JsonObject } from '../../protocol/types.js';
import type { ParamHeader } from './registry.js';

/** The JSON Schema that the validator provides, or `undefined`. */
export function jsonSchemaOf(schema: StandardSchema, side: 'input' | 'output'): JsonObject | undefined {
  const { jsonSchema } = schema['~standard'];
  return namedRoot(jsonSchema?.[side]({ target: 'draft-2020-12' }));
}

/** A schema with a name, such as `.meta({ id: 'Note' })` of zod, is a reference to one of its definitions: MCP requires the type at the root. */
function namedRoot(schema: JsonObject | undefined): JsonObject | undefined {
  const { $ref, ...rest } = schema ?? {};
  const name = typeof $ref === 'string' ? /^#\/\$defs\/([^/]+)$/.exec($ref)?.[1] : undefined;
  const found = name !== undefined && isJsonObject(rest.$defs) ? rest.$defs[name] : undefined;
  return isJsonObject(found) ? { ...rest, ...found } : schema;
}

/** True if a schema without a root type accepts only objects, because each of its alternatives does. */
export function isUnionOfObjects(schema: unknown): schema is JsonObject {
  if (!isJsonObject(schema) || schema.type !== undefined) return false;
  const union = schema.anyOf ?? schema.oneOf;
  return (
    Array.isArray(union) &&
    union.length > 0 &&
    union.every((one) => isJsonObject(one) && (one.type === 'object' || isUnionOfObjects(one)))
  );
}

const MAX_SCHEMA_DEPTH = 64;
const MAX_SCHEMA_NODES = 2000;

/** Keywords that the interpreter silently ignores. */
const UNSUPPORTED = ['$dynamicRef', '$dynamicAnchor'];

/** The problem of a schema, or `undefined`: root type, dialect, external references, size. */
export function schemaProblem(schema: unknown, wantsObject: boolean): string | undefined {
  if (!isJsonObject(schema)) return 'must be a JSON Schema object';
  if (wantsObject && schema.type !== 'object') return 'must have the root type "object"';
  if (schema.$schema !== undefined && draftOf(schema) === undefined) return 'names an unknown dialect in $schema';
  const walk = { nodes: 0, problem: undefined as string | undefined };
  inspect(schema, 1, walk);
  return walk.problem;
}

function inspect(node: unknown, depth: number, walk: { nodes: number; problem: string | undefined }): void {
  if (walk.problem !== undefined || typeof node !== 'object' || node === null) return;
  walk.nodes += 1;
  if (depth > MAX_SCHEMA_DEPTH) walk.problem = `nests deeper than ${MAX_SCHEMA_DEPTH}`;
  else if (walk.nodes > MAX_SCHEMA_NODES) walk.problem = `has more than ${MAX_SCHEMA_NODES} nodes`;
  else if (isJsonObject(node)) walk.problem = referenceProblem(node);
  for (const value of Object.values(node)) inspect(value, depth + 1, walk);
}

function referenceProblem(node: JsonObject): string | undefined {
  if (UNSUPPORTED.some((keyword) => typeof node[keyword] === 'string')) return 'uses $dynamicRef or $dynamicAnchor';
  const { $ref } = node;
  return typeof $ref === 'string' && /^([a-z][a-z0-9+.-]*:|\/\/)/i.test($ref) && !/^urn:/i.test($ref)
    ? 'has a $ref to a network address'
    : undefined;
}

/** RFC 9110 section 5.6.2. */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

/**
 * The `x-mcp-header` annotations of an input schema, or a string that describes an invalid annotation. Names are tokens, and
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
  const properties = isJsonObject(schema) ? schema.properties : undefined;
  if (!isJsonObject(properties)) return undefined;
  for (const [name, property] of Object.entries(properties)) {
    if (!isJsonObject(property)) continue;
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

/** Counts the annotations at any place, so that a misplaced annotation is detected. Data in `default` or `const` is not an annotation. */
function countAnnotations(schema: unknown): number {
  if (Array.isArray(schema)) return schema.reduce((sum: number, item) => sum + countAnnotations(item), 0);
  if (!isJsonObject(schema)) return 0;
  let count = Object.hasOwn(schema, 'x-mcp-header') ? 1 : 0;
  for (const [key, value] of Object.entries(schema)) {
    if (DATA_KEYWORDS.has(key)) continue;
    count += countAnnotations(MAP_KEYWORDS.has(key) && isJsonObject(value) ? Object.values(value) : value);
  }
  return count;
}

const DATA_KEYWORDS = new Set(['default', 'const', 'enum', 'examples']);
/** Keywords whose members are names of the user, not keywords. */
const MAP_KEYWORDS = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']);
