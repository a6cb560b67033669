import * as sdk from '@aws-sdk/client-lambda';
import { createTestEnv } from '@sallyport/testkit';
import { type Service, ServiceBytes, ServiceError, startService } from '@sallyport/testkit/services';

type Input = Readonly<Record<string, unknown>>;

const FUNCTION = 'arn:aws:lambda:eu-west-1:123456789012:function:exports';

interface Callback {
  state: 'open' | 'answered' | 'late';
  answers: unknown[];
}

/** Lambda's API for executions and callbacks on loopback, with the state that its answers depend on, and the real client. */
export async function startLambdaApi() {
  const started = new Map<string, string>();
  const startedAt = new Map<string, number>();
  const clock = createTestEnv({ now: 1_000_000_000 }).clock;
  const callbacks = new Map<string, Callback>();
  const stopped: unknown[] = [];
  const invoke = (input: Input) => {
    const name = String(input.DurableExecutionName);
    const payload = String(input.body);
    if (String(input.FunctionName).endsWith(':plain')) return new ServiceBytes(Buffer.alloc(0), {});
    if ((started.get(name) ?? payload) !== payload) {
      throw new ServiceError('DurableExecutionAlreadyStartedException', 409, `secret ${payload}`);
    }
    if (!started.has(name)) startedAt.set(name, clock.now().getTime() / 1000);
    started.set(name, payload);
    return new ServiceBytes(Buffer.alloc(0), {
      'x-amz-durable-execution-arn': `${FUNCTION}:1/durable-execution/${name}/1`,
    });
  };
  const get = ({ DurableExecutionArn }: Input) => ({
    DurableExecutionArn,
    StartTimestamp: startedAt.get(String(DurableExecutionArn).split('/')[2] ?? ''),
  });
  const answer = (input: Input) => {
    const callback = open(input);
    callback.state = 'answered';
    callback.answers.push(JSON.parse(String(input.body)));
    return {};
  };
  const open = ({ CallbackId }: Input) => {
    const callback = callbacks.get(String(CallbackId));
    if (!callback) throw new ServiceError('ResourceNotFoundException', 404, `no callback ${CallbackId}`);
    // https://docs.aws.amazon.com/lambda/latest/api/API_SendDurableExecutionCallbackSuccess.html: expired, or already closed.
    if (callback.state !== 'open') throw new ServiceError('CallbackTimeoutException', 400, `closed ${CallbackId}`);
    return callback;
  };
  const service = await startService({
    sdk,
    handlers: {
      Invoke: invoke,
      GetDurableExecution: get,
      SendDurableExecutionCallbackSuccess: answer,
      SendDurableExecutionCallbackFailure: answer,
      SendDurableExecutionCallbackHeartbeat: (input) => {
        open(input).answers.push('heartbeat');
        return {};
      },
      StopDurableExecution: (input) => {
        stopped.push(JSON.parse(String(input.body)));
        return { StopTimestamp: 1 };
      },
    },
  });
  const client = new sdk.LambdaClient({
    endpoint: service.endpoint,
    region: 'eu-west-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    maxAttempts: 3,
  });
  const add = (id: string, state: Callback['state'] = 'open') => callbacks.set(id, { state, answers: [] });
  const stop = async () => {
    client.destroy();
    await service.stop();
  };
  return { service, client, clock, started, callbacks, stopped, add, stop };
}

export type LambdaApi = Awaited<ReturnType<typeof startLambdaApi>> & { readonly service: Service };
