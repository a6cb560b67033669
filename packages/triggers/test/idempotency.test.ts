import { createDispatcher } from '@sallyport/dispatch';
import { createApp } from '@sallyport/dispatch/app';
import { createMemoryJobLedger, idempotentHandler } from '@sallyport/jobs';
import { createEventRouter } from '@sallyport/streams';
import {
  buildEventBusEvent,
  buildKinesisEvent,
  buildQueueEvent,
  buildScheduledEvent,
  buildTableStreamEvent,
  buildTopicEvent,
} from '@sallyport/testkit';
import {
  cognitoTrigger,
  directInvoke,
  type EventContext,
  type KeylessEventContext,
  requestAuthorizer,
  s3Trigger,
} from '@sallyport/triggers';
import { CATALOGUE, type CatalogueEntry } from '@sallyport/triggers/catalogue';
import { z } from 'zod';
import { contextOf, EVENTS, surfaceOf } from './kinds.js';

/** A handler of any kind: the kinds have different types of answers. */
type Handler = <E>(ctx: EventContext, event: E) => Promise<never>;
interface Served {
  handleLambda(event: unknown, lambdaContext?: object): Promise<unknown>;
}

const onSurface = (surface: object): Served => createApp({ log: false, surfaces: [surface as never] });
const onRouter = (register: (router: ReturnType<typeof createEventRouter>) => unknown): Served => {
  const router = createEventRouter({ streamFailureIdentifier: 'eventID' });
  register(router);
  return createDispatcher(router);
};

const WITH_HANDLERS: readonly CatalogueEntry[] = Object.values(CATALOGUE).filter(
  ({ sample }) => sample.names.length > 0,
);

/** Registers a handler for each kind of streams and triggers. */
const KINDS: Readonly<Record<string, (handler: Handler) => Served>> = {
  queue: (run) => onRouter((router) => router.queue('orders', run)),
  topic: (run) => onRouter((router) => router.topic('news', run)),
  stream: (run) => onRouter((router) => router.kinesis('clicks', run)),
  'table-stream': (run) => onRouter((router) => router.tableStream('notes', run)),
  'event-bus': (run) => onRouter((router) => router.eventBus({ source: 'billing', detailType: 'Paid' }, run)),
  schedule: (run) => onRouter((router) => router.eventBus({ detailType: 'Scheduled Event' }, run)),
  'authorizer-request': (run) => {
    const { serveAuthorizer } = requestAuthorizer({ form: 'simple' }, run);
    return { handleLambda: serveAuthorizer };
  },
  ...Object.fromEntries(WITH_HANDLERS.map((entry) => [entry.kind, (run: Handler) => onSurface(surfaceOf(entry, run))])),
};
/** Kinds whose events have no natural key. */
const KEYLESS = [
  'authorizer-request',
  ...WITH_HANDLERS.filter(({ sample }) => sample.events.every(([, key]) => key === undefined)).map(({ kind }) => kind),
];
/** Answers of the handlers, for kinds that need an answer. */
const ANSWERS: Readonly<Record<string, unknown>> = {
  ses: 'continue',
  firehose: 'data',
  'authorizer-token': { isAuthorized: true, principalId: 'ada' },
  'authorizer-request': { isAuthorized: true, principalId: 'ada' },
  'appsync-authorizer': { isAuthorized: true },
};
const ALL_EVENTS: readonly (readonly [string, object])[] = [
  ['queue', buildQueueEvent('arn:aws:sqs:us-east-1:123456789012:orders', [{ body: '{}', messageId: 'm-1' }])],
  ['topic', buildTopicEvent('arn:aws:sns:us-east-1:123456789012:news', [{}])],
  ['stream', buildKinesisEvent('arn:aws:kinesis:us-east-1:123456789012:stream/clicks', [{ data: 'x' }] as never)],
  [
    'table-stream',
    buildTableStreamEvent('arn:aws:dynamodb:us-east-1:123456789012:table/notes/stream/2024-01-01', [
      { eventName: 'INSERT', keys: { id: '1' } },
    ] as never),
  ],
  ['event-bus', buildEventBusEvent({ source: 'billing', detailType: 'Paid', id: 'e-1', detail: {} })],
  ['schedule', buildScheduledEvent({})],
  ...EVENTS.filter(([kind]) => kind !== 'lattice'),
  ['authorizer-request', { type: 'REQUEST', methodArn: 'arn', headers: {} }],
];

/** Registers a handler with the wrapper, and delivers an event twice. */
async function deliverTwice(kind: string, event: object, options: { readonly key?: () => string }) {
  let ran = 0;
  const ledger = createMemoryJobLedger();
  const wrapped = idempotentHandler(ledger, options, async () => {
    ran += 1;
    return ANSWERS[kind] ?? (CATALOGUE as Readonly<Record<string, CatalogueEntry>>)[kind]?.sample.result;
  });
  const served = KINDS[kind]?.(wrapped as never);
  const answers: unknown[] = [];
  for (let delivery = 0; delivery < 2; delivery += 1) {
    answers.push(await served?.handleLambda(structuredClone(event), contextOf(kind)));
  }
  return { ran, answers };
}

describe('an event that is delivered twice', () => {
  it.each(ALL_EVENTS.filter(([kind]) => !KEYLESS.includes(kind)))(
    'runs once by its natural key, with equal answers: %s',
    async (kind, event) => {
      const { ran, answers } = await deliverTwice(kind, event, {});
      expect(ran).toBe(1);
      expect(JSON.stringify(answers[1])).toBe(JSON.stringify(answers[0]));
    },
  );

  it.each(ALL_EVENTS.filter(([kind]) => KEYLESS.includes(kind)))(
    'runs once by the option "key": %s',
    async (kind, event) => {
      const { ran } = await deliverTwice(kind, event, { key: () => 'k-1' });
      expect(ran).toBe(1);
    },
  );
});

describe('a kind without a natural key', () => {
  it.each(KEYLESS)('rejects the wrapper without the option "key" when it is registered: %s', (kind) => {
    const wrapped = idempotentHandler(createMemoryJobLedger(), {}, async () => undefined as never);
    expect(() => KINDS[kind]?.(wrapped)).toThrow(
      expect.objectContaining({
        code: 'app.invalid_configuration',
        message: `framework: events of kind "${kind}" have no natural key: pass the option "key" to idempotentHandler`,
      }),
    );
  });

  it('does not compile without the option "key"', () => {
    const ledger = createMemoryJobLedger();
    const run = async (ctx: KeylessEventContext) => void ctx.requestId;
    // @ts-expect-error: `key` is missing
    expect(() => cognitoTrigger().on('PreSignUp_*', idempotentHandler(ledger, {}, run))).toThrow(
      expect.failure('app.invalid_configuration', '"key"'),
    );
    const count = async (_ctx: KeylessEventContext, input: string) => input.length;
    // @ts-expect-error: `key` is missing
    expect(() => directInvoke().invoke('a', z.string(), idempotentHandler(ledger, {}, count))).toThrow(
      expect.failure('app.invalid_configuration', '"key"'),
    );
    const keyed = { key: (_ctx: KeylessEventContext, input: string) => input };
    directInvoke().invoke(
      'a',
      z.string(),
      idempotentHandler(ledger, keyed, async (_ctx, input) => input.length),
    );
    // A kind with a natural key needs none.
    s3Trigger().bucket(
      'uploads',
      idempotentHandler(ledger, {}, async (_ctx, object) => object.key.length),
    );
  });
});

it('a message whose sender left out its id fails with the remedy', async () => {
  const event = JSON.parse(JSON.stringify(EVENTS.filter(([kind]) => kind === 'mq')[1]?.[1]));
  event.rmqMessagesByQueue['orders::/'][0].basicProperties.messageId = null;
  await expect(deliverTwice('mq', event, {})).rejects.toMatchObject({
    code: 'jobs.invalid_input',
    message: 'framework: event of kind "mq" has no natural key; pass the option "key"',
  });
  expect((await deliverTwice('mq', event, { key: () => 'm-1' })).ran).toBe(1);
});

describe('an event that EventBridge replays from an archive', () => {
  const first = buildEventBusEvent({ source: 'billing', detailType: 'Paid', id: 'e-1', detail: {} });
  const replay = (name: string) => ({ ...first, 'replay-name': name });

  it.each([
    ['ignore', undefined, 1],
    ['ignore', 'ignore', 1],
    ['handle', 'handle', 3],
  ] as const)('%s (%s)', async (_, replays, expected) => {
    let ran = 0;
    const options = replays === undefined ? {} : { replays };
    const wrapped = idempotentHandler(createMemoryJobLedger(), options, async () => {
      ran += 1;
    });
    const served = KINDS['event-bus']?.(wrapped as never);
    for (const event of [first, first, replay('one'), replay('one'), replay('two')]) await served?.handleLambda(event);
    expect(ran).toBe(expected);
  });
});
