import type { McpServer } from '../src/index.js';
import { LATEST, Rig, type Sent } from './support/rig.js';

const PATH = '/{client_namespace}/mcp';
const ADA = { user: 'ada' };
const FORM = { message: 'Name?', requestedSchema: { type: 'object', properties: { v: { type: 'string' } } } } as const;

const ask = (server: McpServer) =>
  server.tool('ask', { asks: ['elicitation'] }, async (_, ctx) => `${(await ctx.elicit(FORM, 'name')).content?.v}`);
const later = (server: McpServer) => server.tool('later', { task: {} }, () => 'done');

describe.each(['durable', 'sealed'] as const)('a %s session', (sessions) => {
  const rig = new Rig({ path: PATH, register: (server) => server.tool('t', {}, () => ''), server: { sessions } });
  const open = async (path: string) => {
    const params = { protocolVersion: LATEST, capabilities: {}, clientInfo: { name: 'tester', version: '1' } };
    const answer = await rig.post({ jsonrpc: '2.0', id: 1, method: 'initialize', params }, { ...ADA, path });
    return answer.headers['mcp-session-id'] ?? '';
  };
  const at = async (path: string, id: string, method = 'POST') => {
    const sent: Sent = { ...ADA, path, headers: { 'mcp-session-id': id } };
    const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
    return (await rig.send(method, method === 'POST' ? ping : undefined, sent)).status;
  };

  it('of one endpoint is unknown at another, for the same caller', async () => {
    const id = await open('/acme/mcp');
    expect(await at('/globex/mcp', id)).toBe(404);
    expect(await at('/globex/mcp', id, 'DELETE')).toBe(404);
    expect(await at('/acme/mcp', id)).toBe(200);
  });

  it('is the same with a slash at the end, and with an escaped identifier', async () => {
    const id = await open('/acme/mcp');
    expect([await at('/acme/mcp/', id), await at('/%61cme/mcp', id)]).toEqual([200, 200]);
  });
});

it('a state of one endpoint is invalid at another, for the same caller', async () => {
  const rig = new Rig({ path: PATH, register: ask, server: { store: null } });
  const call = (path: string, more: object = {}) =>
    rig.stateless(
      'tools/call',
      { name: 'ask', arguments: {}, ...more },
      { ...ADA, path, capabilities: { elicitation: {} } },
    );
  const { requestState } = (await call('/acme/mcp')).json.result;
  const retry = { requestState, inputResponses: { name: { action: 'accept', content: { v: 'Ada' } } } };
  expect((await call('/globex/mcp', retry)).json.error).toMatchObject({
    code: -32602,
    message: 'Invalid requestState',
  });
  expect((await call('/acme/mcp', retry)).json.result).toMatchObject({ content: [{ text: 'Ada' }] });
});

it('a task of one endpoint is unknown at another, for the same caller', async () => {
  const started: object[] = [];
  const start = (event: object) => void started.push(event);
  const rig = new Rig({ path: PATH, register: later, server: { tasks: { start } } });
  const capabilities = { extensions: { 'io.modelcontextprotocol/tasks': {} } };
  const get = (path: string, taskId: string) =>
    rig.stateless('tasks/get', { taskId }, { ...ADA, path, capabilities, headers: { 'mcp-name': taskId } });
  const { taskId } = (
    await rig.stateless('tools/call', { name: 'later', arguments: {} }, { ...ADA, path: '/acme/mcp', capabilities })
  ).json.result;
  expect(started.length).toBe(1);
  expect((await get('/globex/mcp', taskId)).json.error).toMatchObject({ code: -32602 });
  expect((await get('/acme/mcp', taskId)).json.result).toMatchObject({ status: 'working' });
});
