import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buildInvocation } from '@sallyport/triggers';
import {
  buildAlarmEvent,
  buildAppSyncAuthorizerEvent,
  buildAppSyncEventsEvent,
  buildCognitoEvent,
  buildCustomResourceEvent,
  buildDocumentDbEvent,
  buildFirehoseEvent,
  buildKafkaEvent,
  buildLatticeRequest,
  buildLogsEvent,
  buildMqEvent,
  buildRequestAuthorizerEvent,
  buildS3BatchEvent,
  buildS3Event,
  buildSecretRotationEvent,
  buildSesEvent,
  buildTokenAuthorizerEvent,
  type KafkaEventRecord,
} from '@sallyport/triggers/testing';
import type { Runtime } from '../src/index.js';
import { serve } from './support/functions.js';

let server: Server;
let host: string;
const puts: unknown[] = [];

beforeAll(async () => {
  server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    puts.push(JSON.parse(text));
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

async function invoke(runtime: Runtime, event: unknown): Promise<[string, unknown]> {
  const { outcome, body } = await runtime.invoke(event);
  const answer = JSON.parse(body.toString('utf8')) as Record<string, unknown> | null;
  return [outcome, outcome === 'error' ? [answer?.errorType, answer?.errorMessage] : answer];
}

describe('opt-in triggers of SecureApp', () => {
  let runtime: Runtime;
  beforeAll(async () => {
    runtime = await serve('triggers.ts', 'container', { env: { RESPONSE_HOST: host } });
  });
  afterAll(() => runtime.stop());

  test.each<[string, unknown, [string, unknown]]>([
    ['S3', buildS3Event('uploads', [{ key: 'a b' }]), ['response', null]],
    [
      'a failed object',
      buildS3Event('uploads', [{ key: 'secret' }]),
      ['error', ['FrameworkError', 'framework: event workload failed']],
    ],
    ['an invocation by name', buildInvocation('double', 21), ['response', 42]],
    ['its code as the type of the error', buildInvocation('conflict', null), ['error', ['app.conflict', 'taken']]],
    [
      'an unknown name',
      buildInvocation('other', null),
      ['error', ['app.not_found', 'framework: no handler for this name']],
    ],
    ['no identity', buildTokenAuthorizerEvent({ token: 'x' }), ['error', ['Error', 'Unauthorized']]],
    ['a mail', buildSesEvent(), ['response', null]],
    [
      'a mail whose rule waits',
      buildSesEvent({ invocationType: 'RequestResponse', spam: 'FAIL' }),
      ['response', { disposition: 'STOP_RULE' }],
    ],
    ['a log group', buildLogsEvent(), ['response', null]],
    ['an alarm', buildAlarmEvent(), ['response', null]],
    [
      'a failed alarm',
      buildAlarmEvent({ state: 'OK' }),
      ['error', ['FrameworkError', 'framework: event workload failed']],
    ],
    [
      'Kafka',
      buildKafkaEvent('orders', [{}, {}, {}]),
      ['response', { batchItemFailures: [{ itemIdentifier: { partition: 'orders-0', offset: 1 } }] }],
    ],
    ['ActiveMQ', buildMqEvent('orders', [{}]), ['response', null]],
    ['RabbitMQ', buildMqEvent('orders', [{}], { broker: 'rabbitmq' }), ['response', null]],
    ['DocumentDB', buildDocumentDbEvent('shop.orders', [{}]), ['response', null]],
    [
      'Firehose',
      buildFirehoseEvent('clicks', [{ data: 'a' }]),
      ['response', { records: [{ recordId: 'record-1', result: 'Ok', data: 'QQ==' }] }],
    ],
    [
      'S3 Batch',
      buildS3BatchEvent('uploads', { key: 'a b' }),
      [
        'response',
        {
          invocationSchemaVersion: '1.0',
          treatMissingKeysAs: 'TemporaryFailure',
          invocationId: 'invocation-1',
          results: [{ taskId: 'task-1', resultCode: 'Succeeded', resultString: 'a b' }],
        },
      ],
    ],
    ['a step of a rotation', buildSecretRotationEvent('database'), ['response', null]],
    [
      'a failed step',
      buildSecretRotationEvent('database', { step: 'setSecret' }),
      ['error', ['FrameworkError', 'framework: event workload failed']],
    ],
    [
      'a publication',
      buildAppSyncEventsEvent('/news/sport'),
      ['response', { events: [{ id: 'event-1', payload: { payload: { n: 1 } } }] }],
    ],
    ['a subscription', buildAppSyncEventsEvent('/news/sport', { operation: 'SUBSCRIBE' }), ['response', null]],
    [
      'a channel without handler',
      buildAppSyncEventsEvent('/chat', { operation: 'SUBSCRIBE' }),
      ['response', { error: 'forbidden' }],
    ],
    [
      'an AppSync authorizer',
      buildAppSyncAuthorizerEvent(),
      ['response', { isAuthorized: true, resolverContext: { user: 'u1' } }],
    ],
    [
      'an AppSync authorizer that refuses',
      buildAppSyncAuthorizerEvent({ token: 'x' }),
      ['response', { isAuthorized: false, ttlOverride: 0 }],
    ],
  ])('%s', async (_name, event, expected) => {
    await expect(invoke(runtime, event)).resolves.toEqual(expected);
  });

  test('a token is answered with a policy, a sign-up with its response', async () => {
    await expect(invoke(runtime, buildTokenAuthorizerEvent())).resolves.toMatchObject([
      'response',
      { principalId: 'u1', policyDocument: { Statement: [{ Effect: 'Allow' }] } },
    ]);
    await expect(invoke(runtime, buildCognitoEvent())).resolves.toMatchObject([
      'response',
      { triggerSource: 'PreSignUp_SignUp', response: { autoConfirmUser: true } },
    ]);
  });

  test.each([1, 2])('a request of VPC Lattice, version %i', async (version) => {
    await expect(invoke(runtime, buildLatticeRequest('GET', '/', { version }))).resolves.toMatchObject([
      'response',
      { statusCode: 200, isBase64Encoded: false, body: '{}' },
    ]);
  });

  test('a custom resource is answered by one PUT', async () => {
    const event = buildCustomResourceEvent({ responseUrl: `http://${host}/answer` });
    await expect(invoke(runtime, event)).resolves.toEqual(['response', null]);
    expect(puts).toMatchObject([{ Status: 'SUCCESS', PhysicalResourceId: 'made' }]);
  });

  test('an invocation by an agent reaches no handler', async () => {
    const clientContext = JSON.stringify({ custom: { bedrockAgentCoreToolName: 'notes___add' } });
    const { outcome, body } = await runtime.invoke(buildInvocation('double', 1), { clientContext });
    expect([outcome, JSON.parse(body.toString('utf8')).errorMessage]).toEqual([
      'error',
      'framework: no adapter for agent invocations',
    ]);
  });
});

describe.each(['bigint', 'cycle', 'large', 'throws'])('handlers that do this: %s', (deed) => {
  let runtime: Runtime;
  beforeAll(async () => {
    runtime = await serve('hostile.ts', 'handleLambda', { env: { RESPONSE_HOST: host, HOSTILE: deed } });
  });
  afterAll(() => runtime.stop());
  const doesThrow = deed === 'throws';

  test('the services that wait for an answer of their form get one', async () => {
    const failed = (recordId: string) => ({ recordId, result: 'ProcessingFailed', data: expect.any(String) });
    const code = doesThrow ? 'app.internal' : 'triggers.invalid_answer';
    const at = { partition: 'orders-0', offset: 0 };
    await expect(invoke(runtime, buildFirehoseEvent('clicks', [{}]))).resolves.toEqual([
      'response',
      { records: [failed('record-1')] },
    ]);
    await expect(invoke(runtime, buildS3BatchEvent('uploads'))).resolves.toMatchObject([
      'response',
      { results: [{ taskId: 'task-1', resultCode: 'PermanentFailure', resultString: code }] },
    ]);
    await expect(invoke(runtime, buildSesEvent({ invocationType: 'RequestResponse' }))).resolves.toEqual([
      'response',
      { disposition: 'STOP_RULE_SET' },
    ]);
    await expect(invoke(runtime, buildAppSyncEventsEvent('/news/sport'))).resolves.toMatchObject([
      'response',
      { events: [{ error: 'internal error' }] },
    ]);
    await expect(invoke(runtime, buildKafkaEvent('orders', [{}]))).resolves.toEqual([
      'response',
      { batchItemFailures: doesThrow ? [{ itemIdentifier: at }] : [] },
    ]);
    puts.length = 0;
    const event = buildCustomResourceEvent({ responseUrl: `http://${host}/answer` });
    await expect(invoke(runtime, event)).resolves.toEqual(['response', null]);
    expect(puts).toMatchObject([{ Status: 'FAILED', RequestId: 'request-1' }]);
  });

  test('the other services get a failure that they understand, and the function lives on', async () => {
    await expect(invoke(runtime, buildCognitoEvent())).resolves.toEqual([
      'error',
      ['FrameworkError', 'internal error'],
    ]);
    await expect(invoke(runtime, buildInvocation('a', 1))).resolves.toMatchObject(['error', expect.any(Array)]);
    const [authorized, policy] = await invoke(runtime, buildTokenAuthorizerEvent());
    expect([authorized, JSON.stringify(policy).includes('Allow')]).toEqual([doesThrow ? 'error' : 'response', false]);
    const [stored] = await invoke(runtime, buildS3Event('uploads', [{ key: 'a' }]));
    expect(stored).toBe(doesThrow ? 'error' : 'response');
  });
});

test('a request authorizer is a separate function', async () => {
  const runtime = await serve('triggers.ts', 'serveAuthorizer');
  const event = buildRequestAuthorizerEvent({ version: '2.0', headers: { 'X-Api-Key': 'k' } });
  await expect(invoke(runtime, event)).resolves.toEqual(['response', { isAuthorized: true }]);
  await expect(invoke(runtime, buildRequestAuthorizerEvent({ version: '2.0' }))).resolves.toEqual([
    'response',
    { isAuthorized: false },
  ]);
});

test('a surface is a separate function', async () => {
  const runtime = await serve('triggers.ts', 'alone');
  await expect(invoke(runtime, buildS3Event('uploads', [{ key: 'a' }]))).resolves.toEqual(['response', null]);
});

/**
 * Delivers partitions as an event source mapping with `ReportBatchItemFailures` does: up to two records of each, again from the offset
 * that the answer names, everything again after any other answer.
 */
async function poll(runtime: Runtime, partitions: Readonly<Record<string, readonly KafkaEventRecord[]>>) {
  const positions = new Map(Object.keys(partitions).map((name) => [name, 0]));
  const delivered: string[][] = [];
  for (let invocations = 0; invocations < 20; invocations += 1) {
    const records = Object.fromEntries(
      Object.entries(partitions)
        .map(([name, all]) => [name, all.slice(positions.get(name), (positions.get(name) ?? 0) + 2)] as const)
        .filter(([, batch]) => batch.length > 0),
    );
    if (Object.keys(records).length === 0) return delivered;
    delivered.push(
      Object.values(records).flatMap((batch) => batch.map(({ partition, offset }) => `${partition}:${offset}`)),
    );
    const event = { ...buildKafkaEvent('orders', [{}]), records };
    const [outcome, answer] = await invoke(runtime, event);
    const { batchItemFailures } = answer as { batchItemFailures: { itemIdentifier: unknown }[] };
    if (outcome !== 'response') continue;
    const named = batchItemFailures.map(
      ({ itemIdentifier }) => itemIdentifier as { partition: string; offset: number },
    );
    // A flat or unknown identifier makes all of it are retried.
    if (named.some(({ partition }) => !Object.hasOwn(records, partition))) continue;
    for (const [name, batch] of Object.entries(records)) {
      const failed = named.find(({ partition }) => partition === name);
      const done = failed ? batch.findIndex(({ offset }) => offset === failed.offset) : batch.length;
      positions.set(name, (positions.get(name) ?? 0) + done);
    }
  }
  return delivered;
}

test('topics of Kafka through the runtime’s HTTP endpoint: a failed record is retried, done ones do not', async () => {
  const runtime = await serve('triggers.ts', 'topics');
  const order = (id: string, failOnce = false) => ({ value: JSON.stringify({ id, failOnce }) });
  const { records } = buildKafkaEvent('orders', [
    { partition: 0, ...order('a') },
    { partition: 0, ...order('b', true) },
    { partition: 0, ...order('c') },
    { partition: 1, ...order('d') },
    { partition: 1, key: 'e', value: null },
  ]);
  await expect(poll(runtime, records)).resolves.toEqual([
    ['0:0', '0:1', '1:0', '1:1'],
    ['0:1', '0:2'],
  ]);
});
