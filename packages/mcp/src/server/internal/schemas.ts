import type { SchemaDraft } from '@cfworker/json-schema';
import type { StandardIssue, StandardSchema } from '@sallyport/core';
import { isObject } from '../../protocol/internal/json-rpc.js';
import type { FormSchema, JsonObject } from '../../protocol/types.js';

/** The JSON Schema that the validator provides, or `undefined`. */
export function jsonSchemaOf(schema: StandardSchema, side: 'input' | 'output'): JsonObject | undefined {
  const { jsonSchema } = schema['~standard'];
  return jsonSchema?.[side]({ target: 'draft-2020-12' });
}

/** Issues as path and the rule `schema`. The validator's own message is not used, because it may contain the value. */
export function describeIssues(issues: readonly StandardIssue[]): string[] {
  const texts = issues.map(({ path = [] }) => {
    const keys = path.map((part) => String(typeof part === 'object' ? part.key : part));
    return `/${keys.join('/')}: schema`;
  });
  return [...new Set(texts)].slice(0, 20);
}

/** Whether a schema without a root type accepts only objects, because each of its alternatives does. */
export function isUnionOfObjects(schema: unknown): schema is JsonObject {
  if (!isObject(schema) || schema.type !== undefined) return false;
  const union = schema.anyOf ?? schema.oneOf;
  return (
    Array.isArray(union) &&
    union.length > 0 &&
    union.every((one) => isObject(one) && (one.type === 'object' || isUnionOfObjects(one)))
  );
}

/** The form that a validator provides, without keywords that forms do not have; `undefined` when it provides none. */
export function formSchemaOf(schema: StandardSchema): FormSchema | undefined {
  const given = jsonSchemaOf(schema, 'input');
  if (given?.type !== 'object' || !isObject(given.properties)) return undefined;
  const { properties, required } = given;
  return { type: 'object', properties, ...(Array.isArray(required) ? { required } : {}) } as FormSchema;
}

const MAX_SCHEMA_DEPTH = 64;
const MAX_SCHEMA_NODES = 2000;

const DRAFTS: Readonly<Record<string, SchemaDraft>> = {
  'https://json-schema.org/draft/2020-12/schema': '2020-12',
  'https://json-schema.org/draft/2019-09/schema': '2019-09',
  'http://json-schema.org/draft-07/schema': '7',
  'http://json-schema.org/draft-04/schema': '4',
};
/** Keywords that the interpreter would ignore without an error. */
const UNSUPPORTED = ['$dynamicRef', '$dynamicAnchor'];

/** What is wrong with a schema, or `undefined`: root type, dialect, references that leave the document, size. */
export function schemaProblem(schema: unknown, wantsObject: boolean): string | undefined {
  if (!isObject(schema)) return 'must be a JSON Schema object';
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
  else if (isObject(node)) walk.problem = referenceProblem(node);
  for (const value of Object.values(node)) inspect(value, depth + 1, walk);
}

function referenceProblem(node: JsonObject): string | undefined {
  if (UNSUPPORTED.some((keyword) => typeof node[keyword] === 'string')) return 'uses $dynamicRef or $dynamicAnchor';
  const { $ref } = node;
  return typeof $ref === 'string' && /^([a-z][a-z0-9+.-]*:|\/\/)/i.test($ref) && !/^urn:/i.test($ref)
    ? 'has a $ref to a network address'
    : undefined;
}

/** The draft of a schema; `undefined` for an unknown dialect. */
export function draftOf(schema: JsonObject): SchemaDraft | undefined {
  if (schema.$schema === undefined) return '2020-12';
  const uri = String(schema.$schema).replace(/#$/, '');
  return Object.hasOwn(DRAFTS, uri) ? DRAFTS[uri] : undefined;
}
