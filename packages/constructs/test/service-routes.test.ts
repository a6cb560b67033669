/** Operations of one application in several functions that share the APIs. */
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type App, Duration, type Stack } from 'aws-cdk-lib/core';
import { ApiAuthorization, Routes, Service, type ServiceProps, Source } from '../src/index.js';
import { CONDITIONS, newApplication } from './support/application.js';
import { functionsOf } from './support/routes.js';
import { messageOf, newApp, newStack, propertiesOf, type Template, templateOf } from './support/synth.js';

const SHOP = `
app.get('/health', () => json(200, { ok: true }), Public());
app.get('/orders', () => json(200, []), Authenticated('orders:read'));
app.get('/reports', () => json(200, ['reports']), Public());
app.get('/reports/:id', () => json(200, {}), Authenticated('reports:read'));
app.post('/exports', () => json(202, {}), Authenticated('reports:write'));
app.queue('reports', () => undefined);
`;
const shop = newApplication(SHOP);
const REPORTS = { include: [Routes.under('/reports'), Source.queue('reports')] };

function newService(entry: string, props: Partial<ServiceProps> = {}): Service {
  return new Service(newStack(), 'Shop', { entry, stage: 'production', conditions: CONDITIONS, ...props });
}

const synth = (service: Service) => templateOf(service.node.scope as Stack);

const countIn = (template: Template, ...types: readonly string[]) =>
  types.map((type) => propertiesOf(template, `AWS::${type}`).length);

/** Runs a bundle with a request of an HTTP API, and returns the body of the answer. */
function request(folder: string, method: string, path: string): string {
  const [file = ''] = readdirSync(folder).filter((name) => /^index\.m?js$/.test(name));
  const event = {
    version: '2.0',
    routeKey: `${method} ${path}`,
    rawPath: path,
    rawQueryString: '',
    headers: { host: 'shop.example' },
    requestContext: {
      apiId: 'a',
      domainName: 'shop.example',
      stage: '$default',
      requestId: 'r',
      timeEpoch: 0,
      http: { method, path, protocol: 'HTTP/1.1', sourceIp: '127.0.0.1', userAgent: 'test' },
    },
    isBase64Encoded: false,
  };
  const context = {
    awsRequestId: 'r',
    functionName: 'f',
    invokedFunctionArn: 'arn:aws:lambda:eu-west-1:123456789012:function:f',
  };
  const program = `
const { handler } = await import(${JSON.stringify(join(folder, file))});
const context = { ...${JSON.stringify(context)}, getRemainingTimeInMillis: () => 5000 };
console.log('body ' + (await handler(${JSON.stringify(event)}, context)).body);`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
    encoding: 'utf8',
  });
  return /^body (.*)$/m.exec(stdout)?.[1] ?? stderr;
}

describe('routes in split', () => {
  it('have a separate function, timeout, memory and bundle at the HTTP API of the service', () => {
    const service = newService(shop, {
      authorization: ApiAuthorization.jwt('https://issuer.example', ['shop']),
      split: {
        reports: { ...REPORTS, timeout: Duration.seconds(25), memorySize: 1024 },
        exports: { timeout: Duration.seconds(20), include: [Routes.http('POST', '/exports')] },
      },
    });
    const template = synth(service);
    expect(functionsOf(template)).toEqual([
      'GET /health: ShopFunction',
      'GET /orders: ShopFunction',
      'GET /reports/{p2}: ShopFunctionreports',
      'GET /reports: ShopFunctionreports',
      'POST /exports: ShopFunctionexports',
    ]);
    const types = ['Api', 'Stage', 'Authorizer', 'Integration'].map((name) => `ApiGatewayV2::${name}`);
    expect(countIn(template, ...types, 'Lambda::Function')).toEqual([1, 1, 1, 3, 3]);
    const functions = propertiesOf(template, 'AWS::Lambda::Function');
    expect(functions.map(({ Timeout, MemorySize }) => [Timeout, MemorySize])).toEqual([
      [10, 256],
      [25, 1024],
      [20, 256],
    ]);
    const titles = propertiesOf(template, 'AWS::CloudWatch::Alarm').map(({ AlarmDescription }) =>
      String(AlarmDescription),
    );
    expect(titles.filter((title) => title.includes('A front door answers 5xx'))).toHaveLength(1);
    const assets = functions.map(({ Code }) => (Code as { S3Key: string }).S3Key.replace('.zip', ''));
    const { outdir } = service.node.root as App;
    const folders = assets.map((asset) => join(outdir, `asset.${asset}`));
    expect(assets[0]).not.toBe(assets[1]);
    expect([request(folders[0] ?? '', 'GET', '/health'), request(folders[1] ?? '', 'GET', '/reports')]).toEqual([
      '{"ok":true}',
      '["reports"]',
    ]);
  });

  it('keep the logical ids of routes and of the API, so that only the target of a moved route changes', () => {
    const routesIn = (template: Template) =>
      Object.entries(template.Resources)
        .filter(([, { Type }]) => /^AWS::ApiGatewayV2::(?:Api|Route|Stage)$/.test(Type))
        .map(([id, { Properties }]) => [id, Properties.RouteKey])
        .sort();
    const before = synth(newService(shop, { sources: [Source.queue('reports')] }));
    const after = synth(newService(shop, { split: { reports: REPORTS } }));
    expect(routesIn(after)).toEqual(routesIn(before));
    expect(functionsOf(before)).toContain('GET /reports: ShopFunction');
    expect(functionsOf(after)).toContain('GET /reports: ShopFunctionreports');
  });

  it('have one preflight for each path, and the HEAD of a GET in the function of the GET', () => {
    const cors = newApplication(`
const shop = new SecureApp({ principalResolver: () => null, autoHead: true, cors: { allowedOrigins: ['https://shop.example'] } });
shop.get('/reports', () => json(200, []), Public());
shop.post('/reports', () => json(200, []), Public());
globalThis.wrap = () => shop.handleLambda;`);
    const template = synth(newService(cors, { split: { exports: { include: [Routes.http('GET', '/reports')] } } }));
    expect(functionsOf(template)).toEqual([
      'GET /reports: ShopFunctionexports',
      'HEAD /reports: ShopFunctionexports',
      'OPTIONS /reports: ShopFunction',
      'POST /reports: ShopFunction',
    ]);
  });

  it('may all be in functions of split, so that the first function has only events', () => {
    const service = newService(shop, {
      sources: [Source.queue('reports')],
      split: { web: { include: [Routes.under('/')] } },
    });
    const template = synth(service);
    expect(new Set(functionsOf(template).map((line) => line.replace(/.*: /, '')))).toEqual(
      new Set(['ShopFunctionweb']),
    );
    expect(service.url).toBe(service.doors.httpApi?.url);
    expect(Object.keys(service.doors)).toEqual(['httpApi']);
  });

  it('do not stop the deployment of another stack if the file cannot be bundled', () => {
    const app = newApp({ context: { 'aws:cdk:bundling-stacks': ['Other'] } });
    const props = { stage: 'production', split: { reports: REPORTS } } as const;
    const service = new Service(newStack({}, app), 'Shop', { entry: 'src/not-there.ts', ...props });
    expect([messageOf(() => synth(service)), Object.keys(service.doors)]).toEqual(['', []]);
  });
});

describe('a REST API of several functions', () => {
  const entry = newApplication(`import { createGatewayRestStreamingHandler } from '@sallyport/http';
app.get('/orders', () => json(200, []), Public());
app.get('/progress', () => json(200, {}), Public(), { streaming: true });
app.get('/progress/:id', () => json(200, {}), Public());
export const stream = createGatewayRestStreamingHandler(app);`);

  it('streams all routes of the function that streams, and buffers the routes of the others', () => {
    const service = newService(entry, {
      split: {
        progress: { handler: 'index.stream', timeout: Duration.minutes(10), include: [Routes.under('/progress')] },
      },
    });
    const template = synth(service);
    expect(functionsOf(template)).toEqual([
      'GET /orders: ShopFunction',
      'GET /progress/{p2}: ShopFunctionprogress STREAM',
      'GET /progress: ShopFunctionprogress STREAM',
    ]);
    expect(countIn(template, 'ApiGateway::RestApi', 'ApiGateway::Stage', 'ApiGateway::Deployment')).toEqual([1, 1, 1]);
  });

  it('makes a new deployment when only the function of a route changes', () => {
    const deploymentOf = (split: ServiceProps['split']) =>
      Object.entries(
        synth(newService(shop, { doors: ['rest-api'], sources: [Source.queue('reports')], ...(split && { split }) }))
          .Resources,
      )
        .filter(([, { Type }]) => Type === 'AWS::ApiGateway::Deployment')
        .map(([id]) => id);
    expect(deploymentOf({ reports: { include: [Routes.under('/reports')] } })).not.toEqual(deploymentOf(undefined));
  });
});

it('WebSocket routes in split have a separate function at the same WebSocket API', () => {
  const entry = newApplication(`
app.webSocket('$connect', () => json(200, {}), Public());
app.webSocket('typing', () => undefined, Authenticated('chat'));
app.webSocket('history', () => undefined, Authenticated('chat'));`);
  const template = synth(newService(entry, { split: { history: { include: [Routes.webSocket('history')] } } }));
  const idsIn = ({ Resources }: Template) =>
    Object.keys(Resources).filter((id) => Resources[id]?.Type === 'AWS::ApiGatewayV2::Route');
  expect(idsIn(template).sort()).toEqual(idsIn(synth(newService(entry))).sort());
  expect(functionsOf(template)).toEqual([
    '$connect: ShopFunction',
    'history: ShopFunctionhistory',
    'typing: ShopFunction',
  ]);
  expect(countIn(template, 'ApiGatewayV2::Api', 'ApiGatewayV2::Stage', 'ApiGatewayV2::Integration')).toEqual([1, 1, 2]);
  const variables = propertiesOf(template, 'AWS::Lambda::Function').map(({ Environment }) =>
    JSON.stringify(Environment),
  );
  expect(variables.filter((text) => text?.includes('FRAMEWORK_WEBSOCKET_ENDPOINT'))).toHaveLength(2);
  const actions = propertiesOf(template, 'AWS::IAM::Policy').map(({ PolicyDocument }) =>
    JSON.stringify(PolicyDocument),
  );
  expect(actions.filter((text) => text.includes('execute-api:ManageConnections'))).toHaveLength(2);
});

describe('the member of messages that names their route', () => {
  const entry = newApplication(`
const chat = new SecureApp({ principalResolver: () => null, socket: { envelope: { route: 'op' } } });
chat.webSocket('$connect', () => json(200, {}), Public());
globalThis.wrap = () => chat.handleLambda;`);

  it('is named by the application', () => {
    const [api] = propertiesOf(synth(newService(entry)), 'AWS::ApiGatewayV2::Api');
    expect(api).toMatchObject({ RouteSelectionExpression: '$request.body.op' });
  });

  it('is rejected if the stack names another member', () => {
    const other = () => newService(entry, { webSocket: { routeSelectionExpression: '$request.body.action' } });
    expect(messageOf(other)).toContain(
      'webSocket.routeSelectionExpression, got "$request.body.action", expected $request.body.op, as the application states',
    );
  });
});

it('an MCP server in split has its routes, documents and state in the function of split', () => {
  const entry = newApplication(`
import { createMcpServer, mountMcp } from '@sallyport/mcp';
import { mcpDiscovery } from '@sallyport/mcp/oauth';
process.env.FRAMEWORK_MCP_SESSIONS_TABLE_NAME;
const server = createMcpServer({ name: 'shop', version: '1' });
const discovery = mcpDiscovery({ publicBaseUrl: 'https://shop.example', authorizationServers: ['https://issuer.example'] });
mountMcp(app, server, { posture: Authenticated('mcp'), discovery });
app.get('/orders', () => json(200, []), Public());`);
  const service = newService(entry, { split: { assistant: { include: [Routes.mcp()] } } });
  const routes = functionsOf(synth(service));
  expect(routes.filter((line) => !line.includes('assistant'))).toEqual(['GET /orders: ShopFunction']);
  expect(routes.filter((line) => line.includes(' /mcp:'))).toEqual([
    'DELETE /mcp: ShopFunctionassistant',
    'GET /mcp: ShopFunctionassistant',
    'POST /mcp: ShopFunctionassistant',
  ]);
  expect(routes).toContain('GET /.well-known/oauth-protected-resource/mcp: ShopFunctionassistant');
  expect(service.doors.mcp?.table).toBe(service.tables.mcp);
});

const late = newApplication(`
app.get('/reports', () => json(200, []), Public());
app.get('/late', () => json(200, []), Public());`);

describe('routes in split are rejected', () => {
  it.each<[string, ServiceProps['split'], Partial<ServiceProps>, string, string]>([
    [
      'if the application does not have them',
      { reports: { include: [Routes.http('GET', '/report')] } },
      {},
      'constructs.not_registered',
      'split.reports.include has Routes.http("GET", "/report"), which the application does not register, expected one of its operations: route GET /health',
    ],
    [
      'if two functions take one route, with the entries that leave it to one',
      { all: { include: [Routes.under('/reports')] }, one: { include: [Routes.http('GET', '/reports/{id}')] } },
      {},
      'constructs.conflict',
      'route GET /reports/{id} is taken by split.all with Routes.under("/reports") and by split.one with Routes.http("GET", "/reports/{id}"), expected one function: in split.all.include Routes.http("GET", "/reports") instead of Routes.under("/reports")',
    ],
    [
      'if two functions take the same routes',
      { a: { include: [Routes.http('POST', '/exports')] }, b: { include: [Routes.under('/exports')] } },
      {},
      'constructs.conflict',
      'expected one function: in split.a.include no Routes.http("POST", "/exports")',
    ],
    [
      'if a separate file has a route that no function takes, with the line to add',
      { reports: { entry: late, include: [Routes.http('GET', '/reports')] } },
      {},
      'constructs.not_registered',
      'registers route GET /late, which no function includes, expected Routes.http("GET", "/late") in split.reports.include',
    ],
    [
      'with a function URL',
      { reports: { include: [Routes.under('/reports')] } },
      { doors: ['function-url'] },
      'constructs.invalid_prop',
      'split.reports has HTTP routes, and a function URL has one function, expected doors: ["http-api"]',
    ],
  ])('%s', (_name, split, props, code, text) => {
    const sources = [Source.queue('reports')];
    expect(() => newService(shop, { sources, ...(split && { split }), ...props })).toThrow(
      expect.objectContaining({ code, message: expect.stringContaining(text) }),
    );
  });

  it('with a timeout that no door has', () => {
    const split = { reports: { ...REPORTS, timeout: Duration.minutes(5) } };
    expect(messageOf(() => synth(newService(shop, { split })))).toContain(
      'timeout of a function whose doors all buffer the response, got 300, expected at most 29 s',
    );
  });
});
