import { resolver } from '@sallyport/appsync';
import { bind, created, json, message, min, required, sseEventStream } from '@sallyport/http';
import { createMcpServer, mountMcp } from '@sallyport/mcp';
import { Authenticated, Optional, SecureApp } from '@sallyport/secure';
import { payload } from '@sallyport/streams';
import { directInvoke, kafkaTrigger } from '@sallyport/triggers';
import { z } from 'zod';

const Note = z
  .object({ id: z.string(), title: z.string(), kind: z.enum(['text', 'list']).default('text') })
  .meta({ id: 'Note', description: 'A note */ of a user' });
const NewNote = Note.omit({ id: true }).meta({ id: 'NewNote' });
const Order = z
  .object({ id: z.string(), lines: z.array(z.object({ item: z.string(), count: z.int() })) })
  .meta({ id: 'Order' });
const Tick = z.object({ at: z.number() });

const server = createMcpServer({ name: 'shop', version: '1.0.0' });
server.tool(
  'search',
  { description: 'Searches.', input: z.object({ text: z.string() }), output: z.object({ hits: z.array(Note) }) },
  () => ({ structured: { hits: [] } }),
);

const operations = directInvoke().invoke('charge', z.object({ cents: z.int() }), () => ({ id: 'c1' }), {
  output: z.object({ id: z.string() }),
});
const topics = kafkaTrigger().topic(
  'orders',
  payload(Order, () => undefined, { of: 'value' }),
);

const app = new SecureApp({
  principalResolver: () => null,
  surfaces: [operations, topics],
  sends: { 'note-added': Note },
});
app.get(
  '/notes/{id}',
  bind({ response: Note, errors: { 404: 'app.not_found' } }, () => ({ id: '1', title: 'a', kind: 'text' as const })),
  Authenticated('notes:read'),
  { summary: 'Reads a note.' },
);
app.post(
  '/notes',
  bind({ body: NewNote, response: Note, status: 201 }, (_ctx, { body }) => ({ id: '1', ...body })),
  Authenticated('notes:write'),
  { idempotency: true },
);
app.get(
  '/notes',
  bind({ query: { limit: { type: 'int', rules: [min(1)] }, after: { type: 'string', rules: [required()] } } }, () =>
    json(200, { notes: [] }),
  ),
  Optional(),
);
app.post(
  '/imports',
  bind({ body: z.object({ on: z.date() }), responses: { 202: z.object({ job: z.string() }) } }, () =>
    created({}, '/x'),
  ),
  Authenticated(),
);
app.get('/ticks', (ctx) => sseEventStream([], { signal: ctx.signal }), Optional(), { events: { tick: Tick } });
app.queue(
  'orders',
  payload(Order, () => undefined),
);
app.kinesis(
  'clicks',
  payload(z.object({ page: z.string() }), () => undefined, { orderedBy: 'page' }),
);
app.topic(
  'alerts',
  payload(z.object({ text: z.string() }), () => undefined),
);
app.eventBus(
  { source: 'billing', detailType: 'InvoicePaid' },
  payload(z.object({ invoice: z.string() }), () => undefined),
);
app.tableStream(
  'users',
  payload(z.object({ id: z.string() }), () => undefined, { of: 'newImage' }),
);
app.webSocket(
  'send',
  message(z.object({ text: z.string() }), () => json(200, {})),
  Authenticated(),
);
app.appSyncField(
  'Query',
  'note',
  resolver({ args: z.object({ id: z.string() }), result: Note }, (_ctx, { id }) => ({ id, title: 'a', kind: 'text' })),
  Authenticated(),
);
mountMcp(app, server, { posture: Authenticated('mcp') });

export const handler = app.handleLambda;
