import type { Context } from '@sallyport/core';
import { json } from '@sallyport/http';
import {
  buildAPIGatewayProxyRequest,
  buildAPIGatewayV2Request,
  buildAppSyncBatch,
  buildAppSyncEvent,
  buildEventBusEvent,
  buildKinesisEvent,
  buildLambdaFunctionURLRequest,
  buildLoadBalancerRequest,
  buildQueueEvent,
  buildScheduledEvent,
  buildTableStreamEvent,
  buildTopicEvent,
  buildWebSocketEvent,
  interleave,
  type MarkedEvent,
  type TestEnv,
} from '../src/index.js';

/** An app that keeps what it was given on its contexts, across turns, for every kind of trigger. */
function buildApp(env: TestEnv) {
  const seen = (ctx: { set(key: string, value: unknown): void; get(key: string): unknown }, value: unknown) => {
    ctx.set('seen', value);
    return env.pause().then(() => ctx.get('seen'));
  };
  const show = async (ctx: Context) => {
    const body = ctx.header('content-type') ? ctx.bodyJson() : null;
    ctx.log.info('working', { user: await seen(ctx, ctx.header('x-user')) });
    return json(200, {
      body,
      seen: ctx.get('seen'),
      id: ctx.param('id'),
      query: ctx.query('q'),
      request: ctx.requestId,
      tenant: ctx.tenantId,
    });
  };
  const app = env.app();
  app.use(async (ctx, next) => {
    const response = await next(ctx);
    response.headers['x-user'] = [ctx.header('x-user') ?? ''];
    return response;
  });
  app.get('/users/{id}', show);
  app.post('/users/{id}', show);
  app.webSocket('$default', async (ctx) =>
    json(200, { body: await seen(ctx, ctx.bodyJson()), id: ctx.asWebSocket()?.connectionId }),
  );
  app.appSyncField('Query', 'me', async (ctx) => json(200, await seen(ctx, ctx.asAppSync()?.arguments)));
  const record = async (ctx: Parameters<typeof seen>[0] & { log: Context['log'] }, value: unknown) => {
    ctx.log.info('record', { value: await seen(ctx, value) });
    if (JSON.stringify(value).includes('refused')) throw new Error('refused');
  };
  app.queue('orders', (ctx, message) => record(ctx, message.body));
  app.kinesis('clicks', (ctx, { kinesis }) => record(ctx, kinesis?.data));
  app.tableStream('notes', (ctx, { dynamodb }) => record(ctx, dynamodb?.NewImage));
  app.topic('news', (ctx, { Sns }) => record(ctx, Sns?.Message));
  app.eventBus({ source: 'test.source' }, (ctx, event) => record(ctx, event.detail));
  app.eventBus({ source: 'aws.events' }, (ctx, event) => record(ctx, event.detail));
  return app;
}

const http = (marker: string) => ({
  headers: { 'x-user': marker },
  query: { q: marker },
  json: { marker },
  cookies: [`session=${marker}`],
});
const arn = (service: string, resource: string) => `arn:aws:${service}:us-east-1:123456789012:${resource}`;

const EVENTS: Readonly<Record<string, MarkedEvent>> = {
  'gateway v2': (marker) => buildAPIGatewayV2Request('POST', `/users/${marker}`, http(marker)),
  'a function URL': (marker) => buildLambdaFunctionURLRequest('POST', `/users/${marker}`, http(marker)),
  'gateway v1': (marker) => buildAPIGatewayProxyRequest('POST', `/users/${marker}`, http(marker)),
  'a load balancer': (marker) => buildLoadBalancerRequest('POST', `/users/${marker}`, http(marker)),
  'no route': (marker) => buildAPIGatewayV2Request('GET', `/nowhere/${marker}`),
  'a bad body': (marker) =>
    buildAPIGatewayV2Request('POST', `/users/${marker}`, {
      body: `{${marker}`,
      headers: { 'content-type': 'application/json' },
    }),
  'a WebSocket message': (marker) => buildWebSocketEvent({ connectionId: marker, body: JSON.stringify({ marker }) }),
  'a GraphQL field': (marker) => buildAppSyncEvent({ parentTypeName: 'Query', fieldName: 'me', arguments: { marker } }),
  'a GraphQL batch': (marker) =>
    buildAppSyncBatch(
      [1, 2].map((n) => buildAppSyncEvent({ parentTypeName: 'Query', fieldName: 'me', arguments: { marker, n } })),
    ),
  'a queue': (marker) =>
    buildQueueEvent(arn('sqs', 'orders'), [
      { body: marker },
      { body: `${marker} refused` },
      { body: `${marker} last` },
    ]),
  'a data stream': (marker) =>
    buildKinesisEvent(arn('kinesis', 'stream/clicks'), [{ data: marker }, { data: `${marker}2` }]),
  'a table stream': (marker) =>
    buildTableStreamEvent(arn('dynamodb', 'table/notes/stream/1'), [
      { newImage: { marker } },
      { newImage: { marker, refused: 'refused' } },
    ]),
  'a topic': (marker) => buildTopicEvent(arn('sns', 'news'), [{ message: marker }]),
  'an event bus': (marker) => buildEventBusEvent({ id: marker, detail: { marker } }),
  'a schedule': (marker) => buildScheduledEvent({ id: marker, detail: { marker } }),
};

describe('concurrent invocations in one container share nothing', () => {
  it.each(Object.entries(EVENTS))('three of %s', async (_name, event) => {
    await expect(interleave(buildApp, [event, event, event], { rounds: 5 })).resolves.toBeUndefined();
  });

  it('one of every kind of trigger', async () => {
    await expect(interleave(buildApp, Object.values(EVENTS), { rounds: 20 })).resolves.toBeUndefined();
  });
});
