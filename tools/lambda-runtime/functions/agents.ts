import { json } from '@sallyport/http';
import { createMcpServer } from '@sallyport/mcp';
import { agentCoreInterceptor, agentCoreTools, pass } from '@sallyport/mcp/agentcore';
import { Authenticated, Public, SecureApp } from '@sallyport/secure';
import { z } from 'zod';

const server = createMcpServer({ name: 'notes', version: '1.0.0' });
server.tool('add', { description: 'Adds.', input: z.object({ a: z.number(), b: z.number() }) }, ({ a, b }, ctx) => ({
  structured: { sum: a + b, caller: ctx.principal?.identity ?? '' },
}));

const app = new SecureApp({
  principalResolver: (ctx) => (ctx.header('x-user') ? { identity: String(ctx.header('x-user')), scopes: [] } : null),
  surfaces: [
    agentCoreTools(server, { target: 'notes', posture: Authenticated() }),
    agentCoreInterceptor({
      request: (_ctx, { headers }) => {
        if (headers['x-team']) return pass();
        throw new Error('secret');
      },
    }),
  ],
});
app.get('/', () => json(200, {}), Public());

export const handler = app.handleLambda;
