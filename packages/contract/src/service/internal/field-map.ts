import { isObject, membersOf } from '@sallyport/core/internal';
import type { JsonSchema } from '../contract.js';
import { byName } from './canonical.js';

const FIELD_TYPES: Readonly<Record<string, JsonSchema>> = {
  string: { type: 'string' },
  int: { type: 'integer' },
  float: { type: 'number' },
  bool: { type: 'boolean' },
  duration: { type: 'string', format: 'duration' },
};

/** The JSON Schema of a map of fields of `bind`, as OpenAPI documents show it. */
export function fieldMapSchema(source: string, map: Readonly<Record<string, unknown>>): JsonSchema {
  const fields = Object.entries(map).map(([field, given]) => {
    const { type, name = field, array, rules } = membersOf(given);
    const list = (Array.isArray(rules) ? rules : []).filter(isObject);
    const isRequired = source === 'params' || list.some(({ rule }) => rule === 'required');
    const wire = source === 'headers' ? String(name).toLowerCase() : String(name);
    return { wire, isRequired, schema: fieldOf(String(type), array === true, list) };
  });
  fields.sort((a, b) => byName(a.wire, b.wire));
  const required = fields.filter((field) => field.isRequired).map(({ wire }) => wire);
  return {
    type: 'object',
    properties: Object.fromEntries(fields.map(({ wire, schema }) => [wire, schema])),
    ...(required.length > 0 && { required }),
  };
}

const NUMERIC: Readonly<Record<string, string>> = { min: 'minimum', max: 'maximum' };

/** Lengths of a list count its entries; other rules apply to each entry. Rules of a duration are in milliseconds, which JSON Schema cannot express. */
function fieldOf(type: string, isList: boolean, rules: readonly Readonly<Record<string, unknown>>[]): JsonSchema {
  const single: Record<string, unknown> = { ...FIELD_TYPES[type] };
  const list: Record<string, unknown> = { type: 'array', items: single };
  for (const { rule, value } of type === 'duration' ? [] : rules) {
    const name = String(rule);
    if (NUMERIC[name] !== undefined) single[NUMERIC[name]] = value;
    else if (name === 'pattern') single.pattern = value;
    else if (name === 'oneOf') single.enum = value;
    else if (name === 'minLength' || name === 'maxLength') {
      if (isList) list[name.replace('Length', 'Items')] = value;
      else single[name] = value;
    }
  }
  return isList ? list : single;
}
