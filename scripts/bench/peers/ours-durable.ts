import type { DurableExecutionClient } from '@aws/durable-execution-sdk-js';
import { createApp } from '@sallyport/dispatch/app';
import { durable, durableExecutions } from '@sallyport/durable';
import type { Tier } from '@sallyport/http';
import { runSteps } from '../durable.js';
import type { Invoke } from '../invoke.js';
import { log } from './ours-http.js';

export function createDurable(tier: Tier, client: DurableExecutionClient, count: number): Invoke {
  const app = createApp({ tier, log, surfaces: [durableExecutions({ client })] });
  app.eventBus(
    { source: 'bench' },
    durable((ctx) => runSteps(ctx, count)),
  );
  return app.handleLambda;
}
