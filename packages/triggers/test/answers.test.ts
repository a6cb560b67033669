import { FrameworkError } from '@sallyport/core';
import { createApp } from '@sallyport/dispatch/app';
import { createTestEnv, type TestEnv } from '@sallyport/testkit';
import {
  buildEventBusEvent,
  buildKinesisEvent,
  buildQueueEvent,
  buildTableStreamEvent,
  buildTopicEvent,
} from '@sallyport/testkit/events';
import {
  AppSyncDecision,
  alarmAction,
  alexaSkill,
  allow,
  appSyncAuthorizer,
  appSyncEvents,
  bedrockAgent,
  bedrockFlow,
  buildInvocation,
  codeCommit,
  codeDeployHook,
  codePipelineJob,
  cognitoTrigger,
  configRules,
  connectFlow,
  customResource,
  dashboardWidget,
  deny,
  directInvoke,
  documentDb,
  firehoseTransform,
  iotAuthorizer,
  iotRule,
  kafkaTrigger,
  lambdaDestination,
  lexBot,
  logsTrigger,
  mqTrigger,
  pipe,
  requestAuthorizer,
  s3Batch,
  s3Trigger,
  secretRotation,
  sesTrigger,
  stateTask,
  type TriggerSurface,
  tokenAuthorizer,
  transferIdentity,
  tumblingWindow,
} from '@sallyport/triggers';
import * as build from '@sallyport/triggers/testing';
import { z } from 'zod';
import { toJson } from '../src/internal/answer.js';

type Handler = (ctx: unknown, record: unknown) => never;
type Serve = (event: unknown, lambdaContext: never) => Promise<unknown>;
type Json = Record<string, unknown>;

interface Place {
  readonly name: string;
  readonly event: object;
  /** Serves the event with this handler; `puts` receives the documents that are sent elsewhere. */
  readonly make: (handler: Handler, env: TestEnv, puts: string[]) => Serve;
  /** Places in a handler's result where a value can occur. */
  readonly results?: readonly ((value: unknown) => unknown)[];
  /** True if a failed invocation is an answer that the service understands: it retries, or denies. */
  readonly mayFail: boolean;
  /** True if the service does not read the result. No returned value may then fail the invocation: Lambda would repeat completed work. */
  readonly isAsynchronous?: boolean;
  /** True if an answer, as JSON, is of the form that the service reads. */
  readonly isForm: (answer: never) => boolean;
}

const inApp =
  (surface: (handler: Handler) => TriggerSurface) =>
  (handler: Handler, env: TestEnv): Serve =>
    createApp({ ...env.options(), log: false, surfaces: [surface(handler)] }).handleLambda;
/** A surface that only the alias of an invocation selects. */
const viaAlias =
  (alias: string, surface: (handler: Handler) => TriggerSurface) =>
  (handler: Handler, env: TestEnv): Serve => {
    const serve = inApp(surface)(handler, env);
    const invokedFunctionArn = `arn:aws:lambda:us-east-1:123456789012:function:home:${alias}`;
    return (event, lambdaContext) =>
      serve(event, Object.assign(lambdaContext as object, { invokedFunctionArn }) as never);
  };
/** A service that accepts every call. */
const client = { send: async () => ({}) };
const app = (env: TestEnv) => createApp({ ...env.options(), log: false });

const isNull = (answer: unknown) => answer === null;
const isReport = ({ batchItemFailures: failures }: { batchItemFailures: Json[] }) =>
  failures.every(({ itemIdentifier }) => typeof itemIdentifier === 'string');
const isPolicy = ({ principalId, policyDocument, context = {} }: Record<string, Json>) =>
  typeof principalId === 'string' &&
  Array.isArray(policyDocument?.Statement) &&
  Object.values(context).every((value) => ['string', 'number', 'boolean'].includes(typeof value));

const nothing = () => undefined;
const context = (value: unknown) => ({ context: { value } as never });
const PUBLISH = build.buildAppSyncEventsEvent('/news/sport');
const CHANNELS = (handler: Handler) => appSyncEvents().publish('/news/*', handler).subscribe('/news/*', handler);
const isPublication = ({ events }: { events: Json[] }) =>
  events.every(({ id, ...rest }) => typeof id === 'string' && ('payload' in rest || typeof rest.error === 'string'));

const PLACES: readonly Place[] = [
  {
    name: 'queue',
    event: buildQueueEvent('arn:aws:sqs:us-east-1:123456789012:orders', [{ body: '1' }, { body: '2' }]),
    make: (handler, env) => app(env).queue('orders', handler).handleLambda,
    mayFail: false,
    isForm: isReport,
  },
  {
    name: 'table stream',
    event: buildTableStreamEvent('arn:aws:dynamodb:us-east-1:123456789012:table/notes/stream/1', [{}] as never),
    make: (handler, env) => app(env).tableStream('notes', handler).handleLambda,
    mayFail: false,
    isForm: isReport,
  },
  {
    name: 'data stream',
    event: buildKinesisEvent('arn:aws:kinesis:us-east-1:123456789012:stream/clicks', [{}] as never),
    make: (handler, env) => app(env).kinesis('clicks', handler).handleLambda,
    mayFail: false,
    isForm: isReport,
  },
  {
    name: 'topic',
    event: buildTopicEvent('arn:aws:sns:us-east-1:123456789012:alerts', [{}] as never),
    make: (handler, env) => app(env).topic('alerts', handler).handleLambda,
    mayFail: true,
    isAsynchronous: true,
    isForm: (answer: unknown) => Array.isArray(answer),
  },
  {
    name: 'event bus',
    event: buildEventBusEvent({ source: 'billing' }),
    make: (handler, env) => app(env).eventBus({ source: 'billing' }, handler).handleLambda,
    mayFail: true,
    isAsynchronous: true,
    isForm: () => true,
  },
  {
    name: 's3',
    event: build.buildS3Event('uploads', [{ key: 'a' }]),
    make: inApp((handler) => s3Trigger().bucket('uploads', handler)),
    mayFail: true,
    isForm: isNull,
  },
  {
    name: 'mq',
    event: build.buildMqEvent('orders', [{}]),
    make: inApp((handler) => mqTrigger().queue('orders', handler)),
    mayFail: true,
    isForm: isNull,
  },
  {
    name: 'documentdb',
    event: build.buildDocumentDbEvent('shop.orders', [{}]),
    make: inApp((handler) => documentDb().collection('shop.orders', handler)),
    mayFail: true,
    isForm: isNull,
  },
  {
    name: 'alarm',
    event: build.buildAlarmEvent(),
    make: inApp((handler) => alarmAction(handler)),
    mayFail: true,
    isForm: isNull,
  },
  {
    name: 'logs',
    event: build.buildLogsEvent(),
    make: inApp((handler) => logsTrigger().group('/aws/lambda/orders', handler)),
    mayFail: true,
    isForm: isNull,
  },
  {
    name: 'secret rotation',
    event: build.buildSecretRotationEvent('database'),
    make: inApp((handler) => {
      const steps = { createSecret: handler, setSecret: handler, testSecret: handler, finishSecret: handler };
      return secretRotation().secret('database', steps);
    }),
    mayFail: true,
    isForm: isNull,
  },
  {
    name: 'kafka that throws',
    event: build.buildKafkaEvent('orders', [{}]),
    make: inApp((handler) => kafkaTrigger().topic('orders', handler)),
    mayFail: true,
    isForm: ({ batchItemFailures }: Json) => (batchItemFailures as unknown[]).length === 0,
  },
  {
    name: 'kafka that reports',
    event: build.buildKafkaEvent('orders', [{}, { partition: 1 }]),
    make: inApp((handler) => kafkaTrigger({ onFailure: 'report' }).topic('orders', handler)),
    mayFail: false,
    isForm: ({ batchItemFailures }: { batchItemFailures: { itemIdentifier: Json }[] }) =>
      batchItemFailures.every(({ itemIdentifier: at }) => typeof at.partition === 'string' && at.offset === 0),
  },
  {
    name: 'ses that waits',
    event: build.buildSesEvent({ invocationType: 'RequestResponse' }),
    make: inApp((handler) => sesTrigger({ onError: 'stop' }).rule(handler)),
    mayFail: false,
    isForm: ({ disposition }: Json) => ['CONTINUE', 'STOP_RULE', 'STOP_RULE_SET'].includes(String(disposition)),
  },
  {
    name: 'ses that does not wait',
    event: build.buildSesEvent(),
    make: inApp((handler) => sesTrigger({ onError: 'stop' }).rule(handler)),
    mayFail: true,
    isForm: isNull,
  },
  {
    name: 'token authorizer',
    event: build.buildTokenAuthorizerEvent(),
    make: inApp((handler) => tokenAuthorizer(handler)),
    results: [(value) => allow('u', context(value)), (value) => allow(value as never), (value) => deny(context(value))],
    mayFail: true,
    isForm: isPolicy,
  },
  {
    name: 'request authorizer with policies',
    event: { version: '1.0', type: 'REQUEST', methodArn: 'arn:aws:execute-api:us-east-1:123456789012:a/s/GET/x' },
    make: (handler) => requestAuthorizer({ form: 'policy' }, handler).serveAuthorizer as Serve,
    results: [(value) => allow('u', context(value))],
    mayFail: true,
    isForm: isPolicy,
  },
  {
    name: 'request authorizer with simple answers',
    event: { version: '2.0', type: 'REQUEST', routeArn: 'arn:aws:execute-api:us-east-1:123456789012:a/s/GET/x' },
    make: (handler) => requestAuthorizer({ form: 'simple' }, handler).serveAuthorizer as Serve,
    results: [(value) => allow('u', context(value))],
    mayFail: true,
    isForm: ({ isAuthorized }: Json) => typeof isAuthorized === 'boolean',
  },
  {
    name: 'appsync authorizer',
    event: build.buildAppSyncAuthorizerEvent(),
    make: inApp((handler) => appSyncAuthorizer(handler)),
    results: [
      (value) => AppSyncDecision.allow(context(value)),
      (value) => AppSyncDecision.allow({ deniedFields: value as never }),
    ],
    mayFail: false,
    isForm: ({ isAuthorized, deniedFields = [] }: Json) =>
      typeof isAuthorized === 'boolean' && (deniedFields as unknown[]).every((field) => typeof field === 'string'),
  },
  {
    name: 'cognito',
    event: build.buildCognitoEvent(),
    make: inApp((handler) => cognitoTrigger().on('PreSignUp_*', handler)),
    results: [(value) => ({ value })],
    mayFail: true,
    isForm: ({ triggerSource, userName, response }: Json) =>
      triggerSource === 'PreSignUp_SignUp' && typeof userName === 'string' && !('response' in (response as Json)),
  },
  {
    name: 'custom resource',
    event: build.buildCustomResourceEvent(),
    make: (handler, env, puts) => {
      const fetch = async (_url: unknown, { body }: { body: unknown }) => {
        puts.push(Buffer.from(body as Uint8Array).toString());
        return { status: 200 };
      };
      const surface = customResource({ create: handler, update: handler, delete: handler }, { fetch });
      return createApp({ ...env.options(), log: false, surfaces: [surface] }).handleLambda;
    },
    results: [(value) => ({ physicalId: value }), (value) => ({ data: value }), (value) => ({ data: { value } })],
    mayFail: false,
    isForm: isNull,
  },
  {
    name: 'custom resource after the CDK provider',
    event: build.buildCustomResourceEvent(),
    make: inApp((handler) =>
      customResource({ create: handler, update: handler, delete: handler }, { cdkProvider: true }),
    ),
    results: [(value) => ({ physicalId: value }), (value) => ({ data: value }), (value) => ({ data: { value } })],
    mayFail: true,
    isForm: ({ PhysicalResourceId: id, Data: data = {} }: Json) =>
      typeof id === 'string' && typeof data === 'object' && data !== null && !Array.isArray(data),
  },
  {
    name: 'firehose',
    event: build.buildFirehoseEvent('clicks', [{}, {}]),
    make: inApp((handler) => firehoseTransform(handler)),
    results: [(value) => ({ data: value }), (value) => ({ data: new Uint8Array(1), partitionKeys: { value } })],
    mayFail: false,
    isForm: ({ records }: { records: Json[] }) =>
      records.length === 2 &&
      records.every(({ recordId, result, data = '' }, index) => {
        const isKnown = ['Ok', 'Dropped', 'ProcessingFailed'].includes(String(result));
        return recordId === `record-${index + 1}` && isKnown && typeof data === 'string';
      }),
  },
  {
    name: 's3 batch',
    event: build.buildS3BatchEvent('uploads'),
    make: inApp((handler) => s3Batch(handler)),
    mayFail: false,
    isForm: ({ results }: { results: Json[] }) =>
      results.length === 1 &&
      results.every(({ taskId, resultString, resultCode }) => {
        const isKnown = ['Succeeded', 'TemporaryFailure', 'PermanentFailure'].includes(String(resultCode));
        return taskId === 'task-1' && isKnown && typeof resultString === 'string';
      }),
  },
  {
    name: 'appsync publication',
    event: { ...PUBLISH, events: ['1', '2'].map((id) => ({ id, payload: {} })) },
    make: inApp(CHANNELS),
    results: [(value) => ({ value })],
    mayFail: false,
    isForm: isPublication,
  },
  {
    name: 'appsync subscription',
    event: build.buildAppSyncEventsEvent('/news/sport', { operation: 'SUBSCRIBE' }),
    make: inApp(CHANNELS),
    mayFail: false,
    isForm: (answer: { error: unknown } | null) => answer === null || typeof answer.error === 'string',
  },
  {
    name: 'lex',
    event: build.buildLexEvent('Order'),
    make: inApp((handler) => lexBot().fulfillment('Order', handler)),
    results: [
      (value) => ({ sessionState: value }),
      (value) => ({ sessionState: { dialogAction: { type: 'Close' } }, messages: value }),
    ],
    mayFail: true,
    isForm: ({ sessionState, messages = [] }: { sessionState: Json; messages?: unknown }) =>
      typeof (sessionState.dialogAction as Json).type === 'string' && Array.isArray(messages),
  },
  {
    name: 'connect',
    event: build.buildConnectEvent(),
    make: inApp((handler) => connectFlow(handler)),
    results: [(value) => ({ value })],
    mayFail: true,
    isForm: (answer: Json) => Object.values(answer).every((value) => typeof value === 'string'),
  },
  {
    name: 'alexa',
    event: build.buildAlexaEvent('Order'),
    make: inApp((handler) => alexaSkill({ skillId: 'amzn1.ask.skill.1' }).intent('Order', handler)),
    results: [(value) => ({ response: value }), (value) => ({ response: {}, sessionAttributes: value })],
    mayFail: true,
    isForm: ({ version, response }: Json) => version === '1.0' && typeof response === 'object',
  },
  {
    name: 'config rule',
    event: build.buildConfigEvent('encrypted'),
    make: inApp((handler) => configRules({ client }).rule('encrypted', handler)),
    results: [
      (value) => [value],
      (value) => ({ resourceType: 't', resourceId: 'i', compliance: 'COMPLIANT', annotation: value }),
    ],
    mayFail: true,
    isForm: isNull,
  },
  {
    name: 'codepipeline',
    event: build.buildCodePipelineEvent(),
    make: inApp((handler) => codePipelineJob(handler, { client })),
    results: [(value) => ({ outputVariables: value }), (value) => ({ continuationToken: value })],
    mayFail: false,
    isForm: isNull,
  },
  {
    name: 'codedeploy',
    event: build.buildCodeDeployEvent(),
    make: inApp((handler) => codeDeployHook(handler, { client })),
    mayFail: false,
    isForm: isNull,
  },
  {
    name: 'codecommit',
    event: build.buildCodeCommitEvent('shop'),
    make: inApp((handler) => codeCommit().repository('shop', handler)),
    mayFail: true,
    isForm: isNull,
  },
  {
    name: 'bedrock agent',
    event: build.buildBedrockAgentEvent('find'),
    make: inApp((handler) => bedrockAgent().function('orders', 'find', handler)),
    results: [(value) => ({ body: value }), (value) => ({ body: 'a', sessionAttributes: value })],
    mayFail: false,
    isForm: ({ response }: { response: { functionResponse: { responseBody: { TEXT: Json } } } }) =>
      typeof response.functionResponse.responseBody.TEXT.body === 'string',
  },
  {
    name: 'bedrock flow',
    event: build.buildBedrockFlowEvent('price'),
    make: inApp((handler) => bedrockFlow().node('price', handler)),
    mayFail: true,
    isForm: () => true,
  },
  {
    name: 'iot authorizer',
    event: build.buildIotAuthorizerEvent(),
    make: inApp((handler) => iotAuthorizer(handler)),
    mayFail: false,
    isForm: ({ isAuthenticated }: Json) => isAuthenticated === false,
  },
  {
    name: 'transfer',
    event: build.buildTransferEvent(),
    make: inApp((handler) => transferIdentity(handler)),
    mayFail: false,
    isForm: (answer: Json) => Object.keys(answer).length === 0,
  },
  {
    name: 'iot rule',
    event: build.buildIotRuleEvent(),
    make: viaAlias('a', (handler) => iotRule({ key: 'id' }).rule('a', handler)),
    mayFail: true,
    isForm: isNull,
  },
  {
    name: 'pipe',
    event: build.buildPipeEvent(['a', 'b']),
    make: viaAlias('a', (handler) => pipe().enrich('a', handler)),
    mayFail: true,
    isForm: (answer: unknown) => Array.isArray(answer) && answer.length === 2,
  },
  {
    name: 'task',
    event: build.buildTaskEvent({ amount: 5 }),
    make: viaAlias('a', (handler) => stateTask().task('a', handler)),
    mayFail: true,
    isForm: () => true,
  },
  {
    name: 'task with a token',
    event: build.buildTaskEvent({ amount: 5 }, 't'),
    make: viaAlias('a', (handler) => stateTask({ client }).callback('a', handler)),
    mayFail: false,
    isForm: isNull,
  },
  {
    name: 'widget',
    event: build.buildWidgetEvent(),
    make: inApp((handler) => dashboardWidget(handler)),
    mayFail: true,
    isForm: () => true,
  },
  {
    name: 'destination',
    event: build.buildDestinationEvent('charge'),
    make: inApp((handler) => lambdaDestination().function('charge', handler)),
    mayFail: true,
    isForm: isNull,
  },
  {
    name: 'window',
    event: build.buildWindowEvent('clicks', { data: ['1'], final: true }),
    make: inApp((handler) =>
      tumblingWindow().stream('clicks', {
        initial: () => ({}) as never,
        add: (ctx, _state, record) => handler(ctx, record),
        final: handler,
      }),
    ),
    results: [(value) => ({ value })],
    mayFail: true,
    isForm: ({ state }: Json) => typeof state === 'object' && state !== null && !Array.isArray(state),
  },
  {
    name: 'invocation by name',
    event: buildInvocation('a', { n: 1 }),
    make: inApp((handler) => directInvoke().invoke('a', z.any(), handler)),
    results: [(value) => ({ value })],
    mayFail: true,
    isForm: () => true,
  },
];

const cycle: Json = {};
cycle.self = cycle;
const revoked = () => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
};
const throwing = (name: string, target: object = {}) =>
  Object.defineProperty(target, name, {
    enumerable: true,
    get() {
      throw new Error('hostile');
    },
  });
const BIG = 'x'.repeat(7_000_000);

/** Values that a handler may return at run time, regardless of its type. */
const VALUES: readonly [string, (record: unknown) => unknown][] = [
  ['undefined', nothing],
  ['null', () => null],
  ['true', () => true],
  ['NaN', () => Number.NaN],
  ['a BigInt', () => 10n],
  ['a string', () => 'text'],
  ['the name of a member that all objects have', () => 'constructor'],
  ['a list', () => [1, 2]],
  ['an object with a BigInt', () => ({ n: 10n })],
  ['a cycle', () => cycle],
  ['a getter that throws', () => throwing('n')],
  ['a toJSON that throws', () => ({ toJSON: () => ({}) as never, ...throwing('toJSON') })],
  ['a toJSON that answers nothing', () => ({ toJSON: nothing })],
  ['a function', () => nothing],
  ['a symbol', () => Symbol('s')],
  ['a revoked proxy', revoked],
  ['a map', () => new Map([['a', 1]])],
  ['an error', () => new Error('returned')],
  ['its own record', (record) => record],
  ['7 MB of text', () => BIG],
  ['7 MB in an object', () => ({ data: { text: BIG } })],
  ['bytes that are 7 MB as JSON', () => new Uint8Array(700_000)],
  ['6.4 MB in a buffer', () => Buffer.alloc(6_400_000)],
];

/** Promises that settle later, or never. */
const LATER: readonly [string, () => unknown][] = [
  ['a rejected promise', () => Promise.reject(new Error('later'))],
  // biome-ignore lint/suspicious/noThenProperty: a promise of another library
  ['a thenable that throws', () => ({ then: () => fail(new Error('then')) })],
  ['a promise that never settles', () => new Promise(() => {})],
];

/** Values that a handler may throw. */
const THROWN: readonly [string, () => unknown][] = [
  ['an error', () => new Error('secret')],
  ['undefined', nothing],
  ['null', () => null],
  ['a string', () => 'secret'],
  ['a BigInt', () => 10n],
  ['a symbol', () => Symbol('s')],
  ['a revoked proxy', revoked],
  ['an error whose message throws', () => throwing('message', new Error('x'))],
  ['an error whose stack throws', () => throwing('stack', new Error('x'))],
  ['an error whose toString throws', () => throwing('toString', new Error('x'))],
  ['a FrameworkError', () => new FrameworkError('app.conflict', 'taken')],
  ['a FrameworkError whose message throws', () => throwing('message', new FrameworkError('app.conflict', 'taken'))],
  ['a FrameworkError whose code throws', () => throwing('code', new FrameworkError('app.conflict', 'taken'))],
  [
    'a FrameworkError whose message is a BigInt',
    () => Object.defineProperty(new FrameworkError('app.conflict', 'taken'), 'message', { value: 10n }),
  ],
  ['an error with 7 MB of text', () => new Error(BIG)],
  ['a FrameworkError with 7 MB of text', () => new FrameworkError('app.conflict', BIG)],
];

const MAX_ANSWER_BYTES = 6_291_556;

/** The runtime's response to an invocation: the answer as JSON, or a failure. */
async function outcomeOf({ make, event }: Place, handler: Handler) {
  const env = createTestEnv();
  const puts: string[] = [];
  let settled = false;
  const running = make(
    handler,
    env,
    puts,
  )(structuredClone(event), env.lambdaContext({ remainingMs: 3_000 }) as never)
    .then((answer) => ({ text: JSON.stringify(answer ?? null) }))
    .catch((error: unknown) => ({ error }))
    .finally(() => {
      settled = true;
    });
  // The service waits until the end of the invocation, and no longer.
  for (let spent = 0; spent < 3_000 && !settled; spent += 100) await env.clock.advance(100);
  expect(settled).toBe(true);
  return { ...(await running), puts } as { text?: string; error?: unknown; puts: string[] };
}

async function check(place: Place, handler: Handler, mayFail = place.mayFail): Promise<void> {
  const { text, error, puts } = await outcomeOf(place, handler);
  if (text === undefined) {
    if (!mayFail) throw error;
  } else {
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(MAX_ANSWER_BYTES);
    if (!place.isForm(JSON.parse(text) as never)) throw new Error(`not an answer: ${text.slice(0, 500)}`);
  }
  if (place.name !== 'custom resource') return;
  expect(puts.map((put) => Object.keys(JSON.parse(put)).includes('Status'))).toEqual([true]);
  expect(Buffer.byteLength(puts[0] ?? '')).toBeLessThanOrEqual(4_096);
}

function fail(thrown: unknown): never {
  throw thrown;
}

describe.each(PLACES.map((place) => [place.name, place] as const))(
  'the service of %s gets an answer',
  (_name, place) => {
    it.each(VALUES)('when its handler returns %s', async (what, value) => {
      // These throw before there is a result: where it is made, and where it is awaited.
      const isThrown = what === 'a toJSON that throws' || what === 'a revoked proxy';
      const mayFail = place.mayFail && (!place.isAsynchronous || isThrown);
      for (const wrap of [(one: unknown) => one, ...(place.results ?? [])]) {
        await check(place, ((_ctx, record) => wrap(value(record))) as Handler, mayFail);
      }
    });

    it.each(LATER)('when its handler returns %s', async (what, value) => {
      // An authorizer in a separate function uses the machine's clock.
      if (what === 'a promise that never settles' && place.name.startsWith('request authorizer')) return;
      await check(place, value as never);
    });

    it.each(THROWN)('when its handler throws %s', async (_what, thrown) => {
      await check(place, () => fail(thrown()));
      await check(place, (() => Promise.reject(thrown())) as never);
    });
  },
);

it.each<[string, () => unknown]>([
  ['a Buffer', () => Buffer.from('a')],
  ['a Buffer in a list', () => [Buffer.alloc(5_000_000)]],
  ['a Uint8Array', () => ({ data: new Uint8Array(1) })],
])('%s has no JSON', (_name, value) => {
  expect(() => toJson('the result', value())).toThrow(expect.failure('triggers.invalid_answer'));
});

it('an object that looks like a written Buffer has', () => {
  expect(toJson('the result', { type: 'Buffer', data: [97] })).toEqual({ type: 'Buffer', data: [97] });
});
