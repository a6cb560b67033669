import { type DurableExecutionClient, withDurableExecution } from '@aws/durable-execution-sdk-js';
import { runSteps } from '../durable.js';
import type { Invoke } from '../invoke.js';

/** The SDK of AWS alone. */
export function createDurable(client: DurableExecutionClient, count: number): Invoke {
  const handler = withDurableExecution((_event: unknown, ctx) => runSteps(ctx, count), {
    durableExecutionClient: client,
  });
  return (event, context) => handler(event, context as never);
}
