import {
  assertKnownOptions,
  type Context,
  type Handler,
  invalidOption,
  type MaybePromise,
  type Response,
  type ResponseInput,
} from '@sallyport/core';
import { isPromise } from '../routing/registration.js';
import type { FieldMap, FieldResult, FieldValues, RequiredFieldValues } from './fields.js';
import { createAnswer, isResponse } from './internal/answer.js';
import type { Values } from './internal/convert.js';
import { createBinder, readBody } from './internal/input.js';
import { IssueList, isStandardSchema, type StandardSchema } from './schema.js';

/** A Standard Schema validator, or fields with rules. */
export type Schema = StandardSchema | FieldMap;

/** What a bound handler takes and gives. */
export interface BindSpec {
  /** Path parameters, by the names of the route pattern. */
  readonly params?: Schema;
  /** Query values, decoded. */
  readonly query?: Schema;
  /** Names in lower case; a header that came more than once is joined with `,`. */
  readonly headers?: Schema;
  /** The JSON body. */
  readonly body?: Schema;
  /** Held against what the handler returns; a failure is ours, 500. */
  readonly response?: Schema;
  /** Of an answer made from a value. Default 200. */
  readonly status?: number;
  /** Query names whose values a schema always gets as a list. */
  readonly queryArrays?: readonly string[];
  /** An empty body is `undefined` instead of an error. */
  readonly bodyOptional?: boolean;
}

/** The sources of a request in the order in which they are validated. */
export const SOURCES = ['params', 'query', 'headers', 'body'] as const;
/** A source of a request that `bind` reads. */
export type BindSource = (typeof SOURCES)[number];

type Output<S> = S extends StandardSchema<infer _, infer O> ? O : S extends FieldMap ? FieldValues<S> : undefined;
type ParamsOutput<S> = S extends StandardSchema ? Output<S> : S extends FieldMap ? RequiredFieldValues<S> : undefined;
type BodyOutput<S extends BindSpec> = S['bodyOptional'] extends true
  ? Output<S['body']> | undefined
  : Output<S['body']>;

/** What the handler gets; `undefined` for a source that has no schema. */
export interface BoundInput<S extends BindSpec> {
  /** The path parameters. */
  readonly params: ParamsOutput<S['params']>;
  /** The query values. */
  readonly query: Output<S['query']>;
  /** The headers, by the names of the schema. */
  readonly headers: Output<S['headers']>;
  /** The JSON body; `undefined` for an empty body that `bodyOptional` allows. */
  readonly body: BodyOutput<S>;
}

/** What the handler returns to be sent as JSON. */
export type BoundValue<S extends BindSpec> =
  S['response'] extends StandardSchema<infer I, infer _>
    ? I
    : S['response'] extends FieldMap
      ? FieldResult<S['response']>
      : unknown;

/** A handler that gets its input converted and validated. It returns the value to send, or a response of its own. */
export type BoundFunction<S extends BindSpec> = (
  ctx: Context,
  input: BoundInput<S>,
) => MaybePromise<BoundValue<S> | Response>;

/** The schemas of a handler, for whoever writes a document of them. */
export type Contract<S extends BindSpec = BindSpec> = Readonly<S>;

/** What `bind` gives: a handler that also carries its schemas. */
export interface BoundHandler<S extends BindSpec = BindSpec> extends Handler {
  /** The specification that was given to `bind`, frozen; OpenAPI documents are written from it. */
  readonly contract: Contract<S>;
}

const KEYS = [...SOURCES, 'response', 'status', 'queryArrays', 'bodyOptional'];

/**
 * A frozen copy of the specification.
 *
 * @throws FrameworkError `app.invalid_configuration` that names what is wrong
 */
export function parseContract<S extends BindSpec>(spec: S): Contract<S> {
  if (typeof spec !== 'object' || spec === null) throw invalidOption('bind', 'given an object of schemas');
  assertKnownOptions(spec, KEYS);
  for (const name of [...SOURCES, 'response'] as const) assertSchema(name, spec[name]);
  const { status, queryArrays, bodyOptional, query } = spec;
  if (status !== undefined && !(Number.isInteger(status) && status >= 200 && status <= 599)) {
    throw invalidOption('status', 'an HTTP status of 200 to 599');
  }
  if (bodyOptional !== undefined && typeof bodyOptional !== 'boolean') throw invalidOption('bodyOptional', 'a boolean');
  if (queryArrays !== undefined) {
    const names = Array.isArray(queryArrays) && queryArrays.every((name) => typeof name === 'string');
    if (!names) throw invalidOption('queryArrays', 'a list of names');
    if (!isStandardSchema(query)) throw invalidOption('queryArrays', 'beside a query schema; a field says array: true');
  }
  return Object.freeze({ ...spec, ...(queryArrays && { queryArrays: Object.freeze([...queryArrays]) }) });
}

function assertSchema(name: string, schema: unknown): void {
  if (schema === undefined || isStandardSchema(schema)) return;
  if (typeof schema !== 'object' || schema === null || '~standard' in schema || Array.isArray(schema)) {
    throw invalidOption(name, 'a Standard Schema (version 1) or a map of fields');
  }
}

/**
 * A handler whose input is converted and validated before it runs, and whose values are sent as JSON. Sources are
 * validated in the order params, query, headers, body, all of them, and what is wrong is answered together.
 *
 * @throws FrameworkError `app.invalid_configuration` for an unknown option, a schema that is none, or a rule that does not
 *   fit its field
 * @example
 * app.get('/notes/{id}', bind(
 *   { params: { id: { type: 'int', rules: [min(1)] } }, response: z.object({ title: z.string() }) },
 *   async (ctx, { params }) => notes.get(params.id),
 * ));
 */
export function bind<const S extends BindSpec>(spec: S, handler: BoundFunction<S>): BoundHandler<S> {
  const contract = parseContract(spec);
  if (typeof handler !== 'function') throw invalidOption('handler', 'a function');
  const readInput = createInputReader(contract);
  const toAnswer = createAnswer(contract);
  const bound = async (ctx: Context): Promise<Response | ResponseInput> => {
    // The contract's own schemas made these values; the type follows from them.
    const input = (await readInput(ctx)) as unknown as BoundInput<S>;
    const result: unknown = await handler(ctx, input);
    return isResponse(result) ? result : toAnswer(ctx, result);
  };
  Object.defineProperty(bound, 'name', { value: handler.name });
  return Object.assign(bound, { contract });
}

/** Reads all sources, then validates all: what cannot be read is 400 before anything is 422. */
function createInputReader(contract: Contract): (ctx: Context) => Promise<Values> {
  const binders = SOURCES.flatMap((source) => {
    const schema = contract[source];
    return schema === undefined ? [] : [createBinder(source, schema, contract)];
  });
  const wantsBody = contract.body !== undefined;
  return async (ctx) => {
    const body = wantsBody ? readBody(ctx, contract.bodyOptional === true) : undefined;
    const raw = binders.map((binder) => binder.read(ctx, body));
    const issues = new IssueList();
    const input: Values = { params: undefined, query: undefined, headers: undefined, body: undefined };
    for (const [index, binder] of binders.entries()) {
      const value = binder.validate(raw[index], issues);
      input[binder.source] = isPromise(value) ? await value : value;
    }
    if (issues.found) throw issues.toError();
    return input;
  };
}
