import { isObject } from '@sallyport/core/internal';
import type { JsonSchema, Schemas, UnknownSchema } from '../contract.js';
import { isDescribedSchema, type Written } from '../described.js';
import { byName, canonicalText, inOrder } from './canonical.js';
import { fieldMapSchema } from './field-map.js';
import { typeText } from './type-text.js';
import { mapSchema, partsOf } from './walk.js';

/** The direction of a schema: an input is sent to the service. */
export type Side = 'input' | 'output';

/** Names that a declaration of TypeScript cannot have, or that would hide a type of the file. */
const RESERVED = new Set(
  `Contract any as async await bigint boolean break case catch class const continue debugger declare default delete do else enum export
  extends false finally for from function get if implements import in infer instanceof interface is keyof let module namespace never new null
  number object of package private protected public readonly require return set static string super switch symbol this throw true try type
  typeof undefined unique unknown var void while with yield Array Blob Boolean Date Number Object Promise Readonly Record String`.split(
    /\s+/,
  ),
);

/** Bounds that libraries write for every whole number. */
const NO_BOUNDS: Readonly<Record<string, number>> = {
  minimum: Number.MIN_SAFE_INTEGER,
  maximum: Number.MAX_SAFE_INTEGER,
};

/** References whose target depends on where the schema is used. */
const DYNAMIC = ['$dynamicRef', '$recursiveRef'];
/** Keywords without which a schema has no type. Next to others they only narrow its values, which types need not express. */
const BEYOND = ['not', 'if', 'then', 'else', 'contains', 'dependentSchemas', 'unevaluatedProperties'];

/** Collects the schemas of a contract: each named schema once. */
export class SchemaBook {
  readonly unknown: UnknownSchema[] = [];
  readonly renamed = new Set<string>();
  readonly #schemas = new Map<string, { readonly text: string; readonly schema: JsonSchema; readonly side: Side }>();

  /** The named schemas, sorted. */
  get schemas(): Schemas {
    const entries = [...this.#schemas].map(([name, { schema }]) => [name, schema] as const);
    return Object.fromEntries(entries.sort(([a], [b]) => byName(a, b)));
  }

  /** A schema of a description: of a library, or a map of fields. */
  add(at: string, source: string, side: Side, given: unknown): JsonSchema {
    if (!isDescribedSchema(given)) return inOrder(fieldMapSchema(source, isObject(given) ? given : {}));
    return this.addWritten(at, side, given['schema:'][side]);
  }

  /** The JSON Schema of a library. */
  addWritten(at: string, side: Side, written: Written): JsonSchema {
    return 'json' in written ? this.#embed(at, side, written.json) : this.unknownAt(at, written.reason);
  }

  /** A schema that callers see as `unknown`. */
  unknownAt(at: string, reason: string): JsonSchema {
    this.unknown.push({ at, reason });
    return { 'x-unknown': reason };
  }

  #embed(at: string, side: Side, given: JsonSchema): JsonSchema {
    const { $schema: _, $defs, definitions, id, $id, ...rest } = given;
    const defs = new Map(
      Object.entries({ ...(definitions as object), ...($defs as object) }) as [string, JsonSchema][],
    );
    const stray = [...defs.values(), rest].flatMap(partsOf).find((part) => !isKnownRef(part.$ref, defs));
    if (stray) return this.unknownAt(at, `the reference ${String(stray.$ref)} is not in the schema`);
    const parts = [...defs.values(), rest].flatMap(partsOf);
    const dynamic = DYNAMIC.find((keyword) => parts.some((part) => Object.hasOwn(part, keyword)));
    if (dynamic) return this.unknownAt(at, `types cannot express ${dynamic}`);
    const only = BEYOND.find((keyword) =>
      parts.some((part) => Object.hasOwn(part, keyword) && typeText(part) === 'unknown'),
    );
    if (only) this.unknown.push({ at, reason: `types cannot express ${only}` });
    const own = [id, $id, rest.title].find((name) => typeof name === 'string');
    const refersToRoot = [...defs.values(), rest].flatMap(partsOf).some(({ $ref }) => $ref === '#');
    const root = '#';
    if (typeof own === 'string' || refersToRoot) defs.set(root, rest);
    const wanted = new Map([...defs.keys()].map((def) => [def, def === root ? (own ?? at) : def]));
    const names = this.#nameAll(defs, wanted as ReadonlyMap<string, string>, side);
    for (const [def, name] of names) {
      const schema = rewritten(defs.get(def) as JsonSchema, names, side);
      this.#schemas.set(name, { text: canonicalText(schema), schema, side });
    }
    const rootName = names.get(root);
    return rootName === undefined ? rewritten(rest, names, side) : { $ref: `#/schemas/${rootName}` };
  }

  /** Names for definitions that refer to each other: a name that another schema has gets a suffix. */
  #nameAll(
    defs: ReadonlyMap<string, JsonSchema>,
    wanted: ReadonlyMap<string, string>,
    side: Side,
  ): ReadonlyMap<string, string> {
    const names = new Map([...defs.keys()].map((def) => [def, typeName(wanted.get(def) as string)]));
    for (;;) {
      const taken = [...names].find(([def, name]) => {
        const present = this.#schemas.get(name);
        const isTwice = [...names].some(([other, same]) => same === name && other < def);
        return (
          isTwice || (present && present.text !== canonicalText(rewritten(defs.get(def) as JsonSchema, names, side)))
        );
      });
      if (!taken) return names;
      const [def, name] = taken;
      names.set(def, this.#nextName(typeName(wanted.get(def) as string), name, side));
    }
  }

  /** `Note`, then `NoteInput` for the other direction, then `Note2`. */
  #nextName(plain: string, current: string, side: Side): string {
    const present = this.#schemas.get(current);
    const directed = `${plain}${side === 'input' ? 'Input' : 'Output'}`;
    if (present && present.side !== side && current === plain) return directed;
    const number = Number(/\d+$/.exec(current.slice(plain.length))?.[0] ?? 1) + 1;
    this.renamed.add(plain);
    return `${plain}${number}`;
  }
}

function isKnownRef(ref: unknown, defs: ReadonlyMap<string, unknown>): boolean {
  if (ref === undefined || ref === '#') return true;
  const def = defOf(ref);
  return def !== undefined && defs.has(def);
}

/** The definition that a reference names: RFC 6901, as the fragment of a URI. */
function defOf(ref: unknown): string | undefined {
  const found = typeof ref === 'string' ? /^#\/(?:\$defs|definitions)\/([^/]+)$/.exec(ref)?.[1] : undefined;
  try {
    return found === undefined ? undefined : decodeURIComponent(found).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    return undefined;
  }
}

/** The schema with references to the names of the contract. Clients ignore unknown members, so an output is never closed. */
function rewritten(schema: JsonSchema, names: ReadonlyMap<string, string>, side: Side): JsonSchema {
  return inOrder(
    mapSchema(schema, (part) => {
      const { $ref, additionalProperties, id: _, $id: __, title: ___, ...rest } = part;
      const bounded = Object.fromEntries(
        Object.entries(rest).filter(([key, value]) => NO_BOUNDS[key] === undefined || NO_BOUNDS[key] !== value),
      );
      const isClosed = additionalProperties === false;
      return {
        ...bounded,
        ...(additionalProperties !== undefined && !(isClosed && side === 'output') && { additionalProperties }),
        ...($ref !== undefined && { $ref: `#/schemas/${names.get($ref === '#' ? '#' : (defOf($ref) ?? ''))}` }),
      };
    }),
  );
}

/** A name that TypeScript accepts: `order-line` is `OrderLine`. */
function typeName(name: string): string {
  const words = name.split(/[^A-Za-z0-9_]+/).filter((word) => word !== '');
  const joined =
    words.length === 1 ? (words[0] as string) : words.map((w) => w[0]?.toUpperCase() + w.slice(1)).join('');
  const plain = /^[A-Za-z_]/.test(joined) ? joined : `Schema${joined}`;
  return RESERVED.has(plain) ? `${plain}Schema` : plain;
}
