import { type Field, type FieldMap, parseFields } from '../../bind/fields.js';
import type { Rule } from '../../bind/rules.js';
import { compareCodePoints } from '../json.js';
import type { OpenApiField, OpenApiValidation } from '../spec.js';

export type JsonSchema = Readonly<Record<string, unknown>>;

const TYPES: Readonly<Record<OpenApiField['type'], JsonSchema>> = {
  string: { type: 'string' },
  int: { type: 'integer' },
  float: { type: 'number' },
  bool: { type: 'boolean' },
  duration: { type: 'string', format: 'duration' },
};

/** The schema of one field; of a list, lengths count entries and all else holds for each entry. */
export function fieldSchema({ type, array, validation = {} }: OpenApiField): JsonSchema {
  const { min, max, minLength, maxLength } = validation;
  const single: Record<string, unknown> = { ...TYPES[type] };
  const numeric = type === 'int' || type === 'float';
  if (numeric && min !== undefined) single.minimum = min;
  if (numeric && max !== undefined) single.maximum = max;
  if (validation.pattern !== undefined) single.pattern = validation.pattern;
  if (validation.enum !== undefined) single.enum = [...validation.enum];
  const schema: Record<string, unknown> = array ? { type: 'array', items: single } : single;
  if (minLength !== undefined) schema[array ? 'minItems' : 'minLength'] = minLength;
  if (maxLength !== undefined) schema[array ? 'maxItems' : 'maxLength'] = maxLength;
  return schema;
}

/** A closed object of fields, by name. */
export function objectSchema(fields: readonly OpenApiField[]): JsonSchema {
  const sorted = [...fields].sort((a, b) => compareCodePoints(a.name, b.name));
  const required = sorted.filter((field) => field.required).map((field) => field.name);
  return {
    type: 'object',
    additionalProperties: false,
    properties: Object.fromEntries(sorted.map((field) => [field.name, fieldSchema(field)])),
    ...(required.length > 0 && { required }),
  };
}

const SOURCES = { params: 'path', query: 'query', headers: 'header', body: 'body', response: 'body' } as const;

/** The fields of a bound handler's field map. */
export function fieldsOf(source: keyof typeof SOURCES, map: FieldMap): readonly OpenApiField[] {
  return parseFields(source, map).map((field) => ({
    field: field.field,
    source: SOURCES[source],
    name: field.name,
    type: field.type,
    array: field.array,
    required: field.rules.some((rule) => rule.rule === 'required'),
    validation: validationOf(field),
  }));
}

function validationOf({ type, rules }: Field): OpenApiValidation {
  // Rules of a duration are in milliseconds, and on the wire it is text: JSON Schema has no words for them.
  if (type === 'duration') return {};
  return Object.assign({}, ...rules.map(validationPart)) as OpenApiValidation;
}

function validationPart(rule: Rule): OpenApiValidation {
  if (rule.rule === 'required') return {};
  return rule.rule === 'oneOf' ? { enum: rule.value } : { [rule.rule]: rule.value };
}
