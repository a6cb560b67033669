import { compareContracts, type DescribedService, toAsyncApi, toContract, toTypes } from '../src/service.js';

const schema = (json: object) => ({ 'schema:': { input: { json }, output: { json } } });
const text = { type: 'string' };

/** A function with a WebSocket route, and the envelope that it states. */
const withRoute = (more: Partial<DescribedService> = {}, member = 'data', key = 'send'): DescribedService => ({
  function: `src/${key}.ts`,
  routes: [{ surface: 'websocket', webSocketRouteKey: key, states: { message: schema(text), member } }],
  triggers: [],
  sends: {},
  ...more,
});
const stated = { route: 'do', type: 'kind', data: 'payload' };

const messageOf = (channel: string, contract = toContract('chat', [withRoute({ envelope: stated }, 'payload')])) => {
  const { channels } = toAsyncApi(contract) as {
    channels: Record<string, { messages: Record<string, { payload: object }> }>;
  };
  return Object.values(channels[channel]?.messages ?? {})[0]?.payload;
};

test.each([
  ['states none', undefined, 'data', { action: { const: 'send' }, data: text }],
  ['states other names', stated, 'payload', { do: { const: 'send' }, payload: text }],
  ['states the action only', { route: 'do' }, 'data', { do: { const: 'send' }, data: text }],
])('the AsyncAPI document of a service that %s has the whole message', (_, envelope, member, properties) => {
  const contract = toContract('chat', [withRoute(envelope ? { envelope } : {}, member)]);
  expect(messageOf('socket_in', contract)).toEqual({
    type: 'object',
    properties,
    required: Object.keys(properties),
  });
});

test('a message to clients has its type and its data in the members of the envelope', () => {
  const contract = toContract('chat', [withRoute({ envelope: stated, sends: { added: schema(text) } }, 'payload')]);
  expect(messageOf('socket_out', contract)).toMatchObject({ properties: { kind: { const: 'added' }, payload: text } });
});

test('the types have an envelope only if the service states one', () => {
  const [own, plain] = [withRoute({ envelope: stated }, 'payload'), withRoute()].map((one) =>
    toTypes(toContract('chat', [one])),
  );
  expect(own).toContain(
    "    envelope: { data: 'payload'; route: 'do'; type: 'kind' };\n    in: {\n      send: string;",
  );
  expect(plain).not.toContain('envelope');
});

test.each([
  [
    'handlers that read another member',
    [withRoute({ envelope: stated }), withRoute({}, 'data', 'move')],
    'the message of send (src/send.ts) is in the member data; the message of move (src/move.ts) is in the member data: the envelope has the data in payload',
  ],
  [
    'two envelopes',
    [withRoute({ envelope: stated }, 'payload'), withRoute({ envelope: { route: 'op' } }, 'payload', 'move')],
    'src/send.ts and src/move.ts state different envelopes of WebSocket messages',
  ],
])('rejects %s', (_, functions, problem) => {
  expect(() => toContract('chat', functions)).toThrow(problem);
});

test('other names break clients, and the plain names can be stated', () => {
  const [old, next] = [withRoute(), withRoute({ envelope: stated }, 'payload')].map((one) => toContract('chat', [one]));
  const plain = toContract('chat', [withRoute({ envelope: { route: 'action' } })]);
  const changes = (before: typeof old, after: typeof old) =>
    compareContracts(before as never, after as never).map(({ id, old: was, new: now }) => [id, was, now]);
  expect(changes(old, next)).toEqual([
    ['socket envelope.route envelope-changed', 'action', 'do'],
    ['socket envelope.type envelope-changed', 'type', 'kind'],
    ['socket envelope.data envelope-changed', 'data', 'payload'],
  ]);
  expect(changes(old, plain)).toEqual([]);
});
