import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { ManualClock } from '@sallyport/core/testing';
import {
  createDurableEngine,
  createFileStore,
  createMemoryStore,
  type DurableEngine,
  type DurableEnvelope,
  type DurableStore,
  type ErrorObject,
  type Operation,
  type OperationUpdate,
} from '@sallyport/testkit/durable';

/** One execution in a service, with an invocation that has just begun. */
interface Subject {
  checkpoint(updates: readonly OperationUpdate[]): Promise<readonly Operation[]>;
  state(): Promise<readonly Operation[]>;
  /** Ends a wait, or the delay of a retry. */
  elapse(id: string): Promise<void>;
  succeed(callbackId: string, result?: string): Promise<void>;
  fail(callbackId: string, error: ErrorObject): Promise<void>;
  /** The next invocation: its operations, and the ids that changed in between. */
  again(): Promise<{ operations: readonly Operation[]; updated: readonly string[] }>;
}

const FUNCTION = 'arn:aws:lambda:eu-west-1:123456789012:function:orders';

/** Our engine. A new one is created from its store before each call, so nothing is kept only in memory. */
function ours(openStore: () => DurableStore): Subject {
  const clock = new ManualClock(Date.parse('2026-11-29T10:00:00Z'));
  let arn = '';
  let token = '';
  let event: DurableEnvelope | undefined;
  const open = (): DurableEngine =>
    createDurableEngine({
      clock,
      store: openStore(),
      invoke: (invocation) => {
        event = invocation.event;
        return new Promise(() => {});
      },
    });
  ({ arn } = open().start({ functionArn: FUNCTION, payload: '{"n":1}' }));
  const tokenOf = () => token || (event?.CheckpointToken ?? '');
  const begun = async () => {
    for (let turn = 0; turn < 3; turn += 1) await Promise.resolve();
  };
  return {
    async checkpoint(Updates) {
      await begun();
      const answer = await open().checkpoint({ DurableExecutionArn: arn, CheckpointToken: tokenOf(), Updates });
      token = answer.CheckpointToken;
      return answer.NewExecutionState.Operations;
    },
    async state() {
      await begun();
      return (await open().getExecutionState({ DurableExecutionArn: arn, CheckpointToken: tokenOf() })).Operations;
    },
    elapse: async (id) => open().skip(({ operationId }) => operationId === id),
    succeed: async (id, result) => open().succeedCallback(id, result),
    fail: async (id, error) => open().failCallback(id, error),
    async again() {
      token = '';
      open().resume();
      await begun();
      return {
        operations: event?.InitialExecutionState.Operations ?? [],
        updated: event?.UpdatedOperationIds ?? [],
      };
    },
  };
}

/** The checkpoint server of AWS's testing package, in the worker thread that it is made for. */
function startAws(): { subject(): Promise<Subject>; stop(): Promise<number> } {
  const root = createRequire(import.meta.url).resolve('@aws/durable-execution-sdk-js-testing');
  const worker = new Worker(join(root, '../../dist/checkpoint-server/index.mjs'), { workerData: {} });
  const waiting = new Map<string, (data: { response?: unknown; error?: unknown }) => void>();
  let count = 0;
  worker.on('message', ({ data }) => {
    waiting.get(data.requestId)?.(data);
    waiting.delete(data.requestId);
  });
  const call = async <T>(type: string, params: object): Promise<T> => {
    count += 1;
    const requestId = `${count}`;
    const { response, error } = await new Promise<{ response?: unknown; error?: unknown }>((resolve) => {
      waiting.set(requestId, resolve);
      worker.postMessage({ type: 'API_REQUEST', data: { type, requestId, params } });
    });
    if (error) throw error;
    return response as T;
  };
  interface Started {
    checkpointToken: string;
    executionId: string;
    operationEvents: { operation: Operation }[];
    updatedOperationIds: string[];
  }
  return {
    stop: () => worker.terminate(),
    async subject() {
      const begun = await call<Started>('StartDurableExecution', { payload: '{"n":1}', invocationId: 'i-1' });
      const { executionId } = begun;
      let token = begun.checkpointToken;
      const execution = { DurableExecutionArn: executionId };
      return {
        async checkpoint(Updates) {
          const answer = await call<{ CheckpointToken: string; NewExecutionState: { Operations: Operation[] } }>(
            'CheckpointDurableExecutionState',
            { ...execution, CheckpointToken: token, Updates },
          );
          token = answer.CheckpointToken;
          return answer.NewExecutionState.Operations;
        },
        state: async () =>
          (
            await call<{ Operations: Operation[] }>('GetDurableExecutionState', {
              ...execution,
              CheckpointToken: token,
            })
          ).Operations,
        async elapse(operationId) {
          const { Operations } = await call<{ Operations: Operation[] }>('GetDurableExecutionState', execution);
          const isWait = Operations.find(({ Id }) => Id === operationId)?.Type === 'WAIT';
          const operationData = { Status: isWait ? 'SUCCEEDED' : 'READY' };
          await call('UpdateCheckpointData', { executionId, operationId, operationData });
        },
        succeed: (CallbackId, Result) =>
          call('SendDurableExecutionCallbackSuccess', { CallbackId, ...(Result !== undefined && { Result }) }),
        fail: (CallbackId, error) => call('SendDurableExecutionCallbackFailure', { CallbackId, Error: error }),
        async again() {
          const next = await call<Started>('StartInvocation', { executionId, invocationId: 'i-2' });
          token = next.checkpointToken;
          return {
            operations: next.operationEvents.map(({ operation }) => operation),
            updated: next.updatedOperationIds,
          };
        },
      };
    },
  };
}

type Step = (subject: Subject) => Promise<unknown>;
interface Case {
  readonly title: string;
  readonly run: Step;
  readonly expected: unknown;
}

const step = (Id: string, Action: OperationUpdate['Action'], more: Partial<OperationUpdate> = {}): OperationUpdate => ({
  Id,
  Type: 'STEP',
  SubType: 'Step',
  Name: `step ${Id}`,
  Action,
  ...more,
});
const context = (Id: string, Action: OperationUpdate['Action'], more: Partial<OperationUpdate> = {}) =>
  step(Id, Action, { Type: 'CONTEXT', SubType: 'RunInChildContext', Name: `lane ${Id}`, ...more });
const failure = { ErrorType: 'Error', ErrorMessage: 'no' };

/** The message of the rejection of a checkpoint. */
const rejection =
  (updates: readonly OperationUpdate[], before: readonly (readonly OperationUpdate[])[] = []): Step =>
  async (subject) => {
    for (const earlier of before) await subject.checkpoint(earlier);
    try {
      return await subject.checkpoint(updates);
    } catch (error) {
      return (error as Error).message;
    }
  };

/** An operation without what differs from run to run: ids of executions and callbacks, and times, which become booleans. */
function comparable(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (name, member) => {
      if (name === 'StartTimestamp' || name === 'EndTimestamp') return typeof member === 'string';
      if (name === 'ScheduledEndTimestamp' || name === 'NextAttemptTimestamp') return typeof member === 'string';
      if (name === 'CallbackId') return typeof member;
      return member;
    }) ?? 'null',
  );
}

/**
 * The parts of operations that a case is about. Left out is what AWS's own parts disagree on: its server keeps `NextAttemptTimestamp`
 * after the delay, which client-lambda documents for pending steps only, and sets no `EndTimestamp` for a wait.
 */
const brief = (operations: readonly Operation[]) =>
  operations.map(({ Id, Type, Status, StepDetails, ContextDetails, WaitDetails, CallbackDetails, EndTimestamp }) => {
    const { NextAttemptTimestamp, ...step } = StepDetails ?? {};
    return {
      ...(Type !== 'EXECUTION' && { Id }),
      Status,
      ...step,
      ...(Status === 'PENDING' && { NextAttemptTimestamp }),
      ...ContextDetails,
      ...WaitDetails,
      ...CallbackDetails,
      ...(EndTimestamp && Type !== 'WAIT' && { EndTimestamp }),
    };
  });

const inOrder =
  (...checkpoints: readonly (readonly OperationUpdate[])[]): Step =>
  async (subject) => {
    const answers: unknown[] = [];
    for (const updates of checkpoints) answers.push(brief(await subject.checkpoint(updates)));
    return answers;
  };

const wait = (Id: string, WaitSeconds = 3_600): OperationUpdate => ({
  Id,
  Type: 'WAIT',
  SubType: 'Wait',
  Action: 'START',
  WaitOptions: { WaitSeconds },
});
const callback = (Id: string): OperationUpdate => ({
  Id,
  Type: 'CALLBACK',
  SubType: 'Callback',
  Action: 'START',
  CallbackOptions: { TimeoutSeconds: 60 },
});
const invoke = (Id: string): OperationUpdate => ({
  Id,
  Type: 'CHAINED_INVOKE',
  SubType: 'Invoke',
  Action: 'START',
  Payload: '{}',
  ChainedInvokeOptions: { FunctionName: FUNCTION },
});
const retry = step('s', 'RETRY', { Error: failure, StepOptions: { NextAttemptDelaySeconds: 5 } });
const CLOSED = { Id: 's', EndTimestamp: true, Attempt: 1 };

const CASES: readonly Case[] = [
  {
    title: 'a step that is recorded in one checkpoint',
    run: (subject) => subject.checkpoint([step('s', 'SUCCEED', { Payload: '1' })]),
    expected: [
      {
        Id: 's',
        Name: 'step s',
        Type: 'STEP',
        SubType: 'Step',
        Status: 'SUCCEEDED',
        StartTimestamp: true,
        EndTimestamp: true,
        StepDetails: { Attempt: 1, Result: '1' },
      },
    ],
  },
  {
    title: 'a step that is started and recorded in one checkpoint',
    run: inOrder([step('s', 'START'), step('s', 'SUCCEED', { Payload: '1' })]),
    expected: [[{ ...CLOSED, Status: 'SUCCEEDED', Result: '1' }]],
  },
  {
    title: 'a step that is started, then fails',
    run: inOrder([step('s', 'START')], [step('s', 'FAIL', { Error: failure })]),
    expected: [[{ Id: 's', Status: 'STARTED' }], [{ ...CLOSED, Status: 'FAILED', Error: failure }]],
  },
  {
    title: 'a step that is retried until it succeeds',
    async run(subject) {
      const answers = [brief(await subject.checkpoint([step('s', 'START')])), brief(await subject.checkpoint([retry]))];
      await subject.elapse('s');
      const { updated } = await subject.again();
      answers.push(brief((await subject.state()).slice(1)));
      answers.push(brief(await subject.checkpoint([step('s', 'SUCCEED', { Payload: '2' })])));
      return [updated, ...answers];
    },
    expected: [
      ['s'],
      [{ Id: 's', Status: 'STARTED' }],
      [{ Id: 's', Status: 'PENDING', Attempt: 1, NextAttemptTimestamp: true, Error: failure }],
      [{ Id: 's', Status: 'READY', Attempt: 1, Error: failure }],
      [{ Id: 's', Status: 'SUCCEEDED', Attempt: 2, Result: '2', EndTimestamp: true }],
    ],
  },
  {
    title: 'a wait that ends between invocations',
    async run(subject) {
      const begun = brief(await subject.checkpoint([wait('w')]));
      await subject.elapse('w');
      const { updated } = await subject.again();
      return [begun, updated, brief((await subject.state()).slice(1))];
    },
    expected: [
      [{ Id: 'w', Status: 'STARTED', ScheduledEndTimestamp: true }],
      ['w'],
      [{ Id: 'w', Status: 'SUCCEEDED', ScheduledEndTimestamp: true }],
    ],
  },
  {
    title: 'a wait that ends while the function runs is in the answer to its next checkpoint',
    async run(subject) {
      await subject.checkpoint([wait('w')]);
      await subject.elapse('w');
      return [brief(await subject.checkpoint([])), brief(await subject.checkpoint([]))];
    },
    expected: [[{ Id: 'w', Status: 'SUCCEEDED', ScheduledEndTimestamp: true }], []],
  },
  {
    title: 'a callback that succeeds',
    async run(subject) {
      const [begun] = await subject.checkpoint([callback('c')]);
      await subject.succeed(begun?.CallbackDetails?.CallbackId ?? '', '"yes"');
      const { updated } = await subject.again();
      return [brief(begun ? [begun] : []), updated, brief((await subject.state()).slice(1))];
    },
    expected: [
      [{ Id: 'c', Status: 'STARTED', CallbackId: 'string' }],
      ['c'],
      [{ Id: 'c', Status: 'SUCCEEDED', CallbackId: 'string', Result: '"yes"', EndTimestamp: true }],
    ],
  },
  {
    title: 'a callback without a value',
    async run(subject) {
      const [begun] = await subject.checkpoint([callback('c')]);
      await subject.succeed(begun?.CallbackDetails?.CallbackId ?? '');
      return brief(await subject.checkpoint([]));
    },
    expected: [{ Id: 'c', Status: 'SUCCEEDED', CallbackId: 'string', EndTimestamp: true }],
  },
  {
    title: 'a callback that fails',
    async run(subject) {
      const [begun] = await subject.checkpoint([callback('c')]);
      await subject.fail(begun?.CallbackDetails?.CallbackId ?? '', failure);
      return brief(await subject.checkpoint([]));
    },
    expected: [{ Id: 'c', Status: 'FAILED', CallbackId: 'string', Error: failure, EndTimestamp: true }],
  },
  {
    title: 'the children of a context that has ended are not replayed',
    async run(subject) {
      await subject.checkpoint([context('l', 'START'), step('s', 'SUCCEED', { ParentId: 'l', Payload: '1' })]);
      const open = brief(await subject.state());
      await subject.checkpoint([context('l', 'SUCCEED', { Payload: '2' })]);
      return [open, brief(await subject.state())];
    },
    expected: [
      [{ Status: 'STARTED' }, { Id: 'l', Status: 'STARTED' }, { ...CLOSED, Status: 'SUCCEEDED', Result: '1' }],
      [{ Status: 'STARTED' }, { Id: 'l', Status: 'SUCCEEDED', Result: '2', EndTimestamp: true }],
    ],
  },
  {
    title: 'the children of a context that asks for it are replayed',
    async run(subject) {
      await subject.checkpoint([context('l', 'START'), step('s', 'SUCCEED', { ParentId: 'l', Payload: '1' })]);
      await subject.checkpoint([context('l', 'SUCCEED', { ContextOptions: { ReplayChildren: true } })]);
      return brief((await subject.state()).slice(1));
    },
    expected: [
      { Id: 'l', Status: 'SUCCEEDED', ReplayChildren: true, EndTimestamp: true },
      { ...CLOSED, Status: 'SUCCEEDED', Result: '1' },
    ],
  },
  {
    title: 'a context within one that has ended hides its children too',
    async run(subject) {
      const inner = context('m', 'SUCCEED', { ParentId: 'l', ContextOptions: { ReplayChildren: true } });
      await subject.checkpoint([context('l', 'START'), context('m', 'START', { ParentId: 'l' })]);
      await subject.checkpoint([step('s', 'SUCCEED', { ParentId: 'm', Payload: '1' }), inner]);
      await subject.checkpoint([context('l', 'FAIL', { Error: failure })]);
      return brief((await subject.state()).slice(1));
    },
    expected: [{ Id: 'l', Status: 'FAILED', Error: failure, EndTimestamp: true }],
  },
  {
    title: 'a chained invocation is started',
    run: inOrder([invoke('i')]),
    expected: [[{ Id: 'i', Status: 'STARTED' }]],
  },
  {
    title: 'a result that is too large for an answer ends the execution',
    async run(subject) {
      const result: OperationUpdate = { Id: 'execution-result', Type: 'EXECUTION', Action: 'SUCCEED', Payload: '{}' };
      await subject.checkpoint([step('s', 'SUCCEED'), result]);
      return rejection([step('t', 'SUCCEED')])(subject).then((message) => String(message).toLowerCase());
    },
    expected: 'invalid checkpoint token',
  },
  ...rejected('an update without an id', [{ ...step('s', 'START'), Id: '' }], 'Operation update must have an Id.'),
  ...rejected('an unknown type', [step('s', 'START', { Type: 'NAP' as never })], 'Unknown operation type.'),
  ...rejected(
    'an action of another type',
    [{ ...wait('w'), Action: 'RETRY' }],
    'Invalid action for the given operation type.',
  ),
  ...rejected('a step that starts twice', [step('s', 'START')], 'Invalid current STEP state to start.', [
    step('s', 'START'),
  ]),
  ...rejected('a step that is closed twice', [step('s', 'SUCCEED')], 'Invalid current STEP state to close.', [
    step('s', 'SUCCEED'),
  ]),
  ...rejected(
    'a step that is closed during its delay',
    [step('s', 'SUCCEED')],
    'Invalid current STEP state to close.',
    [retry],
  ),
  ...rejected('a retry after the end', [retry], 'Invalid current STEP state to re-attempt.', [step('s', 'SUCCEED')]),
  ...rejected('a retry without its delay', [step('s', 'RETRY')], 'Invalid StepOptions for the given action.'),
  ...rejected(
    'a retry with result and error',
    [{ ...retry, Payload: '1' }],
    'Cannot provide both error and payload to RETRY a STEP.',
  ),
  ...rejected(
    'a failure with a result',
    [step('s', 'FAIL', { Payload: '1' })],
    'Cannot provide a Payload for FAIL action.',
  ),
  ...rejected(
    'a success with an error',
    [step('s', 'SUCCEED', { Error: failure })],
    'Cannot provide an Error for SUCCEED action.',
  ),
  ...rejected('a context that starts twice', [context('l', 'START')], 'Cannot start a CONTEXT that already exists.', [
    context('l', 'START'),
  ]),
  ...rejected('a context that ends twice', [context('l', 'SUCCEED')], 'Invalid current CONTEXT state to close.', [
    context('l', 'SUCCEED'),
  ]),
  ...rejected('a wait that starts twice', [wait('w')], 'Cannot start a WAIT that already exists.', [wait('w')]),
  ...rejected('a callback that starts twice', [callback('c')], 'Cannot start a CALLBACK that already exists.', [
    callback('c'),
  ]),
  ...rejected('an invocation that starts twice', [invoke('i')], 'Cannot start a CHAINED_INVOKE that already exists.', [
    invoke('i'),
  ]),
  ...rejected(
    'a wait that is cancelled before it starts',
    [{ ...wait('w'), Action: 'CANCEL' }],
    'Cannot cancel a WAIT that does not exist or has already completed.',
  ),
  ...rejected(
    'an operation twice in one checkpoint',
    [step('s', 'SUCCEED'), step('s', 'FAIL')],
    'Cannot update the same operation twice in a single request.',
  ),
  ...rejected('a parent that does not exist', [step('s', 'START', { ParentId: 'x' })], 'Invalid parent operation id.'),
  ...rejected(
    'a parent that comes later',
    [step('s', 'START', { ParentId: 'l' }), context('l', 'START')],
    'Invalid parent operation id.',
  ),
  ...rejected('a parent that is a step', [step('t', 'START', { ParentId: 's' })], 'Invalid parent operation id.', [
    step('s', 'START'),
  ]),
  ...rejected('two ends of the execution', [end('a'), end('b')], 'Cannot checkpoint multiple EXECUTION updates.'),
  ...rejected(
    'an end of the execution before another update',
    [end('a'), step('s', 'SUCCEED')],
    'EXECUTION checkpoint must be the last update.',
  ),
];

function end(Id: string): OperationUpdate {
  return { Id, Type: 'EXECUTION', Action: 'SUCCEED' };
}

function rejected(
  title: string,
  updates: readonly OperationUpdate[],
  expected: string,
  before?: readonly OperationUpdate[],
): readonly Case[] {
  return [{ title: `rejects ${title}`, run: rejection(updates, before ? [before] : []), expected }];
}

describe.each(['memory', 'files', "AWS's checkpoint server"])('a durable service in %s', (kind) => {
  const folder = mkdtempSync(join(tmpdir(), 'durable-'));
  let aws: ReturnType<typeof startAws> | undefined;
  let count = 0;

  beforeAll(() => {
    if (kind.startsWith('AWS')) aws = startAws();
  });
  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true });
    await aws?.stop();
  });

  const create = async (): Promise<Subject> => {
    if (aws) return aws.subject();
    count += 1;
    const memory = createMemoryStore();
    const place = join(folder, `${count}`);
    return ours(() => (kind === 'files' ? createFileStore(place) : memory));
  };

  test.each(CASES)('$title', async ({ run, expected }) => {
    expect(comparable(await run(await create()))).toEqual(expected);
  });
});
