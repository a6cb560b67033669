import * as sdk from '@aws-sdk/client-lambda';
import type { DurableEngine, Operation } from '@sallyport/testkit/durable';
import { toRestJson } from '@sallyport/testkit/durable';
import { ServiceBytes, startService } from '@sallyport/testkit/services';

type Input = Readonly<Record<string, unknown>>;

/** Lambda's API over a local engine, for the real client: executions, their histories, and answers to callbacks. */
export async function startEngineApi(engine: () => DurableEngine) {
  const arnOf = (input: Input) => decodeURIComponent(String(input.DurableExecutionArn));
  const service = await startService({
    sdk,
    handlers: {
      Invoke: (input) => {
        const { arn } = engine().start({
          functionArn: decodeURIComponent(String(input.FunctionName)),
          name: String(input.DurableExecutionName),
          payload: String(input.body),
        });
        return new ServiceBytes(Buffer.alloc(0), { 'x-amz-durable-execution-arn': arn });
      },
      GetDurableExecution: (input) => {
        const { arn, status, startedAt } = engine().describe(arnOf(input));
        return toRestJson({ DurableExecutionArn: arn, Status: status, StartTimestamp: startedAt }) as object;
      },
      GetDurableExecutionHistory: (input) => pageOf(engine().operations(arnOf(input)), input),
      SendDurableExecutionCallbackSuccess: (input) => {
        engine().succeedCallback(decodeURIComponent(String(input.CallbackId)), String(input.body));
        return {};
      },
    },
  });
  const client = new sdk.LambdaClient({
    endpoint: service.endpoint,
    region: 'eu-west-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    maxAttempts: 3,
  });
  const stop = async () => {
    client.destroy();
    await service.stop();
  };
  return { service, client, stop };
}

/** Two events of each callback, one in a page: https://docs.aws.amazon.com/lambda/latest/api/API_GetDurableExecutionHistory.html */
function pageOf(operations: readonly Operation[], input: Input): object {
  const events = operations.flatMap(({ Type, Id, Name, Status, StartTimestamp, CallbackDetails }) => {
    if (Type !== 'CALLBACK') return [{ EventType: 'StepStarted', Id, Name, EventTimestamp: StartTimestamp }];
    const started = {
      EventType: 'CallbackStarted',
      Id,
      Name,
      EventTimestamp: StartTimestamp,
      CallbackStartedDetails: { CallbackId: CallbackDetails?.CallbackId },
    };
    return Status === 'STARTED'
      ? [started]
      : [started, { EventType: 'CallbackSucceeded', Id, Name, EventTimestamp: StartTimestamp }];
  });
  const at = Number(input.Marker ?? 0);
  const next = at + 3 < events.length ? { NextMarker: String(at + 3) } : {};
  return toRestJson({ Events: events.slice(at, at + 3), ...next }) as object;
}
