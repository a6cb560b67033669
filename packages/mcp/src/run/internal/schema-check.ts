import { type OutputUnit, type Schema, Validator } from '@cfworker/json-schema';
import { isObject } from '../../protocol/internal/json-rpc.js';
import type { InputRequest, InputResponse, JsonObject } from '../../protocol/types.js';
import { draftOf } from '../../server/schemas.js';

/** Checks values against one schema: what is wrong, as path and rule without any value; nothing when all is well. */
export type Check = (value: unknown) => readonly string[];

/** A check of a schema. The library writes into the schema that it is given, so it gets a copy. */
export function createCheck(schema: JsonObject): Check {
  const validator = new Validator(structuredClone(schema) as Schema, draftOf(schema) ?? '2020-12', false);
  return (value) => {
    const { valid, errors } = validator.validate(value);
    return valid ? [] : describe(errors);
  };
}

/** The library reports a failure at each level; only the innermost says something. */
function describe(errors: readonly OutputUnit[]): string[] {
  const leaves = errors.filter(
    (error) => !error.error.startsWith('A subschema had errors') && !WRAPPERS.has(error.keyword),
  );
  const texts = (leaves.length > 0 ? leaves : errors).map(describeOne);
  return [...new Set(texts)].slice(0, MAX_ISSUES);
}

const MAX_ISSUES = 20;
const WRAPPERS = new Set(['properties', 'items', 'allOf', '$ref', 'additionalProperties']);
const REQUIRED = /property "(.*)"\.$/s;

function describeOne({ instanceLocation, keyword, error }: OutputUnit): string {
  const path = instanceLocation.replace(/^#/, '');
  const missing = keyword === 'required' ? REQUIRED.exec(error)?.[1] : undefined;
  return missing === undefined ? `${path || '/'}: ${keyword}` : `${path}/${missing}: required`;
}

/** A client's answer as a typed value, or `undefined` when it does not fit the question. */
export function checkAnswer(request: InputRequest, raw: unknown): InputResponse | undefined {
  if (!isObject(raw)) return undefined;
  switch (request.method) {
    case 'elicitation/create':
      return isElicitResult(raw) && fitsSchema(request.params.requestedSchema as JsonObject | undefined, raw)
        ? cast(raw)
        : undefined;
    case 'sampling/createMessage':
      return isSampleResult(raw) ? cast(raw) : undefined;
    case 'roots/list':
      return isRootsResult(raw) ? cast(raw) : undefined;
  }
}

/** Whether an answer has the shape of an answer to anything. */
export function isInputResponse(raw: unknown): raw is InputResponse {
  return isObject(raw) && (isElicitResult(raw) || isSampleResult(raw) || isRootsResult(raw));
}

const cast = (raw: JsonObject): InputResponse => raw as unknown as InputResponse;

function isElicitResult(raw: JsonObject): boolean {
  const { content } = raw;
  return ['accept', 'decline', 'cancel'].includes(raw.action as string) && (content === undefined || isObject(content));
}

function isSampleResult({ role, model, content }: JsonObject): boolean {
  return (
    (role === 'user' || role === 'assistant') &&
    typeof model === 'string' &&
    typeof content === 'object' &&
    content !== null
  );
}

function isRootsResult({ roots }: JsonObject): boolean {
  return Array.isArray(roots) && roots.every((root) => isObject(root) && typeof root.uri === 'string');
}

function fitsSchema(schema: JsonObject | undefined, raw: JsonObject): boolean {
  if (raw.action !== 'accept' || schema === undefined) return true;
  return createCheck(schema)(raw.content ?? {}).length === 0;
}
