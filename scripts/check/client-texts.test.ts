import { FrameworkError } from '../../packages/core/src/index.js';
import { missingPackage, toClientError } from '../../packages/core/src/internal.js';
import { createLogger } from '../../packages/core/src/observability.js';
import { json } from '../../packages/http/src/index.js';
import { agentCoreTools } from '../../packages/mcp/src/agentcore.js';
import { createMcpServer, mountMcp } from '../../packages/mcp/src/index.js';
import { MicrovmError } from '../../packages/microvm/src/index.js';
import { ObjectStoreError } from '../../packages/objectstore/src/index.js';
import { Public, SecureApp } from '../../packages/secure/src/index.js';
import * as build from '../../packages/testkit/src/events.js';
import { appSyncEvents, cognitoTrigger, directInvoke, latticeDoor } from '../../packages/triggers/src/index.js';
import {
  buildAppSyncEventsEvent,
  buildCognitoEvent,
  buildLatticeRequest,
} from '../../packages/triggers/src/testing.js';
import { VectorStoreError } from '../../packages/vectors/src/index.js';
import { readRows } from '../docs/error-tables.js';
import { ERROR_TABLES } from '../docs/error-tables-data.js';

/** Errors of our packages with a string that only developers may read. */
const OURS: readonly (readonly [string, () => unknown])[] = [
  ['a store of vectors', () => new VectorStoreError('vectorstore.invalid_input', 'filter of "HIDDEN"')],
  ['a store of objects', () => new ObjectStoreError('objectstore.invalid_store_config', 'framework: bucket "HIDDEN"')],
  ['a missing package', () => missingPackage('HIDDEN', undefined)],
  ['a wrong option', () => new FrameworkError('app.invalid_configuration', 'framework: option "HIDDEN" must be text')],
  ['details', () => new VectorStoreError('vectorstore.unavailable', 'x', { cause: 'HIDDEN' })],
  ['a micro-VM', () => new MicrovmError('microvm.invalid_configuration' as never, 'HIDDEN')],
  ['an exception', () => new Error('HIDDEN')],
];

/** A service that throws on every surface. */
function service(make: () => unknown, format: 'nested' | 'problem' | 'flat_legacy' = 'nested') {
  const lines: string[] = [];
  const fail = (): never => {
    throw make();
  };
  const server = createMcpServer({ name: 'notes', version: '1.0.0' });
  server.tool('fail', { description: 'Fails.' }, fail);
  server.resource('notes://all', { name: 'all' }, fail);
  server.prompt('fail', { description: 'Fails.' }, fail);
  const app = new SecureApp({
    log: createLogger({ environment: {}, write: (line) => void lines.push(line) }),
    httpErrorFormat: format,
    directInvocations: 'serve',
    surfaces: [
      latticeDoor(),
      appSyncEvents().publish('/news/*', fail, Public()).subscribe('/news/*', fail, Public()),
      cognitoTrigger().on('PreSignUp_*', fail),
      directInvoke().invoke('fail', ANY, fail),
      agentCoreTools(server, { posture: Public() }),
    ],
  });
  app.get('/op', fail, Public());
  app.get('/late', () => json(200, { toJSON: fail }), Public());
  app.webSocket('op', fail, Public());
  app.appSyncField('Query', 'op', fail, Public());
  app.appSyncBatchField('Query', 'batch', fail, Public());
  mountMcp(app, server, { posture: Public(), path: '/mcp' } as never);
  return { app, lines };
}

const ANY = { '~standard': { version: 1, vendor: 'test', validate: (value: unknown) => ({ value }) } } as never;
const field = (fieldName: string) => build.buildAppSyncEvent({ parentTypeName: 'Query', fieldName });
const rpc = (method: string, params: object) =>
  build.buildAPIGatewayV2Request('POST', '/mcp', {
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-06-18',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  } as never);
const AGENT = { clientContext: { custom: { bedrockAgentCoreToolName: 'notes___fail' } } };

type App = ReturnType<typeof service>['app'];

/** Every surface that sends answers to clients. */
const SURFACES: Readonly<Record<string, (app: App) => Promise<unknown>>> = {
  'HTTP API': (app) => app.handleLambda(build.buildAPIGatewayV2Request('GET', '/op')),
  'REST API': (app) => app.handleLambda(build.buildAPIGatewayProxyRequest('GET', '/op')),
  'function URL': (app) => app.handleLambda(build.buildLambdaFunctionURLRequest('GET', '/op')),
  'load balancer': (app) => app.handleLambda(build.buildLoadBalancerRequest('GET', '/op')),
  'VPC Lattice': (app) => app.handleLambda(buildLatticeRequest('GET', '/op')),
  'a request without a door': (app) => app.serve({ method: 'GET', path: '/op' }),
  WebSocket: (app) => app.handleLambda(build.buildWebSocketEvent({ routeKey: 'op' })),
  GraphQL: (app) => app.handleLambda(field('op')),
  'a GraphQL batch': (app) => app.handleLambda(build.buildAppSyncBatch([field('op'), field('batch')])),
  'a publication of AppSync Events': (app) => app.handleLambda(buildAppSyncEventsEvent('/news/a')),
  'a subscription of AppSync Events': (app) =>
    app.handleLambda({
      ...(buildAppSyncEventsEvent('/news/a') as object),
      events: null,
      info: {
        channel: { path: '/news/a', segments: ['news', 'a'] },
        channelNamespace: { name: 'news' },
        operation: 'SUBSCRIBE',
      },
    }),
  Cognito: (app) => app.handleLambda(buildCognitoEvent()),
  'an invocation by name': (app) => app.handleLambda({ $invoke: 'fail', input: {} }),
  'a tool of MCP': (app) => app.handleLambda(rpc('tools/call', { name: 'fail', arguments: {} })),
  'a resource of MCP': (app) => app.handleLambda(rpc('resources/read', { uri: 'notes://all' })),
  'a prompt of MCP': (app) => app.handleLambda(rpc('prompts/get', { name: 'fail' })),
  'a tool of an agent gateway': (app) => app.handleLambda({}, AGENT),
};

/** The client's result: an answer, or the message and the type of a rejection. */
const seen = (answer: Promise<unknown>) =>
  answer.then(
    (value) => {
      const { body } = Object(value) as { body?: unknown };
      return JSON.stringify(value) + (body instanceof Uint8Array ? Buffer.from(body).toString() : '');
    },
    (error: Error) => `${error.name} ${error.message}`,
  );

describe.each(Object.entries(SURFACES))('%s', (_name, send) => {
  it.each(OURS)('hides %s, and the log shows it', async (_what, make) => {
    const { app, lines } = service(make);
    // The error that the specification allows an event to throw instead of an exception.
    const text = (await seen(send(app))).replace('framework: event workload failed', 'internal error');
    expect(text).not.toContain('HIDDEN');
    expect(text).toMatch(/internal error|Internal error|Tool failed/);
    expect(text).not.toMatch(/framework: |vectorstore: |objectstore: /);
    expect(lines.join('\n')).toMatch(/HIDDEN|vectorstore: x/);
  });
});

it.each(['nested', 'problem', 'flat_legacy'] as const)('the format %s shows nothing either', async (format) => {
  for (const [, make] of OURS) {
    const text = await seen(service(make, format).app.handleLambda(build.buildAPIGatewayV2Request('GET', '/op')));
    expect(text).toMatch(/internal error/);
    expect(text).not.toContain('HIDDEN');
  }
});

/** Packages whose errors never reach a client. */
const TOOLS = /^packages\/(?:bundle|constructs|testkit|local|contract|create-sallyport|cli)\//;

it('every code of a package that runs in a function is known as ours', () => {
  const codes = Object.entries(ERROR_TABLES)
    .filter(([readme]) => !TOOLS.test(readme))
    .flatMap(([, tables]) => tables.flatMap((table) => readRows(table)))
    .filter(({ code }) => !code.startsWith('app.') && !code.startsWith('migrate.'))
    .map(({ code }) => code);
  expect(codes.length).toBeGreaterThan(100);
  const shown = codes.filter(
    (code) => toClientError(new FrameworkError(code, 'HIDDEN', { statusCode: 500 })).message !== 'internal error',
  );
  expect(shown).toEqual([]);
});
