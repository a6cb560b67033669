import type { ServiceFault } from '@sallyport/testkit/services';
import {
  completeCallback,
  executionName,
  failCallback,
  heartbeatCallback,
  startExecution,
  stopExecution,
} from '../src/start.js';
import { type LambdaApi, startLambdaApi } from './lambda-api.js';

const FUNCTION = 'arn:aws:lambda:eu-west-1:123456789012:function:exports:live';
const ARN = 'arn:aws:lambda:eu-west-1:123456789012:function:exports:1/durable-execution/export-7/1';
const ID = 'callback-secret-1';

let api: LambdaApi;
beforeAll(async () => {
  api = await startLambdaApi();
});
afterEach(() => {
  api.service.clear();
  api.started.clear();
  api.callbacks.clear();
});
afterAll(() => api.stop());

const start = (input: object = {}) =>
  startExecution({
    functionArn: FUNCTION,
    name: 'export-7',
    event: { id: 7, by: 'ada' },
    client: api.client,
    clock: api.clock,
    ...input,
  });
const operations = () => api.service.requests.map(({ operation }) => operation);

describe('startExecution', () => {
  it('starts one execution for equal names and events, in any order of members', async () => {
    expect(await start()).toEqual({ arn: ARN, outcome: 'started' });
    api.clock.tick(1001);
    expect(await start({ event: { by: 'ada', id: 7 } })).toEqual({ arn: ARN, outcome: 'existing' });
    expect([...api.started]).toEqual([['export-7', '{"by":"ada","id":7}']]);
  });

  it('invokes the function asynchronously, with the execution name, and reads the start of the execution', async () => {
    await start();
    expect(api.service.requests.map(({ input }) => input)).toMatchObject([
      { FunctionName: FUNCTION, DurableExecutionName: 'export-7', InvocationType: 'Event' },
      { DurableExecutionArn: ARN },
    ]);
  });

  it('rejects another event for a used name, without the message of the service', async () => {
    await start();
    const failed = await start({ event: { id: 8 } }).catch((error: unknown) => error);
    expect(failed).toMatchObject({ code: 'durable.execution_conflict', statusCode: 409 });
    expect(JSON.stringify([String(failed), String((failed as Error).cause)])).not.toContain('secret');
  });

  it.each<[string, string]>([
    ['export-7', 'export-7'],
    ['a'.repeat(64), 'a'.repeat(64)],
    ['a'.repeat(65), '635361c48bb9eab14198e76ea8ab7f1a41685d6ad62aa9146d301d4f17eb0ae0'],
    ['note/7', '4de0c0c0ef58d48bda9857cc04516351b6c394625da97d4625996a6e97e5c1ff'],
  ])('names the execution of the key %s', (given, expected) => {
    expect(executionName(given)).toBe(expected);
  });

  it.each<[string, ServiceFault, number, string[]]>([
    ['a throttle', { kind: 'error', name: 'TooManyRequestsException', status: 429 }, 1, ['Invoke', 'Invoke']],
    ['a lost reply', { kind: 'lost-answer' }, 1, ['Invoke', 'Invoke']],
    ['a server error', { kind: 'error', name: 'ServiceException', status: 500 }, 2, ['Invoke', 'Invoke', 'Invoke']],
  ])('after %s starts one execution and reports it as started', async (_, fault, times, expected) => {
    api.service.inject(fault, { operation: 'Invoke', times });
    expect(await start()).toEqual({ arn: ARN, outcome: 'started' });
    expect(operations().slice(0, -1)).toEqual(expected);
    expect(api.started.size).toBe(1);
  });

  it.each<[string, ServiceFault, string]>([
    ['throttled', { kind: 'error', name: 'TooManyRequestsException', status: 429 }, 'durable.service_unavailable'],
    ['denied', { kind: 'error', name: 'AccessDeniedException', status: 403 }, 'durable.service_failed'],
    ['not found', { kind: 'error', name: 'ResourceNotFoundException', status: 404 }, 'durable.service_failed'],
    ['silent', { kind: 'silence' }, 'durable.service_unavailable'],
  ])('rejects a start that is always %s', async (_, fault, code) => {
    api.service.inject(fault);
    await expect(start({ timeoutMs: 100 })).rejects.toMatchObject({ code });
  });

  it('stops when the signal of the caller aborts', async () => {
    const stopping = new AbortController();
    api.service.inject({ kind: 'silence' });
    const running = start({ signal: stopping.signal, timeoutMs: 60_000 });
    stopping.abort();
    await expect(running).rejects.toMatchObject({ code: 'durable.service_unavailable' });
  });

  it('rejects a function that accepts the event but is not durable', async () => {
    await expect(start({ functionArn: 'exports:plain' })).rejects.toMatchObject({ code: 'durable.service_failed' });
  });

  it.each<[string, object, string]>([
    ['an ARN without a qualifier', { functionArn: FUNCTION.slice(0, -5) }, 'durable.invalid_input'],
    ['a name without a qualifier', { functionArn: 'exports' }, 'durable.invalid_input'],
    ['an empty name', { name: '' }, 'durable.invalid_input'],
    ['no event', { event: undefined }, 'durable.invalid_input'],
    ['a date in the event', { event: { at: new Date(0) } }, 'durable.invalid_input'],
    ['a bigint in the event', { event: { count: 1n } }, 'durable.invalid_input'],
    ['a symbol in the event', { event: [Symbol('a')] }, 'durable.invalid_input'],
    ['a function in the event', { event: { run() {} } }, 'durable.invalid_input'],
    ['NaN in the event', { event: [Number.NaN] }, 'durable.invalid_input'],
    ['an event of 1 MiB and one byte', { event: 'x'.repeat(1_048_575) }, 'durable.too_large'],
    ['a time-out of 0', { timeoutMs: 0 }, 'durable.invalid_input'],
  ])('rejects %s before a request', async (_, input, code) => {
    await expect(start(input)).rejects.toMatchObject({ code });
    expect(operations()).toEqual([]);
  });

  it('sends an event of exactly 1 MiB', async () => {
    expect(await start({ event: 'x'.repeat(1_048_574) })).toMatchObject({ outcome: 'started' });
  });
});

describe('callbacks', () => {
  const options = () => ({ client: api.client });
  const answers = () => api.callbacks.get(ID)?.answers;

  it('completes with JSON, fails with a type and a message, and sends heartbeats', async () => {
    api.add(ID);
    await heartbeatCallback(ID, options());
    expect(await completeCallback(ID, { approved: true }, options())).toEqual({ outcome: 'completed' });
    expect(answers()).toEqual(['heartbeat', { approved: true }]);
    api.add(ID);
    await failCallback(ID, { type: 'Rejected', message: 'too large' }, options());
    expect(answers()).toEqual([{ ErrorType: 'Rejected', ErrorMessage: 'too large' }]);
  });

  const CALLS: readonly (readonly [string, () => Promise<unknown>])[] = [
    ['completeCallback', () => completeCallback(ID, 1, options())],
    ['failCallback', () => failCallback(ID, { message: 'no' }, options())],
    ['heartbeatCallback', () => heartbeatCallback(ID, options())],
  ];

  describe.each(CALLS)('%s', (_, call) => {
    it.each([['answered'], ['late'], ['unknown']] as const)(
      'rejects a callback that is %s, and never names its id',
      async (state) => {
        if (state !== 'unknown') api.add(ID, state);
        const failed = await call().catch((error: unknown) => error);
        expect(failed).toMatchObject({ code: 'durable.callback_gone', statusCode: 410 });
        const { cause, stack } = failed as Error;
        expect(JSON.stringify([String(failed), stack, String(cause), (cause as Error).stack, cause])).not.toContain(ID);
      },
    );
  });

  it('reports an unknown outcome if a lost reply was repeated, and answers once', async () => {
    api.add(ID);
    api.service.inject({ kind: 'lost-answer' }, { times: 1 });
    expect(await completeCallback(ID, 'yes', options())).toEqual({ outcome: 'unknown' });
    expect(answers()).toEqual(['yes']);
  });

  it.each<[string, string, unknown, string]>([
    ['an empty id', '', 1, 'durable.invalid_input'],
    ['a value of 256 KiB and one byte', ID, 'x'.repeat(262_143), 'durable.too_large'],
    ['a map', ID, new Map(), 'durable.invalid_input'],
    ['undefined', ID, undefined, 'durable.invalid_input'],
  ])('rejects %s before a request', async (_, id, value, code) => {
    await expect(completeCallback(id, value, options())).rejects.toMatchObject({ code });
    expect(operations()).toEqual([]);
  });

  it('stops an execution with a reason', async () => {
    await stopExecution(ARN, 'cancelled', options());
    expect(api.stopped).toEqual([{ ErrorType: 'Stopped', ErrorMessage: 'cancelled' }]);
  });
});
