import type { Context, Result } from '@sallyport/core';
import { invalidOption } from '@sallyport/core/options';
import { isPromise } from '../routing/registration.js';
import {
  type BindSpec,
  type BoundFunction,
  type BoundHandler,
  type BoundInput,
  type Contract,
  parseContract,
  SOURCES,
} from './contract.js';
import { createAnswer, isResponse } from './internal/answer.js';
import type { Values } from './internal/convert.js';
import { createBinder, readBody } from './internal/input.js';
import { IssueList } from './schema.js';

/**
 * A handler whose input is converted and validated before it runs, and whose values are sent as JSON. Sources are
 * validated in the order params, query, headers, cookies, body, and all errors are reported together.
 *
 * @throws FrameworkError `app.invalid_configuration` for an unknown option, an invalid schema, or a rule that does not fit
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

/** Reads all sources, then validates all: an unreadable source gives 400 before any 422. */
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
