import type { OutputUnit } from '@cfworker/json-schema';
import type { StandardIssue } from '@sallyport/core';
import { isJsonObject, own } from '../../protocol/internal/json-rpc.js';
import type { JsonObject } from '../../protocol/types.js';

const MAX_ISSUES = 20;
/** Characters of a path, of a message, and of the bound of a rule. */
const MAX_CHARACTERS = 200;

/**
 * Failures of a JSON Schema as path and rule with its bound: `/n: minimum 1`. The library reports a failure at each level; only the innermost
 * failure has information.
 */
export function describeUnits(errors: readonly OutputUnit[], schema: JsonObject): string[] {
  const leaves = errors.filter(
    (error) => !error.error.startsWith('A subschema had errors') && !WRAPPERS.has(error.keyword),
  );
  return distinct((leaves.length > 0 ? leaves : errors).map((unit) => describeUnit(unit, schema)));
}

/**
 * Issues of a validator as path and its own message. Without a message, or with `rule`, the failures of its JSON Schema at this path
 * explain it, or `schema` if it accepts the value.
 *
 * @param rules returns the failures of the JSON Schema
 */
export function describeIssues(
  issues: readonly StandardIssue[],
  wanted: 'message' | 'rule',
  rules: () => readonly string[],
): string[] {
  if (wanted === 'rule') {
    const known = rules();
    return distinct([
      ...known,
      ...issues.map(pathOf).flatMap((path) => (explain(path, known).length > 0 ? [] : [`${path}: schema`])),
    ]);
  }
  return distinct(
    issues.flatMap((issue) => {
      const path = pathOf(issue);
      const message = oneLine(issue.message ?? '');
      if (message !== '') return [`${path}: ${message}`];
      const known = explain(path, rules());
      return known.length > 0 ? known : [`${path}: schema`];
    }),
  );
}

/** The rules at a path or inside its value. */
function explain(path: string, rules: readonly string[]): readonly string[] {
  return rules.filter((rule) => path === '/' || rule.startsWith(`${path}:`) || rule.startsWith(`${path}/`));
}

function pathOf({ path = [] }: StandardIssue): string {
  return oneLine(`/${path.map((part) => String(typeof part === 'object' ? part.key : part)).join('/')}`);
}

function distinct(texts: readonly string[]): string[] {
  return [...new Set(texts)].slice(0, MAX_ISSUES);
}

/** White space, control characters, and characters that reorder or hide text; the joiners U+200C and U+200D are parts of words and emoji. */
const UNSAFE = /(?:(?![\u200c\u200d])[\s\p{Cc}\p{Cf}\p{Cs}])+/gu;

/** Text on one line, cut to {@link MAX_CHARACTERS}. */
function oneLine(text: string): string {
  const line = text
    .slice(0, MAX_CHARACTERS * 4)
    .replace(UNSAFE, ' ')
    .trim();
  // Half of a pair of surrogates is not a character.
  return line.length > MAX_CHARACTERS ? `${line.slice(0, MAX_CHARACTERS - 1).replace(/[\ud800-\udbff]$/, '')}…` : line;
}

const WRAPPERS = new Set(['properties', 'items', 'allOf', '$ref', 'additionalProperties']);
const REQUIRED = /property "(.*)"\.$/s;

function describeUnit({ instanceLocation, keyword, keywordLocation, error }: OutputUnit, schema: JsonObject): string {
  const path = instanceLocation.replace(/^#/, '');
  const missing = keyword === 'required' ? REQUIRED.exec(error)?.[1] : undefined;
  if (missing !== undefined) return oneLine(`${path}/${missing}: required`);
  const place = oneLine(path || '/');
  return `${place}: ${oneLine(ruleText(keyword, valueAt(schema, keywordLocation)))}`;
}

/** Rules whose bound is a number or a string. */
const BOUNDED = /^(min|max|exclusive|multipleOf|pattern$|format$)/;

/** A rule with its bound; only the rule if the bound is unknown or is a schema. */
function ruleText(keyword: string, bound: unknown): string {
  if (keyword === 'false') return 'unknown';
  if (keyword === 'enum' && Array.isArray(bound)) return `one of ${bound.map((one) => JSON.stringify(one)).join(', ')}`;
  if (keyword === 'const' && bound !== undefined) return `must be ${JSON.stringify(bound)}`;
  if (keyword === 'type' && bound !== undefined) return `type ${[bound].flat().join(' or ')}`;
  const isBound = typeof bound === 'number' || typeof bound === 'string';
  return isBound && BOUNDED.test(keyword) ? `${keyword} ${bound}` : keyword;
}

/** The value at a location of the schema that the library reports; it passes through references. */
function valueAt(schema: JsonObject, location: string): unknown {
  let node: unknown = schema;
  for (const name of namesOf(location)) {
    if (typeof node !== 'object' || node === null) return undefined;
    if (name === '$recursiveRef') node = schema;
    else if (name === '$ref') node = referenced(schema, own(node as JsonObject, name));
    else node = own(node as JsonObject, name);
  }
  return node;
}

function referenced(schema: JsonObject, reference: unknown): unknown {
  if (typeof reference !== 'string' || !/^#(\/|$)/.test(reference)) return undefined;
  let node: unknown = schema;
  for (const name of namesOf(reference))
    node = isJsonObject(node) || Array.isArray(node) ? own(node as JsonObject, name) : undefined;
  return node;
}

/** The parts of a JSON Pointer that begins with `#`. */
function namesOf(pointer: string): readonly string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((name) => decode(name).replaceAll('~1', '/').replaceAll('~0', '~'));
}

function decode(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
