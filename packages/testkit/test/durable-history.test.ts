import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ManualClock, ManualIdGenerator } from '@sallyport/core/testing';
import {
  createDurableEngine,
  createFileStore,
  type DurableEngine,
  type DurableInvocation,
  type DurableOutcome,
  type DurableStore,
  type HistoryEvent,
  type OperationUpdate,
} from '@sallyport/testkit/durable';

const FUNCTION = 'arn:aws:lambda:eu-west-1:123456789012:function:orders';
const START = Date.parse('2026-11-29T10:00:00Z');

type Save = (...updates: OperationUpdate[]) => Promise<unknown>;

/** Runs a function that is a list of invocations, one second each. Waits end when nothing runs. */
async function ran(script: readonly ((save: Save) => Promise<DurableOutcome>)[], store?: DurableStore) {
  const clock = new ManualClock(START);
  const engine: DurableEngine = createDurableEngine({
    clock,
    ids: new ManualIdGenerator('id'),
    ...(store && { store }),
    chain: async () => ({ answer: '"chained"' }),
    invoke: async ({ arn, invocation, event }: DurableInvocation) => {
      let token = event.CheckpointToken;
      const outcome = script[invocation - 1]?.(async (...Updates) => {
        token = (await engine.checkpoint({ DurableExecutionArn: arn, CheckpointToken: token, Updates }))
          .CheckpointToken;
      });
      return (await outcome) ?? { answer: { Status: 'SUCCEEDED', Result: '"done"' } };
    },
  });
  const { arn } = engine.start({ functionArn: FUNCTION, name: 'n-1', payload: '{"order":7}', timeoutSeconds: 86_400 });
  for (let round = 0; round < 10 && engine.describe(arn).status === 'RUNNING'; round += 1) {
    await engine.settle();
    await clock.advance(60_000);
  }
  const { Events } = await engine.getExecutionHistory({ DurableExecutionArn: arn });
  return { engine, arn, events: Events };
}

/** The type, name and seconds since the start of an event, with its details. */
const shown = (event: HistoryEvent) => {
  const { EventType, EventTimestamp, Name = '' } = event;
  return [EventType, Name, (EventTimestamp.getTime() - START) / 1_000, event[`${EventType}Details`]];
};

const PENDING: DurableOutcome = { answer: { Status: 'PENDING' }, requestId: 'r-1' };
const start = (Id: string, Type: OperationUpdate['Type'], more: Partial<OperationUpdate> = {}): OperationUpdate => ({
  Id,
  Name: Id,
  Type,
  Action: 'START',
  ...more,
});
const end = (
  Id: string,
  Type: OperationUpdate['Type'],
  Action: 'SUCCEED' | 'FAIL' | 'RETRY',
  more: Partial<OperationUpdate>,
): OperationUpdate => ({ Id, Name: Id, Type, Action, ...more });

const at = (seconds: number) => new Date(START + seconds * 1_000);
const invoked = (seconds: number, more: object) => [
  'InvocationCompleted',
  '',
  seconds,
  { StartTimestamp: at(seconds), EndTimestamp: at(seconds), ...more },
];

test('the history has an event for each start, attempt, end and invocation, with the details of its kind', async () => {
  const { events } = await ran([
    async (save) => {
      await save(start('lane', 'CONTEXT'), start('pay', 'STEP', { ParentId: 'lane' }));
      await save(
        end('pay', 'STEP', 'RETRY', {
          ParentId: 'lane',
          Error: { ErrorType: 'Busy', ErrorMessage: 'later' },
          StepOptions: { NextAttemptDelaySeconds: 60 },
        }),
        start('pause', 'WAIT', { WaitOptions: { WaitSeconds: 60 } }),
        start('stock', 'CALLBACK', { CallbackOptions: { TimeoutSeconds: 60, HeartbeatTimeoutSeconds: 90 } }),
      );
      return PENDING;
    },
    async (save) => {
      await save(start('pay', 'STEP', { ParentId: 'lane' }), start('mail', 'STEP'));
      await save(
        end('pay', 'STEP', 'SUCCEED', { ParentId: 'lane', Payload: '"paid"' }),
        end('mail', 'STEP', 'FAIL', { Error: { ErrorType: 'Bounced' } }),
        end('lane', 'CONTEXT', 'SUCCEED', { Payload: '"all"' }),
      );
      throw new Error('killed');
    },
  ]);
  expect(events.map(({ EventId }) => EventId)).toEqual(events.map((_, n) => n + 1));
  expect(events.map(shown)).toEqual([
    ['ExecutionStarted', 'n-1', 0, { Input: { Payload: '{"order":7}' }, ExecutionTimeout: 86_400 }],
    ['ContextStarted', 'lane', 0, {}],
    ['StepStarted', 'pay', 0, {}],
    [
      'StepFailed',
      'pay',
      0,
      {
        Error: { Payload: { ErrorType: 'Busy', ErrorMessage: 'later' } },
        RetryDetails: { CurrentAttempt: 1, NextAttemptDelaySeconds: 60 },
      },
    ],
    ['WaitStarted', 'pause', 0, { Duration: 60, ScheduledEndTimestamp: at(60) }],
    ['CallbackStarted', 'stock', 0, { CallbackId: expect.any(String), Timeout: 60, HeartbeatTimeout: 90 }],
    invoked(0, { RequestId: 'r-1' }),
    ['WaitSucceeded', 'pause', 60, { Duration: 60 }],
    ['CallbackTimedOut', 'stock', 60, { Error: { Payload: { ErrorMessage: 'Callback timed out' } } }],
    ['StepStarted', 'pay', 60, {}],
    ['StepStarted', 'mail', 60, {}],
    ['StepSucceeded', 'pay', 60, { Result: { Payload: '"paid"' }, RetryDetails: { CurrentAttempt: 2 } }],
    ['StepFailed', 'mail', 60, { Error: { Payload: { ErrorType: 'Bounced' } }, RetryDetails: { CurrentAttempt: 1 } }],
    ['ContextSucceeded', 'lane', 60, { Result: { Payload: '"all"' } }],
    invoked(60, {
      RequestId: 'invocation-2',
      Error: { Payload: { ErrorType: 'Error', ErrorMessage: 'killed' } },
    }),
    invoked(61, { RequestId: 'invocation-3' }),
    ['ExecutionSucceeded', 'n-1', 61, { Result: { Payload: '"done"' } }],
  ]);
});

test('an invocation of another function has its name, input and result, and a wait can be cancelled', async () => {
  const price = { ChainedInvokeOptions: { FunctionName: 'prices' }, Payload: '1' };
  const { events } = await ran([
    async (save) => {
      await save(start('price', 'CHAINED_INVOKE', price), start('late', 'WAIT', { WaitOptions: { WaitSeconds: 9 } }));
      await save({ Id: 'late', Name: 'late', Type: 'WAIT', Action: 'CANCEL' });
      return PENDING;
    },
  ]);
  expect(events.filter(({ Id }) => Id === 'price' || Id === 'late').map(shown)).toEqual([
    ['ChainedInvokeStarted', 'price', 0, { FunctionName: 'prices', Input: { Payload: '1' } }],
    ['WaitStarted', 'late', 0, { Duration: 9, ScheduledEndTimestamp: at(9) }],
    ['ChainedInvokeSucceeded', 'price', 0, { Result: { Payload: '"chained"' } }],
    ['WaitCancelled', 'late', 0, {}],
  ]);
});

const steps = (count: number) =>
  ran([
    async (save) => {
      const ids = Array.from({ length: count }, (_, n) => `s${n}`);
      await save(...ids.map((id) => start(id, 'STEP')));
      return { answer: { Status: 'FAILED', Error: { ErrorType: 'Gone', ErrorMessage: 'secret' } } };
    },
  ]);

test.each([
  { title: 'has 100 events by default', request: {}, ids: [1, 100], next: '100' },
  { title: 'has 100 events for MaxItems 0', request: { MaxItems: 0 }, ids: [1, 100], next: '100' },
  { title: 'continues at its marker', request: { MaxItems: 50, Marker: '100' }, ids: [101, 123], next: undefined },
  { title: 'begins with the newest', request: { MaxItems: 2, ReverseOrder: true }, ids: [123, 122], next: '2' },
])('a page $title', async ({ request, ids, next }) => {
  const { engine, arn } = await steps(120);
  const { Events, NextMarker } = await engine.getExecutionHistory({ DurableExecutionArn: arn, ...request });
  expect([Events[0]?.EventId, Events.at(-1)?.EventId]).toEqual(ids);
  expect(NextMarker).toBe(next);
});

test.each([
  { title: 'MaxItems above 1,000', request: { MaxItems: 1_001 } },
  { title: 'a fraction of MaxItems', request: { MaxItems: 1.5 } },
  { title: 'a marker that is not one', request: { Marker: 'x' } },
  { title: 'a marker after the end', request: { Marker: '999' } },
])('rejects $title', async ({ request }) => {
  const { engine, arn } = await steps(1);
  const page = engine.getExecutionHistory({ DurableExecutionArn: arn, ...request });
  await expect(page).rejects.toMatchObject({ name: 'InvalidParameterValueException' });
});

test('inputs, results and errors are left out without IncludeExecutionData, and an unknown execution is not found', async () => {
  const { engine, arn } = await steps(1);
  const page = await engine.getExecutionHistory({ DurableExecutionArn: arn, IncludeExecutionData: false });
  expect(page.Events[0]?.ExecutionStartedDetails).toEqual({ Input: {}, ExecutionTimeout: 86_400 });
  expect(page.Events.at(-1)?.ExecutionFailedDetails).toEqual({ Error: {} });
  expect(JSON.stringify(page)).not.toContain('secret');
  const other = engine.getExecutionHistory({ DurableExecutionArn: `${arn}x` });
  await expect(other).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
});

test('a folder of journals has the same history after a restart', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'history-'));
  try {
    const script = [
      async (save: Save) => {
        await save(start('pause', 'WAIT', { WaitOptions: { WaitSeconds: 60 } }));
        return PENDING;
      },
    ];
    const { arn, events } = await ran(script, createFileStore(folder));
    const again = createDurableEngine({
      clock: new ManualClock(START),
      store: createFileStore(folder),
      invoke: async () => PENDING,
    });
    expect((await again.getExecutionHistory({ DurableExecutionArn: arn })).Events).toEqual(events);
    expect(events).toHaveLength(6);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('an execution begins with recorded operations: its wait ends, and its callback has a new id', async () => {
  const recorded = [
    { Id: 'a', Type: 'STEP', Status: 'SUCCEEDED', StartTimestamp: at(0), StepDetails: { Result: '1' } },
    { Id: 'w', Type: 'WAIT', Status: 'STARTED', StartTimestamp: at(0), WaitDetails: { ScheduledEndTimestamp: at(5) } },
    { Id: 'c', Type: 'CALLBACK', Status: 'STARTED', StartTimestamp: at(0), CallbackDetails: { CallbackId: 'old' } },
  ] as const;
  const seen: string[] = [];
  const clock = new ManualClock(START);
  const engine = createDurableEngine({
    clock,
    invoke: async ({ event }) => {
      seen.push(event.InitialExecutionState.Operations.map(({ Id, Status }) => `${Id} ${Status}`).join());
      return PENDING;
    },
  });
  const { arn } = engine.start({ functionArn: FUNCTION, payload: '{}', recorded });
  await engine.settle();
  await clock.advance(5_000);
  await engine.settle();
  const [first] = engine.operations(arn);
  expect(seen).toEqual([
    `${first?.Id} STARTED,a SUCCEEDED,w STARTED,c STARTED`,
    `${first?.Id} STARTED,a SUCCEEDED,w SUCCEEDED,c STARTED`,
  ]);
  const id = engine.operations(arn).find(({ Id }) => Id === 'c')?.CallbackDetails?.CallbackId ?? '';
  expect(id).not.toBe('old');
  engine.succeedCallback(id, '1');
  engine.close();
});
