import { fromJson } from '@sallyport/core/internal';
import type { ErrorObject, ExecutionSummary, Operation } from '@sallyport/testkit/durable';
import { localError } from '../errors.js';
import type { Executions } from '../executions/executions.js';
import type { Cleaner } from '../journal/cleaner.js';
import { withFaults } from '../services/lambda/durable.js';
import type { ExecutionAction, ExecutionRow, ExecutionView, OperationView } from './api.js';

/** The order of the list: failures are never far away. */
const FIRST = ['FAILED', 'TIMED_OUT', 'RUNNING'];

/** The executions of a run: failed ones first, then running ones, newest first. */
export function listExecutions(executions: Executions | undefined): readonly ExecutionRow[] {
  if (!executions) return [];
  const { engine } = executions;
  const waits = engine.pending();
  const rank = ({ status }: ExecutionSummary) => (FIRST.includes(status) ? FIRST.indexOf(status) : FIRST.length);
  return [...engine.list()]
    .sort((a, b) => rank(a) - rank(b) || b.startedAt.getTime() - a.startedAt.getTime())
    .map((one) => {
      const waiting = waits.find(({ arn }) => arn === one.arn);
      return { ...rowOf(one), waitsFor: waiting ? (waiting.name ?? waiting.kind) : null };
    });
}

/** One execution with its operations in the order of their start. @throws FrameworkError `local.not_found` */
export async function showExecution(
  executions: Executions | undefined,
  arn: string,
  clean: Cleaner,
): Promise<ExecutionView> {
  const { engine } = needDurable(executions);
  const known = await found(() => engine.describe(arn));
  const pending = engine.pending().filter((one) => one.arn === arn);
  const waits = new Map(pending.map((one) => [one.operationId ?? '', one.until?.getTime() ?? null]));
  return {
    ...rowOf(known),
    waitsFor: pending[0]?.name ?? pending[0]?.kind ?? null,
    event: clean(fromJson(known.payload)),
    result: known.result === undefined ? null : clean(fromJson(known.result)),
    operations: engine
      .operations(arn)
      .slice(1)
      .map((operation) => toOperation(operation, waits, clean)),
    invocationIds: needDurable(executions).invocationsOf(arn),
  };
}

/** Ends waits, answers callbacks, stops, restarts, and kills at the next checkpoint. @throws FrameworkError `local.not_found`, `local.invalid_request` */
export async function actOnExecution(
  executions: Executions | undefined,
  request: ExecutionAction,
): Promise<{ readonly arn: string }> {
  const known = needDurable(executions);
  const { engine } = known;
  const { arn, action, operation, value } = request;
  await found(() => engine.describe(arn));
  switch (action) {
    case 'skip':
      engine.skip(
        (one) => one.arn === arn && (operation === undefined ? one.kind !== 'callback' : one.operationId === operation),
      );
      return { arn };
    case 'stop':
      engine.stop(arn, { ErrorType: 'Stopped', ErrorMessage: 'stopped in the console' });
      return { arn };
    case 'kill':
      known.killAtNext(arn);
      return { arn };
    case 'restart':
      return { arn: known.restart(arn, operation) };
    case 'complete':
    case 'fail': {
      const { CallbackDetails } = engine.operations(arn).find(({ Id }) => Id === operation) ?? {};
      const id = CallbackDetails?.CallbackId;
      if (id === undefined) throw localError('local.not_found', 'framework: the execution has no such callback');
      await found(() =>
        action === 'complete'
          ? engine.succeedCallback(id, JSON.stringify(value ?? null))
          : engine.failCallback(id, { ErrorType: 'Rejected', ErrorMessage: String(value ?? 'rejected') }),
      );
      return { arn };
    }
  }
}

function needDurable(executions: Executions | undefined): Executions {
  if (executions) return executions;
  throw localError('local.not_found', 'framework: the function is not durable: set "durable" in sallyport.json');
}

async function found<T>(run: () => T): Promise<T> {
  try {
    return await withFaults(run);
  } catch (error) {
    throw localError('local.not_found', `framework: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function rowOf({
  arn,
  name,
  status,
  startedAt,
  endedAt,
  invocations,
  error,
}: ExecutionSummary): Omit<ExecutionRow, 'waitsFor'> {
  return {
    arn,
    name,
    status,
    startedAt: startedAt.getTime(),
    endedAt: endedAt?.getTime() ?? null,
    invocations,
    error: textOf(error),
  };
}

function textOf(error: ErrorObject | undefined): string | null {
  if (!error) return null;
  const { ErrorType = 'Error', ErrorMessage = '' } = error;
  return ErrorMessage === '' ? ErrorType : `${ErrorType}: ${ErrorMessage}`;
}

function toOperation(operation: Operation, waits: ReadonlyMap<string, number | null>, clean: Cleaner): OperationView {
  const { Id, ParentId, Name, Type, Status, StartTimestamp, EndTimestamp, StepDetails } = operation;
  const details =
    operation.StepDetails ?? operation.ContextDetails ?? operation.CallbackDetails ?? operation.ChainedInvokeDetails;
  const result = details?.Result;
  return {
    id: Id,
    parentId: ParentId ?? null,
    name: Name ?? '',
    kind: Type.toLowerCase().replace('_', ' '),
    status: Status,
    startedAt: StartTimestamp.getTime(),
    endedAt: EndTimestamp?.getTime() ?? null,
    attempt: StepDetails?.Attempt ?? null,
    waits: waits.has(Id),
    until: waits.get(Id) ?? null,
    result: result === undefined ? null : clean(fromJson(result) ?? result),
    error: textOf(details?.Error),
  };
}
