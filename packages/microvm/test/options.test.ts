import {
  createAwsMicrovmProvider,
  createDynamoMicrovmRegistry,
  createHttpsTransport,
  createMicrovmController,
  internalCaller,
  type MicrovmControllerOptions,
  type MicrovmLogging,
  toMicrovmCaller,
} from '@sallyport/microvm';
import { createMicrovmHooks } from '@sallyport/microvm/hooks';
import { createFakeMicrovmProvider, createMemoryMicrovmRegistry, scanForLeaks } from '@sallyport/microvm/testing';
import { IMAGE } from './support/wire.js';

const provider = createFakeMicrovmProvider();
const registry = createMemoryMicrovmRegistry();
const base = { provider, registry, images: [{ ref: IMAGE }], environment: {} };
const CONNECTOR = 'arn:aws:lambda:eu-west-1:aws:network-connector:aws-network-connector:ALL_INGRESS';
const ROLE = 'arn:aws:iam::123456789012:role/microvm';
const CALLER = internalCaller({ identity: 'a', tenantId: 't', namespace: 'n' });
const incomplete = (message: RegExp) =>
  expect.objectContaining({ code: 'microvm.controller_incomplete', message: expect.stringMatching(message) as string });

describe('createMicrovmController', () => {
  it.each<readonly [object, RegExp]>([
    [{ provider: undefined }, /"provider" must be an object with run\(\)/],
    [{ registry: {} }, /"registry" must be/],
    [{ images: undefined }, /"images" or the variable FRAMEWORK_MICROVM_IMAGE_REF must name an image/],
    [{ images: [] }, /must name an image/],
    [{ images: ['arn'] }, /"images\[0\]" must be an object/],
    [{ images: [{ ref: 'notebook' }] }, /"images\[0\]\.ref" must be the ARN of an image/],
    [{ images: [{ ref: IMAGE, version: ' ' }] }, /version/],
    [{ ingressConnectors: ['x'] }, /at most 10 different ARNs of ingress connectors/],
    [{ ingressConnectors: [CONNECTOR, CONNECTOR] }, /ingressConnectors/],
    [{ egressConnectors: Array.from({ length: 11 }, (_, at) => `${CONNECTOR}${at}`) }, /egressConnectors/],
    [{ executionRoleArn: 'arn:aws:s3:::bucket' }, /"executionRoleArn" must be the ARN of a role/],
    [{ logging: {} }, /"logging"/],
    [{ logging: 'disabled' }, /"logging"/],
    [{ logging: { disabled: {}, cloudWatch: {} } }, /"logging"/],
    [{ logging: { disabled: true } }, /"logging"/],
    [{ logging: { disabled: { logGroup: 'group' } } }, /"logging"/],
    [{ logging: { cloudWatch: 'group' }, executionRoleArn: ROLE }, /"logging"/],
    [{ logging: { cloudWatch: true }, executionRoleArn: ROLE }, /"logging"/],
    [{ logging: { cloudWatch: null }, executionRoleArn: ROLE }, /"logging"/],
    [{ logging: { cloudWatch: [] }, executionRoleArn: ROLE }, /"logging"/],
    [{ logging: { cloudWatch: { logGroup: 'group', region: 'eu-west-1' } }, executionRoleArn: ROLE }, /"logging"/],
    [{ logging: { cloudWatch: { logGroup: 'a b' } }, executionRoleArn: ROLE }, /"logging"/],
    [{ logging: { cloudWatch: { logStream: 'a:b' } }, executionRoleArn: ROLE }, /"logging"/],
    [{ logging: { cloudWatch: { logGroup: 'group' } } }, /"executionRoleArn" is required/],
    [{ maximumDurationSeconds: { max: 28_801 } }, /maximumDurationSeconds\.max/],
    [{ maximumDurationSeconds: { default: 600, max: 60 } }, /must not be greater/],
    [{ idlePolicy: { autoResumeEnabled: true } }, /idlePolicy\.maxIdleDurationSeconds/],
    [{ ownership: 'nobody' }, /"ownership" must be "tenant" or "subject"/],
    [{ invoke: { ports: [] } }, /must name a port/],
    [{ invoke: { ports: [9000] } }, /hook port/],
    [{ invoke: { ports: [{ start: 1, end: 65_535 }] } }, /hook port/],
    [{ invoke: { ports: [{ start: 2, end: 1 }] } }, /"invoke\.ports/],
    [{ invoke: { ports: [{ start: 0, end: 80 }] } }, /"invoke\.ports/],
    [{ invoke: { ports: [{ start: 9001, end: 65_536 }] } }, /"invoke\.ports/],
    [{ invoke: { ports: [{ start: 80 }] } }, /"invoke\.ports/],
    [{ invoke: { ports: [{ start: 80, end: 81, step: 1 }] } }, /"invoke\.ports/],
    [{ invoke: { ports: [{ port: 80 }] } }, /"invoke\.ports/],
    [{ invoke: { ports: [0] } }, /"invoke\.ports/],
    [{ invoke: { ports: [65_536] } }, /"invoke\.ports/],
    [{ invoke: { ports: [80.5] } }, /"invoke\.ports/],
    [{ invoke: { ports: ['80'] } }, /"invoke\.ports/],
    [{ invoke: { cookies: 'pass' } }, /invoke\.cookies/],
    [{ invoke: { followRedirects: true } }, /unknown option "invoke\.followRedirects"/],
    [{ endpointHostSuffixes: ['on.aws'] }, /endpointHostSuffixes/],
    [{ client: {} }, /unknown option "client"/],
    [{ environment: { FRAMEWORK_MICROVM_LOGGING: '{' } }, /FRAMEWORK_MICROVM_LOGGING must be JSON/],
    [{ environment: { FRAMEWORK_MICROVM_IMAGE_REF: 'notebook' }, images: undefined }, /the ARN of an image/],
  ])('rejects %j', (options, message) => {
    expect(() => createMicrovmController({ ...base, ...options } as MicrovmControllerOptions)).toThrow(
      incomplete(message),
    );
  });

  it('reads omitted options from its variables', async () => {
    const seen = createFakeMicrovmProvider();
    const controller = createMicrovmController({
      provider: seen,
      registry: createMemoryMicrovmRegistry(),
      environment: {
        FRAMEWORK_MICROVM_IMAGE_REF: `${IMAGE}@3.0, ${IMAGE}-other`,
        FRAMEWORK_MICROVM_INGRESS_NETWORK_CONNECTOR_REFS: CONNECTOR,
        FRAMEWORK_MICROVM_EGRESS_NETWORK_CONNECTOR_REFS: `${CONNECTOR}-out`,
        FRAMEWORK_MICROVM_EXECUTION_ROLE_ARN: ROLE,
        FRAMEWORK_MICROVM_LOGGING: '{"cloudWatch":{"logGroup":"group"}}',
      },
    });
    await controller.run(CALLER, {});
    expect(seen.calls[0]?.input).toMatchObject({
      imageRef: IMAGE,
      imageVersion: '3.0',
      ingressConnectors: [CONNECTOR],
      egressConnectors: [`${CONNECTOR}-out`],
      executionRoleArn: ROLE,
      logging: { cloudWatch: { logGroup: 'group' } },
      maximumDurationSeconds: 3600,
      idlePolicy: { autoResumeEnabled: true, maxIdleDurationSeconds: 900, suspendedDurationSeconds: 1800 },
    });
  });

  it.each<MicrovmLogging>([
    { disabled: {} },
    { cloudWatch: {} },
    { cloudWatch: { logGroup: 'group' } },
    { cloudWatch: { logGroup: 'group', logStream: 'stream' } },
  ])('sends the logging %j', async (logging) => {
    const seen = createFakeMicrovmProvider();
    const options = { ...base, provider: seen, registry: createMemoryMicrovmRegistry(), executionRoleArn: ROLE };
    await createMicrovmController({ ...options, logging }).run(CALLER);
    expect(seen.calls[0]?.input).toMatchObject({ logging });
  });

  it.each([
    [1, { port: 1 }, 'ports:1'],
    [65_535, { port: 65_535 }, 'ports:65535'],
    [{ start: 1, end: 8999 }, { start: 1, end: 8999 }, 'ports:1-8999'],
    [{ start: 9001, end: 65_535 }, { start: 9001, end: 65_535 }, 'ports:9001-65535'],
    [{ start: 80, end: 80 }, { port: 80 }, 'ports:80'],
  ])('makes tokens for the ports %j', async (allowed, wanted, scope) => {
    const controller = createMicrovmController({
      ...{ ...base, registry: createMemoryMicrovmRegistry(), provider: createFakeMicrovmProvider() },
      invoke: { ports: [allowed] },
    });
    const { sessionId } = await controller.run(CALLER);
    expect((await controller.authToken(CALLER, { sessionId, ports: [wanted] })).scope).toEqual([scope]);
  });

  it.each([
    ['too long', () => 'x'.repeat(16_385)],
    ['no text', () => ({}) as never],
  ])('a payload for the run hook that is %s is rejected when it is made', async (_, runHookPayload) => {
    const controller = createMicrovmController({ ...base, runHookPayload });
    const run = controller.run(CALLER);
    await expect(run).rejects.toMatchObject({ code: 'microvm.controller_incomplete' });
  });
});

it.each<readonly [string, () => unknown, RegExp]>([
  [
    'the registry without a table',
    () => createDynamoMicrovmRegistry({ environment: {} }),
    /FRAMEWORK_MICROVM_TABLE_NAME/,
  ],
  ['the registry', () => createDynamoMicrovmRegistry({ tableName: 't', ttl: 1 } as never), /unknown option "ttl"/],
  ['the registry in memory', () => createMemoryMicrovmRegistry({ clock: {} } as never), /"clock"/],
  ['the provider', () => createAwsMicrovmProvider({ client: {} } as never), /"client" must be an object with send\(\)/],
  ['the transport', () => createHttpsTransport({ rejectUnauthorized: false } as never), /unknown option/],
  ['the fake', () => createFakeMicrovmProvider({ settleMs: -1 }), /"settleMs"/],
  ['the hooks', () => createMicrovmHooks({ onStart: () => {} } as never), /unknown option "onStart"/],
  ['the scanner', () => scanForLeaks({}, { secrets: [1] } as never), /"secrets\[0\]"/],
  ['an internal caller', () => internalCaller({ identity: 'a', tenantId: '', namespace: 'n' }), /"tenantId"/],
  ['a caller', () => toMicrovmCaller({} as never, { tenant: 'x' } as never), /unknown option "tenant"/],
])('%s rejects wrong options', (_, make, message) => {
  expect(make).toThrow(incomplete(message));
});

it('a context that did not pass a gate has no caller', () => {
  expect(() => toMicrovmCaller({ securePrincipal: () => ({ identity: 'ada' }) } as never)).toThrow();
});
