import { isObject } from '@sallyport/core/internal';
import type { HttpErrorFormat } from '../../pipeline/error-body.js';
import { toCanonicalJson } from '../spec.js';

/** A schema of JSON Schema 2020-12. */
export type JsonSchema = Readonly<Record<string, unknown>>;

const TEXT = { type: 'string' } as const;
/** Members of an error body that are from the invocation, or from an error that sets them. */
const ORIGIN = { request_id: TEXT, trace_id: TEXT, timestamp: TEXT, stack_trace: TEXT } as const;

/** Media type and schema of error bodies, as `errorResponse` of the pipeline writes them. */
const ERROR_BODIES: Readonly<Record<HttpErrorFormat, { readonly mediaType: string; readonly schema: JsonSchema }>> = {
  nested: {
    mediaType: 'application/json',
    schema: {
      type: 'object',
      required: ['error'],
      properties: {
        error: {
          type: 'object',
          required: ['code', 'message'],
          properties: { code: TEXT, message: TEXT, status_code: { type: 'integer' }, details: {}, ...ORIGIN },
        },
      },
    },
  },
  flat_legacy: {
    mediaType: 'application/json',
    schema: {
      type: 'object',
      required: ['code', 'message'],
      properties: { code: TEXT, message: TEXT, details: {} },
    },
  },
  // RFC 9457 section 3.1; the members after `detail` are extensions (section 3.2).
  problem: {
    mediaType: 'application/problem+json',
    schema: {
      type: 'object',
      required: ['type', 'title', 'status', 'detail', 'code'],
      properties: {
        type: { type: 'string', format: 'uri-reference' },
        title: TEXT,
        status: { type: 'integer' },
        detail: TEXT,
        code: TEXT,
        details: {},
        ...ORIGIN,
      },
    },
  },
};

/** `components` of a document: the framework's own responses, and the named schemas of validators. */
export class Components {
  readonly #schemas: Map<string, JsonSchema>;
  readonly #errorType: string;

  constructor(errorFormat: HttpErrorFormat) {
    const { mediaType, schema } = ERROR_BODIES[errorFormat];
    this.#schemas = new Map([['FrameworkError', schema]]);
    this.#errorType = mediaType;
  }

  /** `name` is unique for the schema, and is used for parts without a name. */
  embed(name: string, schema: JsonSchema): JsonSchema {
    const { $schema, $defs, ...root } = schema;
    const defs = new Map(Object.entries(($defs ?? {}) as Readonly<Record<string, JsonSchema>>));
    const rootName = toComponentName(name);
    const plain = this.#hoist(root, defs, rootName, toComponentName);
    return plain ?? this.#hoist(root, defs, rootName, (def) => toComponentName(`${name}.${def}`), true) ?? {};
  }

  /** The embedded schema that a reference points to; any other schema is returned unchanged. */
  resolve(schema: JsonSchema): JsonSchema {
    const prefix = '#/components/schemas/';
    const ref = schema.$ref;
    if (typeof ref !== 'string' || !ref.startsWith(prefix)) return schema;
    return this.#schemas.get(ref.slice(prefix.length)) ?? schema;
  }

  toObject(extra: Readonly<Record<string, unknown>> = {}): Readonly<Record<string, unknown>> {
    return {
      ...extra,
      schemas: Object.fromEntries(this.#schemas),
      responses: {
        AppBadRequest: this.#errorAnswer('The request cannot be read.'),
        AppValidationFailed: this.#errorAnswer('The request is not valid.'),
      },
    };
  }

  #errorAnswer(description: string) {
    const content = { [this.#errorType]: { schema: { $ref: '#/components/schemas/FrameworkError' } } };
    return { description, content };
  }

  /** Adds the root and the definitions under the given names; `undefined` if another schema has the same name. */
  #hoist(
    root: JsonSchema,
    defs: ReadonlyMap<string, JsonSchema>,
    rootName: string,
    nameOf: (def: string) => string,
    force = false,
  ): JsonSchema | undefined {
    let recursive = false;
    const moveRef = (ref: string): string => {
      const def = [...defs.keys()].find((key) => isUnder(ref, `#/$defs/${escapePointer(key)}`));
      if (def !== undefined) return ref.replace(`#/$defs/${escapePointer(def)}`, `#/components/schemas/${nameOf(def)}`);
      recursive ||= ref === '#' || ref.startsWith('#/');
      return ref.replace(/^#(?=\/|$)/, `#/components/schemas/${rootName}`);
    };
    const moved = new Map([...defs].map(([def, schema]) => [nameOf(def), rewriteRefs(schema, moveRef)]));
    const body = rewriteRefs(root, moveRef);
    if (recursive) moved.set(rootName, body);
    if (!force && [...moved].some(([name, schema]) => this.#isTaken(name, schema))) return undefined;
    for (const [name, schema] of moved) this.#schemas.set(name, schema);
    return recursive ? { $ref: `#/components/schemas/${rootName}` } : body;
  }

  #isTaken(name: string, schema: JsonSchema): boolean {
    const present = this.#schemas.get(name);
    return present !== undefined && toCanonicalJson(present) !== toCanonicalJson(schema);
  }
}

function isUnder(ref: string, pointer: string): boolean {
  return ref === pointer || ref.startsWith(`${pointer}/`);
}

/** RFC 6901 section 3, as a URI fragment. */
function escapePointer(key: string): string {
  return encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'));
}

/** OpenAPI 3.1 section 4.8.7: other characters are not allowed in a component's name. */
function toComponentName(name: string): string {
  return name.replace(/[^a-zA-Z0-9._-]/g, '_');
}

/** Keywords of JSON Schema 2020-12 that contain schemas, by their shape. A `$ref` is a reference only inside these. */
const SINGLE = new Set([
  'items',
  'additionalProperties',
  'not',
  'if',
  'then',
  'else',
  'contains',
  'propertyNames',
  'unevaluatedItems',
  'unevaluatedProperties',
]);
const LISTS = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems']);
const MAPS = new Set(['properties', 'patternProperties', 'dependentSchemas', '$defs', 'definitions']);

/** A copy of a schema with all references rewritten. Values that only look like schemas are not changed. */
function rewriteRefs(schema: JsonSchema, move: (ref: string) => string): JsonSchema {
  const member = (key: string, value: unknown): unknown => {
    if (key === '$ref' && typeof value === 'string') return move(value);
    if (SINGLE.has(key)) return rewriteAny(value, move);
    if (LISTS.has(key) && Array.isArray(value)) return value.map((entry) => rewriteAny(entry, move));
    return MAPS.has(key) && isObject(value) ? rewriteMap(value, move) : value;
  };
  return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, member(key, value)]));
}

function rewriteMap(map: JsonSchema, move: (ref: string) => string): JsonSchema {
  return Object.fromEntries(Object.entries(map).map(([key, value]) => [key, rewriteAny(value, move)]));
}

/** `true` and `false` are schemas too. */
function rewriteAny(value: unknown, move: (ref: string) => string): unknown {
  return isObject(value) ? rewriteRefs(value, move) : value;
}
