import type { Context, Handler, MaybePromise, Response, StandardSchema, WebResponse } from '@sallyport/core';
import {
  boolean,
  defineOptions,
  invalidConfiguration,
  isStandardSchema,
  kind,
  list,
  string,
} from '@sallyport/core/options';
import { type FieldMap, type FieldResult, type FieldValues, fieldMap, type RequiredFieldValues } from './fields.js';

/** A Standard Schema validator, or fields with rules. */
export type Schema = StandardSchema | FieldMap;

/** The input and output of a bound handler. */
export interface BindSpec {
  /** Path parameters: all of the route pattern, by its names. */
  readonly params?: Schema;
  /** Query values, decoded. */
  readonly query?: Schema;
  /** Names are in lower case; the values of a repeated header are joined with `,`. */
  readonly headers?: Schema;
  /** Cookies as sent, not decoded. */
  readonly cookies?: Schema;
  /** The JSON body. */
  readonly body?: Schema;
  /** Validates the result of the handler; a failure is a server error (500). */
  readonly response?: Schema;
  /** The status of a response that is created from a returned value. Default 200. */
  readonly status?: number;
  /** Schemas of further answers, by status: `{ 202: Accepted }`. The handler sends them with `json(202, value)`; they are not validated. */
  readonly responses?: Readonly<Record<number, StandardSchema>>;
  /**
   * Errors that callers can expect, by status: a code, a list of codes, or the schema of the body. Contracts state them together
   * with the codes of validation and of the posture.
   */
  readonly errors?: Readonly<Record<number, string | readonly string[] | StandardSchema>>;
  /** Query names whose values are always passed to the schema as a list. */
  readonly queryArrays?: readonly string[];
  /** An empty body is `undefined` instead of an error. */
  readonly bodyOptional?: boolean;
}

/** The sources of a request in the order in which they are validated. */
export const SOURCES = ['params', 'query', 'headers', 'cookies', 'body'] as const;
/** A source of a request that `bind` reads. */
export type BindSource = (typeof SOURCES)[number];

type Output<S> = S extends StandardSchema<infer _, infer O> ? O : S extends FieldMap ? FieldValues<S> : undefined;
type ParamsOutput<S> = S extends StandardSchema ? Output<S> : S extends FieldMap ? RequiredFieldValues<S> : undefined;
type BodyOutput<S extends BindSpec> = S['bodyOptional'] extends true
  ? Output<S['body']> | undefined
  : Output<S['body']>;

/** The input of the handler. A source without a schema is `undefined`. */
export interface BoundInput<S extends BindSpec> {
  /** The path parameters. */
  readonly params: ParamsOutput<S['params']>;
  /** The query values. */
  readonly query: Output<S['query']>;
  /** The headers, by the names of the schema. */
  readonly headers: Output<S['headers']>;
  /** The cookies. */
  readonly cookies: Output<S['cookies']>;
  /** The JSON body; `undefined` for an empty body that `bodyOptional` allows. */
  readonly body: BodyOutput<S>;
}

/** A value that the handler returns, to be sent as JSON. */
export type BoundValue<S extends BindSpec> =
  S['response'] extends StandardSchema<infer I, infer _>
    ? I
    : S['response'] extends FieldMap
      ? FieldResult<S['response']>
      : unknown;

/** A handler with converted and validated input. It returns the value to send, or a complete response. */
export type BoundFunction<S extends BindSpec> = (
  ctx: Context,
  input: BoundInput<S>,
) => MaybePromise<BoundValue<S> | Response | WebResponse>;

/** The schemas of a handler, for OpenAPI documents. */
export type Contract<S extends BindSpec = BindSpec> = Readonly<S>;

/** The path parameters that a schema reads, by their names in the pattern; `string` if the compiler cannot infer all of them. */
type ParamNames<P> =
  P extends StandardSchema<infer I>
    ? Known<keyof I & string>
    : P extends FieldMap
      ? Known<
          { [K in keyof P & string]: P[K] extends { readonly name: infer N extends string } ? N : K }[keyof P & string]
        >
      : string;
/** An input without described names accepts any name. */
type Known<N extends string> = [N] extends [never] ? string : N;

/**
 * The result of `bind`: a handler that also contains its schemas. It can be registered for patterns that have the path parameters
 * it reads.
 */
export interface BoundHandler<S extends BindSpec = BindSpec> extends Handler<ParamNames<S['params']>> {
  /** The specification that was passed to `bind`, frozen; OpenAPI documents are written from it. */
  readonly contract: Contract<S>;
}

/** One problem of a request, as sent to the client. */
export interface BindingIssue {
  /** `params`, `query`, `headers`, `cookies` or `body`. */
  readonly source: string;
  /** The field's name on the wire (`page-size`), or the path to it joined with `.`. */
  readonly field: string;
  /** The rule's name in snake_case (`min_length`); `schema` for a Standard Schema. */
  readonly rule: string;
  /** A description of the problem, in one sentence. */
  readonly message: string;
}

/** The validator of a source. */
const SCHEMA = /* @__PURE__ */ fieldMap<Schema>('a Standard Schema (version 1) or a map of fields', isStandardSchema);
const STATUS = /* @__PURE__ */ kind<number>(
  'an HTTP status of 200 to 599',
  (value) => Number.isInteger(value) && (value as number) >= 200 && (value as number) <= 599,
);

const isStatusMap = (accepts: (value: unknown) => boolean, least: number) => (value: unknown) =>
  typeof value === 'object' &&
  value !== null &&
  Object.entries(value).every(
    ([status, entry]) => STATUS_TEXT.test(status) && Number(status) >= least && accepts(entry as unknown),
  );
const STATUS_TEXT = /^[2-5]\d\d$/;
const isCode = (value: unknown) => typeof value === 'string' && value.trim() !== '';
const RESPONSES = /* @__PURE__ */ kind<NonNullable<BindSpec['responses']>>(
  'an object of Standard Schemas (version 1) by status',
  /* @__PURE__ */ isStatusMap(isStandardSchema, 200),
);
const ERRORS = /* @__PURE__ */ kind<NonNullable<BindSpec['errors']>>(
  'an object by status from 400: a code, a list of codes, or a Standard Schema (version 1)',
  /* @__PURE__ */ isStatusMap(
    (value) => isCode(value) || isStandardSchema(value) || (Array.isArray(value) && value.every(isCode)),
    400,
  ),
);

/** Validates the argument of `bind`. */
export const BIND_SPEC = /* @__PURE__ */ defineOptions<BindSpec>()({
  params: SCHEMA,
  query: SCHEMA,
  headers: SCHEMA,
  cookies: SCHEMA,
  body: SCHEMA,
  response: SCHEMA,
  status: STATUS,
  responses: RESPONSES,
  errors: ERRORS,
  queryArrays: /* @__PURE__ */ list(string, 'a list of names'),
  bodyOptional: boolean,
});

/** Marks a specification that `bind` has checked; the same in every copy of this package. */
const CHECKED = /* @__PURE__ */ Symbol.for('sallyport.http.contract/1');

/** True if a value is the contract of a bound handler. */
export function isContract(value: unknown): value is Contract {
  return typeof value === 'object' && value !== null && CHECKED in value;
}

/**
 * A frozen copy of the specification.
 *
 * @throws FrameworkError `app.invalid_configuration` that names the problem
 */
export function parseContract<S extends BindSpec>(spec: S): Contract<S> {
  const { query, queryArrays } = BIND_SPEC.parse(spec ?? null);
  if (queryArrays && !isStandardSchema(query)) {
    throw invalidConfiguration(
      '"queryArrays" needs a Standard Schema in "query"; in a map of fields write array: true',
    );
  }
  const contract = { ...spec, ...(queryArrays && { queryArrays: Object.freeze(queryArrays) }) };
  return Object.freeze(Object.defineProperty(contract, CHECKED, { value: true }));
}
