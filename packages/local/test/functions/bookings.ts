import {
  CheckpointDurableExecutionCommand,
  GetDurableExecutionStateCommand,
  LambdaClient,
} from '@aws-sdk/client-lambda';
import { compensate, durable, durableExecutions } from '@sallyport/durable';
import { ends } from '@sallyport/durable/ends';
import { SecureApp } from '@sallyport/secure';
import type { DurableEnvelope } from '@sallyport/testkit/durable';
import { z } from 'zod';

const app = new SecureApp({
  principalResolver: () => ({ identity: 'ada', scopes: [] }),
  surfaces: [durableExecutions()],
});

/** Reserves a seat, and waits for the payment. A cancellation releases the seat. */
app.topic(
  'bookings',
  durable(
    async (ctx) => {
      const seat = await ctx.step('reserve', () => 'seat-7');
      compensate(ctx, 'reserve', () => void seat);
      const { paid } = await ctx.callback('payment', z.object({ paid: z.boolean() }), {
        submit: () => {},
        timeoutSeconds: 3600,
      });
      await ctx.step('ticket', () => ({ seat, paid }));
    },
    { delivery: 'inline', use: [ends({ cancellable: true })] },
  ),
);

/** Stores a step and reads it back with AWS's client: the operations that only a function has a token for. */
async function storeStep({ DurableExecutionArn, CheckpointToken }: DurableEnvelope) {
  const client = new LambdaClient({});
  const step = { Id: 'a', Name: 'reserve', Type: 'STEP', Action: 'SUCCEED', Payload: '"seat-7"' } as const;
  const stored = await client.send(
    new CheckpointDurableExecutionCommand({ DurableExecutionArn, CheckpointToken, Updates: [step] }),
  );
  const names: string[] = [];
  let Marker: string | undefined;
  do {
    const page = { DurableExecutionArn, CheckpointToken: stored.CheckpointToken, MaxItems: 1, Marker };
    const { Operations = [], NextMarker } = await client.send(new GetDurableExecutionStateCommand(page));
    names.push(Operations.map(({ Type, Name = '', Status }) => `${Type} ${Name} ${Status}`).join());
    Marker = NextMarker;
  } while (Marker !== undefined);
  const states = stored.NewExecutionState?.Operations?.map(({ Status }) => Status);
  return { Status: 'SUCCEEDED', Result: JSON.stringify({ names, states }) };
}

export const handler: typeof app.handleLambda = async (event, context) => {
  const [first] = (event as DurableEnvelope).InitialExecutionState.Operations;
  const isPlain = first?.ExecutionDetails?.InputPayload === '{"plain":true}';
  return isPlain ? storeStep(event as DurableEnvelope) : app.handleLambda(event, context);
};
