import { bind } from '@sallyport/http';
import { createMemoryJobLedger, withIdempotency } from '@sallyport/jobs';
import { createMcpServer, mountMcp } from '@sallyport/mcp';
import { toolsFromRoutes } from '@sallyport/mcp/compose';
import { Authenticated, SecureApp } from '@sallyport/secure';
import { z } from 'zod';

describe('a tool from a route', () => {
  it('runs once for an idempotency key that tool and route receive', async () => {
    let runs = 0;
    const app = new SecureApp({ principalResolver: () => ({ identity: 'ada', scopes: [] }), log: false });
    const create = bind({ body: z.object({ title: z.string() }), status: 201 }, (_, { body }) => {
      runs += 1;
      return { id: runs, title: body.title };
    });
    app.post('/notes', create, Authenticated(), {
      use: [withIdempotency(createMemoryJobLedger(), { required: true })],
    });
    const server = createMcpServer({ name: 'notes', version: '1.0.0', sessions: 'none' });
    toolsFromRoutes(app, server, { include: ['POST /notes'] });
    mountMcp(app, server, { posture: Authenticated() });
    const serve = async (path: string, body: object, headers: Record<string, string> = {}) => {
      const answer = await app.serve({
        ...{ method: 'POST', path, body: JSON.stringify(body) },
        headers: { 'content-type': 'application/json', 'mcp-protocol-version': '2025-11-25', ...headers },
      });
      return JSON.parse(Buffer.from(answer.body).toString('utf8'));
    };
    const call = async (title: string, key?: string) => {
      const params = { name: 'postNotes', arguments: { title }, ...(key && { _meta: { 'idempotency-key': key } }) };
      return (await serve('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params })).result;
    };
    expect((await call('a', 'k1')).structuredContent).toEqual({ id: 1, title: 'a' });
    expect((await call('a', 'k1')).structuredContent).toEqual({ id: 1, title: 'a' });
    expect(await serve('/notes', { title: 'a' }, { 'idempotency-key': 'k1' })).toEqual({ id: 1, title: 'a' });
    expect((await call('b', 'k1')).content[0].text).toBe(
      'idempotency key was used for another request (app.validation_failed)',
    );
    expect((await call('b')).content[0].text).toBe('idempotency key is required (app.bad_request)');
    expect(runs).toBe(1);
  });
});
