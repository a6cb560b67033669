import { FrameworkError } from '@sallyport/core';
import { acceptUser, allow, connectDevice, iotAuthorizer, transferIdentity } from '@sallyport/triggers';
import { buildIotAuthorizerEvent, buildTransferEvent } from '@sallyport/triggers/testing';
import { HOSTS } from './support.js';

const POLICY = { Version: '2012-10-17', Statement: [{ Effect: 'Allow', Action: 'iot:Connect', Resource: '*' }] };
const ROLE = 'arn:aws:iam::123456789012:role/files';
const device = () => connectDevice({ principalId: 'device1', policies: [POLICY] });
const user = () => acceptUser({ role: ROLE });

describe.each(HOSTS)('in %s', (_host, host) => {
  it('a device is accepted with its policies, and the password is decoded', async () => {
    const seen: unknown[] = [];
    const app = host(() =>
      iotAuthorizer((_ctx, { mqtt, isSignatureVerified, token, serverName }) => {
        seen.push(Buffer.from(mqtt?.password ?? []).toString(), isSignatureVerified, token, serverName);
        return device();
      }),
    );
    await expect(app.handleLambda(buildIotAuthorizerEvent({ token: 't-1' }))).resolves.toEqual({
      isAuthenticated: true,
      principalId: 'device1',
      disconnectAfterInSeconds: 86_400,
      refreshAfterInSeconds: 300,
      policyDocuments: [POLICY],
    });
    expect(seen).toEqual(['secret', true, 't-1', 'a1-ats.iot.us-east-1.amazonaws.com']);
  });

  it('a user is accepted with role and directories', async () => {
    const app = host(() =>
      transferIdentity((_ctx, { userName, password, protocol }) =>
        password === 'secret' && protocol === 'SFTP'
          ? acceptUser({
              role: ROLE,
              directories: { '/': `/files/${userName}` },
              policy: POLICY,
              publicKeys: ['ssh-rsa AAAA'],
              posix: { uid: 1, gid: 2 },
            })
          : undefined,
      ),
    );
    await expect(app.handleLambda(buildTransferEvent())).resolves.toEqual({
      Role: ROLE,
      HomeDirectoryType: 'LOGICAL',
      HomeDirectoryDetails: '[{"Entry":"/","Target":"/files/ann"}]',
      Policy: JSON.stringify(POLICY),
      PublicKeys: ['ssh-rsa AAAA'],
      PosixProfile: { Uid: 1, Gid: 2 },
    });
    await expect(app.handleLambda(buildTransferEvent({ password: 'other' }))).resolves.toEqual({});
  });

  it.each<[string, () => unknown]>([
    ['nothing', () => undefined],
    ['true', () => true],
    ['the decision of another service', () => user()],
    ['the decision of an API', () => allow('device1')],
    ['an own answer', () => ({ isAuthenticated: true, principalId: 'd', policyDocuments: [POLICY] })],
    ['a copy of a decision', () => ({ ...device() })],
    ['a decision as JSON', () => JSON.parse(JSON.stringify(device()))],
    ['an error', () => Promise.reject(new Error('secret'))],
    ['a FrameworkError', () => Promise.reject(new FrameworkError('app.unauthorized', 'no'))],
  ])('a device is rejected by %s', async (_what, handler) => {
    const app = host(() => iotAuthorizer(handler as never));
    await expect(app.handleLambda(buildIotAuthorizerEvent())).resolves.toEqual({ isAuthenticated: false });
  });

  it.each<[string, () => unknown]>([
    ['nothing', () => undefined],
    ['true', () => true],
    ['the decision of another service', () => device()],
    ['an own answer', () => ({ Role: ROLE })],
    ['a copy of a decision', () => ({ ...user() })],
    ['an error', () => Promise.reject(new Error('secret'))],
  ])('a user is rejected by %s', async (_what, handler) => {
    const app = host(() => transferIdentity(handler as never));
    await expect(app.handleLambda(buildTransferEvent())).resolves.toEqual({});
  });
});

it('a password that is not base64 rejects the event, and no text has it', async () => {
  const event = buildIotAuthorizerEvent();
  const protocolData = { mqtt: { ...event.protocolData.mqtt, password: '%%%' } };
  const running = iotAuthorizer(() => device()).handleLambda({ ...event, protocolData });
  await expect(running).rejects.toThrow(expect.failure('triggers.invalid_event', 'protocolData.mqtt.password'));
});

it.each<[string, () => unknown, string]>([
  ['an id with a dash', () => connectDevice({ principalId: 'a-b', policies: [POLICY] }), '1 to 128 letters and digits'],
  ['no policy', () => connectDevice({ principalId: 'a', policies: [] }), '1 to 10 documents'],
  ['11 policies', () => connectDevice({ principalId: 'a', policies: Array(11).fill(POLICY) }), '1 to 10 documents'],
  [
    'a long policy',
    () => connectDevice({ principalId: 'a', policies: [{ Version: 'x'.repeat(2_048) }] }),
    'at most 2,048 characters',
  ],
  [
    'a short connection',
    () => connectDevice({ principalId: 'a', policies: [POLICY], disconnectAfterSeconds: 299 }),
    'option "disconnectAfterSeconds"',
  ],
  ['no role', () => acceptUser({} as never), 'option "role"'],
  ['a wrong user id', () => acceptUser({ role: ROLE, posix: { uid: -1, gid: 1 } }), 'option "uid"'],
  ['no handler', () => iotAuthorizer(undefined as never), 'must be a function'],
  ['no handler', () => transferIdentity(undefined as never), 'must be a function'],
])('rejects %s', (_what, make, message) => {
  expect(make).toThrow(expect.failure('app.invalid_configuration', message));
});
