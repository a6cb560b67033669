import { ManualClock } from '@sallyport/core/testing';
import { json, timeoutMiddleware } from '@sallyport/http';
import { createMicrovmController, internalCaller, type MicrovmRegistry, toMicrovmCaller } from '@sallyport/microvm';
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

it('an unknown outcome of the first attempt is not hidden by the refusal of the second', async () => {
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

it('a lost confirmation ends the machine and is answered 503', async () => {
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

it('a machine that cannot be ended does not stop the others from being ended', async () => {
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

it('a sweep whose time is over begins nothing new, and says that it is not complete', async () => {
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

it('without time left the service is not asked', async () => {
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
