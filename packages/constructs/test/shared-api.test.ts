/** One API in front of several functions: REST APIs, catch-alls under some paths, and services that are cut into stacks. */
import { json } from '@sallyport/http';
import { Authenticated, Public, SecureApp, type SecureOptions } from '@sallyport/secure';
import { iamPrincipal } from '@sallyport/secure/authorizers';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import { Code, type IFunction } from 'aws-cdk-lib/aws-lambda';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { type App, Stack } from 'aws-cdk-lib/core';
import {
  ApiAuthorization,
  ApiDomain,
  HttpApi,
  type HttpWiringProps,
  type IHttpDoor,
  RestApi,
  ServiceAlarms,
  ServiceFunction,
  ServiceWiring,
  SharedHttpApi,
  SharedRestApi,
  toInventory,
} from '../src/index.js';
import { newFn } from './support/function.js';
import { functionsOf } from './support/routes.js';
import { messageOf, newApp, newStack, propertiesOf, type Template, templateOf } from './support/synth.js';

const env = { account: '123456789012', region: 'eu-west-1' };
const ok = () => json(200, {});
const code = Code.fromInline('exports.handler = 1');

type Register = (app: SecureApp) => unknown;

/** A function, its application, its wiring and its door at an API. */
function attach(
  at: Stack,
  id: string,
  register: Register,
  newDoor: (at: Stack, id: string, fn: IFunction) => IHttpDoor,
  props: HttpWiringProps = {},
  options: SecureOptions = {},
) {
  const { fn } = new ServiceFunction(at, id, { code });
  const app = new SecureApp(options);
  register(app);
  const wiring = new ServiceWiring(at, `${id}Wiring`, { fn, inventory: toInventory(app) });
  wiring.http(newDoor(at, `${id}Door`, fn as IFunction), props);
  return wiring;
}

const gets =
  (...paths: readonly string[]): Register =>
  (app) => {
    for (const path of paths) app.get(path, ok, Public());
  };

const countsIn = (app: App) =>
  app.synth().stacks.map(({ template, stackName }) => [stackName, Object.keys(template.Resources).length]);

describe('SharedRestApi', () => {
  const rest = (shared: SharedRestApi | RestApi) => (at: Stack, id: string, fn: IFunction) =>
    new RestApi(at, id, { fn, shared });

  it('routes each path to its function, with one stage, one deployment and one authorizer', () => {
    const stack = newStack({ env });
    const shared = new SharedRestApi(stack, 'Shop', { authorization: ApiAuthorization.token({ fn: newFn(stack) }) });
    attach(stack, 'Orders', (app) => app.get('/orders/:id', ok, Authenticated('a')), rest(shared));
    attach(
      stack,
      'Bills',
      (app) => app.post('/orders', ok, Public()).get('/bills', ok, Authenticated('a')),
      rest(shared),
    );
    const template = templateOf(stack);
    expect(functionsOf(template)).toEqual(['GET /bills: Bills', 'GET /orders/{p2}: Orders', 'POST /orders: Bills']);
    const types = ['RestApi', 'Stage', 'Deployment', 'Authorizer', 'Account'].map((name) => `AWS::ApiGateway::${name}`);
    expect(types.map((type) => propertiesOf(template, type).length)).toEqual([1, 1, 1, 1, 0]);
    expect(propertiesOf(template, 'AWS::ApiGateway::Method').map(({ AuthorizationType }) => AuthorizationType)).toEqual(
      ['CUSTOM', 'NONE', 'CUSTOM'],
    );
  });

  it('streams the routes of each function whose application streams, and of no other function', () => {
    const stack = newStack({ env });
    const shared = new SharedRestApi(stack, 'Shop');
    attach(stack, 'Orders', gets('/orders'), rest(shared));
    attach(
      stack,
      'Live',
      (app) => app.get('/live', ok, Public(), { streaming: true }).get('/live/:id', ok, Public()),
      rest(shared),
    );
    expect(functionsOf(templateOf(stack))).toEqual([
      'GET /live/{p2}: Live STREAM',
      'GET /live: Live STREAM',
      'GET /orders: Orders',
    ]);
  });

  it('accepts the RestApi of another function, and one alarm reports the errors of the API', () => {
    const stack = newStack({ env });
    const first = new RestApi(stack, 'Api', { fn: newFn(stack) });
    first.addRoutes([{ method: 'GET', path: '/orders' }]);
    const wiring = attach(stack, 'Bills', gets('/bills'), rest(first));
    new ServiceAlarms(stack, 'Alarms', { wiring, actionTopic: new Topic(stack, 'Topic') });
    const template = templateOf(stack);
    expect(functionsOf(template)).toEqual(['GET /bills: Bills', 'GET /orders: Fn']);
    const alarms = propertiesOf(template, 'AWS::CloudWatch::Alarm').map((alarm) => String(alarm.AlarmDescription));
    expect(alarms.filter((text) => text.startsWith('A front door answers 5xx'))).toEqual([]);
    expect(alarms.filter((text) => text.startsWith('Invocations fail'))).toHaveLength(1);
  });

  it('in several stacks has its deployment in a later stack, and the paths of several stacks in the stack of the API', () => {
    const app = newApp();
    const stacks = ['Edge', 'Orders', 'Bills', 'Live'].map((id) => new Stack(app, id, { env })) as [
      Stack,
      Stack,
      Stack,
      Stack,
    ];
    const [edge, orders, bills, live] = stacks;
    const shared = new SharedRestApi(edge, 'Shop', { deployIn: live, paths: ['/v1'] });
    attach(orders, 'Orders', gets('/v1/orders', '/v1/orders/:id'), rest(shared));
    attach(orders, 'Refunds', gets('/v1/orders/:id/refunds'), rest(shared));
    attach(bills, 'Bills', gets('/v1/bills', '/bills'), rest(shared));
    const assembly = app.synth();
    const templates = stacks.map(({ stackName }) => assembly.getStackByName(stackName).template as Template);
    const partsOf = (template: Template) =>
      propertiesOf(template, 'AWS::ApiGateway::Resource').map(({ PathPart }) => PathPart);
    expect(templates.map(partsOf)).toEqual([['v1'], ['orders', '{p3}', 'refunds'], ['bills', 'bills'], []]);
    const countOf = (type: string) =>
      templates.map((template) => propertiesOf(template, `AWS::ApiGateway::${type}`).length);
    expect([countOf('RestApi'), countOf('Method'), countOf('Deployment'), countOf('Stage')]).toEqual([
      [1, 0, 0, 0],
      [0, 3, 2, 0],
      [0, 0, 0, 1],
      [0, 0, 0, 1],
    ]);
    expect(live.dependencies.map(({ stackName }) => stackName).sort()).toEqual(['Bills', 'Edge', 'Orders']);
    expect(edge.dependencies).toEqual([]);
  });

  it('is deployed again when a function in another stack has one more route, and when a route moves to another function', () => {
    const deploymentOf = (id: string, ...paths: readonly string[]) => {
      const app = newApp();
      const [edge, orders, live] = ['Edge', 'Orders', 'Live'].map((one) => new Stack(app, one, { env })) as [
        Stack,
        Stack,
        Stack,
      ];
      attach(orders, id, gets(...paths), rest(new SharedRestApi(edge, 'Shop', { deployIn: live })));
      const { Resources } = app.synth().getStackByName('Live').template as Template;
      return Object.keys(Resources).filter((one) => Resources[one]?.Type === 'AWS::ApiGateway::Deployment');
    };
    const before = deploymentOf('Orders', '/a');
    expect(deploymentOf('Orders', '/a', '/b')).not.toEqual(before);
    expect(deploymentOf('Bills', '/a')).not.toEqual(before);
    expect(deploymentOf('Orders', '/a')).toEqual(before);
  });

  it.each<[string, (edge: Stack, other: Stack, live: Stack) => unknown, string]>([
    [
      'a function in another stack without deployIn',
      (edge, other) => rest(new SharedRestApi(edge, 'Shop'))(other, 'Door', newFn(other)),
      'shared is in the stack Edge, and its deployment is not in a later stack than Other, expected deployIn of Edge/Shop',
    ],
    [
      'a function in the stack of the deployment',
      (edge, _other, live) => rest(new SharedRestApi(edge, 'Shop', { deployIn: live }))(live, 'Door', newFn(live)),
      'expected deployIn of Edge/Shop: a stack without functions of the API',
    ],
    [
      'a path of two stacks, with the line to add',
      (edge, other, live) => {
        const shared = new SharedRestApi(edge, 'Shop', { deployIn: live });
        rest(shared)(edge, 'Door', newFn(edge)).addRoutes([{ method: 'GET', path: '/v1/a' }]);
        rest(shared)(other, 'Door', newFn(other)).addRoutes([{ method: 'GET', path: '/v1/b' }]);
      },
      'path /v1/b needs the resource /v1, which the stack Edge has, expected paths: ["/v1"] of Edge/Shop, or both functions in one stack',
    ],
    [
      'two kinds of parameters at one position, in two stacks',
      (edge, other, live) => {
        const shared = new SharedRestApi(edge, 'Shop', { deployIn: live });
        rest(shared)(edge, 'Door', newFn(edge)).addRoutes([{ method: 'GET', path: '/{id}' }]);
        rest(shared)(other, 'Door', newFn(other)).addRoutes([{ method: 'GET', path: '/{path+}' }]);
      },
      'path /{path+} needs {path+} next to {p1}',
    ],
    [
      'a domain outside the stack of the deployment',
      (edge, _other, live) => {
        const certificate = Certificate.fromCertificateArn(
          edge,
          'C',
          'arn:aws:acm:eu-west-1:123456789012:certificate/1',
        );
        const domain = new ApiDomain(edge, 'Domain', { domainName: 'shop.example', certificate });
        return new SharedRestApi(edge, 'Shop', { deployIn: live, domain });
      },
      'domain in Edge, and deployIn is Live, expected an ApiDomain in Live',
    ],
    [
      'a route of two functions',
      (edge) => {
        const shared = new SharedRestApi(edge, 'Shop');
        rest(shared)(edge, 'A', newFn(edge, 'F')).addRoutes([{ method: 'GET', path: '/a' }]);
        rest(shared)(edge, 'B', newFn(edge, 'G')).addRoutes([{ method: 'GET', path: '/a' }]);
      },
      'route GET /a is a route of Edge/A already, expected one function for each route of a shared API',
    ],
    [
      'a prop of the API on a door',
      (edge) => new RestApi(edge, 'A', { fn: newFn(edge), shared: new SharedRestApi(edge, 'Shop'), throttleRate: 5 }),
      'throttleRate with shared, expected throttleRate of the SharedRestApi',
    ],
    [
      'a path with a parameter in paths',
      (edge) => new SharedRestApi(edge, 'Shop', { paths: ['/{id}'] }),
      'SharedRestApi: paths',
    ],
  ])('rejects %s', (_name, run, text) => {
    const app = newApp();
    const [edge, other, live] = ['Edge', 'Other', 'Live'].map((id) => new Stack(app, id, { env })) as [
      Stack,
      Stack,
      Stack,
    ];
    expect(messageOf(() => run(edge, other, live))).toContain(text);
  });
});

describe('40 functions and 400 routes are in stacks of less than 500 resources', () => {
  const addServices = (stack: Stack, part: number, newDoor: (at: Stack, id: string, fn: IFunction) => IHttpDoor) => {
    for (let n = 0; n < 10; n += 1) {
      const name = `s${part}${n}`;
      const register: Register = (app) => {
        for (let route = 0; route < 10; route += 1) app.get(`/${name}/${route}`, ok, Authenticated('a'));
      };
      attach(stack, name, register, newDoor);
    }
  };
  const authorizerOf = (stack: Stack) => ApiAuthorization.request({ fn: newFn(stack, 'Check') });
  const typesIn = (app: App, type: RegExp) =>
    app
      .synth()
      .stacks.flatMap(({ template }) => Object.values((template as Template).Resources))
      .filter(({ Type }) => type.test(Type)).length;

  it('with an HTTP API', () => {
    const app = newApp();
    const edge = new Stack(app, 'Edge', { env });
    const shared = new SharedHttpApi(edge, 'Shop', { routeQuota: 400, authorization: authorizerOf(edge) });
    for (let part = 0; part < 4; part += 1) {
      addServices(new Stack(app, `Part${part}`, { env }), part, (at, id, fn) => new HttpApi(at, id, { fn, shared }));
    }
    expect(countsIn(app)).toEqual([
      ['Edge', 7],
      ['Part0', 160],
      ['Part1', 160],
      ['Part2', 160],
      ['Part3', 160],
    ]);
    expect([typesIn(app, /ApiGatewayV2::Route$/), typesIn(app, /ApiGatewayV2::(?:Api|Authorizer)$/)]).toEqual([400, 2]);
  });

  it('with a REST API', () => {
    const app = newApp();
    const edge = new Stack(app, 'Edge', { env });
    const live = new Stack(app, 'Live', { env });
    const shared = new SharedRestApi(edge, 'Shop', {
      resourceQuota: 500,
      deployIn: live,
      authorization: authorizerOf(edge),
    });
    for (let part = 0; part < 4; part += 1) {
      addServices(new Stack(app, `Part${part}`, { env }), part, (at, id, fn) => new RestApi(at, id, { fn, shared }));
    }
    expect(countsIn(app)).toEqual([
      ['Edge', 5],
      ['Part0', 260],
      ['Part1', 260],
      ['Part2', 260],
      ['Part3', 260],
      ['Live', 9],
    ]);
    expect([typesIn(app, /ApiGateway::Method$/), typesIn(app, /ApiGateway::(?:RestApi|Authorizer|Stage)$/)]).toEqual([
      400, 3,
    ]);
  });
});

type MakeShared = (stack: Stack) => (at: Stack, id: string, fn: IFunction) => IHttpDoor;

const SHARED: readonly (readonly [string, MakeShared])[] = [
  [
    'an HTTP API',
    (stack) => {
      const shared = new SharedHttpApi(stack, 'Shop');
      return (at, id, fn) => new HttpApi(at, id, { fn, shared });
    },
  ],
  [
    'a REST API',
    (stack) => {
      const shared = new SharedRestApi(stack, 'Shop');
      return (at, id, fn) => new RestApi(at, id, { fn, shared });
    },
  ],
];

describe.each(SHARED)('only with catchAll at %s', (name, makeShared) => {
  it('routes every request under its paths to the function, next to the routes of another function', () => {
    const stack = newStack({ env });
    const newDoor = makeShared(stack);
    attach(stack, 'Reports', gets('/reports', '/reports/:id', '/exports/:id/rows'), newDoor, {
      only: ['/reports', '/exports'],
      catchAll: true,
    });
    attach(stack, 'Orders', gets('/orders'), newDoor);
    expect(functionsOf(templateOf(stack))).toEqual([
      'ANY /exports/{path+}: Reports',
      'ANY /exports: Reports',
      'ANY /reports/{path+}: Reports',
      'ANY /reports: Reports',
      'GET /orders: Orders',
    ]);
  });

  const whole = name === 'an HTTP API' ? ['$default: Orders'] : ['ANY /: Orders', 'ANY /{path+}: Orders'];
  it('leaves all other requests to the catch-all of another function', () => {
    const stack = newStack({ env });
    const newDoor = makeShared(stack);
    attach(stack, 'Orders', gets('/orders', '/orders/:id'), newDoor, { catchAll: true });
    attach(stack, 'Reports', gets('/reports'), newDoor, { only: ['/reports'], catchAll: true });
    expect(functionsOf(templateOf(stack))).toEqual(
      [...whole, 'ANY /reports/{path+}: Reports', 'ANY /reports: Reports'].sort(),
    );
  });

  it.each<[string, readonly [Register, HttpWiringProps], string]>([
    [
      'a route of another function under the path',
      [gets('/reports/late/all'), {}],
      'GET /reports/late/all of Test/OtherDoor is also under /reports, whose catch-all is of Test/ReportsDoor, expected catchAll under a path that has only routes of its function, or "only" without catchAll (at Test/ReportsDoor)',
    ],
    [
      'a route of another function that can match a path under it',
      [gets('/:area/:id'), {}],
      'GET /{area}/{id} of Test/OtherDoor is also under /reports',
    ],
    [
      'a route that only the catch-all of another function covers',
      [gets('/orders', '/reports/late'), { catchAll: true }],
      'GET /reports/late of Test/OtherDoor is also under /reports',
    ],
    [
      'the catch-all of another function under it',
      [gets('/reports/late'), { only: ['/reports/late'], catchAll: true }],
      'ANY /reports/late of Test/OtherDoor is also under /reports',
    ],
  ])('is rejected for %s', (_name, [register, props], text) => {
    const stack = newStack({ env });
    const newDoor = makeShared(stack);
    attach(stack, 'Reports', gets('/reports', '/reports/daily'), newDoor, { only: ['/reports'], catchAll: true });
    attach(stack, 'Other', register, newDoor, props);
    expect(messageOf(() => templateOf(stack))).toContain(text);
  });

  it('has the preflights of its paths without the authorizer', () => {
    const stack = newStack({ env });
    const iam = { authorization: ApiAuthorization.IAM };
    const newDoor = (at: Stack, id: string, fn: IFunction) =>
      name === 'an HTTP API' ? new HttpApi(at, id, { fn, ...iam }) : new RestApi(at, id, { fn, ...iam });
    const options = { principalResolver: iamPrincipal(), cors: { allowedOrigins: ['https://shop.example'] } };
    const register: Register = (app) => app.get('/reports', ok, Authenticated('a'));
    attach(stack, 'Reports', register, newDoor, { only: ['/reports'], catchAll: true }, options);
    const template = templateOf(stack);
    expect(functionsOf(template)).toEqual([
      'ANY /reports/{path+}: Reports',
      'ANY /reports: Reports',
      'OPTIONS /reports/{path+}: Reports',
      'OPTIONS /reports: Reports',
    ]);
    const methods = [
      ...propertiesOf(template, 'AWS::ApiGatewayV2::Route'),
      ...propertiesOf(template, 'AWS::ApiGateway::Method'),
    ];
    const open = methods.filter(({ AuthorizationType }) => AuthorizationType === 'NONE');
    expect(open.map(({ RouteKey, HttpMethod }) => String(RouteKey ?? HttpMethod).slice(0, 7))).toEqual([
      'OPTIONS',
      'OPTIONS',
    ]);
  });
});

it('a route that only the catch-all of one function covers must not be a route of another function', () => {
  const stack = newStack({ env });
  const shared = new SharedHttpApi(stack, 'Shop');
  const newDoor = (at: Stack, id: string, fn: IFunction) => new HttpApi(at, id, { fn, shared });
  attach(stack, 'Web', gets('/orders/:id', '/health'), newDoor, { catchAll: true });
  attach(stack, 'Orders', gets('/orders/:order'), newDoor);
  expect(messageOf(() => templateOf(stack))).toContain(
    'no request reaches GET /orders/{id} of Test/WebDoor, because Test/OrdersDoor has GET /orders/{order}, expected one function for the path, or the routes of Test/WebDoor without catchAll (at Test/WebDoor)',
  );
});

it('a REST API does not send a method to the catch-all of one function if another function has a resource for the path', () => {
  const inStack = (register: Register) => {
    const stack = newStack({ env });
    const shared = new SharedRestApi(stack, 'Shop');
    const newDoor = (at: Stack, id: string, fn: IFunction) => new RestApi(at, id, { fn, shared });
    attach(stack, 'Web', (app) => app.post('/orders', ok, Public()), newDoor, { catchAll: true });
    attach(stack, 'Orders', register, newDoor);
    return messageOf(() => templateOf(stack));
  };
  expect(inStack(gets('/orders'))).toContain(
    'no request reaches POST /orders of Test/WebDoor, because Test/OrdersDoor has GET /orders',
  );
  expect(inStack(gets('/orders/:id'))).toContain('because Test/OrdersDoor has GET /orders/{id}');
  expect(inStack(gets('/bills'))).toBe('');
});

it('a catch-all with an authorizer has every method of the path of a public route, because a REST API selects the resource first', () => {
  const stack = newStack({ env });
  const newDoor = (at: Stack, id: string, fn: IFunction) =>
    new RestApi(at, id, { fn, authorization: ApiAuthorization.IAM });
  attach(
    stack,
    'Web',
    (app) =>
      app.get('/notes', ok, Public()).post('/notes', ok, Authenticated('a')).get('/other', ok, Authenticated('a')),
    newDoor,
    { catchAll: true },
    { principalResolver: iamPrincipal() },
  );
  expect(functionsOf(templateOf(stack))).toEqual([
    'ANY /: Web',
    'ANY /{path+}: Web',
    'GET /notes: Web',
    'POST /notes: Web',
  ]);
});
