import { once } from 'node:events';
import { buildWebSocketEvent } from '@sallyport/testkit/events';
import { buildAppSyncAuthorizerEvent } from '@sallyport/triggers/testing';
import { WebSocket } from 'ws';
import { appSyncAuthorizationOf, appSyncAuthorizerEvent } from '../src/internal/doors/appsync-authorizer.js';
import { connectAuthorizerEvent } from '../src/internal/doors/lambda-authorizer.js';
import type { RunningHost } from '../src/internal/host/create-host.js';
import type { InvokeOutcome } from '../src/internal/runtime/invoker.js';
import { createProject, type Project, start } from './support/run.js';

/** A service without packages: its inspection has the form of a Sallyport service. */
const SERVICE = `
const policy = (Effect, { methodArn }) => ({
  principalId: 'ada',
  policyDocument: { Version: '2012-10-17', Statement: [{ Action: 'execute-api:Invoke', Effect, Resource: methodArn }] },
  context: { seats: 2 },
});
export const connect = async (event) => {
  const key = event.queryStringParameters?.key;
  if (key === undefined) throw new Error('Unauthorized');
  if (key === 'broken') throw new Error('the secret is hunter2');
  return policy(key === 'good' ? 'Allow' : 'Deny', event);
};
export const graphql = async ({ authorizationToken, requestContext }) => {
  if (authorizationToken === 'broken') throw new Error('the secret is hunter2');
  return {
    isAuthorized: authorizationToken === 'good',
    resolverContext: { by: process.env.AWS_LAMBDA_FUNCTION_NAME, operation: requestContext.operationName },
    deniedFields: ['Query.salary', 'arn:aws:appsync:us-east-1:123456789012:apis/api1/types/Query/fields/address'],
  };
};
export const handler = async (event) => {
  if (event.info) return JSON.stringify(event.identity);
  return { statusCode: 200, body: JSON.stringify(event.requestContext.authorizer ?? null) };
};
const field = (name) => ({ surface: 'appsync', appSyncParentType: 'Query', appSyncField: name });
const route = (name) => ({ surface: 'websocket', webSocketRouteKey: name });
handler[Symbol.for('framework.inspect')] = {
  routes: () => [...['who', 'salary', 'address'].map(field), ...['$connect', '$default'].map(route)],
  triggers: () => [],
  explain: () => ({ kind: null }),
  openapi: () => null,
};`;

let project: Project;
let host: RunningHost;

beforeAll(async () => {
  project = createProject({
    'src/lambda.mjs': SERVICE,
    'schema.graphql': 'type Query { who: String salary: String address: String }',
  });
  host = await start(project, {
    webSocketAuthorizer: 'lambda:connect',
    graphqlAuthorizer: 'lambda:graphql',
    routeResponse: true,
  });
});

afterAll(async () => {
  await host.stop();
  project.remove();
});

describe('a WebSocket API', () => {
  const open = (query: string) => new WebSocket(`ws://127.0.0.1:${host.ports.websocket}/${query}`);

  test('connects a client that the authorizer allows; what it leaves is in every event of the connection', async () => {
    const socket = open('?key=good');
    await once(socket, 'open');
    const context = { seats: '2', principalId: 'ada', integrationLatency: 0 };
    const connected = host.journal.list().at(-1);
    expect(connected).toMatchObject({
      origin: { target: '$connect' },
      event: { requestContext: { authorizer: context } },
    });
    socket.send('hello');
    const [answer] = (await once(socket, 'message')) as [Buffer];
    expect(JSON.parse(answer.toString())).toEqual(context);
    socket.terminate();
  });

  test.each([
    ['?key=bad', 403],
    ['', 401],
    ['?key=broken', 500],
  ])('rejects %j with %i before the function is called', async (query, status) => {
    const before = host.journal.list().length;
    const [, response] = await once(
      open(query).on('error', () => {}),
      'unexpected-response',
    );
    expect((response as { statusCode: number }).statusCode).toBe(status);
    const records = host.journal.list().slice(before);
    expect(records.map(({ origin, summary }) => [origin.kind, summary])).toEqual([['authorizer', String(status)]]);
  });

  test('the event has the members of AWS’s', () => {
    const options = { routeKey: '$connect', headers: { 'x-a': '1' }, query: { key: 'good' }, stage: 'prod' };
    expect(connectAuthorizerEvent(buildWebSocketEvent(options))).toMatchObject({
      type: 'REQUEST',
      methodArn: 'arn:aws:execute-api:us-east-1:123456789012:api1/prod/$connect',
      headers: { 'x-a': '1' },
      multiValueQueryStringParameters: { key: ['good'] },
      stageVariables: {},
      requestContext: { routeKey: '$connect', eventType: 'CONNECT' },
    });
  });
});

describe('a GraphQL API', () => {
  const ask = async (query: string, token?: string) => {
    const response = await fetch(`http://127.0.0.1:${host.ports.graphql}/graphql`, {
      method: 'POST',
      headers: token === undefined ? {} : { authorization: token },
      body: JSON.stringify({ query, operationName: 'Asked' }),
    });
    return { status: response.status, ...((await response.json()) as object) };
  };

  test('resolvers receive the context of the authorizer', async () => {
    expect(await ask('query Asked { who }', 'good')).toEqual({
      status: 200,
      data: { who: '{"resolverContext":{"by":"service-graphql","operation":"Asked"}}' },
    });
  });

  test('a field that the authorizer denies is null, and its resolver does not run', async () => {
    const before = host.journal.list().length;
    const error = (name: string) => ({
      errorType: 'Unauthorized',
      message: `Not Authorized to access ${name} on type Query`,
      path: [name],
    });
    expect(await ask('query Asked { salary address }', 'good')).toMatchObject({
      data: { salary: null, address: null },
      errors: [error('salary'), error('address')],
    });
    expect(
      host.journal
        .list()
        .slice(before)
        .map(({ origin }) => origin.kind),
    ).toEqual(['authorizer']);
  });

  test.each([
    ['bad', 1],
    ['broken', 1],
    [undefined, 0],
  ])('rejects a request with the token %j before it is read', async (token, asked) => {
    const before = host.journal.list().length;
    expect(await ask('query Asked { nothing }', token)).toEqual({
      status: 401,
      errors: [{ errorType: 'UnauthorizedException', message: 'You are not authorized to make this call.' }],
    });
    expect(host.journal.list().length - before).toBe(asked);
  });

  test('the event has the members of AWS’s', () => {
    const request = {
      headers: { authorization: 'token' },
      query: 'query { note }',
      variables: null,
      operationName: 'note',
    };
    const event = appSyncAuthorizerEvent(request, 'request-1');
    expect(event).toEqual({
      ...buildAppSyncAuthorizerEvent({ api: 'graphql', token: 'token' }),
      requestContext: {
        apiId: 'api1',
        accountId: '123456789012',
        requestId: 'request-1',
        queryString: 'query { note }',
        operationName: 'note',
        variables: {},
      },
    });
  });

  test.each([[{ isAuthorized: 'true' }], [{}], [null], ['yes']])('the answer %j rejects all callers', (answer) => {
    const outcome: InvokeOutcome = { ok: true, id: 1, requestId: 'r', streamed: false, answer };
    expect(appSyncAuthorizationOf(outcome)).toBeUndefined();
  });
});
