// The page of the console uses this file too: it imports nothing.

/** A JSON Schema; `$ref` names a part of the document. */
export type Schema = Readonly<Record<string, unknown>>;

/** Strings by `format`: https://json-schema.org/draft/2020-12/json-schema-validation#section-7 */
const FORMATS: Readonly<Record<string, string>> = {
  'date-time': '2026-01-31T12:00:00Z',
  date: '2026-01-31',
  time: '12:00:00Z',
  duration: 'PT1H',
  email: 'ada@example.com',
  uuid: '3f2b8c1e-9d4a-4e6b-8f10-2a7c5d9e0b13',
  uri: 'https://example.com/',
  url: 'https://example.com/',
  hostname: 'example.com',
  ipv4: '203.0.113.1',
  ipv6: '2001:db8::1',
};
const MAX_DEPTH = 8;

/**
 * A value that a schema accepts, as far as single keywords determine it: its example or default, else the smallest value with
 * all members that it names. A pattern is not satisfied.
 *
 * @param document the document that contains the schema, for `$ref`; default: the schema itself
 */
export function sampleOf(schema: unknown, document: unknown = schema, depth = 0): unknown {
  if (!isSchema(schema) || depth > MAX_DEPTH) return null;
  const { $ref: reference, examples, enum: choices, allOf, anyOf, oneOf } = schema;
  if (typeof reference === 'string') return sampleOf(find(document, reference), document, depth + 1);
  if (Array.isArray(examples) && examples.length > 0) return examples[0];
  for (const member of ['example', 'default', 'const']) if (schema[member] !== undefined) return schema[member];
  if (Array.isArray(choices)) return choices[0] ?? null;
  const of = (part: unknown) => sampleOf(part, document, depth + 1);
  if (Array.isArray(allOf)) {
    const parts = [...allOf, { ...schema, allOf: undefined }].map(of).filter(isSchema);
    return Object.assign({}, ...parts);
  }
  const variants = Array.isArray(anyOf) ? anyOf : Array.isArray(oneOf) ? oneOf : [];
  const variant = variants.find((one) => isSchema(one) && one.type !== 'null');
  if (variant !== undefined) return of(variant);
  return ofType(schema, of);
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function ofType(schema: Schema, of: (part: unknown) => unknown): unknown {
  const { type, properties, items, prefixItems, minItems } = schema;
  const named = Array.isArray(type) ? type.find((one) => one !== 'null') : type;
  if (named === 'object' || (named === undefined && isSchema(properties))) {
    return Object.fromEntries(
      Object.entries(isSchema(properties) ? properties : {}).map(([key, part]) => [key, of(part)]),
    );
  }
  if (named === 'array') {
    if (Array.isArray(prefixItems)) return prefixItems.map(of);
    const count = Math.min(Math.max(typeof minItems === 'number' ? minItems : 1, 1), 10);
    return items === undefined || items === false ? [] : Array.from({ length: count }, () => of(items));
  }
  if (named === 'string') return text(schema);
  if (named === 'integer' || named === 'number') return amount(schema, named === 'integer');
  return named === 'boolean' ? true : null;
}

function text({ format, minLength, maxLength }: Schema): string {
  const known = typeof format === 'string' ? FORMATS[format] : undefined;
  if (known !== undefined) return known;
  const begin = typeof maxLength === 'number' ? 'text'.slice(0, maxLength) : 'text';
  return begin.padEnd(typeof minLength === 'number' ? Math.min(minLength, 1000) : 0, 'x');
}

function amount(
  { minimum, exclusiveMinimum, maximum, exclusiveMaximum, multipleOf }: Schema,
  isWhole: boolean,
): number {
  const numbers = [minimum, exclusiveMinimum, maximum, exclusiveMaximum].map((one) =>
    typeof one === 'number' ? one : undefined,
  );
  const [least, above, most, below] = numbers;
  const step = typeof multipleOf === 'number' && multipleOf > 0 ? multipleOf : isWhole ? 1 : 0.5;
  const lowest = Math.max(least ?? -Infinity, above === undefined ? -Infinity : above + step);
  const highest = Math.min(most ?? Infinity, below === undefined ? Infinity : below - step);
  const wanted = lowest > 1 ? lowest : highest < 1 ? highest : 1;
  const stepped = Math.ceil(wanted / step) * step;
  return stepped > highest ? wanted : stepped;
}

/** The part that a reference such as `#/components/schemas/Note` names. */
function find(document: unknown, reference: string): unknown {
  if (!reference.startsWith('#')) return undefined;
  const keys = reference.split('/').slice(1);
  return keys.reduce<unknown>((at, key) => {
    const name = key.replaceAll('~1', '/').replaceAll('~0', '~');
    return isSchema(at) && Object.hasOwn(at, name) ? at[name] : undefined;
  }, document);
}
