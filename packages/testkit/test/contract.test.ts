/** Clients and events with the types of a contract. */
import { FrameworkError } from '@sallyport/core';
import { bind, created, json, noContent } from '@sallyport/http';
import { payload } from '@sallyport/streams';
import { z } from 'zod';
import { contractClient, contractEvents } from '../src/contract.js';
import { createTestEnv } from '../src/index.js';

const Order = z.object({ id: z.string(), cents: z.int() });
type Order = z.input<typeof Order>;
interface Contract {
  http: {
    'GET /orders/{id}': {
      params: { id: string };
      query: { full?: boolean };
      answer: { 200: Order };
      error: 'app.not_found';
    };
    'POST /orders': { body: Order; answer: { 201: Order } };
    'DELETE /orders/{id}': { params: { id: string }; answer: { 204: undefined } };
    'GET /busy': { error: 'app.unavailable' };
  };
  queue: { orders: Order };
  topic: { news: { text: string } };
  stream: { clicks: { page: string } };
  bus: { 'billing/InvoicePaid': { invoice: string } };
}

const env = createTestEnv();
const seen: unknown[] = [];
let busy = 0;
const app = env.app();
app.get('/orders/{id}', (ctx) => {
  if (ctx.param('id') === 'gone') throw new FrameworkError('app.not_found', 'no such order');
  return json(200, { id: ctx.param('id'), cents: ctx.query('full') === 'true' ? 1 : 0 });
});
app.post(
  '/orders',
  bind({ body: Order }, (_ctx, { body }) => created(body, `/orders/${body.id}`)),
);
app.delete('/orders/{id}', () => noContent());
app.get('/busy', () => {
  busy += 1;
  return json(503, { error: { code: 'app.unavailable', message: 'later' } });
});
app.queue(
  'orders',
  payload(Order, (ctx, order) => void seen.push(['queue', ctx.source.name, order])),
);
app.topic(
  'news',
  payload(z.unknown(), (_ctx, news) => void seen.push(['topic', news])),
);
app.kinesis(
  'clicks',
  payload(z.unknown(), (_ctx, click) => void seen.push(['stream', click])),
);
app.eventBus({ source: 'billing', detailType: 'InvoicePaid' }, (_ctx, { detail }) => void seen.push(['bus', detail]));

describe('a client of an app', () => {
  const api = contractClient<Contract>(env, app);

  it('receives answers and errors with their types', async () => {
    const found = await api('GET /orders/{id}', { params: { id: 'a b/ü' }, query: { full: true } });
    if (!found.ok) throw new Error(found.error.code);
    expect([found.status, found.data.id, found.data.cents]).toEqual([200, 'a b/ü', 1]);
    const gone = await api('GET /orders/{id}', { params: { id: 'gone' } });
    if (gone.ok) throw new Error('found');
    const code: 'app.not_found' = gone.error.code;
    expect(code).toBe('app.not_found');
  });

  it('sends bodies, and reads empty answers', async () => {
    const made = await api('POST /orders', { body: { id: 'ü1', cents: 5 } });
    expect([made.status, made.headers.get('location')]).toEqual([201, '/orders/%C3%BC1']);
    await expect(api('DELETE /orders/{id}', { params: { id: 'o1' } })).resolves.toMatchObject({ status: 204 });
    const wrong = await api('POST /orders', { body: { id: 'o1', cents: 1.5 } });
    expect(wrong).toMatchObject({ ok: false, status: 422, error: { code: 'app.validation_failed' } });
  });

  it('sends each request once', async () => {
    await expect(api('GET /busy')).resolves.toMatchObject({ status: 503 });
    expect(busy).toBe(1);
  });
});

it('events of the contract reach their handlers', async () => {
  const events = contractEvents<Contract>();
  await expect(
    env.invoke(
      app,
      events.queue('orders', [
        { id: 'o1', cents: 1 },
        { id: 'o2', cents: 2 },
      ]),
    ),
  ).resolves.toEqual({
    batchItemFailures: [],
  });
  await env.invoke(app, events.topic('news', { text: 'hi' }, { subject: 'News' }));
  await env.invoke(app, events.stream('clicks', { page: '/' }, { partitionKey: 'k' }));
  await env.invoke(app, events.bus('billing/InvoicePaid', { invoice: 'i1' }));
  expect(seen).toEqual([
    ['queue', 'orders', { id: 'o1', cents: 1 }],
    ['queue', 'orders', { id: 'o2', cents: 2 }],
    ['topic', { text: 'hi' }],
    ['stream', { page: '/' }],
    ['bus', { invoice: 'i1' }],
  ]);
});

it('the compiler rejects other names and payloads', () => {
  const events = contractEvents<Contract>();
  const api = contractClient<Contract>(env, app);
  // Never called: the compiler checks the arguments.
  const typed = [
    // @ts-expect-error: no such queue
    () => events.queue('order', { id: 'o1', cents: 1 }),
    // @ts-expect-error: another type
    () => events.queue('orders', { id: 'o1' }),
    // @ts-expect-error: another detail
    () => events.bus('billing/InvoicePaid', { text: '' }),
    // @ts-expect-error: no such operation
    () => api('GET /order'),
    // @ts-expect-error: the parameter is missing
    () => api('GET /orders/{id}', {}),
  ];
  expect(typed.length).toBe(5);
});
