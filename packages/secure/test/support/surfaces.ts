import type { Context } from '@sallyport/core';
import { json } from '@sallyport/http';
import { Authenticated, type SecureApp } from '@sallyport/secure';
import {
  buildAPIGatewayV2Request,
  buildAppSyncEvent,
  buildEventBusEvent,
  buildQueueEvent,
  buildTopicEvent,
  buildWebSocketEvent,
} from '@sallyport/testkit/events';

/** A handler with two quiet lines. */
export const handler = (ctx: Pick<Context, 'log'>, fails: boolean) => {
  ctx.log.debug('read', { password: 'hunter2' });
  ctx.log.info('priced');
  if (fails) throw new Error('disk is full');
  return json(200, {});
};

/** Every kind of operation of a container, and the event that reaches it. */
export const SURFACES: readonly (readonly [string, (app: SecureApp, fails: boolean) => void, () => unknown])[] = [
  [
    'a request',
    (app, fails) => void app.get('/orders', (ctx) => handler(ctx, fails), Authenticated()),
    () => buildAPIGatewayV2Request('GET', '/orders'),
  ],
  [
    'a message of a WebSocket',
    (app, fails) => void app.webSocket('$default', (ctx) => handler(ctx, fails), Authenticated()),
    () => buildWebSocketEvent({ routeKey: '$default' }),
  ],
  [
    'a GraphQL field',
    (app, fails) => void app.appSyncField('Query', 'orders', (ctx) => handler(ctx, fails), Authenticated()),
    () => buildAppSyncEvent({ parentTypeName: 'Query', fieldName: 'orders', arguments: {} }),
  ],
  [
    'a message of a queue',
    (app, fails) => void app.queue('orders', (ctx) => handler(ctx, fails)),
    () => buildQueueEvent('arn:aws:sqs:us-east-1:123456789012:orders', [{ body: '{}' }]),
  ],
  [
    'a notification of a topic',
    (app, fails) => void app.topic('orders', (ctx) => handler(ctx, fails)),
    () => buildTopicEvent('arn:aws:sns:us-east-1:123456789012:orders', [{}]),
  ],
  [
    'an event of a bus',
    (app, fails) => void app.eventBus({ source: 'shop', detailType: 'Paid' }, (ctx) => handler(ctx, fails)),
    () => buildEventBusEvent({ source: 'shop', detailType: 'Paid' }),
  ],
];
