import { FrameworkError } from '@sallyport/core';
import { createErrorNotifier, createLogger } from '@sallyport/core/observability';
import { json } from '@sallyport/http';
import { broadcast } from '@sallyport/http/websocket';
import {
  buildQueueEvent,
  buildWebSocketEvent,
  captureWriter,
  createTestEnv,
  fakeHandler,
  fakePublisher,
  fakeWebSocketClient,
} from '../src/index.js';

const QUEUE = 'arn:aws:sqs:eu-west-1:123456789012:orders';

describe('the fake WebSocket client', () => {
  it('accepts messages of a handler, and answers 410 for an unknown connection', async () => {
    const env = createTestEnv();
    const client = fakeWebSocketClient();
    const app = env.app({ webSocketClientFactory: () => client });
    app.webSocket('$default', async (ctx) => {
      await ctx.asWebSocket()?.sendMessage('hello');
      return json(200, null);
    });
    client.connect('conn-1');
    expect((await env.invoke(app, buildWebSocketEvent())).statusCode).toBe(200);
    const unknown = await env.invoke(app, buildWebSocketEvent({ connectionId: 'conn-2' }));
    expect([unknown.statusCode, JSON.parse(unknown.body)]).toMatchObject([410, { error: { code: 'websocket.gone' } }]);
    expect(
      client.calls.map(({ method, connectionId, data }) => [method, connectionId, Buffer.from(data ?? []).toString()]),
    ).toEqual([
      ['postToConnection', 'conn-1', 'hello'],
      ['postToConnection', 'conn-2', 'hello'],
    ]);
  });

  it('answers like the real client', async () => {
    const client = fakeWebSocketClient({ endpoint: 'https://ws.example.com' });
    client.connect('a', { sourceIp: '203.0.113.7' });
    expect([client.endpoint, await client.getConnection('a'), await client.getConnection('b')]).toMatchObject([
      'https://ws.example.com',
      { sourceIp: '203.0.113.7' },
      null,
    ]);
    expect(await broadcast(client, ['a', 'b'], Uint8Array.of(1))).toEqual({ sent: ['a'], gone: ['b'], failed: [] });
    await client.deleteConnection('a');
    await client.deleteConnection('a');
    expect(client.connections.size).toBe(0);
    await expect(client.postToConnection('a', new Uint8Array(128 * 1024 + 1))).rejects.toMatchObject({
      code: 'websocket.too_large',
    });
  });

  it('fails the next call on request', async () => {
    const client = fakeWebSocketClient();
    client.failNext(new FrameworkError('websocket.request_failed'));
    await expect(client.getConnection('a')).rejects.toMatchObject({ code: 'websocket.request_failed' });
    expect(await client.getConnection('a')).toBeNull();
  });

  it('keeps 10,000 calls and no more', async () => {
    const client = fakeWebSocketClient();
    for (let n = 0; n < 10_001; n += 1) await client.getConnection('a');
    expect(client.calls).toHaveLength(10_000);
  });
});

describe('the fake publisher', () => {
  it('accepts messages of the notifier, and fails on request', async () => {
    const publisher = fakePublisher();
    const topicArn = 'arn:aws:sns:eu-west-1:123456789012:errors';
    const notifier = createErrorNotifier({ publish: publisher.publish, topicArn, service: 'orders', environment: {} });
    createLogger({ sinks: [notifier], write: () => {}, environment: {} }).error('failed', { error: new Error('boom') });
    await publisher.publish({ topicArn, subject: 's', message: 'm' });
    expect(publisher.messages.map(({ subject }) => subject)).toEqual(['orders: Error', 's']);
    publisher.failNext(new Error('no'));
    await expect(publisher.publish({ topicArn, subject: 's', message: 'm' })).rejects.toThrow('no');
  });
});

describe('the captured writer', () => {
  it('keeps lines parsed and raw', () => {
    const writer = captureWriter();
    createLogger({ write: writer.write, environment: {}, service: 's' }).info('hello', { a: 1 });
    expect(writer.lines).toMatchObject([{ level: 'INFO', message: 'hello', service: 's', a: 1 }]);
    expect(writer.raw).toHaveLength(1);
    expect(JSON.parse(writer.raw[0] ?? '')).toEqual(writer.lines[0]);
  });
});

describe('the fake handler', () => {
  it('answers, throws and waits by list, and repeats its last entry', async () => {
    const env = createTestEnv();
    const handler = fakeHandler<unknown>([{ throws: undefined }, { waitMs: 100 }, { returns: 'x' }], {
      clock: env.clock,
    });
    const app = env.app();
    app.queue('orders', handler);
    const records = ['a', 'b', 'c', 'd'].map((body) => ({ body, messageId: body }));
    const answer = env.invoke(app, buildQueueEvent(QUEUE, records));
    await env.clock.advance(50);
    expect(handler.callCount).toBe(2);
    await env.clock.advance(50);
    expect(await answer).toEqual({ batchItemFailures: [{ itemIdentifier: 'a' }] });
    expect(handler.callCount).toBe(4);
    expect(handler.events.map((event) => (event as { body: string }).body)).toEqual(['a', 'b', 'c', 'd']);
    expect(handler.signals.every(({ aborted }) => !aborted)).toBe(true);
  });

  it('needs a clock to wait', async () => {
    const handler = fakeHandler([{ waitMs: 1 }]);
    await expect(handler({ signal: new AbortController().signal })).rejects.toThrow(
      'a result with waitMs needs the option clock',
    );
  });
});
