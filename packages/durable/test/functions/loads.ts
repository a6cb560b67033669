import { createApp } from '@sallyport/dispatch/app';
import { durable, durableExecutions } from '@sallyport/durable';

/** Counts the loads of the SDK, and of the modules of executions: at the start, after an ordinary event, and after each of two executions. */
declare global {
  var countLoads: () => readonly [sdk: number, executions: number];
}

const FIRST = {
  Id: '0',
  Type: 'EXECUTION',
  Status: 'STARTED',
  StartTimestamp: 1,
  ExecutionDetails: { InputPayload: '{"source":"shop","detail-type":"a","detail":{}}' },
};
const client = {
  getExecutionState: () => Promise.reject(new Error('read')),
  checkpoint: () => Promise.reject(new Error('written')),
};
const app = createApp({ log: false, surfaces: [durableExecutions({ client })] });
app.eventBus(
  { source: 'shop' },
  durable(async (ctx) => (ctx.execution ? 'execution' : ctx.step('plain', () => 'ordinary'))),
);

async function main(): Promise<void> {
  const seen: unknown[] = [['start', countLoads()]];
  seen.push([await app.handleLambda({ source: 'shop', 'detail-type': 'a', detail: {} }, {}), countLoads()]);
  for (const name of ['one', 'two']) {
    const answer = app.handleLambda(
      {
        DurableExecutionArn: `arn:aws:lambda:eu-west-1:123456789012:function:orders:1/durable-execution/${name}/0`,
        CheckpointToken: 'token',
        InitialExecutionState: { Operations: [FIRST] },
      },
      {},
    );
    const outcome = await answer.then(
      (envelope) => (envelope as { Result?: string }).Result,
      (error: { code?: unknown }) => {
        process.stderr.write(String(error));
        return error.code;
      },
    );
    seen.push([outcome, countLoads()]);
  }
  process.stdout.write(JSON.stringify(seen));
}

main();
