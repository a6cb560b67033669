import { LocalDurableTestRunner } from '@aws/durable-execution-sdk-js-testing';
import { createApp } from '@sallyport/dispatch/app';
import { json } from '@sallyport/http';
import { buildAPIGatewayV2Request, buildEventBusEvent } from '@sallyport/testkit';
import { durable, durableExecutions } from '../src/index.js';
import { FUNCTION, linesOf, runExecution } from './run.js';

const ARN = `${FUNCTION}:1/durable-execution/order-1/4f1c`;
const EVENT = buildEventBusEvent({ source: 'shop', detailType: 'Ordered', detail: {} });

function envelope(payload: unknown = JSON.stringify(EVENT), more: readonly object[] = []) {
  const first = {
    Id: '0',
    Type: 'EXECUTION',
    Status: 'STARTED',
    StartTimestamp: 1_764_410_400_000,
    ExecutionDetails: { InputPayload: payload },
  };
  return {
    DurableExecutionArn: ARN,
    CheckpointToken: 'token',
    InitialExecutionState: { Operations: [first, ...more] },
  };
}

const untouched = {
  getExecutionState: () => Promise.reject(new Error('read')),
  checkpoint: () => Promise.reject(new Error('written')),
};

/** Serves one event with a handler that counts its calls. */
async function serve(event: unknown, lambdaContext: object = {}, environment: Record<string, string> = {}) {
  const lines: Record<string, unknown>[] = [];
  let calls = 0;
  const app = createApp({ environment, log: linesOf(lines), surfaces: [durableExecutions({ client: untouched })] });
  app.eventBus(
    { source: 'shop' },
    durable(() => {
      calls += 1;
      return 'served';
    }),
  );
  const outcome = await app.handleLambda(event, lambdaContext).then(
    (answer) => JSON.stringify(answer),
    (error: { code: string; message: string }) => `${error.code} ${error.message}`,
  );
  return { outcome, calls, errors: lines.filter(({ level }) => level === 'error').length };
}

const LAMBDA = { AWS_LAMBDA_FUNCTION_NAME: 'orders' };
const AGENT = { clientContext: { custom: { bedrockAgentCoreToolName: 'notes___add' } } };

test.each<[string, unknown, object, Record<string, string>, string, number]>([
  ['an execution outside Lambda', envelope(), {}, {}, '{"Status":"SUCCEEDED","Result":"\\"served\\""}', 1],
  [
    'an execution of a durable function',
    envelope(),
    {},
    { ...LAMBDA, FRAMEWORK_DURABLE: '1' },
    '{"Status":"SUCCEEDED","Result":"\\"served\\""}',
    1,
  ],
  [
    'an execution sent to a function that is not durable',
    envelope(),
    {},
    LAMBDA,
    'durable.function_not_durable framework: function is not durable',
    0,
  ],
  [
    'an execution with a foreign step result',
    envelope(undefined, [{ Id: '1', Type: 'STEP', Status: 'SUCCEEDED' }]),
    {},
    LAMBDA,
    'durable.function_not_durable framework: function is not durable',
    0,
  ],
  [
    'an execution from an agent',
    envelope(),
    AGENT,
    {},
    'dispatch.no_adapter framework: no adapter for agent invocations',
    0,
  ],
  [
    'an execution from a direct caller',
    envelope(),
    { clientContext: {} },
    {},
    'durable.function_not_durable framework: a direct invocation cannot continue an execution',
    0,
  ],
  [
    'an execution in an execution',
    envelope(JSON.stringify(envelope())),
    {},
    {},
    '{"Status":"FAILED","Error":{"ErrorMessage":"framework: the event of an execution is an execution","ErrorType":"durable.nested"}}',
    0,
  ],
  [
    'an execution without input',
    envelope(null),
    {},
    {},
    'durable.envelope_invalid framework: InitialExecutionState.Operations[0].ExecutionDetails.InputPayload must be a JSON object or list (got object)',
    0,
  ],
  [
    'input that is not JSON',
    envelope('{'),
    {},
    {},
    'durable.envelope_invalid framework: InitialExecutionState.Operations[0].ExecutionDetails.InputPayload must be a JSON object or list (got string)',
    0,
  ],
  [
    'input that is not an object',
    envelope('7'),
    {},
    {},
    'durable.envelope_invalid framework: InitialExecutionState.Operations[0].ExecutionDetails.InputPayload must be a JSON object or list (got string)',
    0,
  ],
  [
    'an event without operations',
    { ...envelope(), InitialExecutionState: { Operations: [] } },
    {},
    {},
    'dispatch.unknown_event',
    0,
  ],
])('%s', async (_name, event, context, environment, expected, calls) => {
  const served = await serve(event, context, environment);
  expect(served.outcome).toContain(expected);
  expect([served.calls, served.errors]).toEqual([calls, calls === 1 ? 0 : served.outcome.startsWith('{') ? 0 : 1]);
});

test('the inner event has the id of the execution in every invocation, and the answer is the one of its surface', async () => {
  const ids: string[] = [];
  const ran = await runExecution(
    (app) =>
      app.post(
        '/orders',
        durable(async (ctx) => {
          ids.push(ctx.requestId);
          await ctx.wait('pause', { seconds: 1 });
          return json(201, { id: await ctx.step('id', () => 7) });
        }),
      ),
    buildAPIGatewayV2Request('POST', '/orders'),
  );
  expect(JSON.parse(ran.result ?? '')).toMatchObject({ statusCode: 201, body: '{"id":7}' });
  expect(ids[1]).toBe(ids[0]);
  expect(ran.arn.endsWith(`/${ids[0]}`)).toBe(true);
  expect(ran.records.map(({ event }) => event)).toEqual(['request.completed']);
});

test('a failure of an execution is masked if the container masks errors', async () => {
  const fail = (container: object) =>
    runExecution(
      (app) =>
        app.eventBus(
          { source: 'shop' },
          durable(() => {
            throw new Error('table orders-1 is gone');
          }),
        ),
      EVENT,
      { container },
    );
  expect((await fail({})).error).toMatchObject({ ErrorMessage: 'table orders-1 is gone' });
  const masked = await fail({ maskErrors: true });
  expect(masked).toMatchObject({ status: 'FAILED', error: { ErrorMessage: expect.not.stringContaining('orders-1') } });
  expect(masked.lines.filter(({ level }) => level === 'error')).toHaveLength(1);
});

test('a payload of 7 MB in an envelope is served on a durable function, and rejected elsewhere without being read', async () => {
  const payload = JSON.stringify({ source: 'shop', 'detail-type': 'a', detail: { text: 'x'.repeat(7_000_000) } });
  const durableOne = await serve(envelope(payload), {}, { ...LAMBDA, FRAMEWORK_DURABLE: '1' });
  expect([durableOne.outcome, durableOne.calls]).toEqual(['{"Status":"SUCCEEDED","Result":"\\"served\\""}', 1]);
  const plain = await serve(envelope(payload), {}, LAMBDA);
  expect([plain.outcome, plain.calls]).toEqual(['durable.function_not_durable framework: function is not durable', 0]);
});

test('a history in pages is read to its end', async () => {
  const bodies: number[] = [];
  const ran = await runExecution(
    (app) =>
      app.eventBus(
        { source: 'shop' },
        durable(async (ctx) => {
          for (let index = 0; index < 12; index += 1) await ctx.step(`step ${index}`, () => bodies.push(index));
          await ctx.wait('pause', { seconds: 1 });
          return ctx.step('last', () => bodies.length);
        }),
      ),
    EVENT,
    { pageSize: 3 },
  );
  expect([ran.result, ran.invocations]).toEqual(['12', 2]);
});

describe("with AWS's local runner", () => {
  beforeAll(() => LocalDurableTestRunner.setupTestEnvironment({ skipTime: true }));
  afterAll(() => LocalDurableTestRunner.teardownTestEnvironment());

  test('a handler runs unchanged, with its waits skipped', async () => {
    const bodies: string[] = [];
    const app = createApp({ log: false, surfaces: [durableExecutions()] });
    app.eventBus(
      { source: 'shop' },
      durable(async (ctx) => {
        await ctx.step('first', () => void bodies.push('first'));
        await ctx.wait('pause', { hours: 5 });
        return ctx.step('last', () => bodies.push('last'));
      }),
    );
    const runner = new LocalDurableTestRunner({ handlerFunction: app.handleLambda as never });
    const ran = await runner.run({ payload: EVENT });
    expect([ran.getStatus(), ran.getResult(), bodies]).toEqual(['SUCCEEDED', 2, ['first', 'last']]);
  });
});
