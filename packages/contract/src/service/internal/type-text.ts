import { isObject, membersOf } from '@sallyport/core/internal';
import type { JsonSchema } from '../contract.js';
import { byName } from './canonical.js';

/** A key of an interface: an identifier, or a stringLiteral string. */
export const keyText = (name: string) =>
  /^[A-Za-z_$][\w$]*$/.test(name) || /^[1-9]\d*$/.test(name) ? name : stringLiteral(name);

/** A string literal. */
export const stringLiteral = (value: string) =>
  `'${JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;

/** A comment before a declaration or a member; empty without a description. */
export function commentText(description: unknown): string {
  if (typeof description !== 'string' || description.trim() === '') return '';
  return `/** ${description.replace(/\s+/g, ' ').replaceAll('*/', '*\\/').trim()} */ `;
}

/** The members of an object type, in one line: `{ id: string; title?: string }`. */
export function objectText(members: readonly string[]): string {
  return members.length === 0 ? '{}' : `{ ${members.join('; ')} }`;
}

/** The type of the values that fit a schema. Keywords that types cannot express, such as `pattern`, are ignored. */
export function typeText(schema: unknown): string {
  if (schema === false) return 'never';
  if (!isObject(schema) || 'x-unknown' in schema) return 'unknown';
  const parts = [...constraints(schema)].filter((part) => part !== 'unknown');
  if (parts.length === 0) return 'unknown';
  return parts.length === 1 ? (parts[0] as string) : [...new Set(parts)].map(grouped).join(' & ');
}

/** In parentheses, if the type is a union or an intersection: `|` or `&` outside brackets and string literals. */
function grouped(text: string): string {
  let outside = text.replace(/'(?:[^'\\]|\\.)*'|\/\*.*?\*\//g, '');
  for (let before = ''; before !== outside; ) {
    before = outside;
    outside = before.replace(/\{[^{}()[\]]*\}|\([^{}()[\]]*\)|\[[^{}()[\]]*\]/g, '');
  }
  return /[|&]/.test(outside) ? `(${text})` : text;
}

/** One type for each keyword group of a schema; a value must have all of them. */
function* constraints(schema: JsonSchema): Generator<string> {
  const { $ref, enum: list, anyOf, oneOf, allOf, type } = schema;
  if (typeof $ref === 'string') yield $ref.slice('#/schemas/'.length);
  if ('const' in schema) yield literal(schema.const);
  else if (Array.isArray(list)) yield union(list.map(literal));
  else {
    const types = Array.isArray(type) ? type : type === undefined ? inferred(schema) : [type];
    if (types.length > 0) yield union(types.map((one) => ofType(String(one), schema)));
  }
  for (const options of [anyOf, oneOf]) if (Array.isArray(options)) yield union(options.map(typeText));
  if (Array.isArray(allOf)) for (const part of allOf) yield typeText(part);
}

/** A schema without `type` also accepts other types; with `properties` or `items` its author means objects or lists. */
function inferred(schema: JsonSchema): readonly string[] {
  if ('properties' in schema) return ['object'];
  return 'items' in schema || 'prefixItems' in schema ? ['array'] : [];
}

function literal(value: unknown): string {
  if (typeof value === 'string') return stringLiteral(value);
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  if (isObject(value))
    return objectText(Object.entries(value).map(([key, member]) => `${keyText(key)}: ${literal(member)}`));
  return String(value);
}

const union = (options: readonly string[]) =>
  options.includes('unknown')
    ? 'unknown'
    : [...new Set(options.filter((one) => one !== 'never'))].join(' | ') || 'never';

function ofType(type: string, schema: JsonSchema): string {
  if (type === 'integer') return 'number';
  if (type === 'array') return listText(schema);
  return type === 'object' ? mapText(schema) : type;
}

function listText({ prefixItems, items, minItems = 0 }: JsonSchema): string {
  const rest = typeText(items ?? true);
  if (!Array.isArray(prefixItems)) return items === false ? '[]' : `${grouped(rest)}[]`;
  const places = prefixItems.map((part, index) => `(${typeText(part)})${index < Number(minItems) ? '' : '?'}`);
  return `[${[...places, ...(items === false ? [] : [`...(${rest})[]`])].join(', ')}]`;
}

function mapText({ properties, required, additionalProperties, patternProperties }: JsonSchema): string {
  const needed = new Set(Array.isArray(required) ? (required as unknown[]) : []);
  const known = membersOf(properties);
  const names = [...new Set([...Object.keys(known), ...[...needed].map(String)])].sort(byName);
  const members = names.map((name) => {
    const schema = Object.hasOwn(known, name) ? known[name] : true;
    const comment = isObject(schema) ? commentText(schema.description) : '';
    return `${comment}${keyText(name)}${needed.has(name) ? '' : '?'}: ${typeText(schema)}`;
  });
  const isMap = isObject(additionalProperties) || additionalProperties === true || isObject(patternProperties);
  if (names.length > 0 && !isMap) return objectText(members);
  if (names.length > 0) return objectText([...members, '[member: string]: unknown']);
  if (patternProperties !== undefined) return '{ [member: string]: unknown }';
  return `{ [member: string]: ${additionalProperties === false ? 'never' : typeText(additionalProperties ?? true)} }`;
}
