import type { LambdaContext } from '@sallyport/core';
import { attempt, type Delivered, type Delivery, type EventContext, mask } from '@sallyport/streams/delivery';
import { withinLimit } from './answer.js';

/**
 * Runs the handler of one event and resolves to the answer, which is at most 6 MB.
 *
 * @param toAnswer checks the handler's result, and makes plain data of it
 * @param failed the answer after a failure; without it, the error is thrown
 * @throws the handler's error, masked if the container masks errors
 */
export async function respond(
  delivery: Delivery,
  item: Delivered,
  lambdaContext: LambdaContext | undefined,
  toAnswer: (result: unknown) => unknown,
  failed?: (thrown: unknown) => unknown,
): Promise<unknown> {
  const handler = async (ctx: EventContext, record: never) => withinLimit(toAnswer(await item.handler(ctx, record)));
  const outcome = await attempt(delivery, { ...item, handler }, lambdaContext);
  if ('value' in outcome) return outcome.value;
  if (failed) return failed(outcome.thrown);
  throw mask(delivery, outcome.thrown);
}
