import type { McpServer } from '../src/index.js';
import { Rig } from './support/rig.js';

it('a handler receives the answers of the client that have the form of an answer, and no others', async () => {
  const seen: unknown[] = [];
  const register = (server: McpServer) =>
    server.tool('t', { asks: ['elicitation'] }, (_args, ctx) => {
      seen.push({ ...ctx.inputs });
      return 'done';
    });
  const accepted = { action: 'accept', content: { v: 'Ada' } };
  const inputResponses = { good: accepted, declined: { action: 'decline' }, bad: 'Ada', number: 5, other: { v: 1 } };
  const rig = new Rig({ register });
  await rig.stateless('tools/call', { name: 't', inputResponses }, { capabilities: { elicitation: {} } });
  expect(seen).toEqual([{ good: accepted, declined: { action: 'decline' } }]);
});

it.each<[string, unknown, object]>([
  [
    'structured content alone',
    { structuredContent: { sum: 3 } },
    { content: [{ type: 'text', text: '{"sum":3}' }], structuredContent: { sum: 3 } },
  ],
  ['structured content that is not an object', { structuredContent: 'three' }, { isError: true }],
])('a tool that returns %s', async (_what, answer, expected) => {
  const rig = new Rig({ register: (server) => server.tool('t', {}, () => answer as never) });
  const session = await rig.connect();
  expect((await session.call('t')).json.result).toMatchObject(expected);
});
