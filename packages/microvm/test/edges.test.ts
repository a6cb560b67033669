import { ManualClock } from '@sallyport/core/testing';
import { json, timeoutMiddleware } from '@sallyport/http';
import {
  createMicrovmController,
  internalCaller,
  type MicrovmController,
  type MicrovmRegistry,
  type RunInput,
  toMicrovmCaller,
} from '@sallyport/microvm';
import { createFakeMicrovmProvider, createMemoryMicrovmRegistry } from '@sallyport/microvm/testing';
import { Authenticated, SecureApp } from '@sallyport/secure';
import { watchLeaks } from './support/leaks.js';
import { ADA } from './support/service.js';
import { IMAGE, startService, wireProvider } from './support/wire.js';

const watch = watchLeaks();
const ME = internalCaller({ identity: 'ada', tenantId: 't1', namespace: 'default' });
const START = new Date('2026-11-22T00:00:00Z');

function create(
  clock = new ManualClock(START),
  provider: object = createFakeMicrovmProvider({ clock }),
  registry: MicrovmRegistry = createMemoryMicrovmRegistry({ clock }),
) {
  watch.secrets(() => (provider as { readonly secrets?: readonly string[] }).secrets ?? []);
  return createMicrovmController({
    ...{ provider: provider as never, registry, images: [{ ref: IMAGE }], environment: {}, clock },
    onLifecycleEvent: watch.event,
  });
}

it('an unknown outcome of the first attempt is not hidden by the rejection of the second', async () => {
  const service = await startService();
  try {
    const registry = createMemoryMicrovmRegistry();
    const controller = createMicrovmController({
      provider: wireProvider(service, 2),
      registry,
      images: [{ ref: IMAGE }],
      environment: {},
      onLifecycleEvent: watch.event,
    });
    watch.secrets(() => service.secrets);
    service.inject({ kind: 'lost-answer' }, { operation: 'RunMicrovm', times: 1 });
    service.inject(
      { kind: 'error', name: 'AccessDeniedException', status: 403, message: 'x' },
      { operation: 'RunMicrovm', times: 10 },
    );
    await expect(controller.run(ME, { sessionId: 's1' })).rejects.toMatchObject({
      code: 'microvm.provider_unavailable',
    });
    expect(service.machines).toHaveLength(1);
    const row = await registry.get({ tenantId: 't1', namespace: 'default', sessionId: 's1' });
    expect(row?.state).toBe('requested');
  } finally {
    await service.stop();
  }
});

it('a lost confirmation terminates the machine and is answered with 503', async () => {
  const clock = new ManualClock(START);
  const fake = createFakeMicrovmProvider({ clock });
  const registry = createMemoryMicrovmRegistry({ clock });
  const lost = Object.assign(Object.create(registry), { confirm: async () => undefined });
  await expect(create(clock, fake, lost).run(ME, { sessionId: 's1' })).rejects.toMatchObject({
    code: 'microvm.registry_unavailable',
    status: 503,
  });
  expect(fake.machines.map(({ state }) => state)).not.toContain('RUNNING');
});

it('the stored hash of a request is the one of other versions', async () => {
  const clock = new ManualClock(START);
  const registry = createMemoryMicrovmRegistry({ clock });
  const controller = create(clock, createFakeMicrovmProvider({ clock }), registry);
  await controller.run(ME, { sessionId: 's1', metadata: { b: '1', 9: 'y', 10: 'x' } });
  const row = await registry.get({ tenantId: 't1', namespace: 'default', sessionId: 's1' });
  // SHA-256 of {"metadata":{"10":"x","9":"y","b":"1"}}.
  expect(row?.requestHash).toBe('4a18489ef0f9546e96db8151dce2dca248c7c7796dee8c0dbe4c94bfde4f9f91');
});

it.each([
  ['a line break', 'x-a', 'a\nb'],
  ['a character beyond Latin-1', 'x-a', '€'],
  ['a name that is none', 'x a', 'b'],
])('%s in a header of a request is answered 400', async (_what, name, value) => {
  const controller = create();
  await controller.run(ME, { sessionId: 's1' });
  const request = { sessionId: 's1', method: 'GET', path: '/', headers: [[name, value] as const] };
  await expect(controller.invoke(ME, request)).rejects.toMatchObject({
    code: 'microvm.invalid_request',
    status: 400,
  });
});

it.each<readonly [unknown, object]>([
  [
    { name: 'ServiceException', code: 'ECONNRESET', $metadata: { requestId: 'r-1' } },
    { name: 'ServiceException', code: 'ECONNRESET', requestId: 'r-1' },
  ],
  [{ name: 'a text', code: 'a text', $metadata: { requestId: 'a text' } }, { name: 'Error' }],
  [{ name: 'x'.repeat(65), code: 'x'.repeat(65), $metadata: { requestId: 'x'.repeat(65) } }, { name: 'Error' }],
  [{ name: '', code: '', $metadata: { requestId: '' } }, { name: 'Error' }],
  [{ name: 5, code: 5, $metadata: { requestId: 5 } }, { name: 'Error' }],
  [{ $metadata: null }, { name: 'Error' }],
  ['a text', { name: 'Error' }],
  [null, { name: 'Error' }],
])('of the failure %j its identifiers are kept, and no text', async (failure, kept) => {
  const clock = new ManualClock(START);
  const fake = createFakeMicrovmProvider({ clock });
  const get = { value: async () => Promise.reject(failure) };
  const controller = create(clock, Object.create(fake, { get, secrets: { value: fake.secrets } }));
  await controller.run(ME, { sessionId: 's1' });
  const error = await controller.get(ME, { sessionId: 's1' }).catch((thrown: unknown) => thrown);
  const { cause } = error as { cause: Error };
  expect([{ ...cause }, cause.message]).toEqual([kept, '']);
});

it.each([
  ['is repeated until 15 minutes have passed', 0, { confirmed: 1, failed: 0 }],
  ['is given up a millisecond later', 1, { confirmed: 0, failed: 1 }],
])('a start whose outcome is unknown %s', async (_what, laterMs, report) => {
  const clock = new ManualClock(START);
  const fake = createFakeMicrovmProvider({ clock });
  const registry = createMemoryMicrovmRegistry({ clock });
  const controller = create(clock, fake, registry);
  fake.fail({ operation: 'run', name: 'InternalServerException', times: 2 });
  await controller.run(ME, { sessionId: 's1' }).catch(() => undefined);
  clock.tick(15 * 60_000 + laterMs);
  expect(await controller.sweep()).toMatchObject({ pending: 1, ...report });
});

it.each<readonly [string, (controller: MicrovmController) => Promise<unknown>]>([
  ['suspend', (controller) => controller.suspend(ME, { sessionId: 's1' })],
  ['resume', (controller) => controller.resume(ME, { sessionId: 's1' })],
  ['terminate', (controller) => controller.terminate(ME, { sessionId: 's1' })],
  ['authToken', (controller) => controller.authToken(ME, { sessionId: 's1', ports: [{ port: 8080 }] })],
  ['shellAuthToken', (controller) => controller.shellAuthToken(ME, { sessionId: 's1' })],
  ['invoke', (controller) => controller.invoke(ME, { sessionId: 's1', method: 'GET', path: '/' })],
])('%s of a session whose start is not finished is answered 409, and when to try again', async (_what, call) => {
  const clock = new ManualClock(START);
  const fake = createFakeMicrovmProvider({ clock });
  const controller = create(clock, fake);
  fake.fail({ operation: 'run', name: 'InternalServerException', times: 2 });
  await controller.run(ME, { sessionId: 's1' }).catch(() => undefined);
  fake.clear();
  await expect(call(controller)).rejects.toMatchObject({
    code: 'microvm.invalid_state',
    status: 409,
    headers: { 'retry-after': '5' },
  });
  expect(fake.calls).toEqual([]);
});

/** Entries with names of two bytes. */
const entries = (count: number, value: string) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [String.fromCharCode(97 + at).repeat(2), value]));

it.each<readonly [string, RunInput]>([
  ['a session id of 64 characters', { sessionId: 'x'.repeat(64) }],
  ['a key of 128 characters', { idempotencyKey: 'x'.repeat(128) }],
  ['a duration of a second', { maximumDurationSeconds: 1 }],
  ['a duration of eight hours', { maximumDurationSeconds: 28_800 }],
  ['a name of 64 characters in metadata', { metadata: { ['x'.repeat(64)]: '' } }],
  ['a value of 256 characters in metadata', { metadata: { a: 'x'.repeat(256) } }],
  ['16 entries in metadata', { metadata: entries(16, 'x') }],
  ['2,048 bytes in metadata', { metadata: entries(8, 'x'.repeat(254)) }],
  ['2,048 bytes of other letters in metadata', { metadata: entries(8, 'ü'.repeat(127)) }],
])('a run accepts %s', async (_what, input) => {
  expect((await create().run(ME, input)).state).toBe('running');
});

it.each<readonly [string, RunInput, string]>([
  ['a session id of 65 characters', { sessionId: 'x'.repeat(65) }, 'session_id must be 1 to 64 letters'],
  ['a key of 129 characters', { idempotencyKey: 'x'.repeat(129) }, 'idempotency-key must be 1 to 128 visible'],
  ['no duration', { maximumDurationSeconds: 0 }, 'maximum_duration_seconds must be a whole number from 1 to 28800'],
  ['a second over eight hours', { maximumDurationSeconds: 28_801 }, 'maximum_duration_seconds must be a whole number'],
  ['a name of 65 characters', { metadata: { ['x'.repeat(65)]: '' } }, 'names in metadata must match'],
  [
    'a value of 257 characters',
    { metadata: { a: 'x'.repeat(257) } },
    'values in metadata must be strings of at most 256',
  ],
  ['half of a surrogate pair', { metadata: { a: '\ud800' } }, 'values in metadata must be strings of at most 256'],
  ['17 entries', { metadata: entries(17, 'x') }, 'metadata must have at most 16 entries'],
  ['2,049 bytes', { metadata: { ...entries(8, 'x'.repeat(254)), aa: 'x'.repeat(255) } }, 'at most 2048 bytes'],
  ['2,056 bytes in UTF-8', { metadata: entries(8, `${'ü'.repeat(127)}x`) }, 'metadata must have at most 2048 bytes'],
])('a run with %s is rejected before anything is reserved', async (_what, input, message) => {
  const fake = createFakeMicrovmProvider();
  await expect(create(undefined, fake).run(ME, input)).rejects.toMatchObject({
    code: 'microvm.invalid_request',
    message: expect.stringContaining(message),
  });
  expect(fake.calls).toEqual([]);
});

it('a machine that cannot be confirmed is stopped with at most two calls', async () => {
  const clock = new ManualClock(START);
  const fake = createFakeMicrovmProvider({ clock });
  const registry = createMemoryMicrovmRegistry({ clock });
  const broken = Object.assign(Object.create(registry), { confirm: () => Promise.reject(new Error('registry')) });
  fake.fail({ operation: 'terminate', name: 'ThrottlingException', times: 10 });
  await create(clock, fake, broken)
    .run(ME, { sessionId: 's1' })
    .catch(() => undefined);
  expect(fake.calls.map(({ operation }) => operation)).toEqual(['run', 'terminate', 'terminate']);
});

it('the reason of an abort is the error of the request', async () => {
  const clock = new ManualClock(START);
  const fake = createFakeMicrovmProvider({ clock, workload: () => new Promise(() => {}) });
  const controller = create(clock, fake);
  const app = new SecureApp({ principalResolver: () => ADA, clock, log: watch.logger });
  const codes: unknown[] = [];
  app.use(timeoutMiddleware({ defaultTimeoutMs: 1000 }));
  app.get(
    '/x',
    async (ctx) => {
      const caller = toMicrovmCaller(ctx);
      await controller.run(caller, { sessionId: 's1' });
      const answer = controller.invoke(caller, { sessionId: 's1', method: 'GET', path: '/' });
      await answer.catch((error: { code: string }) => codes.push(error.code));
      return json(200, {});
    },
    Authenticated(),
  );
  const served = app.serve({ method: 'GET', path: '/x' }, { getRemainingTimeInMillis: () => 60_000 });
  for (let step = 0; step < 12; step += 1) await clock.advance(100);
  await served;
  expect(codes).toEqual(['app.timeout']);
});

it('a machine that cannot be terminated does not prevent the termination of others', async () => {
  const clock = new ManualClock(START);
  const fake = createFakeMicrovmProvider({ clock });
  const registry = createMemoryMicrovmRegistry({ clock });
  const gone = create(clock, fake);
  for (const sessionId of ['s1', 's2']) await gone.run(ME, { sessionId });
  await create(clock, fake, registry).run(ME, { sessionId: 'own' });
  await clock.advance(25 * 60_000);
  fake.fail({ operation: 'terminate', name: 'AccessDeniedException' });
  const report = await create(clock, fake, registry).sweep({ imageIsOnlyOurs: true });
  expect(report).toMatchObject({ terminated: 1, refused: 1, unknown: 0 });
});

it('the variable states that the images are only ours', async () => {
  const clock = new ManualClock(START);
  const fake = createFakeMicrovmProvider({ clock });
  const registry = createMemoryMicrovmRegistry({ clock });
  await create(clock, fake).run(ME, { sessionId: 's1' });
  const options = { provider: fake, registry, images: [{ ref: IMAGE }], clock };
  const environment = { FRAMEWORK_MICROVM_IMAGE_IS_ONLY_OURS: 'true' };
  const controller = createMicrovmController({ ...options, environment });
  await controller.run(ME, { sessionId: 'own' });
  await clock.advance(25 * 60_000);
  expect(await controller.sweep({ imageIsOnlyOurs: false })).toMatchObject({ terminated: 0, unknown: 1 });
  expect(await controller.sweep()).toMatchObject({ terminated: 1, unknown: 0 });
  const wrong = { FRAMEWORK_MICROVM_IMAGE_IS_ONLY_OURS: 'yes' };
  expect(() => createMicrovmController({ ...options, environment: wrong })).toThrow(
    'the variable FRAMEWORK_MICROVM_IMAGE_IS_ONLY_OURS must be true or false',
  );
});

it('a sweep after its deadline starts no termination, and reports that it is not complete', async () => {
  const clock = new ManualClock(START);
  const fake = createFakeMicrovmProvider({ clock });
  const registry = createMemoryMicrovmRegistry({ clock });
  const controller = create(clock, fake, registry);
  for (const sessionId of ['s1', 's2', 's3']) {
    fake.fail({ operation: 'run', name: 'InternalServerException', times: 2 });
    await controller.run(ME, { sessionId }).catch(() => undefined);
  }
  clock.tick(120_000);
  // Each start lasts three seconds.
  const slow = Object.assign(Object.create(registry), {
    confirm: (...args: Parameters<MicrovmRegistry['confirm']>) => {
      clock.tick(3000);
      return registry.confirm(...args);
    },
  });
  const sweeper = create(clock, fake, slow);
  expect(await sweeper.sweep({ timeoutMs: 5000 })).toMatchObject({ pending: 2, confirmed: 2, complete: false });
  expect(await sweeper.sweep({ timeoutMs: 5000 })).toMatchObject({ pending: 1, confirmed: 1, complete: true });
});

it('without time left the service is not called', async () => {
  const clock = new ManualClock(START);
  const fake = createFakeMicrovmProvider({ clock });
  const controller = create(clock, fake);
  await controller.run(ME, { sessionId: 's1' });
  fake.clear();
  const app = new SecureApp({ principalResolver: () => ADA, clock, log: watch.logger });
  const codes: unknown[] = [];
  app.get(
    '/x',
    async (ctx) => {
      const caller = toMicrovmCaller(ctx);
      await controller.suspend(caller, { sessionId: 's1' }).catch((error: { code: string }) => codes.push(error.code));
      return json(200, {});
    },
    Authenticated(),
  );
  await app.serve({ method: 'GET', path: '/x' }, { getRemainingTimeInMillis: () => 0 });
  expect(codes).toEqual(['microvm.provider_unavailable']);
  expect(fake.calls).toEqual([]);
});

it('a token that two callers wait for is made within the time of the service, not of the first caller', async () => {
  const clock = new ManualClock(START);
  const fake = createFakeMicrovmProvider({ clock });
  let minted = 0;
  const authToken: typeof fake.authToken = async (input, signal) => {
    minted += 1;
    await new Promise<void>((resolve, reject) => {
      clock.after(1000, resolve);
      signal.addEventListener('abort', () => reject(signal.reason));
    });
    return fake.authToken(input, signal);
  };
  const provider = Object.create(fake, { authToken: { value: authToken }, secrets: { value: fake.secrets } });
  const controller = create(clock, provider);
  await controller.run(ME, { sessionId: 's1' });
  const app = new SecureApp({ principalResolver: () => ADA, clock, log: watch.logger });
  const call = async (remainingMs: number) => {
    const until = clock.monotonicMs() + remainingMs;
    return app.serve(
      { method: 'GET', path: '/x' },
      { getRemainingTimeInMillis: () => Math.max(0, until - clock.monotonicMs()) },
    );
  };
  app.get(
    '/x',
    async (ctx) => {
      const made = controller.authToken(toMicrovmCaller(ctx), { sessionId: 's1', ports: [{ port: 8080 }] });
      return json(200, { token: (await made.catch(({ code }: { code: string }) => ({ tokenType: code }))).tokenType });
    },
    Authenticated(),
  );
  const [hurried, patient] = [call(700), call(60_000)];
  for (let step = 0; step < 12; step += 1) await clock.advance(100);
  const texts = (await Promise.all([hurried, patient])).map(({ body }) => Buffer.from(body).toString());
  expect(texts).toEqual(['{"token":"microvm.provider_unavailable"}', '{"token":"auth"}']);
  expect(minted).toBe(1);
});
