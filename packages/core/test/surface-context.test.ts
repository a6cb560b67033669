import { randomIds, type SurfaceHost } from '@sallyport/core';
import { completeClock, createSurfaceContext } from '@sallyport/core/internal';
import { createLogger } from '@sallyport/core/observability';

it('the context of an event has a request in which nothing is inherited', async () => {
  const host = {
    clock: completeClock(undefined),
    ids: randomIds,
    log: createLogger({ level: 'silent' }),
    environment: {},
  } as unknown as SurfaceHost;
  const headers = { 'X-Team': 'blue' };
  const { context, end } = createSurfaceContext(host, { kind: 'job', event: {}, lambdaContext: undefined, headers });
  const names = ['constructor', 'toString', '__proto__'];
  expect(names.map((name) => context.queryAll(name))).toEqual([[], [], []]);
  expect(names.map((name) => context.header(name))).toEqual([undefined, undefined, undefined]);
  expect([context.header('x-team'), context.request.method, context.request.path]).toEqual(['blue', 'POST', '/']);
  await end();
});
