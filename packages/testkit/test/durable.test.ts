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
  type StartExecution,
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
  const start = (more: Partial<StartExecution> = {}) =>
    engine.start({ functionArn: FUNCTION, payload: '{}', timeoutSeconds: 86_400, ...more }).arn;
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

// The SDK compares the ends of waits with the clock of the machine, and requests the end of a wait that is in its past.
describe.each([
  ['in the past', '2020-01-01T00:00:00Z'],
  ['in the future', '2090-01-01T00:00:00Z'],
])('with a clock %s', (_name, now) => {
  const fromNow = (date: Date | undefined) => Math.round(((date?.getTime() ?? 0) - Date.now()) / 60_000);

  test('the ends of waits and of delays are in the time of the machine, and starts in the time of the service', async () => {
    const clock = new ManualClock(Date.parse(now));
    const inPast: Operation[][] = [];
    const { engine, invocations, start } = setUp(
      async (_, { invocation }, save) => {
        if (invocation > 1) return DONE;
        const retry = { Action: 'RETRY', StepOptions: { NextAttemptDelaySeconds: 7_200 } } as const;
        inPast.push([...(await save(wait('w', 3_600), step('s', retry)))]);
        return PENDING;
      },
      { clock },
    );
    const arn = start();
    await engine.settle();
    await clock.advance(3_600_000);
    await engine.ended(arn);
    const [saved = []] = inPast;
    expect(saved.map(({ StartTimestamp }) => StartTimestamp)).toEqual([new Date(now), new Date(now)]);
    expect(fromNow(saved[0]?.WaitDetails?.ScheduledEndTimestamp)).toBe(60);
    expect(fromNow(saved[1]?.StepDetails?.NextAttemptTimestamp)).toBe(120);
    const [, , delayed] = invocations[1]?.event.InitialExecutionState.Operations ?? [];
    expect(fromNow(delayed?.StepDetails?.NextAttemptTimestamp)).toBe(60);
    expect(engine.operations(arn)[1]?.WaitDetails).toEqual({
      ScheduledEndTimestamp: new Date(Date.parse(now) + 3_600_000),
    });
  });
});

describe('an execution', () => {
  test('is invoked again when its wait ends', async () => {
    const { engine, clock, invocations, start } = setUp(async (_, { invocation }, save) => {
      if (invocation === 2) return DONE;
      await save(wait('w', 3_600));
      return PENDING;
    });
    const arn = start({ name: 'n-1' });
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
      timeoutSeconds: 86_400,
      payload: '{}',
      result: '1',
      invocations: 2,
    });
    expect(invocations[1]?.event.UpdatedOperationIds).toEqual(['w']);
    expect(clock.pendingTimers).toBe(0);
  });

  test('is invoked again immediately if something changed that its function did not see', async () => {
    const { engine, start } = setUp(async (engine, { invocation, event }, save) => {
      if (invocation === 2) return { answer: { Status: 'SUCCEEDED', Result: event.UpdatedOperationIds?.join() } };
      const [begun] = await save(callback('c'));
      engine.succeedCallback(begun?.CallbackDetails?.CallbackId ?? '', '1');
      return PENDING;
    });
    expect(await engine.ended(start())).toMatchObject({ result: 'c', invocations: 2 });
  });

  test('is invoked again after failed invocations, later each time, and its old tokens are void', async () => {
    const errors: string[] = [];
    const { engine, clock, invocations, start } = setUp(async (engine, { invocation, event, arn }) => {
      if (invocation < 4) throw new Error('killed');
      for (const { event: old } of [...invocations]) {
        const request = { DurableExecutionArn: arn, CheckpointToken: old.CheckpointToken };
        if (old !== event) await engine.checkpoint(request).catch((error: Error) => errors.push(error.message));
      }
      return DONE;
    });
    const arn = start();
    const times: number[] = [];
    for (let round = 0; round < 3; round += 1) {
      await engine.settle();
      const [{ until } = {}] = engine.pending();
      times.push((until?.getTime() ?? 0) - clock.now().getTime());
      await clock.advance(times.at(-1) ?? 0);
    }
    expect(times).toEqual([1_000, 2_000, 4_000]);
    expect(await engine.ended(arn)).toMatchObject({ status: 'SUCCEEDED', invocations: 4 });
    expect(errors).toEqual(['Invalid Checkpoint Token', 'Invalid Checkpoint Token', 'Invalid Checkpoint Token']);
  });

  test.each<[string, Outcome, object]>([
    ['a result', DONE, { status: 'SUCCEEDED', result: '1' }],
    [
      'an error',
      { answer: { Status: 'FAILED', Error: { ErrorType: 'E' } } },
      { status: 'FAILED', error: { ErrorType: 'E' } },
    ],
    [
      'PENDING without anything to wait for',
      PENDING,
      { status: 'FAILED', error: { ErrorMessage: 'Cannot return PENDING status with no pending operations.' } },
    ],
    [
      "an answer that is not the SDK's",
      { answer: 'ok' },
      { status: 'FAILED', error: { ErrorMessage: 'Invalid Status in invocation output.' } },
    ],
  ])('ends after %s', async (_, outcome, expected) => {
    const { engine, start } = setUp(async () => outcome);
    expect(await engine.ended(start())).toMatchObject(expected);
  });

  test('times out, and can be stopped', async () => {
    const { engine, clock, start } = setUp(async (_, __, save) => {
      await save(wait('w', 3_600));
      return PENDING;
    });
    const [late, stopped] = [start({ timeoutSeconds: 60 }), start()];
    await engine.settle();
    await clock.advance(60_000);
    const error = { ErrorMessage: 'by hand' };
    expect(engine.stop(stopped, error)).toEqual(new Date('2026-11-29T10:01:00.000Z'));
    expect(engine.list().map(({ arn, status }) => [arn, status])).toEqual([
      [late, 'TIMED_OUT'],
      [stopped, 'STOPPED'],
    ]);
    expect(engine.describe(stopped)).toMatchObject({ error });
    expect(engine.pending()).toEqual([]);
    expect(clock.pendingTimers).toBe(0);
  });

  test('exists once for each name of a function', async () => {
    const { engine } = setUp(async () => PENDING);
    const request = { functionArn: FUNCTION, name: 'n', payload: '1' };
    const { arn } = engine.start(request);
    expect(engine.start({ ...request, functionArn: `${FUNCTION}:live` })).toEqual({ arn, outcome: 'existing' });
    expect(engine.start({ ...request, functionArn: `${FUNCTION}2` })).toMatchObject({ outcome: 'started' });
    expect(() => engine.start({ ...request, payload: '2' })).toThrow(
      expect.objectContaining({ name: 'DurableExecutionAlreadyStartedException', status: 409 }),
    );
    engine.close();
  });

  test.each<[string, Partial<StartExecution>, string]>([
    ['a name with a blank', { name: 'a b' }, 'InvalidParameterValueException'],
    ['a name of 65 characters', { name: 'a'.repeat(65) }, 'InvalidParameterValueException'],
    ['a function that is not an ARN', { functionArn: 'orders' }, 'InvalidParameterValueException'],
    ['a time-out above 366 days', { timeoutSeconds: 31_622_401 }, 'InvalidParameterValueException'],
    ['an asynchronous event above 1 MB', { payload: 'x'.repeat(1024 * 1024 + 1) }, 'RequestTooLargeException'],
    ['a synchronous event above 6 MB', { payload: 'x'.repeat(6291457), synchronous: true }, 'RequestTooLargeException'],
  ])('is not started for %s', (_, request, name) => {
    const { start } = setUp(async () => DONE);
    expect(() => start(request)).toThrow(expect.objectContaining({ name }));
  });
});

describe('callbacks', () => {
  /** An execution that waits for one callback. */
  async function waitFor(options: OperationUpdate['CallbackOptions']) {
    let id = '';
    const parts = setUp(async (_, { invocation, event }, save) => {
      if (invocation > 1) return { answer: { Status: 'SUCCEEDED', Result: JSON.stringify(event.UpdatedOperationIds) } };
      const [begun] = await save(callback('c', options));
      id = begun?.CallbackDetails?.CallbackId ?? '';
      return PENDING;
    });
    const arn = parts.start();
    await parts.engine.settle();
    const end = () => parts.engine.operations(arn).at(-1);
    return { ...parts, arn, id, end };
  }

  test('time out, and a heartbeat defers only its own time-out', async () => {
    const { engine, clock, id, end } = await waitFor({ TimeoutSeconds: 25, HeartbeatTimeoutSeconds: 10 });
    await clock.advance(9_000);
    engine.heartbeat(id);
    await clock.advance(9_000);
    engine.heartbeat(id);
    expect(end()).toMatchObject({ Status: 'STARTED' });
    await clock.advance(7_000);
    expect(end()).toMatchObject({
      Status: 'TIMED_OUT',
      CallbackDetails: { Error: { ErrorMessage: 'Callback timed out' } },
    });
  });

  test('time out without a heartbeat', async () => {
    const { clock, end } = await waitFor({ TimeoutSeconds: 0, HeartbeatTimeoutSeconds: 10 });
    await clock.advance(10_000);
    expect(end()).toMatchObject({ CallbackDetails: { Error: { ErrorMessage: 'Callback timed out on heartbeat' } } });
  });

  test('without a time-out wait, but can be skipped', async () => {
    const { engine, clock, end } = await waitFor({});
    await clock.advance(80_000_000);
    engine.skip();
    expect(end()).toMatchObject({ Status: 'STARTED' });
    engine.skip(({ kind }) => kind === 'callback');
    expect(end()).toMatchObject({ Status: 'TIMED_OUT' });
  });

  test.each<[string, (engine: DurableEngine, id: string) => void, string]>([
    ['text that is not an id', (engine) => engine.succeedCallback('nonsense'), 'InvalidParameterValueException'],
    ['an id of nothing', (engine) => engine.heartbeat(idOf('arn:none', 'c')), 'ResourceNotFoundException'],
    [
      'an id with another secret',
      (engine, id) => {
        const { arn, operationId } = JSON.parse(Buffer.from(id, 'base64url').toString());
        engine.succeedCallback(idOf(arn, operationId), '1');
      },
      'ResourceNotFoundException',
    ],
    [
      'a second answer',
      (engine, id) => {
        engine.succeedCallback(id, '1');
        engine.failCallback(id);
      },
      'CallbackTimeoutException',
    ],
    [
      'an answer after the end',
      (engine, id) => {
        engine.stop(engine.list()[0]?.arn ?? '');
        engine.succeedCallback(id, '1');
      },
      'CallbackTimeoutException',
    ],
    [
      'a value of 256 KiB and a byte',
      (engine, id) => engine.succeedCallback(id, 'x'.repeat(262_145)),
      'InvalidParameterValueException',
    ],
    [
      'an error of 256 KiB',
      (engine, id) => engine.failCallback(id, { ErrorMessage: 'x'.repeat(262_144) }),
      'InvalidParameterValueException',
    ],
  ])('reject %s', async (_, run, name) => {
    const { engine, id } = await waitFor({});
    expect(() => run(engine, id)).toThrow(expect.objectContaining({ name }));
  });
});

function idOf(arn: string, operationId: string): string {
  return Buffer.from(JSON.stringify({ arn, operationId, secret: 'guess' })).toString('base64url');
}

describe('limits', () => {
  const many = (count: number, from = 0) => Array.from({ length: count }, (_, at) => step(`s${from + at}`));
  const bytes = (length: number) => 'x'.repeat(length);

  test.each<[string, (save: Save) => unknown]>([
    ['3,001 operations', (save) => save(...many(3_000))],
    ['a result of 1 MiB and a byte', (save) => save(step('s', { Payload: bytes(1_048_577) }))],
    ['an error above 1 MiB', (save) => save(step('s', { Action: 'FAIL', Error: { ErrorMessage: bytes(1_048_577) } }))],
    [
      'more than 100 MiB in all',
      async (save) => {
        for (let at = 0; at <= 100; at += 1) await save(step(`s${at}`, { Payload: bytes(1_048_576) }));
      },
    ],
    ['a wait of no second', (save) => save(wait('w', 0))],
    ['a wait of 367 days', (save) => save(wait('w', 31_622_401))],
    ['an invocation without a function', (save) => save({ Id: 'i', Type: 'CHAINED_INVOKE', Action: 'START' })],
  ])('reject %s', async (_, run) => {
    expect(await rejectionOf(run)).toMatchObject({
      name: 'InvalidParameterValueException',
      $metadata: { httpStatusCode: 400 },
    });
  });

  test('allow 3,000 operations, in pages', async () => {
    const pages: number[] = [];
    const { engine, start } = setUp(
      async (engine, { invocation, event, arn }, save) => {
        if (invocation === 1) {
          for (let at = 0; at < 2_998; at += 200) await save(...many(Math.min(200, 2_998 - at), at));
          await save(wait('w', 1));
          return PENDING;
        }
        let page = event.InitialExecutionState;
        pages.push(page.Operations.length);
        while (page.NextMarker !== undefined) {
          const request = { DurableExecutionArn: arn, CheckpointToken: event.CheckpointToken, Marker: page.NextMarker };
          const next = await engine.getExecutionState({ ...request, MaxItems: 900 });
          page = next;
          pages.push(next.Operations.length);
        }
        return DONE;
      },
      { pageSize: 1_000 },
    );
    const arn = start();
    await engine.settle();
    engine.skip();
    expect(await engine.ended(arn)).toMatchObject({ status: 'SUCCEEDED' });
    expect(pages).toEqual([1_000, 900, 900, 200]);
  });
});

test('a client that repeats a checkpoint receives the first answer', async () => {
  const { engine, start } = setUp(async (engine, { arn, event: { CheckpointToken } }) => {
    const request = { DurableExecutionArn: arn, CheckpointToken, ClientToken: 'once', Updates: [step('s')] };
    const first = await engine.checkpoint(request);
    expect(await engine.checkpoint(request)).toEqual(first);
    return DONE;
  });
  const arn = start();
  await engine.ended(arn);
  expect(engine.operations(arn)).toHaveLength(2);
});

test.each<[string, Outcome | Error, object]>([
  ['its answer', { answer: '"ok"' }, { Status: 'SUCCEEDED', ChainedInvokeDetails: { Result: '"ok"' } }],
  [
    'its error',
    new TypeError('no'),
    { Status: 'FAILED', ChainedInvokeDetails: { Error: { ErrorType: 'TypeError', ErrorMessage: 'no' } } },
  ],
])('an execution that invokes another function receives %s', async (_, outcome, expected) => {
  const engine: DurableEngine = createDurableEngine({
    clock: new ManualClock(START),
    chain: async ({ functionName, payload }) => {
      expect([functionName, payload]).toEqual(['other', '{"a":1}']);
      if (outcome instanceof Error) throw outcome;
      return outcome;
    },
    invoke: async ({ arn, invocation, event: { CheckpointToken } }) => {
      if (invocation === 2) return DONE;
      const Updates: OperationUpdate[] = [
        {
          Id: 'i',
          Type: 'CHAINED_INVOKE',
          Action: 'START',
          Payload: '{"a":1}',
          ChainedInvokeOptions: { FunctionName: 'other' },
        },
      ];
      await engine.checkpoint({ DurableExecutionArn: arn, CheckpointToken, Updates });
      return PENDING;
    },
  });
  const { arn } = engine.start({ functionArn: FUNCTION, payload: '{}' });
  await engine.ended(arn);
  expect(engine.operations(arn).at(-1)).toMatchObject(expected);
});

describe('a folder of journals', () => {
  const folder = mkdtempSync(join(tmpdir(), 'durable-store-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test('continues after a restart, without the line that was being written', async () => {
    const clock = new ManualClock(START);
    const first = setUp(
      async (_, __, save) => {
        await save(step('s', { Payload: '7' }), wait('w', 3_600), callback('c', { TimeoutSeconds: 7_200 }));
        return PENDING;
      },
      { store: createFileStore(folder), clock },
    );
    const arn = first.start();
    await first.engine.settle();
    first.engine.close();
    const [file = ''] = readdirSync(folder);
    appendFileSync(join(folder, file), '{"record":{"status":"SUCC');

    const { engine, invocations } = setUp(async () => DONE, { store: createFileStore(folder), clock });
    expect(readFileSync(join(folder, file), 'utf8').endsWith('}\n')).toBe(true);
    engine.resume();
    await engine.settle();
    expect(invocations).toEqual([]);
    expect(engine.pending().map(({ kind, until }) => [kind, until])).toEqual([
      ['wait', new Date('2026-11-29T11:00:00.000Z')],
      ['callback', new Date('2026-11-29T12:00:00.000Z')],
    ]);
    await clock.advance(3_600_000);
    expect(await engine.ended(arn)).toMatchObject({ status: 'SUCCEEDED', invocations: 2 });
    expect(engine.operations(arn).slice(1, 3)).toEqual([
      {
        Id: 's',
        Type: 'STEP',
        Status: 'SUCCEEDED',
        StartTimestamp: new Date(START),
        EndTimestamp: new Date(START),
        StepDetails: { Attempt: 1, Result: '7' },
      },
      {
        Id: 'w',
        Type: 'WAIT',
        Status: 'SUCCEEDED',
        StartTimestamp: new Date(START),
        EndTimestamp: new Date(START + 3_600_000),
        WaitDetails: { ScheduledEndTimestamp: new Date(START + 3_600_000) },
      },
    ]);
  });

  test('rejects a journal with a damaged line in the middle', () => {
    const damaged = mkdtempSync(join(folder, 'damaged-'));
    appendFileSync(join(damaged, 'x.jsonl'), '{}\nnot JSON\n{}\n');
    expect(() => createFileStore(damaged).load()).toThrow('line 2 of the journal');
  });

  test('removes the journal of an execution', () => {
    const store = createMemoryStore();
    store.append('a', {});
    store.remove('a');
    expect(store.load()).toEqual([]);
  });
});
