import { buildAPIGatewayV2Request, buildQueueEvent } from '@sallyport/testkit/events';
import type { InvocationOptions, Runtime } from '../src/index.js';
import { KINDS, serve } from './support/functions.js';

const CONTEXT = buildAPIGatewayV2Request('GET', '/context');
const NOTHING = { tenant: '', clientContext: null, identity: null, timed: true, polluted: false };

/** Input of an invocation, and the handler's view of it. */
const CASES: readonly (readonly [string, InvocationOptions, object])[] = [
  ['nothing but the event', {}, {}],
  ['a tenant', { tenantId: 'tenant-a' }, { tenant: 'tenant-a' }],
  [
    'a client context and an identity',
    {
      clientContext: '{"client":{"installation_id":"i-1"},"custom":{"note":"grüße"}}',
      cognitoIdentity: '{"cognitoIdentityId":"id-1","cognitoIdentityPoolId":"pool-1"}',
    },
    {
      clientContext: { client: { installation_id: 'i-1' }, custom: { note: 'grüße' } },
      identity: { cognitoIdentityId: 'id-1', cognitoIdentityPoolId: 'pool-1' },
    },
  ],
  [
    'keys that reach for prototypes',
    {
      clientContext: '{"constructor":{"prototype":{"polluted":1}},"custom":{"toString":1}}',
      cognitoIdentity: '{"constructor":null}',
    },
    {
      clientContext: { constructor: { prototype: { polluted: 1 } }, custom: { toString: 1 } },
      identity: { constructor: null },
    },
  ],
  ['a client context that is a text', { clientContext: '"text"' }, { clientContext: 'text' }],
  ['a client context that is a list', { clientContext: '[{"custom":1}]' }, { clientContext: [{ custom: 1 }] }],
  ['a client context that is null', { clientContext: 'null' }, {}],
  [
    'a client context whose parts are of other types',
    { clientContext: '{"client":5,"custom":null,"env":[]}', cognitoIdentity: '{"cognitoIdentityId":5}' },
    { clientContext: { client: 5, custom: null, env: [] }, identity: { cognitoIdentityId: 5 } },
  ],
];

describe.each(KINDS)('%s', (_kind, file) => {
  let runtime: Runtime;
  beforeAll(async () => {
    runtime = await serve(file, 'buffered');
  });
  afterAll(() => runtime.stop());

  test.each(CASES)('sees %s', async (_name, options, seen) => {
    const { outcome, requestId, body } = await runtime.invoke(CONTEXT, options);
    const answer = JSON.parse(body.toString('utf8'));
    expect([outcome, answer.statusCode]).toEqual(['response', 200]);
    expect(JSON.parse(answer.body)).toEqual({ ...NOTHING, invocation: requestId, ...seen });
  });

  test('reads its own prototype even if a client context has a prototype', async () => {
    const clientContext = '{"__proto__":{"polluted":1},"custom":{"__proto__":{"polluted":1}}}';
    const { body } = await runtime.invoke(CONTEXT, { clientContext });
    const answer = JSON.parse(body.toString('utf8'));
    expect([answer.statusCode, JSON.parse(answer.body).polluted]).toEqual([200, false]);
  });

  test.each([
    ['1-5759e988-bd862e3fe1be46a994272793', 'other'],
    ['1-5759e988-aaaaaaaaaaaaaaaaaaaaaaaa', 'another'],
  ])('sees the trace %s in an event', async (trace, other) => {
    const event = buildQueueEvent('arn:aws:sqs:us-east-1:123456789012:traces', [
      { messageId: 'own', body: trace },
      { messageId: other, body: `not ${trace}` },
    ]);
    const { body } = await runtime.invoke(event, {
      traceId: `Root=${trace};Parent=53995c3f42cd8ad8;Sampled=0`,
    });
    expect(JSON.parse(body.toString('utf8'))).toEqual({ batchItemFailures: [{ itemIdentifier: other }] });
  });

  test('sees the values of one invocation only', async () => {
    await runtime.invoke(CONTEXT, { tenantId: 'tenant-a', clientContext: '{"custom":{"a":1}}' });
    const { requestId, body } = await runtime.invoke(CONTEXT);
    expect(JSON.parse(JSON.parse(body.toString('utf8')).body)).toEqual({ ...NOTHING, invocation: requestId });
  });
});

test.each([
  ['createApp', 'open.ts'],
  ['SecureApp', 'secure.ts'],
])('%s rejects an agent with any event, and runs nothing', async (_kind, file) => {
  const runtime = await serve(file, 'buffered');
  const event = buildAPIGatewayV2Request('GET', '/fails-before');
  const clientContext = '{"custom":{"bedrockAgentCoreToolName":"notes___read"}}';
  const refused = await runtime.invoke(event, { clientContext });
  expect([refused.outcome, JSON.parse(refused.body.toString('utf8')).errorMessage]).toEqual([
    'error',
    'framework: no adapter for agent invocations',
  ]);
  await runtime.logged(/Invoke Error/);
  expect(runtime.log).not.toContain('the connection string');

  // The same event without an agent runs the route, which fails and is logged.
  expect(await runtime.invoke(event)).toMatchObject({ outcome: 'response' });
  await runtime.logged(/the connection string/);
});

/** Version 3 of the client reports it and continues, version 4 exits. */
const REFUSED = Number(process.versions.node.split('.')[0]) < 22 ? ['error', true] : ['exit', false];

test.each(KINDS)('%s never runs if the client context is not JSON', async (_kind, file) => {
  const runtime = await serve(file, 'buffered');
  const { outcome } = await runtime.invoke(CONTEXT, { clientContext: '{"custom":' });
  expect([outcome, runtime.running]).toEqual(REFUSED);
  await runtime.logged(/as JSON/i);
});
