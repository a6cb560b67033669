import { fileURLToPath } from 'node:url';
import { createApp } from '@sallyport/dispatch/app';
import { json } from '@sallyport/http';
import { Authenticated, firstPrincipal, Optional, Public, SecureApp, type SecureOptions } from '@sallyport/secure';
import { iamPrincipal, jwtAuthorizerPrincipal, lambdaAuthorizerV2Principal } from '@sallyport/secure/authorizers';
import { AuthorizationType } from 'aws-cdk-lib/aws-appsync';
import { Code, type IFunction } from 'aws-cdk-lib/aws-lambda';
import type { Stack } from 'aws-cdk-lib/core';
import {
  AlbTarget,
  ApiAuthorization,
  FunctionUrl,
  FunctionUrlAuth,
  GraphqlApi,
  HttpApi,
  type HttpWiringProps,
  type IHttpDoor,
  type Inventory,
  McpServer,
  RestApi,
  ServiceFunction,
  ServiceWiring,
  toInventory,
  WebSocketApi,
} from '../src/index.js';
import { messageOf, newStack, propertiesOf, type Template, templateOf } from './support/synth.js';

const ok = () => json(200, {});
const SCHEMA = fileURLToPath(new URL('judges/support/estate.graphql', import.meta.url));
const JWT = ApiAuthorization.jwt('https://issuer.example', ['notes']);

function newService(inventory: Inventory) {
  const stack = newStack();
  const { fn } = new ServiceFunction(stack, 'Api', { code: Code.fromInline('exports.handler = 1') });
  return { stack, fn: fn as IFunction, wiring: new ServiceWiring(stack, 'Wiring', { fn, inventory }) };
}

function inventoryOf(options: SecureOptions = {}, register?: (app: SecureApp) => void): Inventory {
  const app = new SecureApp(options);
  if (register) register(app);
  else {
    app.get('/health', ok, Public());
    app.get('/notes/{id}', ok, Authenticated('notes:read'));
  }
  return toInventory(app);
}

const pathOf = (template: Template, ref: unknown): string => {
  const { Ref } = (ref ?? {}) as { Ref?: string };
  const resource = Ref === undefined ? undefined : template.Resources[Ref];
  return resource ? `${pathOf(template, resource.Properties.ParentId)}/${resource.Properties.PathPart}` : '';
};

/** The routes of the HTTP and REST APIs, with their authorization, sorted. */
const routesOf = (template: Template): readonly string[] =>
  [
    ...propertiesOf(template, 'AWS::ApiGatewayV2::Route').map(
      ({ RouteKey, AuthorizationType, AuthorizerId }) => `${RouteKey} ${AuthorizationType}${AuthorizerId ? '+' : ''}`,
    ),
    ...propertiesOf(template, 'AWS::ApiGateway::Method').map(
      ({ HttpMethod, ResourceId, AuthorizationType, AuthorizerId }) =>
        `${HttpMethod} ${pathOf(template, ResourceId) || '/'} ${AuthorizationType}${AuthorizerId ? '+' : ''}`,
    ),
  ].sort();

type MakeApi = (stack: Stack, fn: IFunction) => HttpApi | RestApi;
const http: MakeApi = (stack, fn) => new HttpApi(stack, 'Door', { fn, authorization: JWT });
const rest: MakeApi = (stack, fn) => new RestApi(stack, 'Door', { fn, authorization: ApiAuthorization.IAM });

describe.each([
  ['an HTTP API with JWT', http, 'JWT+'],
  ['a REST API with IAM', rest, 'AWS_IAM'],
] as const)('%s', (_name, make, closed) => {
  it('has its authorizer at every route except public ones', () => {
    const { stack, fn, wiring } = newService(inventoryOf());
    wiring.http(make(stack, fn));
    expect(routesOf(templateOf(stack))).toEqual(['GET /health NONE', `GET /notes/{p2} ${closed}`]);
  });

  it('has preflights without authorizer, and HEAD with the authorizer of its GET', () => {
    const { stack, fn, wiring } = newService(
      inventoryOf({ cors: { allowedOrigins: ['https://app.example'] }, autoHead: true }),
    );
    wiring.http(make(stack, fn));
    expect(routesOf(templateOf(stack))).toEqual([
      'GET /health NONE',
      `GET /notes/{p2} ${closed}`,
      'HEAD /health NONE',
      `HEAD /notes/{p2} ${closed}`,
      'OPTIONS /health NONE',
      'OPTIONS /notes/{p2} NONE',
    ]);
  });

  it('keeps an own OPTIONS or HEAD route of the application', () => {
    const inventory = inventoryOf({ cors: {}, autoHead: true }, (app) => {
      app.get('/a', ok, Public());
      app.handle('OPTIONS', '/a', ok, Authenticated());
      app.handle('HEAD', '/a', ok, Authenticated());
    });
    const { stack, fn, wiring } = newService(inventory);
    wiring.http(make(stack, fn));
    expect(routesOf(templateOf(stack))).toEqual(['GET /a NONE', `HEAD /a ${closed}`, `OPTIONS /a ${closed}`]);
  });

  it('has public routes and preflights next to a catch-all', () => {
    const { stack, fn, wiring } = newService(inventoryOf({ cors: {} }, (app) => app.get('/health', ok, Public())));
    wiring.http(make(stack, fn), { catchAll: true });
    const all = closed === 'JWT+' ? ['$default JWT+'] : ['ANY / AWS_IAM', 'ANY /{path+} AWS_IAM'];
    expect(routesOf(templateOf(stack))).toEqual(
      [...all, 'GET /health NONE', 'OPTIONS / NONE', 'OPTIONS /{path+} NONE'].sort(),
    );
  });

  it('has no authorizer at the routes of an MCP server, in any order', () => {
    const inventory = inventoryOf({}, (app) => {
      app.get('/notes', ok, Authenticated());
      for (const method of ['POST', 'GET', 'DELETE']) app.handle(method, '/mcp', ok, Authenticated());
    });
    const inOrder = (wiringFirst: boolean) => {
      const { stack, fn, wiring } = newService(inventory);
      const api = make(stack, fn);
      if (wiringFirst) wiring.http(api);
      new McpServer(stack, 'Mcp', { fn, api, streaming: false });
      if (!wiringFirst) wiring.http(api);
      return routesOf(templateOf(stack));
    };
    const routes = inOrder(true);
    expect(routes).toEqual(inOrder(false));
    expect(routes.filter((route) => route.endsWith(closed))).toEqual([`GET /notes ${closed}`]);
    expect(routes).toHaveLength(8);
  });
});

it('a changed authorization of a REST route is deployed', () => {
  const deploymentOf = (mcpPath: string) => {
    const { stack, fn, wiring } = newService(inventoryOf({}, (app) => app.get('/mcp', ok, Authenticated())));
    const api = rest(stack, fn);
    wiring.http(api);
    api.addRoutes([{ method: 'GET', path: '/mcp', withoutAuthorizer: mcpPath === '/mcp' }]);
    const { Resources } = templateOf(stack);
    return Object.keys(Resources).find((id) => Resources[id]?.Type === 'AWS::ApiGateway::Deployment');
  };
  expect(deploymentOf('/mcp')).not.toBe(deploymentOf('/other'));
});

const REJECTED: readonly [string, Inventory, (stack: Stack, fn: IFunction) => IHttpDoor, Error][] = [
  [
    'no authorizer for a resolver that reads one',
    inventoryOf({ principalResolver: jwtAuthorizerPrincipal }),
    (stack, fn) => new HttpApi(stack, 'Door', { fn }),
    expect.failure(
      'constructs.invalid_prop',
      'ServiceWiring: ',
      '(jwt)',
      'Test/Door has none',
      'GET /notes/{id}',
      'ApiAuthorization.jwt',
      'jwtPrincipalResolver',
      '(at Test/Wiring)',
    ),
  ],
  [
    'another authorizer',
    inventoryOf({ principalResolver: lambdaAuthorizerV2Principal(() => null) }),
    http,
    expect.failure(
      'constructs.invalid_prop',
      'ServiceWiring: ',
      '(lambda)',
      'Test/Door has jwt',
      'GET /notes/{id}',
      '(at Test/Wiring)',
    ),
  ],
  [
    'a load balancer',
    inventoryOf({ principalResolver: iamPrincipal() }),
    (stack, fn) => new AlbTarget(stack, 'Door', { fn }),
    expect.failure('constructs.invalid_prop', 'ServiceWiring: ', '(iam)', 'Test/Door has none', '(at Test/Wiring)'),
  ],
  [
    'an open function URL',
    inventoryOf({ principalResolver: iamPrincipal() }),
    (stack, fn) => new FunctionUrl(stack, 'Door', { fn, auth: FunctionUrlAuth.APPLICATION }),
    expect.failure('constructs.invalid_prop', 'ServiceWiring: ', '(iam)', 'Test/Door has none', '(at Test/Wiring)'),
  ],
  [
    'Optional() with a resolver that reads an authorizer',
    inventoryOf({ principalResolver: jwtAuthorizerPrincipal }, (app) => app.get('/news', ok, Optional())),
    http,
    expect.failure('constructs.invalid_prop', 'ServiceWiring: GET /news is Optional()', '(jwt)', '(at Test/Wiring)'),
  ],
];

it.each(REJECTED)('rejects %s', (_name, inventory, make, failure) => {
  const { stack, fn, wiring } = newService(inventory);
  const door = make(stack, fn);
  expect(() => wiring.http(door)).toThrow(failure);
});

it.each<[string, Inventory, (stack: Stack, fn: IFunction) => IHttpDoor]>([
  ['the authorizer that the resolver reads', inventoryOf({ principalResolver: jwtAuthorizerPrincipal }), http],
  ['one of two', inventoryOf({ principalResolver: firstPrincipal(jwtAuthorizerPrincipal, iamPrincipal()) }), rest],
  [
    'a resolver with another source',
    inventoryOf({ principalResolver: firstPrincipal(jwtAuthorizerPrincipal, () => null) }),
    (stack, fn) => new HttpApi(stack, 'Door', { fn }),
  ],
  [
    'public routes alone',
    inventoryOf({ principalResolver: jwtAuthorizerPrincipal }, (app) => app.get('/health', ok, Public())),
    (stack, fn) => new HttpApi(stack, 'Door', { fn }),
  ],
])('accepts %s', (_name, inventory, make) => {
  const { stack, fn, wiring } = newService(inventory);
  wiring.http(make(stack, fn));
  expect(messageOf(() => templateOf(stack))).toBe('');
});

it('rejects corsOrigins next to the option cors of the application', () => {
  const { stack, fn, wiring } = newService(inventoryOf({ cors: {} }));
  const api = new HttpApi(stack, 'Door', { fn, corsOrigins: ['https://app.example'] });
  expect(() => wiring.http(api)).toThrow(expect.failure('constructs.conflict', 'HttpApi: corsOrigins', 'preflights'));
});

describe('only', () => {
  it.each<[string, (stack: Stack, fn: IFunction) => IHttpDoor]>([
    ['a function URL', (stack, fn) => new FunctionUrl(stack, 'Door', { fn })],
    ['a load balancer', (stack, fn) => new AlbTarget(stack, 'Door', { fn })],
  ])('is rejected with %s', (_name, make) => {
    const { stack, fn, wiring } = newService(inventoryOf());
    const door = make(stack, fn);
    expect(() => wiring.http(door, { only: ['/notes'] })).toThrow(
      expect.failure('constructs.invalid_prop', 'ServiceWiring: only with Test/Door', 'an API', '(at Test/Wiring)'),
    );
  });

  it.each<[string, HttpWiringProps, string]>([
    ['a slash at the end of a path', { only: ['/notes/'] }, 'only, got "/notes/", expected paths without a slash or *'],
    ['a * in a path', { only: ['/notes/*'] }, 'only, got "/notes/*", expected paths without a slash or *'],
    ['a path without the first slash', { only: ['notes'] }, 'only, got "notes"'],
    ['no path', { only: [] }, 'only, got a list of 0'],
    ['a path without routes', { only: ['/notes', '/note'] }, 'the stack attaches HTTP routes below /note,'],
    ['every path and a catch-all', { only: ['/'], catchAll: true }, 'only ["/"] with catchAll, expected catchAll'],
    [
      'a catch-all of a path under another one',
      { only: ['/notes', '/notes/{id}'], catchAll: true },
      'catch-alls of /notes and /notes/{id}, expected paths that do not overlap',
    ],
  ])('is rejected with %s', (_name, props, problem) => {
    const app = new SecureApp();
    app.get('/notes', ok, Public()).get('/notes/:id', ok, Public());
    const { stack, fn, wiring } = newService(toInventory(app));
    const door = new HttpApi(stack, 'Door', { fn });
    expect(messageOf(() => wiring.http(door, props))).toContain(problem);
  });
});

describe('the open container', () => {
  const app = createApp({ log: false });
  app.webSocket('$connect', ok).appSyncField('Query', 'note', ok);
  const inventory = toInventory(app);
  const API_KEY = { defaultAuthorization: { authorizationType: AuthorizationType.API_KEY } };

  it('is rejected on a WebSocket API, and with an API key of AppSync', () => {
    const { stack, fn, wiring } = newService(inventory);
    expect(() => wiring.webSocket(new WebSocketApi(stack, 'Ws', { fn }))).toThrow(
      expect.failure('constructs.invalid_prop', 'ServiceWiring: ', 'Test/Ws', 'allowOpenContainer', '(at Test/Wiring)'),
    );
    const keyed = new GraphqlApi(stack, 'G', { fn, schemaFile: SCHEMA, authorization: API_KEY });
    expect(messageOf(() => wiring.graphQl(keyed))).toContain('the open container with Test/G');
    const signed = new GraphqlApi(stack, 'S', { fn, schemaFile: SCHEMA });
    expect(messageOf(() => wiring.graphQl(signed))).toBe('');
  });
});
