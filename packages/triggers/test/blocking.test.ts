import { createApp } from '@sallyport/dispatch/app';
import { createTestEnv } from '@sallyport/testkit';
import { documentDb, type MqMessage, mqTrigger, type SecretRotationSteps, secretRotation } from '@sallyport/triggers';
import { buildDocumentDbEvent, buildMqEvent, buildSecretRotationEvent } from '@sallyport/triggers/testing';
import { HOSTS } from './support.js';

const BROKERS = ['activemq', 'rabbitmq'] as const;
const textOf = ({ data }: MqMessage) => Buffer.from(data).toString();

describe.each(HOSTS)('in %s', (name, host) => {
  const thrown = name === 'the secure container' ? 'framework: event workload failed' : 'disk full';

  it.each(BROKERS)('messages of %s run in order, and the first failure is thrown', async (broker) => {
    const seen: string[] = [];
    const { handleLambda } = host(() =>
      mqTrigger().queue('orders', (_ctx, message) => {
        seen.push(textOf(message));
        if (textOf(message) === 'b') throw new Error('disk full');
      }),
    );
    await expect(handleLambda(buildMqEvent('orders', [{ data: 'a' }], { broker }))).resolves.toBeNull();
    const event = buildMqEvent('orders', [{ data: 'a' }, { data: 'b' }, { data: 'c' }], { broker });
    await expect(handleLambda(event)).rejects.toThrow(thrown);
    expect(seen).toEqual(['a', 'a', 'b']);
  });

  it.each(BROKERS)(
    'a message of %s that is not base64 fails in its turn, and a strange queue runs nothing',
    async (broker) => {
      const seen: string[] = [];
      const { handleLambda } = host(() =>
        mqTrigger().queue('orders', (_ctx, message) => void seen.push(textOf(message))),
      );
      const event = buildMqEvent('orders', [{ data: 'a' }, { data: 'b' }, { data: 'c' }], { broker });
      const lists = [event.messages ?? Object.values(event.rmqMessagesByQueue as object)[0]] as { data: string }[][];
      (lists[0]?.[1] as { data: string }).data = '%';
      await expect(handleLambda(event)).rejects.toThrow('framework: ');
      await expect(handleLambda(buildMqEvent('x', [{}], { broker }))).rejects.toMatchObject({
        code: 'triggers.no_handler',
      });
      expect(seen).toEqual(['a']);
    },
  );

  it('changes of a collection run in order, and the first failure is thrown', async () => {
    const seen: unknown[] = [];
    const { handleLambda } = host(() =>
      documentDb().collection('shop.orders', (_ctx, { operation, document }) => {
        seen.push([operation, document?.n]);
        if (document?.n === 2) throw new Error('disk full');
      }),
    );
    const good = buildDocumentDbEvent('shop.orders', [{ document: { n: 1 } }, { operation: 'delete' }]);
    await expect(handleLambda(good)).resolves.toBeNull();
    const bad = buildDocumentDbEvent('shop.orders', [{ document: { n: 2 } }, { document: { n: 3 } }]);
    await expect(handleLambda(bad)).rejects.toThrow(thrown);
    await expect(handleLambda(buildDocumentDbEvent('shop.users', [{}]))).rejects.toMatchObject({
      code: 'triggers.no_handler',
    });
    expect(seen).toEqual([
      ['insert', 1],
      ['delete', undefined],
      ['insert', 2],
    ]);
  });

  it('each step of a rotation reaches its function', async () => {
    const seen: unknown[] = [];
    const { handleLambda } = host(() =>
      secretRotation().secret(
        'database',
        steps((step, at) => seen.push([step, at.token])),
      ),
    );
    for (const step of STEPS) {
      await expect(handleLambda(buildSecretRotationEvent('database', { step }))).resolves.toBeNull();
    }
    expect(seen).toEqual([
      ['createSecret', 'version-1'],
      ['setSecret', 'version-1'],
      ['testSecret', 'version-1'],
      ['finishSecret', 'version-1'],
    ]);
  });

  it('a rotation that fails, and a secret that is not registered, throw', async () => {
    const fail = () => {
      throw new Error('disk full');
    };
    const { handleLambda } = host(() => secretRotation().secret('database', steps(fail)));
    await expect(handleLambda(buildSecretRotationEvent('database'))).rejects.toThrow(thrown);
    for (const other of ['databas', 'database-2', 'x']) {
      await expect(handleLambda(buildSecretRotationEvent(other))).rejects.toMatchObject({
        code: 'triggers.no_handler',
      });
    }
  });
});

const STEPS = ['createSecret', 'setSecret', 'testSecret', 'finishSecret'] as const;

type Step = Parameters<SecretRotationSteps['setSecret']>[1];

function steps(run: (step: string, at: Step) => void): SecretRotationSteps {
  const [createSecret, setSecret, testSecret, finishSecret] = STEPS.map(
    (step) => (_ctx: unknown, at: Step) => run(step, at),
  );
  return { createSecret, setSecret, testSecret, finishSecret } as SecretRotationSteps;
}

it('a message is read; RabbitMQ’s orders::/ is the queue orders of the host /', async () => {
  const seen: Omit<MqMessage, 'message'>[] = [];
  const { handleLambda } = mqTrigger().queue('orders', (_ctx, { message: _message, ...rest }) => void seen.push(rest));
  await handleLambda(buildMqEvent('orders', [{ data: 'a' }]));
  await handleLambda(buildMqEvent('orders', [{ data: 'a' }], { broker: 'rabbitmq' }));
  expect(seen).toEqual([
    { queue: 'orders', host: '', id: 'mq-1', data: Buffer.from('a'), redelivered: false },
    { queue: 'orders', host: '/', id: 'mq-1', data: Buffer.from('a'), redelivered: false },
  ]);
});

it('queues of one name in two virtual hosts can have separate handlers', async () => {
  const seen: string[] = [];
  const { handleLambda } = mqTrigger()
    .queue('orders', () => void seen.push('any host'))
    .queue('orders::/eu', () => void seen.push('/eu'));
  await handleLambda(buildMqEvent('orders', [{}], { broker: 'rabbitmq', host: '/eu' }));
  await handleLambda(buildMqEvent('orders', [{}], { broker: 'rabbitmq', host: '/' }));
  expect(seen).toEqual(['/eu', 'any host']);
});

it.each([
  ['orders', 'orders', ''],
  ['orders::', 'orders', ''],
  ['orders::/', 'orders', '/'],
  ['orders::a::b', 'orders', 'a::b'],
])('a list of messages named %s is of the queue %s and the host %j', async (name, queue, host) => {
  const event = JSON.parse(JSON.stringify(buildMqEvent('orders', [{}], { broker: 'rabbitmq' })));
  const seen: object[] = [];
  const { handleLambda } = mqTrigger().queue('orders', (_ctx, message) => {
    seen.push({ queue: message.queue, host: message.host });
  });
  await handleLambda({ ...event, rmqMessagesByQueue: { [name]: event.rmqMessagesByQueue['orders::/'] } });
  expect(seen).toEqual([{ queue, host }]);
});

it('the handler of a database gets the changes of collections without a separate handler', async () => {
  const seen: string[] = [];
  const { handleLambda } = documentDb()
    .collection('shop', (_ctx, { collection }) => void seen.push(`shop: ${collection}`))
    .collection('shop.orders', () => void seen.push('orders'));
  await handleLambda(buildDocumentDbEvent('shop.orders', [{}]));
  await handleLambda(buildDocumentDbEvent('shop.users', [{}]));
  await handleLambda(buildDocumentDbEvent('shop', [{ operation: 'dropDatabase' }]));
  expect(seen).toEqual(['orders', 'shop: users', 'shop: ']);
});

it('names are mapped, ARNs are used unchanged, and the inventories have them', async () => {
  const environment = {
    FRAMEWORK_EVENT_SOURCES:
      '{"mq":{"orders":"prod-orders"},"documentdb":{"orders":"prod.orders"},"secret":{"db":"prod/db"}}',
  };
  const env = createTestEnv({ environment });
  const seen: string[] = [];
  const exact = 'arn:aws:secretsmanager:us-east-1:123456789012:secret:exact-AbCdEf';
  const app = createApp({
    ...env.options(),
    surfaces: [
      mqTrigger().queue('orders', () => void seen.push('mq')),
      documentDb().collection('orders', (ctx) => void seen.push(`docdb ${ctx.source.name}`)),
      secretRotation()
        .secret(
          'db',
          steps(() => seen.push('db')),
        )
        .secret(
          exact,
          steps(() => seen.push('exact')),
        ),
    ],
  });
  await app.handleLambda(buildMqEvent('prod-orders', [{}]));
  await app.handleLambda(buildDocumentDbEvent('prod.orders', [{}]));
  await app.handleLambda(buildSecretRotationEvent('prod/db'));
  await app.handleLambda(buildSecretRotationEvent('exact'));
  await app.handleLambda({ Step: 'setSecret', SecretId: 'prod/db', ClientRequestToken: 't', RotationToken: 'r' });
  expect(seen).toEqual(['mq', 'docdb prod.orders', 'db', 'exact', 'db']);
  expect(app.triggers()).toEqual([
    { kind: 'mq', name: 'orders' },
    { kind: 'documentdb', name: 'orders' },
    { kind: 'secret-rotation', name: 'db' },
    { kind: 'secret-rotation', name: exact },
  ]);
});

it.each<[string, object]>([
  ['messages that are no list', { eventSource: 'aws:rmq', rmqMessagesByQueue: { 'orders::/': 5 } }],
  ['a message without queue', { eventSource: 'aws:mq', messages: [{ data: '' }] }],
  [
    '10,001 messages',
    { eventSource: 'aws:rmq', rmqMessagesByQueue: { 'orders::/': Array.from({ length: 10_001 }, () => ({})) } },
  ],
  ['a change without database', { eventSource: 'aws:docdb', events: [{ event: { ns: {} } }] }],
  ['a change that is no object', { eventSource: 'aws:docdb', events: [{ event: { ns: { db: 'd' } } }, 5] }],
])('an event with %s runs nothing', async (_what, event) => {
  const fail = () => {
    throw new Error('ran');
  };
  const app = createApp({
    log: false,
    surfaces: [mqTrigger().queue('orders', fail), documentDb().collection('d', fail)],
  });
  await expect(app.handleLambda(event)).rejects.toMatchObject({ code: 'triggers.invalid_event' });
});

it.each(STEPS)('a rotation without %s is rejected', (step) => {
  const all = { ...steps(() => {}), [step]: undefined } as unknown as SecretRotationSteps;
  expect(() => secretRotation().secret('s', all)).toThrow(
    expect.failure('app.invalid_configuration', `secretRotation ${step}`),
  );
});

describe('a change without a namespace', () => {
  const invalidate = { event: { _id: { _data: '9' }, operationType: 'invalidate', clusterTime: { $timestamp: {} } } };
  const batch = () => {
    const event = buildDocumentDbEvent('shop.orders', [{}, {}]);
    const [first, last] = event.events as object[];
    return { ...event, events: [first, invalidate, last] };
  };

  it('is skipped with one warning, and holds up nothing', async () => {
    const env = createTestEnv();
    const seen: string[] = [];
    const surface = documentDb().collection('shop.orders', (_ctx, { operation }) => void seen.push(operation));
    await expect(createApp({ ...env.options(), surfaces: [surface] }).handleLambda(batch())).resolves.toBeNull();
    expect(seen).toEqual(['insert', 'insert']);
    expect(env.records.logs.filter(({ level }) => level === 'WARN')).toMatchObject([
      {
        message: 'framework: change without a namespace skipped: register collection("*") to handle it',
        operation: 'invalidate',
      },
    ]);
  });

  it('reaches the handler of all changes, as changes of other collections do', async () => {
    const seen: string[] = [];
    const surface = documentDb()
      .collection('*', (ctx, { operation, database }) => void seen.push(`* ${operation} ${database} ${ctx.eventKey}`))
      .collection('shop.orders', () => void seen.push('orders'));
    await surface.handleLambda(batch());
    await surface.handleLambda(buildDocumentDbEvent('shop.users', [{}]));
    const cluster = 'arn:aws:rds:us-east-1:123456789012:cluster:cluster-1';
    expect(seen).toEqual([
      'orders',
      `* invalidate  ${cluster}|9`,
      'orders',
      `* insert shop ${cluster}|00000000000000000000000000000000000001`,
    ]);
  });
});
