import { randomUUID } from 'node:crypto';
import { defineOptions, func, integer, withMethods } from '@sallyport/core/options';
import { LocalEngine } from './internal/local-engine.js';
import { createMemoryStore, type DurableStore } from './store.js';
import type { DurableEngine, DurableEngineOptions } from './types.js';

/** Validators and defaults for {@link DurableEngineOptions}. */
export const DURABLE_ENGINE_OPTIONS = defineOptions<DurableEngineOptions>()({
  clock: withMethods<DurableEngineOptions['clock']>('after', 'monotonicMs', 'now').required(),
  invoke: func<DurableEngineOptions['invoke']>().required(),
  store: withMethods<DurableStore>('append', 'load', 'remove'),
  ids: withMethods<NonNullable<DurableEngineOptions['ids']>>('newId').default({ newId: () => randomUUID() }),
  pageSize: integer(1).default(1_000),
  chain: func<NonNullable<DurableEngineOptions['chain']>>(),
  onChange: func<NonNullable<DurableEngineOptions['onChange']>>(),
});

/**
 * Creates a local service for durable executions. It keeps the operations of each execution, invokes the function when a wait ends or a
 * callback is completed, and invokes it again after a failed invocation, as Lambda does.
 *
 * Its methods `checkpoint` and `getExecutionState` are the transport of `@aws/durable-execution-sdk-js`: pass the engine as the option
 * `durableExecutionClient`. With a manual clock, a wait lasts until the test advances the clock. After a restart, `resume` continues
 * the executions of the store.
 *
 * @throws FrameworkError `app.invalid_configuration` for an unknown option or a wrong type
 * @see https://docs.aws.amazon.com/lambda/latest/dg/durable-functions.html
 * @example
 * const engine = createDurableEngine({ clock, invoke: async ({ event }) => ({ answer: await handler(event, context) }) });
 * const { arn } = engine.start({ functionArn, payload: JSON.stringify({ orderId: 7 }) });
 * const { status, result } = await engine.ended(arn);
 */
export function createDurableEngine(options: DurableEngineOptions): DurableEngine {
  const { store = createMemoryStore(), ...parts } = DURABLE_ENGINE_OPTIONS.parse(options);
  return new LocalEngine(store, parts);
}
