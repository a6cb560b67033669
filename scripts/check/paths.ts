// The functions and files that three requests to `SecureApp` run, for `npm run check -- path`.

import { json } from '../../packages/http/src/index.js';
import { createMcpServer, mountMcp } from '../../packages/mcp/src/index.js';
import { Authenticated, Public, SecureApp } from '../../packages/secure/src/index.js';
import { countPassed } from './passed-functions.js';

/** A request through API Gateway's payload 2.0. */
interface Sent {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers?: object;
  readonly body?: unknown;
}

async function send(app: SecureApp, { method, path, headers, body }: Sent): Promise<string> {
  const answer = (await app.handleLambda({
    version: '2.0',
    routeKey: '$default',
    rawPath: path,
    rawQueryString: '',
    headers: { accept: 'application/json', host: 'api.example', 'user-agent': 'check', ...headers },
    requestContext: { http: { method, path, sourceIp: '192.0.2.1' }, stage: '$default', requestId: 'r-1' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    isBase64Encoded: false,
  })) as { readonly statusCode: number; readonly body: string };
  if (answer.statusCode !== 200) throw new Error(`the request was answered with ${answer.statusCode} ${answer.body}`);
  return answer.body;
}

// The route of packages/secure/README.md. Like this resolver, resolvers of tokens answer synchronously for a token that they have verified before.
const api = new SecureApp({ tier: 'p2', principalResolver: () => ({ identity: 'ada', scopes: ['users:read'] }) });
for (let index = 0; index < 100; index += 1) {
  api.get(`/other/${index}/{id}`, () => json(200, {}), Authenticated('users:read'));
}
api.get('/users/{id}', (ctx) => json(200, { id: ctx.param('id') }), Authenticated('users:read'));

const VERSION = '2026-07-28';

const server = createMcpServer({
  name: 'check',
  version: '1.0.0',
  secret: { current: 'a key of this script, which protects nothing' },
});
server.tool('greet', { description: 'Greets.' }, () => 'hello');
server.tool('book', { description: 'Books a day.', asks: ['elicitation'] }, async (_, ctx) => {
  const requestedSchema = { type: 'object', properties: { day: { type: 'string' } } } as const;
  return (await ctx.elicit({ message: 'Which day?', requestedSchema })).action;
});
const agent = new SecureApp({ tier: 'p2', log: false });
mountMcp(agent, server, { posture: Public() });

/** A `tools/call` of the stateless era. */
async function callTool(name: string, expected: string): Promise<void> {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': VERSION,
    'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
  };
  const headers = {
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
    'mcp-method': 'tools/call',
    'mcp-name': name,
    'mcp-protocol-version': VERSION,
  };
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: {}, _meta } };
  const answer = await send(agent, { method: 'POST', path: '/mcp', headers, body });
  const { result } = JSON.parse(answer) as { readonly result?: { readonly resultType?: string } };
  if (result?.resultType !== expected) throw new Error(`the call was answered with ${answer}`);
}

const get = await countPassed(() => send(api, { method: 'GET', path: '/users/42' }));
const call = await countPassed(() => callTool('greet', 'complete'));
const elicitation = await countPassed(() => callTool('book', 'input_required'));
process.stdout.write(`${JSON.stringify({ get, call, elicitation })}\n`);
