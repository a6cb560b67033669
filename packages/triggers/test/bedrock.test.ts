import { FrameworkError } from '@sallyport/core';
import { createApp } from '@sallyport/dispatch/app';
import { json, text } from '@sallyport/http';
import { Authenticated, Public, SecureApp } from '@sallyport/secure';
import { type AgentAction, bedrockAgent, bedrockFlow } from '@sallyport/triggers';
import { buildBedrockAgentEvent, buildBedrockFlowEvent } from '@sallyport/triggers/testing';

const FUNCTION = buildBedrockAgentEvent('find', { parameters: { id: '5' } });
const API = buildBedrockAgentEvent('/orders/{id}', { schema: 'api', parameters: { id: '5' } });
const DOCUMENT = { messageVersion: '1.0' };
const answered = (functionResponse: object) => ({
  ...DOCUMENT,
  response: { actionGroup: 'orders', function: 'find', functionResponse },
});
const operated = (httpStatusCode: number, body: string, more: object = {}) => ({
  ...DOCUMENT,
  response: {
    actionGroup: 'orders',
    apiPath: '/orders/{id}',
    httpMethod: 'GET',
    httpStatusCode,
    responseBody: { 'application/json': { body } },
    ...more,
  },
});

it('functions and API operations reach their handlers, and no route', async () => {
  const seen: string[] = [];
  const note = (_ctx: unknown, { operation, payload }: AgentAction) => {
    seen.push(operation);
    return { body: { id: payload.id }, sessionAttributes: { last: operation } };
  };
  const agent = bedrockAgent().function('orders', 'find', note).operation('orders', 'GET', '/orders/{id}', note);
  const app = createApp({ log: false, surfaces: [agent] }).get('/{path+}', () =>
    text(200, seen.push('route').toString()),
  );
  await expect(app.handleLambda(FUNCTION)).resolves.toEqual({
    ...answered({ responseBody: { TEXT: { body: '{"id":"5"}' } } }),
    sessionAttributes: { last: 'find' },
  });
  await expect(app.handleLambda(API)).resolves.toEqual({
    ...operated(200, '{"id":"5"}'),
    sessionAttributes: { last: 'GET /orders/{id}' },
  });
  expect([app.explain(API).kind, app.explain(FUNCTION).kind]).toEqual(['bedrock-agent', 'bedrock-agent']);
  expect(seen).toEqual(['find', 'GET /orders/{id}']);
  expect(app.triggers()).toEqual([
    { kind: 'bedrock-agent', name: 'find', options: { actionGroup: 'orders' } },
    { kind: 'bedrock-agent', name: 'GET /orders/{id}', options: { actionGroup: 'orders' } },
  ]);
});

it('a request of a REST API reaches its route, with the surface registered', async () => {
  const app = createApp({ log: false, surfaces: [bedrockAgent().function('orders', 'find', () => 'a')] });
  app.get('/orders', () => json(200, {}));
  const request = { httpMethod: 'GET', path: '/orders', resource: '/orders', requestContext: {} };
  await expect(app.handleLambda(request)).resolves.toMatchObject({ statusCode: 200 });
  // Only Bedrock writes the members next to the method.
  await expect(app.handleLambda({ ...request, body: JSON.stringify(API) })).resolves.toMatchObject({ statusCode: 200 });
});

it.each<[string, string, string, unknown]>([
  ['a string', 'string', '5', '5'],
  ['an integer', 'integer', '5', 5],
  ['a number', 'number', '5.5', 5.5],
  ['a boolean', 'boolean', 'true', true],
  ['a list', 'array', '["a"]', ['a']],
  ['an object', 'object', '{"a":1}', { a: 1 }],
  ['a number that is none', 'number', 'five', 'five'],
  ['a list that is none', 'array', '[a]', '[a]'],
  ['a number of another type', 'boolean', '1', '1'],
])('a value is converted by its type: %s', async (_what, type, value, expected) => {
  const seen: unknown[] = [];
  const agent = bedrockAgent().function('orders', 'find', (_ctx, { payload }) => String(seen.push(payload)));
  await agent.handleLambda({ ...FUNCTION, parameters: [{ name: 'a', type, value }] });
  expect(seen).toEqual([{ a: expected }]);
});

it('the properties of a request body are part of the payload; a name that occurs twice is rejected', async () => {
  const seen: unknown[] = [];
  const agent = bedrockAgent().operation('orders', 'get', '/orders/{id}', (_ctx, { payload }) =>
    String(seen.push(payload)),
  );
  const properties = [{ name: 'size', type: 'integer', value: '3' }];
  await agent.handleLambda({ ...API, requestBody: { content: { 'application/json': { properties } } } });
  expect(seen).toEqual([{ id: '5', size: 3 }]);
  const twice = [...API.parameters, ...API.parameters];
  await expect(agent.handleLambda({ ...API, parameters: twice })).rejects.toThrow(
    expect.failure('triggers.invalid_event', 'parameters[1].name'),
  );
});

it.each<[string, () => unknown, string, string | undefined, number]>([
  ['text', () => 'found', 'found', undefined, 200],
  ['a status', () => ({ body: 'no', status: 404 }), 'no', undefined, 404],
  [
    'an error of the caller',
    () => Promise.reject(new FrameworkError('app.not_found', 'which order?')),
    'which order?',
    'REPROMPT',
    404,
  ],
  ['an unknown error', () => Promise.reject(new Error('secret')), 'internal error', 'FAILURE', 500],
  ['nothing', () => undefined, 'internal error', 'FAILURE', 500],
  ['an HTTP response', () => ({ statusCode: 200, body: 'a' }), 'internal error', 'FAILURE', 500],
  ['an unknown state', () => ({ body: 'a', state: 'RETRY' }), 'internal error', 'FAILURE', 500],
  ['a wrong status', () => ({ body: 'a', status: 99 }), 'internal error', 'FAILURE', 500],
  ['attributes that are no text', () => ({ body: 'a', sessionAttributes: { a: 1 } }), 'internal error', 'FAILURE', 500],
])('the agent gets an answer that it can read: %s', async (_what, handler, body, state, status) => {
  const agent = bedrockAgent()
    .function('orders', 'find', handler as never)
    .operation('orders', 'GET', '/orders/{id}', handler as never);
  const responseState = state === undefined ? {} : { responseState: state };
  await expect(agent.handleLambda(FUNCTION)).resolves.toEqual(
    answered({ ...responseState, responseBody: { TEXT: { body } } }),
  );
  const sent = body === 'found' || body === 'no' ? body : body;
  await expect(agent.handleLambda(API)).resolves.toEqual(operated(status, sent, responseState));
});

describe('in SecureApp', () => {
  const principalResolver = (ctx: { event: unknown }) => {
    const { sessionAttributes } = ctx.event as { sessionAttributes?: Record<string, string> };
    return sessionAttributes?.user ? { identity: sessionAttributes.user, scopes: [] } : null;
  };

  it('an action has a posture, and the gate runs before its handler', async () => {
    const seen: unknown[] = [];
    const agent = bedrockAgent().function(
      'orders',
      'find',
      (_ctx, { principal }) => String(seen.push(principal?.identity)),
      Authenticated(),
    );
    const app = new SecureApp({ log: false, principalResolver: principalResolver as never, surfaces: [agent] });
    const denied = answered({ responseState: 'FAILURE', responseBody: { TEXT: { body: 'unauthorized' } } });
    await expect(app.handleLambda(FUNCTION)).resolves.toEqual(denied);
    expect(seen).toEqual([]);
    await app.handleLambda({ ...FUNCTION, sessionAttributes: { user: 'ann' } });
    expect(seen).toEqual(['ann']);
  });

  it.each<[string, string, () => unknown]>([
    [
      'without posture',
      'app.bad_request',
      () => new SecureApp({ surfaces: [bedrockAgent().function('orders', 'find', () => 'a')] }),
    ],
    [
      'with a posture elsewhere',
      'app.invalid_configuration',
      () => createApp({ log: false, surfaces: [bedrockAgent().function('orders', 'find', () => 'a', Public())] }),
    ],
  ])('an action %s does not start', (_what, code, make) => {
    expect(make).toThrow(expect.failure(code, 'invalid auth posture: orders find'));
  });
});

it.each<[string, unknown, unknown, string | undefined]>([
  ['a value', { total: 5 }, { total: 5 }, undefined],
  ['null', null, null, undefined],
  ['nothing', undefined, undefined, 'must be the output of the node, not undefined'],
  ['a BigInt', 5n, undefined, 'not a value that JSON can write'],
])('a node of a flow answers its output: %s', async (_what, result, output, message) => {
  const running = bedrockFlow()
    .node('price', (_ctx, { payload }) => (payload.codeHookInput === 'hello' ? result : 'other'))
    .handleLambda(buildBedrockFlowEvent('price'));
  if (message === undefined) await expect(running).resolves.toEqual(output);
  else await expect(running).rejects.toThrow(expect.failure('triggers.invalid_answer', message));
});

it('an input of a node that occurs twice is rejected', async () => {
  const event = buildBedrockFlowEvent('price');
  const nodeInputs = [...event.node.nodeInputs, ...event.node.nodeInputs];
  const running = bedrockFlow()
    .node('price', () => 1)
    .handleLambda({ ...event, node: { ...event.node, nodeInputs } });
  await expect(running).rejects.toThrow(expect.failure('triggers.invalid_event', 'node.nodeInputs[1].name'));
});

it.each<[string, () => unknown]>([
  ['a blank action group', () => bedrockAgent().function(' ', 'find', () => 'a')],
  ['a blank path', () => bedrockAgent().operation('orders', 'GET', '', () => 'a')],
  [
    'an action twice',
    () =>
      bedrockAgent()
        .function('a', 'b', () => 'a')
        .function('a', 'b', () => 'a'),
  ],
  ['no handler', () => bedrockFlow().node('a', undefined as never)],
])('rejects %s', (_what, make) => {
  expect(make).toThrow(expect.objectContaining({ code: 'app.invalid_configuration' }));
});
