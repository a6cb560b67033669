import { isObject, membersOf } from '@sallyport/core/internal';
import {
  type Guarded,
  type HttpEntry,
  type JsonSchema,
  type McpEntry,
  type ServiceContract,
  SOURCE_KINDS,
  type SourceKind,
} from './contract.js';
import {
  contractError,
  type DescribedRoute,
  type DescribedService,
  type DescribedTrigger,
  isDescribedSchema,
} from './described.js';
import { byName, inOrder } from './internal/canonical.js';
import { envelopeOf } from './internal/envelope.js';
import { shapeOf } from './internal/places.js';
import { SchemaBook, type Side } from './internal/schema-book.js';

/**
 * Joins the descriptions of all functions of a service to one contract.
 *
 * @throws FrameworkError `app.invalid_configuration` that names every operation or source that two functions register, with both files
 */
export function toContract(service: string, functions: readonly DescribedService[]): ServiceContract {
  const joining = new Joining();
  for (const described of [...functions].sort((a, b) => byName(a.function, b.function))) joining.take(described);
  joining.assertDistinct();
  // Outputs first: if a schema differs by direction, its output has the plain name.
  const book = new SchemaBook();
  const both = (sides: readonly Side[]) => sides.map((side) => joining.build(book, side));
  const [outputs, inputs] = both(['output', 'input']) as [Part, Part];
  const { schemas, unknown, renamed } = book;
  const envelope = envelopeOf(functions);
  const parts = merged(outputs, inputs) as Omit<
    ServiceContract,
    'version' | 'service' | 'schemas' | 'unknown' | 'renamed'
  >;
  return inOrder({
    version: 1,
    service,
    ...parts,
    socket: { ...parts.socket, ...(envelope && { envelope }) },
    schemas,
    unknown: [...unknown].sort((a, b) => byName(a.at, b.at)),
    renamed: [...renamed].sort(byName),
  });
}

type Part = Readonly<Record<string, unknown>>;
type Build = (book: SchemaBook, side: Side) => object;

/** The members of both directions; facts that are not schemas are equal in both. */
function merged(a: unknown, b: unknown): unknown {
  if (!isObject(a) || !isObject(b)) return b ?? a;
  return Object.fromEntries(
    [...new Set([...Object.keys(a), ...Object.keys(b)])].map((key) => [key, merged(a[key], b[key])]),
  );
}

/** Entries by place, before their schemas are written. */
class Joining {
  readonly #entries = new Map<
    string,
    { readonly path: readonly string[]; readonly from: string; readonly build: Build }
  >();
  readonly #twice: string[] = [];

  take({ function: from, routes, triggers, sends }: DescribedService): void {
    for (const route of routes) this.#takeRoute(from, route);
    for (const trigger of triggers) this.#takeTrigger(from, trigger);
    for (const [type, schema] of Object.entries(sends)) {
      const at = `socket out ${type}`;
      this.#add(from, ['socket', 'out', type], at, (book, side) => ({
        function: from,
        ...(side === 'output' && { message: book.add(at, 'message', side, schema) }),
      }));
    }
  }

  assertDistinct(): void {
    if (this.#twice.length > 0) throw contractError(`registered by two functions: ${this.#twice.join('; ')}`);
  }

  build(book: SchemaBook, side: Side): Part {
    const whole: Record<string, unknown> = {
      ...Object.fromEntries(SOURCE_KINDS.map((kind) => [kind, {}])),
      ...{ http: {}, socket: { in: {}, out: {} }, mcp: {}, tool: {}, invoke: {}, field: {} },
    };
    const ordered = [...this.#entries].sort(([a], [b]) => byName(a, b));
    for (const [, { path, build }] of ordered) {
      const last = path.at(-1) as string;
      const target = path.slice(0, -1).reduce<Record<string, unknown>>((at, key) => at[key] as never, whole);
      Object.defineProperty(target, last, { value: build(book, side), enumerable: true });
    }
    return whole;
  }

  #add(from: string, path: readonly string[], at: string, build: Build): void {
    // Routes that differ only in the names of parameters match the same requests.
    const key = shapeOf(path.join('\n'));
    const present = this.#entries.get(key);
    if (present) this.#twice.push(`${at} (${present.from} and ${from})`);
    else this.#entries.set(key, { path, from, build });
  }

  #takeRoute(from: string, route: DescribedRoute): void {
    const { surface, states = {}, mcp } = route;
    const facts = { function: from, ...guardOf(route) };
    if (surface === 'appsync') {
      const field = `${route.appSyncParentType}.${route.appSyncField}`;
      this.#addCall(from, ['field', field], `field ${field}`, facts, states.args, states.result);
    } else if (surface === 'websocket') {
      const { webSocketRouteKey: key = '' } = route;
      if (states.message === undefined) return;
      const at = `socket in ${key}`;
      this.#add(from, ['socket', 'in', key], at, (book, side) => ({
        ...facts,
        ...(side === 'input' && { message: book.add(at, 'message', side, states.message) }),
      }));
    } else if (mcp) {
      if (route.method === 'POST') this.#takeServer(from, route, mcp, facts);
    } else {
      const at = `${route.method} ${route.path}`;
      this.#add(from, ['http', at], at, (book, side) => ({ ...facts, ...httpEntry(book, side, at, route) }));
    }
  }

  #takeServer(
    from: string,
    { path = '' }: DescribedRoute,
    mcp: NonNullable<DescribedRoute['mcp']>,
    facts: object,
  ): void {
    this.#add(from, ['mcp', path], `MCP ${path}`, () => ({ ...facts, ...mcp }) as McpEntry);
    for (const { name, description, title, scopes, inputSchema, outputSchema } of mcp.tools) {
      const at = `tool ${String(name)}`;
      const summary = description ?? title;
      this.#add(from, ['tool', String(name)], at, (book, side) => ({
        ...facts,
        ...(Array.isArray(scopes) && scopes.length > 0 && { scopes }),
        ...(typeof summary === 'string' && { summary }),
        ...(side === 'input'
          ? { input: book.addWritten(`${at} input`, side, { json: membersOf(inputSchema) }) }
          : {
              output:
                outputSchema === undefined
                  ? {}
                  : book.addWritten(`${at} output`, side, { json: membersOf(outputSchema) }),
            }),
      }));
    }
  }

  #addCall(from: string, path: readonly string[], at: string, facts: object, input: unknown, output: unknown): void {
    const written = (book: SchemaBook, side: Side, name: string, schema: unknown) => {
      if (isDescribedSchema(schema)) return book.add(`${at} ${name}`, name, side, schema);
      return isObject(schema) ? book.addWritten(`${at} ${name}`, side, { json: schema }) : {};
    };
    this.#add(from, path, at, (book, side) => ({
      ...facts,
      ...(side === 'input'
        ? { input: written(book, side, 'input', input) }
        : { output: written(book, side, 'output', output) }),
    }));
  }

  #takeTrigger(from: string, { kind, name = '', selector, options = {}, payload, orderedBy }: DescribedTrigger): void {
    const facts = { function: from, ...(orderedBy !== undefined && { orderedBy }) };
    if (kind === 'invoke') {
      this.#addCall(from, ['invoke', name], `invoke ${name}`, facts, options.input, options.output);
      return;
    }
    const [source, key] = placeOf(kind, name, selector);
    const at = `${source} ${key}`;
    this.#add(from, [source, key], at, (book, side) => ({
      ...facts,
      ...(side === 'input' && { message: payload === undefined ? {} : book.add(at, 'message', side, payload) }),
    }));
  }
}

const KINDS: Readonly<Record<string, SourceKind>> = {
  queue: 'queue',
  stream: 'stream',
  topic: 'topic',
  'table-stream': 'table',
};

/** The kind and the key of a source in the contract. */
function placeOf(kind: string, name: string, selector: DescribedTrigger['selector']): readonly [SourceKind, string] {
  const { source, detailType, ruleName, scheduleName } = selector ?? {};
  if (source !== undefined && detailType !== undefined && ruleName === undefined)
    return ['bus', `${source}/${detailType}`];
  if (selector) {
    const rule = ruleName === undefined ? `schedule/${scheduleName}` : `rule/${ruleName}`;
    const plain = source === undefined && detailType === undefined;
    return ['event', plain ? rule : `bus/${[source, detailType, ruleName, scheduleName].filter(Boolean).join('/')}`];
  }
  const own = Object.hasOwn(KINDS, kind) ? KINDS[kind] : undefined;
  return own ? [own, name] : ['event', name === '' ? kind : `${kind}/${name}`];
}

function guardOf({ posture, scopes }: DescribedRoute): Guarded {
  return { ...(posture !== undefined && { posture }), ...(scopes && scopes.length > 0 && { scopes }) };
}

const INPUTS = ['params', 'query', 'headers', 'cookies', 'body'] as const;

function httpEntry(book: SchemaBook, side: Side, at: string, route: DescribedRoute): Partial<HttpEntry> {
  const { states = {}, tags } = route;
  const contract = membersOf(states.contract);
  const facts = {
    ...(typeof states.summary === 'string' && { summary: states.summary }),
    ...(tags && tags.length > 0 && { tags }),
    ...(states.idempotency === true && { idempotency: true as const }),
    ...(states.repeatable === true && { repeatable: true as const }),
    ...(contract.bodyOptional === true && { bodyOptional: true as const }),
  };
  if (side === 'output') return { ...facts, ...outputsOf(book, at, route, contract, membersOf(states.events)) };
  const inputs = INPUTS.flatMap((name) =>
    contract[name] === undefined ? [] : [[name, book.add(`${at} ${name}`, name, side, contract[name])] as const],
  );
  return { ...facts, ...paramsOf(route.path ?? ''), ...Object.fromEntries(inputs) };
}

/** Path parameters without a schema are strings. */
function paramsOf(path: string): { readonly params?: JsonSchema } {
  const names = [...path.matchAll(/\{([^}+]+)\+?\}/g)].map(([, name]) => name as string);
  if (names.length === 0) return {};
  const properties = Object.fromEntries(names.map((name) => [name, { type: 'string' }]));
  return { params: { type: 'object', properties, required: names } };
}

function outputsOf(
  book: SchemaBook,
  at: string,
  { posture, scopes }: DescribedRoute,
  contract: Part,
  events: Part,
): Partial<HttpEntry> {
  const { response, responses, status, errors } = contract;
  const answers: [string, JsonSchema | null][] = Object.entries(membersOf(responses)).map(([code, schema]) => [
    code,
    book.add(`${at} ${code}`, 'response', 'output', schema),
  ]);
  if (status === 204) answers.push(['204', null]);
  else if (response !== undefined || status !== undefined) {
    const code = String(status ?? 200);
    answers.push([code, response === undefined ? {} : book.add(`${at} ${code}`, 'response', 'output', response)]);
  }
  const stated = Object.entries(membersOf(errors)).map(([code, value]) => {
    if (!isDescribedSchema(value)) return { code, codes: (Array.isArray(value) ? value : [value]) as string[] };
    const body = book.add(`${at} ${code}`, 'response', 'output', value);
    return { code, codes: codesIn(book, body), body };
  });
  const implied = errors === undefined ? [] : impliedErrors(contract, posture, scopes);
  const all = [...implied, ...stated];
  const bodies = stated.flatMap(({ code, body }) => (body ? [[code, body] as const] : []));
  const of = (code: string) => all.filter((one) => one.code === code).flatMap(({ codes }) => codes);
  const types = Object.entries(events).map(([type, schema]) => [
    type,
    book.add(`${at} event ${type}`, 'event', 'output', schema),
  ]);
  return {
    ...(answers.length > 0 && { answer: Object.fromEntries(answers) as Record<string, JsonSchema | null> }),
    ...(all.length > 0 && {
      errors: Object.fromEntries(all.map(({ code }) => [code, [...new Set(of(code))].sort(byName)])),
    }),
    ...(bodies.length > 0 && { errorBodies: Object.fromEntries(bodies) as Record<string, JsonSchema> }),
    ...(types.length > 0 && { events: Object.fromEntries(types) as Record<string, JsonSchema> }),
  };
}

/** The codes of validation and of the posture: an operation that lists its errors answers these too. */
function impliedErrors(contract: Part, posture: string | undefined, scopes: readonly string[] | undefined) {
  const hasInput = INPUTS.some((name) => contract[name] !== undefined);
  const needsCaller = posture !== undefined && posture !== 'public' && posture !== 'optional';
  return [
    ...(hasInput
      ? [
          { code: '400', codes: ['app.bad_request'] },
          { code: '422', codes: ['app.validation_failed'] },
        ]
      : []),
    ...(needsCaller ? [{ code: '401', codes: ['app.unauthorized'] }] : []),
    ...(needsCaller && ((scopes?.length ?? 0) > 0 || posture === 'internal_only')
      ? [{ code: '403', codes: ['app.forbidden'] }]
      : []),
  ];
}

/** The codes that the schema of an error body allows in `error.code`. */
function codesIn(book: SchemaBook, body: JsonSchema): readonly string[] {
  const resolve = (schema: unknown): Part => {
    const members = membersOf(schema);
    const name = typeof members.$ref === 'string' ? members.$ref.slice('#/schemas/'.length) : undefined;
    return name === undefined ? members : membersOf(book.schemas[name]);
  };
  const member = (schema: Part, name: string) => resolve(membersOf(schema.properties)[name]);
  const { const: one, enum: list } = member(member(resolve(body), 'error'), 'code');
  return (Array.isArray(list) ? list : [one]).filter((code): code is string => typeof code === 'string');
}
