import { bind, json, message, sseEventStream } from '@sallyport/http';
import { createMcpServer, dynamoMcpStore, mountMcp } from '@sallyport/mcp';
import { Authenticated, Public, SecureApp } from '@sallyport/secure';
import { jwtPrincipalResolver } from '@sallyport/secure/jwt';
import { payload } from '@sallyport/streams';
import { directInvoke, kafkaTrigger } from '@sallyport/triggers';
import { z } from 'zod';

/** The service for the tests of the contract's view: every door that states a schema, and some that state none. */
const { ISSUER = '', JWKS_URI = '', AUDIENCE = '' } = process.env;
const Item = z
  .object({ sku: z.string().meta({ examples: ["tea's"] }), count: z.number().int().min(1) })
  .meta({ id: 'Item' });
const Order = z.object({ id: z.string(), items: z.array(Item) }).meta({ id: 'Order' });

const app = new SecureApp({
  principalResolver: jwtPrincipalResolver({ issuer: ISSUER, jwksUri: JWKS_URI, audience: [AUDIENCE] }),
  surfaces: [
    directInvoke().invoke('charge', z.object({ cents: z.number() }), () => ({ ok: true }), {
      output: z.object({ ok: z.boolean() }),
    }),
    kafkaTrigger().topic(
      'prices',
      payload(z.object({ price: z.number() }), () => undefined, { of: 'value' }),
    ),
  ],
  sends: { said: z.object({ text: z.string() }) },
});

app.get(
  '/orders/{id}',
  bind(
    {
      params: z.object({ id: z.uuid() }),
      query: z.object({ full: z.string().optional() }),
      response: Order,
      errors: { 404: 'app.not_found' },
    },
    (_ctx, { params }) => ({ id: params.id, items: [] }),
  ),
  Public(),
  { summary: 'Reads an order.' },
);
app.post(
  '/orders',
  bind({ body: Order.omit({ id: true }), response: Order, status: 201 }, (_ctx, { body }) => ({ id: 'o1', ...body })),
  Authenticated('orders:write'),
  { idempotency: true },
);
app.get('/files/{path+}', (ctx) => json(200, { path: ctx.param('path') }), Public());
app.get('/ticks', (ctx) => sseEventStream([], { signal: ctx.signal }), Public(), {
  events: { tick: z.object({ at: z.number() }) },
});
app.put(
  '/dates',
  bind({ body: z.object({ at: z.date() }) }, () => ({})),
  Authenticated(),
);
app.webSocket('$connect', () => json(200, {}), Public());
app.webSocket(
  'say',
  message(z.object({ text: z.string() }), () => json(200, {})),
  Public(),
);
app.appSyncField('Query', 'order', () => json(200, { id: 'o1' }), Public());
app.queue(
  'orders',
  payload(Order, () => undefined),
);
app.kinesis(
  'clicks',
  payload(z.object({ page: z.string() }), () => undefined),
);
app.topic(
  'news',
  payload(z.object({ text: z.string() }), () => undefined),
);
app.tableStream(
  'notes',
  payload(z.object({ id: z.string() }), () => undefined, { of: 'newImage' }),
);
app.eventBus(
  { source: 'shop', detailType: 'Paid' },
  payload(z.object({ cents: z.number() }), () => undefined),
);
app.eventBus(
  { scheduleName: 'nightly' },
  payload(z.object({ report: z.enum(['daily']) }), () => undefined),
);

const server = createMcpServer({
  name: 'orders',
  version: '1.0.0',
  secret: { current: 'a secret of thirty-two bytes, at least' },
  store: dynamoMcpStore(),
});
server.tool(
  'add',
  {
    description: 'Adds two numbers.',
    input: z.object({ a: z.number(), b: z.number() }),
    output: z.object({ sum: z.number() }),
  },
  ({ a, b }) => ({ structured: { sum: Number(a) + Number(b) } }),
);
mountMcp(app, server, { posture: Authenticated() });

export const handler = app.handleLambda;
