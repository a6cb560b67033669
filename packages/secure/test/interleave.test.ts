import { json } from '@sallyport/http';
import { Authenticated, InternalOnly, Optional, Public, SecureApp } from '@sallyport/secure';
import {
  buildAPIGatewayV2Request,
  buildAppSyncEvent,
  buildQueueEvent,
  interleave,
  type MarkedEvent,
  type TestEnv,
} from '@sallyport/testkit';

function buildApp(env: TestEnv) {
  const app = new SecureApp({
    ...env.options(),
    principalResolver: async (ctx) => {
      await env.pause();
      const identity = ctx.header('x-user') ?? '';
      return identity === ''
        ? undefined
        : { kind: 'external', identity, tenantId: identity, scopes: [`read:${identity}`], claims: {} };
    },
  });
  app.get(
    '/me',
    async (ctx) => {
      ctx.set('who', ctx.authIdentity);
      await env.pause();
      ctx.log.info('who', { who: ctx.get('who') });
      return json(200, { who: ctx.get('who'), tenant: ctx.tenantId });
    },
    Authenticated(),
  );
  app.get('/scoped', () => json(200, {}), Authenticated('nobody:has'));
  app.get('/maybe', (ctx) => json(200, { who: ctx.authIdentity }), Optional());
  app.get('/open', () => json(200, {}), Public());
  app.get('/internal', () => json(200, {}), InternalOnly());
  app.appSyncField('Query', 'me', (ctx) => json(200, { who: ctx.authIdentity }), Authenticated());
  app.queue('orders', async (ctx, { body }) => {
    await env.pause();
    ctx.log.info(body);
  });
  return app;
}

const get =
  (path: string): MarkedEvent =>
  (marker) =>
    buildAPIGatewayV2Request('GET', path, { headers: { 'x-user': marker } });
const nobody: MarkedEvent = () => buildAPIGatewayV2Request('GET', '/me');
const field: MarkedEvent = (marker) =>
  buildAppSyncEvent({ parentTypeName: 'Query', fieldName: 'me', headers: { 'x-user': marker } });
const batch: MarkedEvent = (marker) =>
  buildQueueEvent('arn:aws:sqs:us-east-1:123456789012:orders', [{ body: marker }, { body: `${marker}2` }]);

it('principals of concurrent invocations are kept apart for any posture', async () => {
  const events = [
    get('/me'),
    get('/me'),
    nobody,
    get('/scoped'),
    get('/maybe'),
    get('/open'),
    get('/internal'),
    field,
    field,
    batch,
  ];
  await expect(interleave(buildApp, events)).resolves.toBeUndefined();
});
