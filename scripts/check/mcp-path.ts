// `npm run check -- path`: the functions and files of a `tools/call` of the stateless era, without and with an elicitation.

import { createMcpServer, mountMcp } from '../../packages/mcp/src/index.js';
import { Public, SecureApp } from '../../packages/secure/src/index.js';
import { countPassed } from './passed-functions.js';

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
const app = new SecureApp({ tier: 'p2', log: false });
mountMcp(app, server, { posture: Public() });

const call = await countPassed(() => callTool('greet', 'complete'));
const elicitation = await countPassed(() => callTool('book', 'input_required'));
process.stdout.write(`${JSON.stringify({ call, elicitation })}\n`);

/** Sends one call through API Gateway's payload 2.0. */
async function callTool(name: string, expected: string): Promise<void> {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': VERSION,
    'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
  };
  const answer = (await app.handleLambda({
    version: '2.0',
    routeKey: '$default',
    rawPath: '/mcp',
    rawQueryString: '',
    headers: {
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      host: 'api.example',
      'mcp-method': 'tools/call',
      'mcp-name': name,
      'mcp-protocol-version': VERSION,
    },
    requestContext: {
      http: { method: 'POST', path: '/mcp', sourceIp: '192.0.2.1' },
      stage: '$default',
      requestId: 'r-1',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: {}, _meta } }),
    isBase64Encoded: false,
  })) as { readonly body: string };
  const { result } = JSON.parse(answer.body) as { readonly result?: { readonly resultType?: string } };
  if (result?.resultType !== expected) throw new Error(`the call was answered with ${answer.body}`);
}
