import { FrameworkError } from '@sallyport/core';
import {
  binary,
  bind,
  created,
  createLambdaFunctionURLStreamingHandler,
  json,
  noContent,
  type SseEvent,
  sseEventStream,
  text,
} from '@sallyport/http';
import { withIdempotency } from '@sallyport/jobs';
import { createFakeJobLedger } from '@sallyport/jobs/testing';
import { createMcpServer, McpToolError, mountMcp } from '@sallyport/mcp';
import { Authenticated, firstPrincipal, Optional, SecureApp } from '@sallyport/secure';
import { iamPrincipal } from '@sallyport/secure/authorizers';
import { z } from 'zod';

const NewOrder = z.object({ item: z.string() });

const server = createMcpServer({ name: 'shop', version: '1.0.0' });
const pair = { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'] };
server.tool('add', { description: 'Adds.', input: pair }, ({ a, b }, ctx) => {
  ctx.progress?.(1, 2, 'half');
  return { structured: { sum: Number(a) + Number(b) } };
});
server.tool('fail', { description: 'Fails.', input: { type: 'object' } }, () => {
  throw new McpToolError('nothing to do');
});

async function* ticks(count: number): AsyncGenerator<SseEvent> {
  for (let at = 1; at <= count; at += 1) yield { id: String(at), event: 'tick', data: { at } };
}

/** The origin of the page that calls the service. */
const origin = process.env.PAGE_ORIGIN ?? 'https://shop.example';
const callers: Readonly<Record<string, { identity: string; scopes: string[] }>> = {
  'Bearer ada': { identity: 'ada', scopes: ['orders:write', 'mcp'] },
  'Bearer eve': { identity: 'eve', scopes: [] },
};
export const app = new SecureApp({
  principalResolver: firstPrincipal(
    ({ request }) => callers[request.headers.authorization?.[0] ?? ''] ?? null,
    iamPrincipal(),
  ),
  cors: {
    allowedOrigins: [origin],
    allowHeaders: [
      'authorization',
      'content-type',
      'idempotency-key',
      'mcp-protocol-version',
      'mcp-method',
      'mcp-name',
      'last-event-id',
    ],
    exposeHeaders: ['x-request-id', 'location'],
  },
});

app.use(withIdempotency(createFakeJobLedger()));
let made = 0;
app.get('/made', () => json(200, made), Optional());
app.get('/orders/{id}', (ctx) => orderOf(ctx.param('id')), Optional());
app.get('/orders', (ctx) => json(200, { tag: ctx.queryAll('tag'), limit: ctx.query('limit') ?? null }), Optional());
app.post(
  '/orders',
  bind({ body: NewOrder }, (_ctx, { body }) => {
    made += 1;
    return created({ id: 'o1', item: body.item }, '/orders/o1');
  }),
  Authenticated('orders:write'),
);
app.delete('/orders/{id}', () => noContent(), Optional());
app.get('/files/{path+}', (ctx) => text(200, ctx.param('path')), Optional());
app.get('/bytes', () => binary(200, Uint8Array.of(0, 255, 128)), Optional());
app.get('/me', (ctx) => json(200, { subject: ctx.authIdentity }), Authenticated());
app.get('/ticks', (ctx) => sseEventStream(ticks(Number(ctx.query('count'))), { signal: ctx.signal }), Optional(), {
  streaming: true,
});
app.webSocket('$connect', () => noContent(), Optional());
app.webSocket('$disconnect', () => noContent(), Optional());
app.webSocket(
  'say',
  async (ctx) => {
    const { data } = ctx.bodyJson() as { data: unknown };
    await ctx.asWebSocket()?.sendJSONMessage({ type: 'said', data });
    return noContent();
  },
  Optional(),
);
mountMcp(app, server, { posture: Authenticated('mcp'), allowedOrigins: [origin] });

function orderOf(id: string) {
  if (id === 'gone') throw new FrameworkError('app.not_found', 'no such order', { details: { id } });
  return json(200, { id, item: 'tea' });
}

export const handler = createLambdaFunctionURLStreamingHandler(app);
