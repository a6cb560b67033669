import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Stack } from 'aws-cdk-lib/core';
import {
  AlbTarget,
  ApiAuthorization,
  ApiDomain,
  type DoorRoute,
  FunctionUrl,
  FunctionUrlAuth,
  HttpApi,
  RestApi,
  RestEndpoint,
  WebSocketApi,
} from '../src/index.js';
import { newFn } from './support/function.js';
import { messageOf, newApp, newStack, propertiesOf, statementsOf, type Template, templateOf } from './support/synth.js';

const CERTIFICATE = 'arn:aws:acm:eu-west-1:123456789012:certificate/1';

const ROUTES: readonly DoorRoute[] = [
  { method: 'GET', path: '/notes/{id}' },
  { method: 'PUT', path: '/notes/{note}/attachments/{name}' },
  { method: 'POST', path: '/mcp', streaming: true },
];

const routeKeys = (template: Template) =>
  propertiesOf(template, 'AWS::ApiGatewayV2::Route').map(({ RouteKey }) => RouteKey);

describe('HttpApi', () => {
  it('has payload 2.0, an access log, a throttle, no CORS and one permission for its own API', () => {
    const stack = newStack();
    new HttpApi(stack, 'Api', { fn: newFn(stack) }).addRoutes(ROUTES);
    const template = templateOf(stack);
    expect(propertiesOf(template, 'AWS::ApiGatewayV2::Api')).toEqual([
      { Name: 'Test-Api-17E32BCB', ProtocolType: 'HTTP' },
    ]);
    expect(propertiesOf(template, 'AWS::ApiGatewayV2::Integration')).toMatchObject([{ PayloadFormatVersion: '2.0' }]);
    expect(routeKeys(template)).toEqual(['GET /notes/{p2}', 'PUT /notes/{p2}/attachments/{p4}', 'POST /mcp']);
    expect(propertiesOf(template, 'AWS::ApiGatewayV2::Stage')).toMatchObject([
      {
        StageName: '$default',
        DefaultRouteSettings: { ThrottlingRateLimit: 100, ThrottlingBurstLimit: 200 },
        AccessLogSettings: { Format: expect.stringContaining('"routeKey":"$context.routeKey"') },
      },
    ]);
    expect(propertiesOf(template, 'AWS::Logs::LogGroup')).toMatchObject([{ RetentionInDays: 30 }]);
    const permissions = propertiesOf(template, 'AWS::Lambda::Permission');
    expect(permissions).toHaveLength(1);
    expect(JSON.stringify(permissions[0]?.SourceArn)).toContain('Api9AF3637B');
  });

  it('keeps the logical ids of routes regardless of their order', () => {
    const idsOf = (routes: readonly DoorRoute[]) => {
      const stack = newStack();
      new HttpApi(stack, 'Api', { fn: newFn(stack) }).addRoutes(routes);
      return Object.keys(templateOf(stack).Resources).sort();
    };
    expect(idsOf(ROUTES)).toEqual(idsOf([...ROUTES].reverse()));
  });

  it('checks a JWT or a signature only where the route does not leave the authorizer out', () => {
    const stack = newStack();
    const authorization = ApiAuthorization.jwt('https://issuer.example', ['notes']);
    const api = new HttpApi(stack, 'Api', { fn: newFn(stack), authorization });
    api.addRoutes([
      { method: 'GET', path: '/notes' },
      { method: 'GET', path: '/.well-known/x', withoutAuthorizer: true },
    ]);
    const template = templateOf(stack);
    const types = propertiesOf(template, 'AWS::ApiGatewayV2::Route').map(({ AuthorizationType }) => AuthorizationType);
    expect(types).toEqual(['JWT', 'NONE']);
    expect(propertiesOf(template, 'AWS::ApiGatewayV2::Authorizer')).toMatchObject([
      { JwtConfiguration: { Issuer: 'https://issuer.example', Audience: ['notes'] } },
    ]);
    expect(api.authenticatesCallers).toBe(true);
  });

  it('answers preflights of the given origins', () => {
    const stack = newStack();
    new HttpApi(stack, 'Api', { fn: newFn(stack), corsOrigins: ['https://notes.example'] });
    expect(propertiesOf(templateOf(stack), 'AWS::ApiGatewayV2::Api')).toMatchObject([
      { CorsConfiguration: { AllowOrigins: ['https://notes.example'] } },
    ]);
  });

  it.each([
    ['the origin *', { corsOrigins: ['*'] }],
    ['a boolean for origins', { corsOrigins: true }],
    ['an unknown prop', { cors: true }],
    ['no function', { fn: undefined }],
    ['a throttle of 0', { throttleRate: 0 }],
  ])('rejects %s', (_name, props) => {
    const stack = newStack();
    expect(() => new HttpApi(stack, 'Api', { fn: newFn(stack), ...props } as never)).toThrow(
      expect.objectContaining({ code: 'constructs.invalid_prop', path: 'Test/Api' }),
    );
  });

  it('rejects a path that is not a valid pattern, and warns of a streaming route', () => {
    const stack = newStack();
    const api = new HttpApi(stack, 'Api', { fn: newFn(stack) });
    expect(() => api.addRoutes([{ method: 'GET', path: '/a b' }])).toThrow(/HttpApi: path of a route, got "\/a b"/);
    expect(() => api.addRoutes([{ method: 'GET', path: '/a/' }])).toThrow(
      expect.failure(
        'constructs.invalid_prop',
        'HttpApi: path',
        'got "/a/"',
        'trailingSlash',
        'addCatchAll',
        '(at Test/Api)',
      ),
    );
    api.addRoutes(ROUTES);
    expect(JSON.stringify(api.node.metadata)).toContain('Sallyport::StreamingBuffered');
  });

  it('has the address of its domain, with TLS 1.2, and no other', () => {
    const stack = newStack();
    const certificate = Certificate.fromCertificateArn(stack, 'Certificate', CERTIFICATE);
    const domain = new ApiDomain(stack, 'Domain', { domainName: 'notes.example', certificate });
    const fn = newFn(stack);
    expect(new HttpApi(stack, 'Api', { fn, domain }).url).toBe('https://notes.example');
    expect(() => new HttpApi(stack, 'Other', { fn, domain })).toThrow(/one ApiDomain for each API/);
    const template = templateOf(stack);
    expect(propertiesOf(template, 'AWS::ApiGatewayV2::Api')[0]).toMatchObject({ DisableExecuteApiEndpoint: true });
    expect(propertiesOf(template, 'AWS::ApiGatewayV2::DomainName')).toMatchObject([
      { DomainNameConfigurations: [{ SecurityPolicy: 'TLS_1_2', EndpointType: 'REGIONAL' }] },
    ]);
  });
});

describe('RestApi', () => {
  it('streams all routes if one streams, and sets no account-wide role', () => {
    const stack = newStack();
    new RestApi(stack, 'Api', { fn: newFn(stack) }).addRoutes(ROUTES);
    const template = templateOf(stack);
    const integrations = propertiesOf(template, 'AWS::ApiGateway::Method').map(({ HttpMethod, Integration }) => ({
      method: HttpMethod,
      mode: (Integration as Record<string, unknown>).ResponseTransferMode,
      timeout: (Integration as Record<string, unknown>).TimeoutInMillis,
    }));
    expect(integrations).toEqual([
      { method: 'GET', mode: 'STREAM', timeout: 900_000 },
      { method: 'PUT', mode: 'STREAM', timeout: 900_000 },
      { method: 'POST', mode: 'STREAM', timeout: 900_000 },
    ]);
    expect(propertiesOf(template, 'AWS::ApiGateway::Account')).toEqual([]);
    expect(propertiesOf(template, 'AWS::Lambda::Permission')).toHaveLength(1);
    expect(propertiesOf(template, 'AWS::ApiGateway::Stage')).toMatchObject([
      { StageName: 'live', TracingEnabled: true },
    ]);
  });

  it('uses one resource for two names of the same parameter', () => {
    const stack = newStack();
    new RestApi(stack, 'Api', { fn: newFn(stack) }).addRoutes(ROUTES);
    const parts = propertiesOf(templateOf(stack), 'AWS::ApiGateway::Resource').map(({ PathPart }) => PathPart);
    expect(parts).toEqual(['notes', '{p2}', 'attachments', '{p4}', 'mcp']);
  });

  // AWS sends both forms to one resource: https://github.com/aws-powertools/powertools-lambda-python/pull/1609
  it('has one resource for a path with and without a slash at its end', () => {
    const stack = newStack();
    const api = new RestApi(stack, 'Api', { fn: newFn(stack) });
    api.addRoutes(['/', '/notes', '/notes/', '/notes/{id}/'].map((path) => ({ method: 'GET', path })));
    const template = templateOf(stack);
    expect(propertiesOf(template, 'AWS::ApiGateway::Resource').map(({ PathPart }) => PathPart)).toEqual([
      'notes',
      '{p2}',
    ]);
    expect(propertiesOf(template, 'AWS::ApiGateway::Method')).toHaveLength(3);
    expect(messageOf(() => api.addRoutes([{ method: 'GET', path: '/notes//' }]))).toContain(
      'path of a route, got "/notes//"',
    );
  });

  it('rejects a catch-all next to a parameter, which API Gateway cannot distinguish', () => {
    const stack = newStack();
    const api = new RestApi(stack, 'Api', { fn: newFn(stack) });
    api.addRoutes([{ method: 'GET', path: '/{id}' }]);
    expect(() => api.addRoutes([{ method: 'GET', path: '/{rest+}' }])).toThrow(/one parameter at each position/);
  });

  it('rejects streaming at the edge, and a JWT authorizer', () => {
    const stack = newStack();
    const fn = newFn(stack);
    const edge = new RestApi(stack, 'Edge', { fn, endpoint: RestEndpoint.EDGE });
    expect(() => edge.addRoutes(ROUTES)).toThrow(/RestApi: POST \/mcp streams, and the API is edge-optimised/);
    const authorization = ApiAuthorization.jwt('https://issuer.example', ['notes']);
    expect(() => new RestApi(stack, 'Jwt', { fn, authorization })).toThrow(/an HttpApi/);
  });

  it('forwards all requests, checks signatures, and accepts a web ACL', () => {
    const stack = newStack();
    const webAclArn = 'arn:aws:wafv2:eu-west-1:123456789012:regional/webacl/a/1';
    const api = new RestApi(stack, 'Api', { fn: newFn(stack), authorization: ApiAuthorization.IAM, webAclArn });
    api.addCatchAll();
    const template = templateOf(stack);
    expect(propertiesOf(template, 'AWS::ApiGateway::Method')).toMatchObject([
      { HttpMethod: 'ANY', AuthorizationType: 'AWS_IAM' },
      { HttpMethod: 'ANY', AuthorizationType: 'AWS_IAM' },
    ]);
    expect(propertiesOf(template, 'AWS::WAFv2::WebACLAssociation')).toMatchObject([{ WebACLArn: webAclArn }]);
  });

  it('may be in one stack twice', () => {
    const app = newApp();
    const stack = newStack({}, app);
    const fn = newFn(stack);
    for (const id of ['A', 'B']) new RestApi(stack, id, { fn }).addCatchAll();
    expect(propertiesOf(templateOf(stack), 'AWS::ApiGateway::Stage')).toHaveLength(2);
  });
});

describe('functions that authorize', () => {
  it('return simple responses to an HTTP API, which alone may invoke them, and no response is cached', () => {
    const stack = newStack();
    const authorization = ApiAuthorization.request({ fn: newFn(stack, 'Decides'), header: 'X-Api-Key' });
    const api = new HttpApi(stack, 'Api', { fn: newFn(stack), authorization });
    api.addRoutes([
      { method: 'GET', path: '/a' },
      { method: 'GET', path: '/open', withoutAuthorizer: true },
    ]);
    expect(api.authenticatesCallers).toBe(true);
    const template = templateOf(stack);
    expect(propertiesOf(template, 'AWS::ApiGatewayV2::Authorizer')).toMatchObject([
      {
        AuthorizerType: 'REQUEST',
        AuthorizerPayloadFormatVersion: '2.0',
        EnableSimpleResponses: true,
        AuthorizerResultTtlInSeconds: 0,
        IdentitySource: ['$request.header.X-Api-Key'],
      },
    ]);
    expect(propertiesOf(template, 'AWS::ApiGatewayV2::Route').map((route) => route.AuthorizationType)).toEqual([
      'CUSTOM',
      'NONE',
    ]);
    const permissions = JSON.stringify(propertiesOf(template, 'AWS::Lambda::Permission'));
    expect(permissions).toMatch(/"\/authorizers\/",\{"Ref":"ApiAuthorizer\w+"\}/);
  });

  it('return policies to a REST API', () => {
    const stack = newStack();
    const authorization = ApiAuthorization.request({ fn: newFn(stack, 'Decides'), scope: 'api' });
    new RestApi(stack, 'Api', { fn: newFn(stack), authorization }).addCatchAll();
    expect(propertiesOf(templateOf(stack), 'AWS::ApiGateway::Authorizer')).toMatchObject([
      { Type: 'REQUEST', IdentitySource: 'method.request.header.Authorization', AuthorizerResultTtlInSeconds: 300 },
    ]);
  });

  it.each<[string, (stack: Stack) => unknown, Error]>([
    [
      'a token authorizer of an HTTP API',
      (stack) =>
        new HttpApi(stack, 'T', { fn: newFn(stack), authorization: ApiAuthorization.token({ fn: newFn(stack, 'D') }) }),
      expect.failure(
        'constructs.invalid_prop',
        'HttpApi: authorization',
        'ApiAuthorization.APPLICATION',
        '(at Test/T)',
      ),
    ],
    [
      'a header that is none',
      (stack) =>
        new RestApi(stack, 'T', {
          fn: newFn(stack),
          authorization: ApiAuthorization.token({ fn: newFn(stack, 'D'), header: 'X Key' }),
        }),
      expect.failure('constructs.invalid_prop', 'ApiAuthorization: header', 'got "X Key"', '(at Test/T)'),
    ],
    [
      'an unknown scope',
      (stack) =>
        new RestApi(stack, 'T', {
          fn: newFn(stack),
          authorization: ApiAuthorization.token({ fn: newFn(stack, 'D'), scope: 'all' as 'api' }),
        }),
      expect.failure(
        'constructs.invalid_prop',
        'ApiAuthorization: scope',
        'got "all"',
        '"method"',
        '"api"',
        '(at Test/T)',
      ),
    ],
  ])('reject %s', (_name, run, failure) => {
    expect(() => run(newStack())).toThrow(failure);
  });
});

describe('FunctionUrl', () => {
  it('needs signed requests, and buffers until a route streams', () => {
    const modeOf = (routes: readonly DoorRoute[]) => {
      const stack = newStack();
      new FunctionUrl(stack, 'Url', { fn: newFn(stack) }).addRoutes(routes);
      return propertiesOf(templateOf(stack), 'AWS::Lambda::Url')[0];
    };
    expect(modeOf([])).toMatchObject({ AuthType: 'AWS_IAM', InvokeMode: 'BUFFERED' });
    expect(modeOf(ROUTES)).toMatchObject({ AuthType: 'AWS_IAM', InvokeMode: 'RESPONSE_STREAM' });
  });

  it('has no authorization only for a secure application, with both permissions', () => {
    const make = (container?: 'secure' | 'open') => {
      const stack = newStack();
      const url = new FunctionUrl(stack, 'Url', { fn: newFn(stack), auth: FunctionUrlAuth.APPLICATION });
      if (container) url.attachContainer(container);
      return () => templateOf(stack);
    };
    expect(make()).toThrow(/any caller can invoke the function/);
    expect(make('open')).toThrow(/any caller can invoke the function/);
    const actions = propertiesOf(make('secure')(), 'AWS::Lambda::Permission').map((permission) => [
      permission.Action,
      permission.FunctionUrlAuthType ?? permission.InvokedViaFunctionUrl,
    ]);
    expect(actions).toEqual([
      ['lambda:InvokeFunctionUrl', 'NONE'],
      ['lambda:InvokeFunction', true],
    ]);
  });

  it('grants both permissions to a caller', () => {
    const stack = newStack();
    new FunctionUrl(stack, 'Url', { fn: newFn(stack) }).grantInvoke(new ServicePrincipal('edge.example'));
    const actions = propertiesOf(templateOf(stack), 'AWS::Lambda::Permission').map(({ Action }) => Action);
    expect(actions.sort()).toEqual(['lambda:InvokeFunction', 'lambda:InvokeFunctionUrl']);
  });

  it('rejects a second URL of one function', () => {
    const stack = newStack();
    const fn = newFn(stack);
    new FunctionUrl(stack, 'Url', { fn });
    expect(() => new FunctionUrl(stack, 'Second', { fn })).toThrow(
      expect.objectContaining({ code: 'constructs.conflict' }),
    );
  });
});

describe('AlbTarget', () => {
  it('has multi-value headers, and a permission for target groups of the account', () => {
    const stack = newStack();
    new AlbTarget(stack, 'Target', { fn: newFn(stack) }).addRoutes([]);
    const template = templateOf(stack);
    expect(propertiesOf(template, 'AWS::ElasticLoadBalancingV2::TargetGroup')).toMatchObject([
      { TargetType: 'lambda', TargetGroupAttributes: [{ Key: 'lambda.multi_value_headers.enabled', Value: 'true' }] },
    ]);
    const [permission] = propertiesOf(template, 'AWS::Lambda::Permission');
    expect(JSON.stringify(permission?.SourceArn)).toContain(':targetgroup/*');
  });
});

describe('WebSocketApi', () => {
  it('has a log, a throttle, and one route for each key; the function may answer connections of its stage', () => {
    const stack = newStack();
    const fn = newFn(stack);
    const api = new WebSocketApi(stack, 'Sockets', { fn, respond: true });
    for (const key of ['$connect', '$disconnect', 'say', 'say']) api.addRouteKey(key);
    const template = templateOf(stack);
    expect(propertiesOf(template, 'AWS::ApiGatewayV2::Api')).toMatchObject([
      { ProtocolType: 'WEBSOCKET', RouteSelectionExpression: '$request.body.action' },
    ]);
    const routes = propertiesOf(template, 'AWS::ApiGatewayV2::Route');
    expect(
      routes.map(({ RouteKey, RouteResponseSelectionExpression }) => [RouteKey, RouteResponseSelectionExpression]),
    ).toEqual([
      ['$connect', undefined],
      ['$disconnect', undefined],
      ['say', '$default'],
    ]);
    expect(propertiesOf(template, 'AWS::ApiGatewayV2::RouteResponse')).toHaveLength(1);
    expect(propertiesOf(template, 'AWS::ApiGatewayV2::Stage')).toMatchObject([
      { StageName: 'live', DefaultRouteSettings: { ThrottlingRateLimit: 100, ThrottlingBurstLimit: 200 } },
    ]);
    const [statement] = statementsOf(template);
    expect(statement).toMatchObject({ Action: 'execute-api:ManageConnections', Effect: 'Allow' });
    expect(JSON.stringify(statement?.Resource)).toContain('/live/*/@connections/*');
    const [{ Environment } = {}] = propertiesOf(template, 'AWS::Lambda::Function');
    const endpoint = (Environment as { Variables: Record<string, unknown> }).Variables.FRAMEWORK_WEBSOCKET_ENDPOINT;
    expect(JSON.stringify(endpoint)).toMatch(/"https:\/\/".*"\/live"/);
  });

  it.each([
    ['a blank key', '', /route key, got ""/],
    ['a key with a blank', 'say it', /route key, got "say it"/],
  ])('rejects %s', (_name, key, expected) => {
    const stack = newStack();
    const api = new WebSocketApi(stack, 'Sockets', { fn: newFn(stack) });
    expect(() => api.addRouteKey(key)).toThrow(expected);
  });
});
