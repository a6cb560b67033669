import type { Context, Handler, MaybePromise, StandardSchema } from '@sallyport/core';
import { type ContextState, internalError, isPromise, keepStated, stateOf } from '@sallyport/core/internal';
import { defineOptions, invalidOption, isStandardSchema, kind } from '@sallyport/core/options';
import { json } from '@sallyport/http';
import { assertFits } from '../internal/assert-fits.js';
import { argumentsOf } from '../internal/read-event.js';
import type { AppSyncBatchItem } from './event-types.js';

/**
 * Creates a handler from a function that returns a plain value or a promise; `undefined` is answered as `null`.
 *
 * @typeParam A the arguments of the field; they are not checked
 * @param resolve receives the context and the arguments of the field, `{}` if the event has no arguments
 * @example app.appSyncField('Query', 'note', resolver((ctx, { id }) => notes.get(id)));
 */
export function resolver<A extends Record<string, unknown> = Record<string, unknown>>(
  resolve: (ctx: Context, args: A) => MaybePromise<unknown>,
): Handler;
/**
 * Creates a handler whose arguments are validated before it runs, and whose result is validated before it is sent.
 *
 * @param schemas Standard Schema validators of the arguments and of the result
 * @throws FrameworkError `app.invalid_configuration` for an invalid schema; for a field `app.validation_failed` (arguments), `app.internal`
 *   (result; the log names the members)
 * @example app.appSyncField('Query', 'note', resolver({ args: NoteArgs, result: Note }, (ctx, { id }) => notes.get(id)), Authenticated());
 */
export function resolver<Args = Record<string, unknown>>(
  schemas: ResolverSchemas<Args>,
  resolve: (ctx: Context, args: Args) => MaybePromise<unknown>,
): Handler;
export function resolver(
  first: ResolverSchemas<unknown> | ((ctx: Context, args: never) => MaybePromise<unknown>),
  second?: (ctx: Context, args: never) => MaybePromise<unknown>,
): Handler {
  if (typeof first === 'function') return plainResolver(first);
  if (typeof second !== 'function') throw invalidOption('resolve', 'a function');
  const { args, result } = RESOLVER_SCHEMAS.parse(first);
  const checked = async (ctx: Context, given: unknown) => {
    const value = await second(
      ctx,
      (args ? await assertFits(args as StandardSchema, given, 'arguments') : given) as never,
    );
    return result ? assertFits(result, value, 'result') : value;
  };
  Object.defineProperty(checked, 'name', { value: second.name });
  return keepStated(plainResolver(checked), { args, result });
}

/** The schemas of a field; an unknown key is rejected. */
export interface ResolverSchemas<Args> {
  /** The arguments of the field. Default: not checked. */
  readonly args?: StandardSchema<unknown, Args> | StandardSchema<never, Args>;
  /** The result of the field. Default: not checked. */
  readonly result?: StandardSchema;
}

const SCHEMA = /* @__PURE__ */ kind<StandardSchema>('a Standard Schema (version 1)', isStandardSchema);

/** Validators for {@link ResolverSchemas}. */
const RESOLVER_SCHEMAS = /* @__PURE__ */ defineOptions<ResolverSchemas<unknown>>()({
  args: SCHEMA as never,
  result: SCHEMA,
});

function plainResolver(resolve: (ctx: Context, args: never) => MaybePromise<unknown>): Handler {
  const handler: Handler = (ctx) => {
    const value = resolve(ctx, argumentsOf(ctx) as never);
    return isPromise(value) ? value.then((settled) => json(200, settled)) : json(200, value);
  };
  return Object.defineProperty(handler, 'name', { value: resolve.name });
}

/**
 * Answers all elements of one field together. It returns as many results as there are items, in their order. A result that is an
 * `Error` fails only its element; a handler that throws fails all elements.
 */
export type AppSyncBatchHandler = (items: readonly AppSyncBatchItem<Context>[]) => MaybePromise<readonly unknown[]>;

interface Waiting {
  readonly item: AppSyncBatchItem<Context>;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * The elements of one batch field in one invocation. Each element runs through the pipeline alone and waits in the handler's
 * place. When the last element has arrived, or was answered on its way, the handler runs once.
 */
export class BatchGroup {
  readonly #handler: AppSyncBatchHandler;
  readonly #waiting: Waiting[] = [];
  #missing: number;

  constructor(handler: AppSyncBatchHandler, size: number) {
    this.#handler = handler;
    this.#missing = size;
  }

  /** An element has reached the handler; resolves to its result. */
  arrive(ctx: Context): Promise<unknown> {
    const transport = ctx.asAppSync();
    const item = { ctx, arguments: transport?.arguments ?? {}, source: transport?.source ?? {} };
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      this.#count();
    });
  }

  /** An element was answered before it reached the handler. */
  leave(): void {
    this.#count();
  }

  #count(): void {
    this.#missing -= 1;
    if (this.#missing === 0 && this.#waiting.length > 0) void this.#run();
  }

  async #run(): Promise<void> {
    try {
      const results = await this.#handler(this.#waiting.map(({ item }) => item));
      if (!Array.isArray(results) || results.length !== this.#waiting.length) {
        throw internalError(`a batch field must return a list of ${this.#waiting.length} results, one for each item`);
      }
      for (const [index, { resolve, reject }] of this.#waiting.entries()) {
        const result: unknown = results[index];
        if (result instanceof Error) reject(result);
        else resolve(result);
      }
    } catch (error) {
      for (const { reject } of this.#waiting) reject(error);
    }
  }
}

/** An element's place in its group. */
export class BatchSlot {
  readonly #group: BatchGroup;
  #arrived = false;

  constructor(group: BatchGroup) {
    this.#group = group;
  }

  arrive(ctx: Context): Promise<unknown> {
    this.#arrived = true;
    return this.#group.arrive(ctx);
  }

  /** Marks the element as answered; the group stops waiting for this element. */
  close(): void {
    if (!this.#arrived) this.#group.leave();
    this.#arrived = true;
  }
}

/** The places of elements by context. */
export type BatchSlots = WeakMap<ContextState, BatchSlot>;

/** The handler in the chain of a batch field. */
export function toBatchElementHandler(slots: BatchSlots, handler: AppSyncBatchHandler): Handler {
  const element: Handler = async (ctx) => {
    const slot = slots.get(stateOf(ctx));
    if (!slot) throw internalError('the handler of a batch field received another context');
    return json(200, await slot.arrive(ctx));
  };
  return Object.defineProperty(element, 'name', { value: handler.name });
}

/** Runs at most `limit` tasks concurrently; the results keep their order. */
export async function mapLimited<T, R>(
  items: readonly T[],
  limit: number,
  task: (item: T) => Promise<R>,
): Promise<R[]> {
  const results = new Array<R>(items.length);
  let next = 0;
  const worker = async () => {
    while (next < items.length) {
      const index = next++;
      results[index] = await task(items[index] as T);
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker));
  return results;
}
