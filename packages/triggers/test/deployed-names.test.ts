import { createApp } from '@sallyport/dispatch/app';
import { createTestEnv } from '@sallyport/testkit';
import {
  buildInvocation,
  cognitoTrigger,
  directInvoke,
  documentDb,
  kafkaTrigger,
  logsTrigger,
  mqTrigger,
  s3Trigger,
  secretRotation,
  type TriggerSurface,
} from '@sallyport/triggers';
import * as build from '@sallyport/triggers/testing';
import { z } from 'zod';

type Run = () => undefined;

interface Kind {
  /** A surface with a handler for each name. */
  readonly make: (names: readonly string[], run: Run) => TriggerSurface;
  readonly event: (name: string) => object;
}

const DEPLOYED: Readonly<Record<string, Kind>> = {
  s3: {
    make: (names, run) => names.reduce((surface, name) => surface.bucket(name, run), s3Trigger()),
    event: (name) => build.buildS3Event(name, [{ key: 'a' }]),
  },
  kafka: {
    make: (names, run) => names.reduce((surface, name) => surface.topic(name, run), kafkaTrigger()),
    event: (name) => build.buildKafkaEvent(name, [{}]),
  },
  mq: {
    make: (names, run) => names.reduce((surface, name) => surface.queue(name, run), mqTrigger()),
    event: (name) => build.buildMqEvent(name, [{}]),
  },
  documentdb: {
    make: (names, run) => names.reduce((surface, name) => surface.collection(name, run), documentDb()),
    event: (name) => build.buildDocumentDbEvent(name, [{}]),
  },
  secret: {
    make: (names, run) => {
      const steps = { createSecret: run, setSecret: run, testSecret: run, finishSecret: run };
      return names.reduce((surface, name) => surface.secret(name, steps), secretRotation());
    },
    event: (name) => build.buildSecretRotationEvent(name),
  },
};

/** Trigger sources, log groups and operations: the variable does not map their names. */
const FIXED: readonly [string, Kind][] = [
  [
    'PreSignUp_SignUp',
    {
      make: ([name = ''], run) => cognitoTrigger().on(name as 'PreSignUp_SignUp', run),
      event: () => build.buildCognitoEvent(),
    },
  ],
  [
    '/aws/lambda/orders',
    { make: ([name = ''], run) => logsTrigger().group(name, run), event: () => build.buildLogsEvent() },
  ],
  [
    'charge',
    {
      make: ([name = ''], run) => directInvoke().invoke(name, z.any(), run),
      event: (name) => buildInvocation(name, 1),
    },
  ],
];

/** The number of calls of handlers with these names for an event of `sent`. */
async function serve(kind: Kind, names: readonly string[], sent: string, sources: object): Promise<number> {
  const env = createTestEnv({ environment: { FRAMEWORK_EVENT_SOURCES: JSON.stringify(sources) } });
  let calls = 0;
  const surface = kind.make(names, () => {
    calls += 1;
    return undefined;
  });
  await createApp({ ...env.options(), log: false, surfaces: [surface] }).handleLambda(kind.event(sent));
  return calls;
}

describe.each(Object.entries(DEPLOYED))('names of the kind %s', (method, kind) => {
  it.each([
    ['the key of the kind', { [method]: { 'shop.orders': 'prod.orders' } }],
    ['a map for all kinds', { 'shop.orders': 'prod.orders' }],
  ])('are mapped by %s', async (_what, sources) => {
    await expect(serve(kind, ['shop.orders'], 'prod.orders', sources)).resolves.toBe(1);
    await expect(serve(kind, ['shop.orders'], 'shop.orders', sources)).rejects.toMatchObject({
      code: 'triggers.no_handler',
    });
  });

  it('are not mapped by the key of another kind', async () => {
    const sources = { queue: { 'shop.orders': 'prod.orders' } };
    await expect(serve(kind, ['shop.orders'], 'shop.orders', sources)).resolves.toBe(1);
  });

  it('are rejected when two of them have the same deployed name', async () => {
    const sources = { 'shop.orders': 'prod.orders' };
    await expect(serve(kind, ['shop.orders', 'prod.orders'], 'prod.orders', sources)).rejects.toThrow(
      expect.failure('app.invalid_configuration', 'duplicate handler for '),
    );
  });
});

it.each(FIXED)('the name %s is not mapped', async (name, kind) => {
  await expect(serve(kind, [name], name, { [name]: 'deployed' })).resolves.toBe(1);
});
