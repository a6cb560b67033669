import { FrameworkError } from '@sallyport/core';
import { DETECTION_TABLE } from '@sallyport/dispatch';
import { createApp } from '@sallyport/dispatch/app';
import { buildInvocation, directInvoke } from '@sallyport/triggers';
import { z } from 'zod';
import { TABLE_MEMBERS } from '../src/internal/members.js';
import { AGENT, HOSTS } from './support.js';

const Charge = z.object({ amount: z.number().positive() });

describe.each(HOSTS)('an invocation by name in %s', (_name, host) => {
  const make = () =>
    directInvoke()
      .invoke('charge', Charge, (_ctx, { amount }) => ({ charged: amount }))
      .invoke('nothing', z.null(), () => undefined)
      .invoke('conflict', z.null(), () => {
        throw new FrameworkError('app.conflict', 'taken');
      });

  it.each<[string, object, unknown]>([
    ['the result', buildInvocation('charge', { amount: 5 }), { charged: 5 }],
    ['null for undefined', buildInvocation('nothing', null), null],
  ])('is answered with %s', async (_what, payload, result) => {
    await expect(host(make).handleLambda(payload)).resolves.toEqual(result);
  });

  it.each<[string, object, string]>([
    ['an input that does not fit', buildInvocation('charge', { amount: -1 }), 'app.validation_failed'],
    ['an unknown name', buildInvocation('refund', {}), 'app.not_found'],
    ['the code of the handler', buildInvocation('conflict', null), 'app.conflict'],
  ])('leaves with its code as the name of the error: %s', async (_what, payload, code) => {
    await expect(host(make).handleLambda(payload)).rejects.toMatchObject({ code, name: code });
  });

  it('has an empty record id, even without a payload', async () => {
    const ids: string[] = [];
    const surface = () => directInvoke().invoke('nothing', z.null(), (ctx) => void ids.push(ctx.recordId));
    await host(surface).handleLambda(buildInvocation('nothing', null));
    expect(ids).toEqual(['']);
  });

  it('is served with a client context too', async () => {
    const payload = buildInvocation('charge', { amount: 1 });
    if (host !== HOSTS[2]?.[1]) {
      await expect(host(make).handleLambda(payload, { clientContext: {} })).resolves.toEqual({ charged: 1 });
    }
    await expect(host(make).handleLambda(payload, { identity: { cognitoIdentityId: 'x' } })).resolves.toEqual({
      charged: 1,
    });
  });

  it('never comes from an agent', async () => {
    await expect(host(make).handleLambda(buildInvocation('charge', { amount: 1 }), AGENT)).rejects.toMatchObject({
      code: 'dispatch.no_adapter',
    });
  });
});

it('an event without the discriminator is not of this kind', async () => {
  const app = createApp({ log: false, surfaces: [directInvoke().invoke('a', z.any(), () => 1)] });
  await expect(app.handleLambda({ input: 1 })).rejects.toMatchObject({ code: 'dispatch.unknown_event' });
  await expect(app.handleLambda({ $invoke: ' ', input: 1 })).rejects.toMatchObject({ code: 'dispatch.unknown_event' });
  await expect(app.handleLambda({ $invoke: 'a' })).rejects.toMatchObject({ code: 'dispatch.unknown_event' });
});

it.each([
  ['Records', { Records: [{ eventSource: 'aws:sqs' }] }, 'queue'],
  ['requestContext', { requestContext: { http: {} }, routeKey: '$default' }, 'gateway-v2'],
])('with %s the fixed table has priority', (_what, event, kind) => {
  const app = createApp({ log: false, surfaces: [directInvoke().invoke('a', z.any(), () => 1)] });
  expect(app.explain({ ...event, $invoke: 'a', input: 1 }).kind).toBe(kind);
});

it('a discriminator names the handler, and the whole event is its input', async () => {
  const surface = directInvoke({ discriminator: { path: 'action' } }).invoke(
    'ping',
    z.object({ n: z.number() }),
    (_ctx, { n }) => n,
  );
  const app = createApp({ log: false, surfaces: [surface] });
  await expect(app.handleLambda({ action: 'ping', n: 7 })).resolves.toBe(7);
  await expect(app.handleLambda({ action: 'pong', n: 7 })).rejects.toMatchObject({ code: 'dispatch.unknown_event' });
});

it.each([...TABLE_MEMBERS, '', 'a.b', 5])('a discriminator of %j is rejected', (path) => {
  expect(() => directInvoke({ discriminator: { path: path as string } })).toThrow(
    expect.failure('app.invalid_configuration', 'discriminator'),
  );
});

it('the rejected members are the members of the fixed table', () => {
  const heads = DETECTION_TABLE.flatMap(({ anyOf }) => anyOf.flat().map(({ path }) => path.split(/[.[]/, 1)[0]));
  expect([...TABLE_MEMBERS].sort()).toEqual([...new Set(heads)].sort());
});

it('a result that does not fit the schema of the output is an error, and the inventory has both schemas', async () => {
  const surface = directInvoke().invoke('n', Charge, () => 'text', { output: z.number() });
  const app = createApp({ log: false, surfaces: [surface] });
  await expect(app.handleLambda(buildInvocation('n', { amount: 1 }))).rejects.toMatchObject({
    name: 'triggers.invalid_answer',
  });
  expect(app.triggers()).toMatchObject([
    {
      kind: 'invoke',
      name: 'n',
      options: { input: { type: 'object', required: ['amount'] }, output: { type: 'number' } },
    },
  ]);
});

it('the error for an invalid input shows no part of it', async () => {
  const { handleLambda } = directInvoke().invoke('charge', Charge, () => 1);
  await expect(handleLambda(buildInvocation('charge', { amount: 'secret' }))).rejects.toThrow(
    expect.failure('app.validation_failed', 'amount'),
  );
});
