import type { HttpEntry, JsonSchema, Schemas } from '@sallyport/contract/service';
import { isObject } from '@sallyport/core/internal';
import { sampleOf } from '../send/sample.js';
import type { ContractPart } from './entry.js';

const PLACE = '#/schemas/';

/** A part with the example of its schema. */
export function partOf(
  schemas: Schemas,
  direction: ContractPart['direction'],
  name: string,
  schema: JsonSchema | null,
  codes: readonly string[] = [],
): ContractPart {
  const whole = schema === null ? null : withDefinitions(schema, schemas);
  return { name, direction, schema: whole, example: whole === null ? null : sampleOf(whole), codes };
}

/** A schema that contains the named schemas that it refers to, under `$defs`. */
function withDefinitions(schema: JsonSchema, schemas: Schemas): JsonSchema {
  const definitions = new Map<string, unknown>();
  const move = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(move);
    if (!isObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, member]) => {
        if (key !== '$ref' || typeof member !== 'string' || !member.startsWith(PLACE)) return [key, move(member)];
        const name = member.slice(PLACE.length);
        if (!definitions.has(name)) {
          // Before its own references are followed: a schema can refer to itself.
          definitions.set(name, {});
          definitions.set(name, move(schemas[name] ?? {}));
        }
        return [key, `#/$defs/${name}`];
      }),
    );
  };
  const moved = move(schema) as JsonSchema;
  return definitions.size === 0 ? moved : { ...moved, $defs: Object.fromEntries(definitions) };
}

const INPUTS = ['params', 'query', 'headers', 'cookies', 'body'] as const;

/** The parts of an HTTP operation: what it reads, its answers, its events, its errors. */
export function httpParts(schemas: Schemas, entry: HttpEntry): readonly ContractPart[] {
  const inputs = INPUTS.flatMap((name) => {
    const schema = entry[name];
    return schema === undefined ? [] : [partOf(schemas, 'in', name, schema)];
  });
  const answers = Object.entries(entry.answer ?? {}).map(([status, schema]) => partOf(schemas, 'out', status, schema));
  const events = Object.entries(entry.events ?? {}).map(([type, schema]) =>
    partOf(schemas, 'out', `event ${type}`, schema),
  );
  const errors = Object.entries(entry.errors ?? {}).map(([status, codes]) =>
    partOf(schemas, 'out', status, entry.errorBodies?.[status] ?? null, codes),
  );
  return [...inputs, ...answers, ...events, ...errors];
}
