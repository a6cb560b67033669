import { once } from 'node:events';
import { WebSocket } from 'ws';
import type { Flags } from '../src/internal/config/load.js';
import type { RunningHost } from '../src/internal/host/create-host.js';
import { createProject, type Project, start } from './support/run.js';

/** A service without packages: its inspection has the form of a Sallyport service. */
const SERVICE = `
export const connect = async ({ methodArn }) => ({
  principalId: 'ada',
  policyDocument: { Version: '2012-10-17', Statement: [{ Action: 'execute-api:Invoke', Effect: 'Allow', Resource: methodArn }] },
  context: { long: 'x'.repeat(9000) },
});
export const handler = async (event) => {
  if (event.info) {
    if (event.info.fieldName === 'broken') throw new Error('no');
    return 'x'.repeat(event.info.fieldName === 'large' ? 5_300_000 : 10);
  }
  if (event.body === 'broken') throw new Error('no');
  return { statusCode: 200, body: 'x'.repeat(event.body === 'large' ? 140_000 : 10) };
};
const field = (name) => ({ surface: 'appsync', appSyncParentType: 'Query', appSyncField: name });
const route = (name) => ({ surface: 'websocket', webSocketRouteKey: name });
handler[Symbol.for('framework.inspect')] = {
  routes: () => [...['small', 'large', 'broken'].map(field), ...['$connect', '$default'].map(route)],
  triggers: () => [],
  explain: () => ({ kind: null }),
  openapi: () => null,
};`;

const STREAMS = `
export const handler = awslambda.streamifyResponse(async (event, stream) => {
  const path = event.rawPath ?? event.path;
  const preludes = {
    '/fine': { statusCode: 200, headers: { 'content-type': 'text/plain' } },
    '/challenge': { statusCode: 401, headers: { 'www-authenticate': 'Bearer' } },
    '/lists': { statusCode: 200, multiValueHeaders: { 'x-a': ['1', '2'] } },
    '/status': { statusCode: 999 },
  };
  const out = preludes[path] ? awslambda.HttpResponseStream.from(stream, preludes[path]) : stream;
  out.write('one');
  out.write('two');
  out.end();
});`;

let project: Project;
let host: RunningHost;

const startWith = async (files: Record<string, string>, flags: Flags) => {
  project = createProject(files);
  host = await start(project, flags);
};
const stop = async () => {
  await host.stop();
  project.remove();
};
const last = (kind: string) => {
  const record = host.journal.list().findLast(({ origin }) => origin.kind === kind);
  if (!record) throw new Error(`no record of ${kind}`);
  return record;
};
/** Differences that are true of every request are not listed. */
const topicsOf = (kind: string) =>
  last(kind)
    .differences.map(({ topic }) => topic)
    .filter((topic) => topic !== 'request.address');
/** Resolves when a record has ended and its differences were written in the same turn. */
const recorded = (kind: string) =>
  new Promise<void>((resolve) => {
    const end = host.journal.subscribe((change) => {
      if (change.type !== 'record') return;
      const record = host.journal.get(change.id);
      if (record?.origin.kind !== kind || (record.status !== 'ok' && record.status !== 'failed')) return;
      end();
      setImmediate(resolve);
    });
  });

describe('the GraphQL and the WebSocket door', () => {
  beforeAll(() =>
    startWith(
      { 'src/lambda.mjs': SERVICE, 'schema.graphql': 'type Query { small: String large: String broken: String }' },
      { webSocketAuthorizer: 'lambda:connect', routeResponse: true },
    ),
  );
  afterAll(stop);

  test.each([
    ['small', []],
    ['large', ['answer.limit']],
    ['broken', ['retry']],
  ])('the record of the GraphQL field %s has the differences %j', async (name, topics) => {
    await fetch(`http://127.0.0.1:${host.ports.graphql}/graphql`, {
      method: 'POST',
      body: JSON.stringify({ query: `{ ${name} }` }),
    });
    expect(topicsOf('appsync')).toEqual(topics);
  });

  test('a GraphQL request can have 5 MB', async () => {
    const statusOf = async (bytes: number) => {
      const body = JSON.stringify({ query: '{ small }', variables: { text: 'x'.repeat(bytes) } });
      const url = `http://127.0.0.1:${host.ports.graphql}/graphql`;
      return (await fetch(url, { method: 'POST', body })).status;
    };
    expect([await statusOf(2_000_000), await statusOf(6_000_000)]).toEqual([200, 400]);
  });

  const open = async () => {
    const socket = new WebSocket(`ws://127.0.0.1:${host.ports.websocket}/`);
    await once(socket, 'open');
    return socket;
  };

  test.each([
    ['small', []],
    ['large', ['answer.limit']],
    ['broken', ['retry']],
  ])('the record of the WebSocket message %s has the differences %j', async (body, topics) => {
    const socket = await open();
    const written = recorded('websocket');
    socket.send(body);
    await Promise.all([once(socket, 'message'), written]);
    expect(topicsOf('websocket')).toEqual(topics);
    socket.close();
  });

  test('the record of an authorizer names an answer above 8 KB', async () => {
    (await open()).close();
    expect(topicsOf('authorizer')).toEqual(['answer.limit']);
  });

  test('the record of $connect has the difference that the headers name this machine', async () => {
    const written = recorded('websocket');
    const socket = await open();
    await written;
    expect(last('websocket').differences.map(({ topic }) => topic)).toEqual(['request.address']);
    socket.close();
  });

  test('a binary frame closes the connection with 1003, as API Gateway does', async () => {
    const socket = await open();
    socket.send(Buffer.from([0, 1]));
    const [code] = await once(socket, 'close');
    expect(code).toBe(1003);
  });
});

describe('streamed answers', () => {
  beforeAll(() => startWith({ 'src/lambda.mjs': STREAMS }, { restStream: true }));
  afterAll(stop);

  type Door = 'gateway-v1' | 'function-url';
  test.each<[Door, string, number, string[]]>([
    ['gateway-v1', '/fine', 200, []],
    ['function-url', '/fine', 200, []],
    ['gateway-v1', '/bare', 200, ['stream.prelude']],
    ['function-url', '/bare', 200, []],
    ['gateway-v1', '/challenge', 401, ['header.renamed']],
    ['function-url', '/challenge', 401, ['header.renamed']],
    ['gateway-v1', '/lists', 200, []],
    ['function-url', '/lists', 200, ['answer.ignored']],
    ['function-url', '/status', 502, ['stream.prelude']],
  ])('%s %s: status %i, differences %j', async (door, path, status, topics) => {
    const response = await fetch(`http://127.0.0.1:${host.ports[door]}${path}`);
    await response.arrayBuffer();
    expect([response.status, topicsOf(door)]).toEqual([status, topics]);
  });

  test('a function URL does not send lists of headers, a REST API does', async () => {
    const headers = [];
    for (const door of ['gateway-v1', 'function-url'] as const)
      headers.push((await fetch(`http://127.0.0.1:${host.ports[door]}/lists`)).headers.get('x-a'));
    expect(headers).toEqual(['1, 2', null]);
  });
});
