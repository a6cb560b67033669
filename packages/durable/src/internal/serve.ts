import { isFrameworkError, type LambdaContext, type SurfaceHost } from '@sallyport/core';
import { logRefusal, type Members, type SuspensionGlobal, stringOf } from '@sallyport/core/internal';
import { DurableError } from '../errors.js';
import { currentOwner } from './current.js';
import { assertInput, isEnvelope } from './envelope.js';
import { ExecutionRun, type ExecutionSettings } from './execution.js';
import { messageOf } from './failures.js';
import { ROOT } from './history.js';
import { Lane } from './lane.js';
import { type DurableContext, type DurableExecutionClient, loadSdk } from './sdk.js';
import { clientOf, Transport } from './transport.js';

/** Runs one invocation of an execution, and returns the answer of the SDK. */
export async function serveExecution(
  host: SurfaceHost,
  { client, ...settings }: ExecutionSettings,
  event: unknown,
  lambdaContext: LambdaContext | undefined,
): Promise<unknown> {
  const envelope = open(host, event, lambdaContext);
  const sdk = await loadSdk();
  Object.assign(globalThis, { 'sallyport.hold': () => currentLane()?.hold() } satisfies SuspensionGlobal);
  const { clock, ids, environment, log } = host;
  const run = new ExecutionRun(
    { ...settings, clock, ids, environment, log },
    sdk,
    stringOf(envelope.DurableExecutionArn),
    lambdaContext,
  );
  let isAnswered = false;
  const service = clientOf(sdk, envelope, client as DurableExecutionClient | undefined);
  const transport = new Transport(service, envelope);
  run.starter = service.starter;
  const handler = sdk.withDurableExecution(
    async (input: unknown, context: DurableContext) => {
      run.begin(transport.operations);
      try {
        return await dispatch(host, run, input, context);
      } catch (thrown) {
        throw toOutput(host, thrown);
      } finally {
        isAnswered = true;
      }
    },
    { durableExecutionClient: transport },
  );
  try {
    const output = await handler({ ...envelope } as never, sdkContext(lambdaContext) as never).finally(() => {
      run.isOver = true;
    });
    // The service repeats an invocation that fails: recorded operations do not run again.
    if (output.Status === 'PENDING' && run.mustContinue())
      throw new Error('framework: suspended before its operations');
    if (output.Status === 'FAILED') {
      const { reportFailed } = await import('./failed.js');
      await reportFailed(host, run, output.Error, transport.operations, isAnswered);
    }
    return output;
  } finally {
    await run.end(isAnswered);
  }
}

/** @throws DurableError `durable.envelope_invalid` */
function open(host: SurfaceHost, event: unknown, lambdaContext: LambdaContext | undefined): Members {
  try {
    if (!isEnvelope(event)) throw new DurableError('durable.envelope_invalid', 'the event is not an execution');
    assertInput(event);
    return event;
  } catch (error) {
    if (isFrameworkError(error)) logRefusal(host.log, error, lambdaContext, 'durable');
    throw error;
  }
}

/** Passes the event of an execution to the other surfaces of the container. */
async function dispatch(
  host: SurfaceHost,
  run: ExecutionRun,
  input: unknown,
  context: DurableContext,
): Promise<unknown> {
  if (isEnvelope(input)) throw new DurableError('durable.nested', 'the event of an execution is an execution');
  run.input = input;
  const root = new Lane(run, context, run.parking.open(), ROOT);
  const lambdaContext = {
    ...run.lambdaContext,
    // Equal in every invocation of the execution.
    awsRequestId: run.id,
    executionContext: { durableExecutionArn: run.arn },
    getRemainingTimeInMillis: () => run.lambdaContext?.getRemainingTimeInMillis?.() ?? Number.NaN,
    'sallyport.execution': root,
  };
  return host.dispatch(input, { lambdaContext });
}

/** The flow that runs now, if it may suspend. */
function currentLane(): Lane | undefined {
  const owner = currentOwner();
  // Outside an execution, operations have another owner.
  return owner !== undefined && 'createRun' in owner ? (owner as Lane) : undefined;
}

/** The members of a Lambda context that the SDK reads, also for a local run without a context. */
function sdkContext(lambdaContext: LambdaContext | undefined): object {
  return {
    ...lambdaContext,
    getRemainingTimeInMillis: () => lambdaContext?.getRemainingTimeInMillis?.() ?? Number.POSITIVE_INFINITY,
  };
}

/** The error of a failed execution: callers and operators of the account can read it. */
function toOutput({ maskErrors, failureText }: SurfaceHost, thrown: unknown): Error {
  if (maskErrors && !isFrameworkError(thrown)) return new Error(failureText);
  const error = new Error(messageOf(thrown));
  if (isFrameworkError(thrown)) error.name = thrown.code;
  return error;
}
