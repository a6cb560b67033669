import type { Context, Response, Result, WebResponse } from '@sallyport/core';
import { createMap, internalError, isOutgoingResponse, isPromise, isWebResponse } from '@sallyport/core/internal';
import { invalidOption, isStandardSchema } from '@sallyport/core/options';
import { json, noContent } from '../responses/responses.js';
import {
  type BindSpec,
  type BoundFunction,
  type BoundHandler,
  type BoundInput,
  type Contract,
  parseContract,
  type Schema,
  SOURCES,
} from './contract.js';
import { type Field, parseFields } from './fields.js';
import type { Values } from './internal/convert.js';
import { checkFields, createBinder, IssueList, readBody, runSchema } from './internal/input.js';

/**
 * Creates a handler whose input is converted and validated before it runs, and whose result is sent as JSON. A value that cannot be
 * converted gets 400, a value that breaks a rule 422. Sources are validated in the order params, query, headers, cookies, body, and all
 * errors are reported together.
 *
 * @throws FrameworkError `app.invalid_configuration` for an unknown option, an invalid schema, or a rule that does not match
 * its field
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
  const bound = async (ctx: Context): Promise<Awaited<Result>> => {
    // These values come from the contract's schemas, which determine the type.
    const input = (await readInput(ctx)) as unknown as BoundInput<S>;
    const result: unknown = await handler(ctx, input);
    return isResponse(result) ? result : toAnswer(ctx, result);
  };
  Object.defineProperty(bound, 'name', { value: handler.name });
  return Object.assign(bound, { contract });
}

/** Reads all sources, then validates all: an unreadable source is answered with 400 before any 422. */
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
    const input: Values = {
      params: undefined,
      query: undefined,
      headers: undefined,
      cookies: undefined,
      body: undefined,
    };
    for (const [index, binder] of binders.entries()) {
      const value = binder.validate(raw[index], issues);
      input[binder.source] = isPromise(value) ? await value : value;
    }
    if (issues.found) throw issues.toError();
    return input;
  };
}

/**
 * True if the handler returned a complete response. Any other value, even with some members of a response, is sent as JSON.
 */
function isResponse(result: unknown): result is Response | WebResponse {
  if (isOutgoingResponse(result) || isWebResponse(result)) return true;
  if (typeof result !== 'object' || result === null) return false;
  const { status, headers, cookies, isBase64 } = result as Partial<Response>;
  const shaped = typeof headers === 'object' && headers !== null && Array.isArray(cookies);
  return typeof status === 'number' && shaped && typeof isBase64 === 'boolean';
}

/**
 * Converts a value into a response. A value that the response schema rejects is a server error: the client receives `internal error`,
 * and the log contains the reason.
 */
function createAnswer({ response, status = 200 }: Contract): (ctx: Context, value: unknown) => Result {
  const send = (value: unknown) => (status === 204 ? noContent() : json(status, value));
  if (response === undefined) return (_, value) => send(value);
  const validate = responseValidator(response);
  return async (_, value) => {
    const issues = new IssueList();
    const checked = await validate(value, issues);
    if (!issues.found) return send(checked);
    throw internalError(`the answer does not fit its schema: ${issues.toText()}`);
  };
}

function responseValidator(schema: Schema): (value: unknown, issues: IssueList) => unknown {
  if (isStandardSchema(schema)) return (value, issues) => runSchema('response', schema, value, issues);
  const fields = parseFields('response', schema);
  return (value, issues) => {
    const values = readValues(fields, value, issues);
    if (!issues.found) checkFields('response', fields, values, issues);
    return issues.found ? undefined : toWire(fields, values);
  };
}

/** The declared fields of the returned value; other members are not sent. */
function readValues(fields: readonly Field[], value: unknown, issues: IssueList): Values {
  const values: Values = createMap();
  const object = typeof value === 'object' && value !== null ? (value as Values) : undefined;
  if (!object) issues.add({ source: 'response', field: '', rule: 'type', message: 'response must be an object' });
  for (const field of fields) {
    const found = object && memberOf(object, field.field);
    if (found === undefined || found === null) continue;
    values[field.field] = found;
    const entries: readonly unknown[] = field.array && Array.isArray(found) ? found : [found];
    const typed = field.array === Array.isArray(found) && entries.every((entry) => hasType(field, entry));
    if (!typed) {
      const message = `${field.name} must be ${field.array ? 'a list of ' : ''}${field.type}`;
      issues.add({ source: 'response', field: field.name, rule: 'type', message });
    }
  }
  return values;
}

/** Reads a member, also a getter of a class instance. Members that every object inherits are `undefined`. */
function memberOf(object: Values, name: string): unknown {
  return Object.hasOwn(object, name) || !(name in Object.prototype) ? object[name] : undefined;
}

function hasType({ type }: Field, value: unknown): boolean {
  switch (type) {
    case 'string':
      return typeof value === 'string';
    case 'bool':
      return typeof value === 'boolean';
    case 'int':
      return Number.isSafeInteger(value);
    default:
      return Number.isFinite(value);
  }
}

/** Values under their wire names; durations in ISO 8601. */
function toWire(fields: readonly Field[], values: Values): Values {
  return Object.fromEntries(
    fields.flatMap((field) => {
      const value = values[field.field];
      if (value === undefined) return [];
      const write = (entry: unknown) => (field.type === 'duration' ? isoDuration(Number(entry)) : entry);
      return [[field.name, Array.isArray(value) ? value.map(write) : write(value)]];
    }),
  );
}

function isoDuration(ms: number): string {
  const seconds = (Math.abs(ms) / 1000).toFixed(9).replace(/\.?0+$/, '');
  return `${ms < 0 ? '-' : ''}PT${seconds}S`;
}
