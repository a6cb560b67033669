import type { DurableEngine, Operation } from '@sallyport/testkit/durable';
import type { BuildDurable, RunDurableOptions } from '../types.js';
import { ExecutionDriver } from './execution-driver.js';
import type { ParsedHistory } from './exported-history.js';
import { stopped } from './kill.js';
import { withPlugin } from './with-plugin.js';

const LOOK_MS = 10;
/** Looks without progress after which code beyond the end of a history is not waited for. */
const QUIET_LOOKS = 10;

/** The differences between a recorded execution and the function that has to finish it; empty if there are none. */
export async function replayHistory(
  build: BuildDurable,
  history: ParsedHistory,
  options: RunDurableOptions,
): Promise<readonly string[]> {
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
      aroundBody: () => {
        beyond += 1;
        return stopped();
      },
    },
  );
  const { engine } = driver;
  return withPlugin(async () => {
    const arn = driver.start(history.input, history.operations.map(reopened));
    await firstOf(engine.settle(), () => beyond > 0 && changes);
    const { status, error } = engine.describe(arn);
    const failure = error?.ErrorMessage ?? failureIn(engine, arn, history);
    engine.close();
    if (/Non-deterministic execution/.test(error?.ErrorMessage ?? '')) return [error?.ErrorMessage ?? ''];
    const why = failure === undefined ? '' : `: it fails with ${JSON.stringify(failure)}${hint(history)}`;
    const missed = history.operations.filter(({ Id }) => !reached.has(Id));
    if (missed.length > 0) return [`${listOf(missed)} ${missed.length === 1 ? 'is' : 'are'} not reached${why}`];
    return history.isWhole && history.succeeded && status === 'FAILED' ? [`it ends as FAILED${why}`] : [];
  });
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

/** Waits for work, or until `progress` returns one number for a while. */
async function firstOf(work: Promise<void>, progress: () => number | false): Promise<void> {
  let isDone = false;
  const done = work.then(() => {
    isDone = true;
  });
  let last: number | false = false;
  for (let quiet = 0; !isDone && quiet < QUIET_LOOKS; quiet += 1) {
    await Promise.race([done, new Promise((resolve) => setTimeout(resolve, LOOK_MS))]);
    const now = progress();
    if (now === false || now !== last) quiet = 0;
    last = now;
  }
}
