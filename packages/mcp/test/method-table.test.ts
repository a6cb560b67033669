import type { Context } from '@sallyport/core';
import { answer } from '../src/http/internal/engine.js';
import { createOriginCheck } from '../src/http/internal/origin.js';
import type { McpServer } from '../src/index.js';
import { type DefinedMethod, defineMethod, membersJson, tableOf } from '../src/methods/internal/method.js';
import { METHOD_TABLE, METHODS } from '../src/methods/internal/table.js';
import { createServerData } from '../src/server/internal/server-data.js';
import { Rig } from './support/rig.js';

/** A server without registrations, with one method more. */
function rigWith(method: DefinedMethod): Rig {
  const server = createServerData({ name: 'tested', version: '1.0.0' });
  const methods = tableOf([...METHODS, method]);
  return new Rig({
    handler: (ctx: Context) => answer({ server, isAllowed: createOriginCheck([]), methods }, ctx),
    server: { store: null },
  });
}

describe('the table of methods', () => {
  it('serves a method that is added to it in both eras, and declares its capability', async () => {
    const rig = rigWith(
      defineMethod<{ readonly greeting: string }>({
        name: 'demo/greet',
        eras: ['session', 'stateless'],
        isServed: () => true,
        capability: () => ({ demo: {} }),
        load: async () => ({ greeting: 'hello' }),
        handle: ({ params, era }, { greeting }) => ({
          result: { members: membersJson({ said: `${greeting} ${params.name}`, era }) },
        }),
      }),
    );
    const session = await rig.post({ jsonrpc: '2.0', id: 1, method: 'demo/greet', params: { name: 'ada' } });
    expect(session.json.result).toEqual({ said: 'hello ada', era: 'session' });
    const stateless = await rig.stateless('demo/greet', { name: 'ada' });
    expect(stateless.json.result).toMatchObject({ said: 'hello ada', era: 'stateless', resultType: 'complete' });
    const initialize = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } };
    const opened = await rig.post({ jsonrpc: '2.0', id: 1, method: 'initialize', params: initialize });
    expect(opened.json.result.capabilities).toEqual({ logging: {}, demo: {} });
    const discovered = await rig.stateless('server/discover');
    expect(discovered.json.result.capabilities).toEqual({ logging: {}, demo: {} });
  });

  it('answers -32601 where a method has nothing to serve, and in an era that it is not for', async () => {
    const rig = rigWith(
      defineMethod({
        name: 'demo/none',
        eras: ['session'],
        isServed: () => false,
        handle: () => ({ result: { members: '' } }),
      }),
    );
    const unserved = await rig.post({ jsonrpc: '2.0', id: 1, method: 'demo/none' });
    expect(unserved.json.error.code).toBe(-32601);
    const ping = await rig.stateless('ping');
    expect([ping.status, ping.json.error.code]).toEqual([404, -32601]);
  });

  it('has a method by the name that it has on the wire', () => {
    expect([...METHOD_TABLE.keys()]).toEqual([
      'ping',
      'server/discover',
      'tools/list',
      'tools/call',
      'prompts/list',
      'prompts/get',
      'resources/list',
      'resources/templates/list',
      'resources/read',
      'resources/subscribe',
      'resources/unsubscribe',
      'logging/setLevel',
      'completion/complete',
      'subscriptions/listen',
      'tasks/get',
      'tasks/update',
      'tasks/cancel',
    ]);
  });
});

describe('a completion', () => {
  const register = (server: McpServer) =>
    server
      .prompt('open', { args: { a: { complete: ['x'] } } }, () => {
        ran += 1;
        return 'text';
      })
      .prompt('guarded', { args: { a: { complete: ['x'] } }, scopes: ['secret'] }, () => 'text')
      .prompt('asking', { args: { a: { complete: ['x'] } }, requires: ['elicitation'] }, () => 'text');
  const completionOf = (name: string) => ({ ref: { type: 'ref/prompt', name }, argument: { name: 'a', value: '' } });
  let ran = 0;

  it('that is forbidden forbids a batch before anything of it runs', async () => {
    ran = 0;
    const rig = new Rig({ register, server: { store: null, sessions: 'none' } });
    const batch = [
      { jsonrpc: '2.0', id: 1, method: 'prompts/get', params: { name: 'open' } },
      { jsonrpc: '2.0', id: 2, method: 'completion/complete', params: completionOf('guarded') },
    ];
    const answer = await rig.post(batch, { headers: { 'mcp-protocol-version': '2025-03-26' } });
    expect([answer.status, ran]).toEqual([403, 0]);
  });

  it('is rejected in the stateless era to a client that lacks what its prompt requires', async () => {
    const rig = new Rig({ register });
    const refused = await rig.stateless('completion/complete', completionOf('asking'));
    expect([refused.status, refused.json.error.code]).toEqual([400, -32021]);
    const served = await rig.stateless('completion/complete', completionOf('asking'), {
      capabilities: { elicitation: {} },
    });
    expect(served.json.result.completion.values).toEqual(['x']);
  });
});
