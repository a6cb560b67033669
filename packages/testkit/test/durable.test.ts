import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ManualClock, ManualIdGenerator } from '@sallyport/core/testing';
import {
  createDurableEngine,
  createFileStore,
  createMemoryStore,
  type DurableEngine,
  type DurableInvocation,
  type DurableStore,
  type Operation,
  type OperationUpdate,
  type Outcome,
} from '@sallyport/testkit/durable';

const FUNCTION = 'arn:aws:lambda:eu-west-1:123456789012:function:orders';
const START = Date.parse('2026-11-29T10:00:00Z');
const PENDING: Outcome = { answer: { Status: 'PENDING' } };
const DONE: Outcome = { answer: { Status: 'SUCCEEDED', Result: '1' } };

const step = (Id: string, more: Partial<OperationUpdate> = {}): OperationUpdate => ({
  Id,
  Type: 'STEP',
  Action: 'SUCCEED',
  ...more,
});
const wait = (Id: string, WaitSeconds: number): OperationUpdate => ({
  Id,
  Type: 'WAIT',
  Action: 'START',
  WaitOptions: { WaitSeconds },
});
const callback = (Id: string, CallbackOptions: OperationUpdate['CallbackOptions'] = {}): OperationUpdate => ({
  Id,
  Type: 'CALLBACK',
  Action: 'START',
  CallbackOptions,
});

type Script = (engine: DurableEngine, invocation: DurableInvocation, save: Save) => Promise<Outcome>;
type Save = (...updates: OperationUpdate[]) => Promise<readonly Operation[]>;

/** An engine whose function is a script, and the invocations that it received. */
function setUp(script: Script, options: { store?: DurableStore; pageSize?: number; clock?: ManualClock } = {}) {
  const { clock = new ManualClock(START), ...rest } = options;
  const invocations: DurableInvocation[] = [];
  const engine: DurableEngine = createDurableEngine({
    clock,
    ids: new ManualIdGenerator('id'),
    invoke: async (invocation) => {
      invocations.push(invocation);
      let token = invocation.event.CheckpointToken;
      const save: Save = async (...Updates) => {
        const request = { DurableExecutionArn: invocation.arn, CheckpointToken: token, Updates };
        const { CheckpointToken, NewExecutionState } = await engine.checkpoint(request);
        token = CheckpointToken;
        return NewExecutionState.Operations;
      };
      return script(engine, invocation, save);
    },
    ...rest,
  });
  const start = (name?: string, payload = '{}') =>
    engine.start({ functionArn: FUNCTION, payload, ...(name !== undefined && { name }) }).arn;
  return { engine, clock, invocations, start };
}

/** Runs a checkpoint in the first invocation, and returns what it was rejected with. */
async function rejectionOf(run: (save: Save, engine: DurableEngine) => unknown): Promise<unknown> {
  let error: unknown;
  const { engine, start } = setUp(async (_, __, save) => {
    try {
      await run(save, engine);
    } catch (thrown) {
      error = thrown;
    }
    return DONE;
  });
  await engine.ended(start());
  return error;
}

describe('an execution', () => {
  test('is invoked again when its wait ends', async () => {
    const { engine, clock, invocations, start } = setUp(async (_, { invocation }, save) => {
      if (invocation === 2) return DONE;
      await save(wait('w', 3_600));
      return PENDING;
    });
    const arn = start('n-1');
    expect(arn).toBe(`${FUNCTION}:$LATEST/durable-execution/n-1/id-1`);
    await engine.settle();
    expect(engine.pending()).toEqual([
      { arn, kind: 'wait', operationId: 'w', until: new Date('2026-11-29T11:00:00.000Z') },
    ]);
    await clock.advance(3_599_999);
    expect(invocations).toHaveLength(1);
    await clock.advance(1);
    expect(await engine.ended(arn)).toEqual({
      arn,
      name: 'n-1',
      functionArn: FUNCTION,
      version: '$LATEST',
      status: 'SUCCEEDED',
      startedAt: new Date('2026-11-29T10:00:00.000Z'),
      endedAt: new Date('2026-11-29T11:00:00.000Z'),
      timeoutSeconds: 900,
      payload: '{}',
      result: '1',
      invocations: 2,
    });
    expect(invocations[1]?.event.UpdatedOperationIds).toEqual(['w']);
    expect(clock.pendingTimers).toBe(0);
  });
});
