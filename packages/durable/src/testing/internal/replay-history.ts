import type { DurableEngine, Operation } from '@sallyport/testkit/durable';
import type { BuildDurable, RunDurableOptions } from '../types.js';
import { type Driving, ExecutionDriver } from './execution-driver.js';
import type { ParsedHistory } from './exported-history.js';
import { stopped } from './kill.js';
import { withPlugin } from './with-plugin.js';

const LOOK_MS = 10;
/** Looks without progress after which code beyond the end of a history is not waited for. */
const QUIET_LOOKS = 10;

interface Replay {
  readonly status: string;
  readonly message: string | undefined;
  /** Operations that code began, except for recorded steps, which the SDK does not report. */
  readonly reached: ReadonlySet<string>;
}

/** The differences between a recorded execution and the function that has to finish it; an empty list without differences. */
export async function replayHistory(
  build: BuildDurable,
  history: ParsedHistory,
  options: RunDurableOptions,
): Promise<readonly string[]> {
  const { operations, isWhole, succeeded } = history;
  const name = OF_RECORD.test(history.execution)
    ? await withPlugin(() => recordName(build, history, options))
    : undefined;
  const own: RunDurableOptions = { ...options, handoff: isHandedOff(operations), ...(name !== undefined && { name }) };
  const run = (recorded: readonly Operation[], target?: string) =>
    withPlugin(() => replay(build, history, own, recorded, target));
  const { status, message, reached } = await run(operations);
  if (/Non-deterministic execution/.test(message ?? '')) return [message ?? ''];
  const missed: Operation[] = [];
  for (const flow of flowsOf(operations)) {
    const last = flow.findLastIndex(({ Id }) => reached.has(Id));
    // Positions are counted, so an operation that is reached has all before it.
    for (const operation of flow.slice(last + 1).reverse()) {
      if (
        isRecorded(operation) &&
        (await run(operations.map(withoutOutcome(operation)), operation.Id)).reached.has(operation.Id)
      )
        break;
      missed.unshift(operation);
    }
  }
  const why = message === undefined ? '' : `: it fails with ${JSON.stringify(message)}${hint(history)}`;
  if (missed.length > 0) return [`${listOf(missed)} ${missed.length === 1 ? 'is' : 'are'} not reached${why}`];
  return isWhole && succeeded && status === 'FAILED' ? [`it ends as FAILED${why}`] : [];
}

/** The execution of a record: the name that its batch started it with, and a suffix after a restart. */
const OF_RECORD = /^[0-9a-f]{48}(?:-|$)/;
/** The name of a record in its batch. */
const LANE = /^[a-z0-9-]+ \d+ /;

/** The name with which a batch of this build starts the execution of the record: the name in the history is the digest of another ARN. */
async function recordName(
  build: BuildDurable,
  history: ParsedHistory,
  options: RunDurableOptions,
): Promise<string | undefined> {
  let bodies = 0;
  const aroundBody: Driving['aroundBody'] = async ({ name: step }, run) => {
    bodies += 1;
    return LANE.test(step) ? run() : stopped();
  };
  const driver = new ExecutionDriver(build, { ...options, now: history.startedAt, handoff: true }, { aroundBody });
  const { engine } = driver;
  driver.start(history.input);
  await untilQuiet(engine.settle(), () => (engine.list().length > 1 ? 'over' : bodies > 0 && bodies));
  const name = engine.list()[1]?.name;
  engine.close();
  return name;
}

/** True for an execution of a batch whose records have started separate executions: each start is a step, which has the name of the record. */
function isHandedOff(operations: readonly Operation[]): boolean {
  const top = operations.filter(({ ParentId }) => ParentId === undefined);
  return top.some(({ Type }) => Type === 'STEP') && top.every(({ Name = '' }) => LANE.test(Name));
}

/** One invocation with these operations. It ends early when the function of the target runs. */
async function replay(
  build: BuildDurable,
  history: ParsedHistory,
  options: RunDurableOptions,
  recorded: readonly Operation[],
  target: string | undefined,
): Promise<Replay> {
  const reached = new Set<string>();
  let beyond = 0;
  let changes = 0;
  const driver = new ExecutionDriver(
    build,
    { ...options, now: history.startedAt },
    {
      onOperation: (id) => {
        changes += 1;
        reached.add(id);
      },
      // A step that has no recorded outcome is the end of the history: its function does not run.
      aroundBody: ({ operationId }) => {
        reached.add(operationId);
        beyond += 1;
        return stopped();
      },
    },
  );
  const { engine } = driver;
  const arn = driver.start(history.input, recorded.map(reopened));
  await untilQuiet(engine.settle(), () => {
    if (target !== undefined && reached.has(target)) return 'over';
    return beyond > 0 && changes;
  });
  const { status, error } = engine.describe(arn);
  const message = error?.ErrorMessage ?? failureIn(engine, arn, history);
  engine.close();
  return { status, message, reached };
}

/** The operations of each context, in order. */
function flowsOf(operations: readonly Operation[]): readonly (readonly Operation[])[] {
  const flows = new Map<string, Operation[]>();
  for (const operation of operations) {
    const { ParentId = '' } = operation;
    flows.set(ParentId, [...(flows.get(ParentId) ?? []), operation]);
  }
  return [...flows.values()];
}

const isRecorded = ({ Type, EndTimestamp }: Operation) => Type === 'STEP' && EndTimestamp !== undefined;

/** The step runs again, so that it is noticed. */
function withoutOutcome({ Id: target }: Operation): (operation: Operation) => Operation {
  return (operation) => {
    const { EndTimestamp: _, StepDetails, ...rest } = operation;
    return operation.Id === target
      ? { ...rest, Status: 'READY', StepDetails: { Attempt: (StepDetails?.Attempt ?? 1) - 1 } }
      : operation;
  };
}

/** A context runs again, so that its operations are compared, too. */
function reopened(operation: Operation): Operation {
  const { EndTimestamp: _, ContextDetails, ...rest } = operation;
  return operation.Type === 'CONTEXT' ? { ...rest, Status: 'STARTED' } : operation;
}

/** The first failure of a context that did not fail in the history. */
function failureIn(engine: DurableEngine, arn: string, { operations }: ParsedHistory): string | undefined {
  const failed = new Set(operations.flatMap(({ Id, Status }) => (Status === 'FAILED' ? [Id] : [])));
  const found = engine.operations(arn).find(({ Id, Status }) => Status === 'FAILED' && !failed.has(Id));
  return (found?.ContextDetails ?? found?.StepDetails)?.Error?.ErrorMessage;
}

function hint({ isWhole }: ParsedHistory): string {
  return isWhole ? '' : ' (its values are placeholders: export it with --keep for members that code reads)';
}

function listOf(operations: readonly Operation[]): string {
  const names = operations.slice(0, 3).map(({ Name, Type }) => `"${Name ?? Type}"`);
  return names.join(', ') + (operations.length > 3 ? ` and ${operations.length - 3} others` : '');
}

/** Waits for work, until `progress` returns `over`, or until it returns one number for a while. */
async function untilQuiet(work: Promise<void>, progress: () => number | false | 'over'): Promise<void> {
  let isDone = false;
  const done = work.then(() => {
    isDone = true;
  });
  let last: number | false | 'over' = false;
  for (let quiet = 0; !isDone && quiet < QUIET_LOOKS && last !== 'over'; quiet += 1) {
    await Promise.race([done, new Promise((resolve) => setTimeout(resolve, LOOK_MS))]);
    const now = progress();
    if (now === false || now !== last) quiet = 0;
    last = now;
  }
}
