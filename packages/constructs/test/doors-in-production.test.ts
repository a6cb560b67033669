/** Domains, authorizers, private and shared APIs, plans and web ACLs, over the synthesised template. */
import { json } from '@sallyport/http';
import { Public, SecureApp } from '@sallyport/secure';
import { ApiKey, type IApiKey } from 'aws-cdk-lib/aws-apigateway';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import { type IInterfaceVpcEndpoint, InterfaceVpcEndpointAwsService, Vpc } from 'aws-cdk-lib/aws-ec2';
import { Code, type IFunction } from 'aws-cdk-lib/aws-lambda';
import { HostedZone, PrivateHostedZone } from 'aws-cdk-lib/aws-route53';
import { Bucket, type IBucket } from 'aws-cdk-lib/aws-s3';
import { Duration, Stack } from 'aws-cdk-lib/core';
import {
  ApiAuthorization,
  ApiDomain,
  type ApiDomainProps,
  ConstructError,
  HttpApi,
  RestApi,
  RestEndpoint,
  ServiceFunction,
  ServiceWiring,
  SharedHttpApi,
  toInventory,
  WebAcl,
  WebSocketApi,
} from '../src/index.js';
import { newFn } from './support/function.js';
import { messageOf, newApp, newStack, propertiesOf, templateOf } from './support/synth.js';

const env = { account: '123456789012', region: 'eu-west-1' };
const code = Code.fromInline('exports.handler = 1');
const ok = () => json(200, {});

const zoneOf = (at: Stack, zoneName = 'notes.example') =>
  HostedZone.fromHostedZoneAttributes(at, 'Zone', { hostedZoneId: 'Z123', zoneName });
const certificateOf = (at: Stack, id = 'Cert') =>
  Certificate.fromCertificateArn(at, id, 'arn:aws:acm:eu-west-1:123456789012:certificate/6f1f8e4c');

function expectMisuse(run: () => unknown, text: string, code = 'constructs.invalid_prop') {
  let thrown: unknown;
  try {
    run();
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toBeInstanceOf(ConstructError);
  const { code: found, message } = thrown as ConstructError;
  expect({ found, message }).toEqual({ found: code, message: expect.stringContaining(text) });
}

describe('ApiDomain', () => {
  it('creates the certificate and the record in the zone', () => {
    const stack = newStack({ env });
    const domain = new ApiDomain(stack, 'Domain', { domainName: 'api.notes.example', hostedZone: zoneOf(stack) });
    new HttpApi(stack, 'Http', { fn: newFn(stack), domain });
    const template = templateOf(stack);
    expect(propertiesOf(template, 'AWS::CertificateManager::Certificate')).toEqual([
      expect.objectContaining({ DomainName: 'api.notes.example', ValidationMethod: 'DNS' }),
    ]);
    expect(propertiesOf(template, 'AWS::Route53::RecordSet')).toEqual([
      {
        HostedZoneId: 'Z123',
        Name: 'api.notes.example.',
        Type: 'A',
        AliasTarget: {
          DNSName: { 'Fn::GetAtt': [expect.stringMatching(/^Domain/), 'RegionalDomainName'] },
          HostedZoneId: { 'Fn::GetAtt': [expect.stringMatching(/^Domain/), 'RegionalHostedZoneId'] },
        },
      },
    ]);
  });

  it('requires certificates of clients, which the default address would not', () => {
    const stack = newStack({ env });
    const domain = new ApiDomain(stack, 'Domain', {
      domainName: 'api.notes.example',
      certificate: certificateOf(stack),
      truststoreBucket: Bucket.fromBucketName(stack, 'Trust', 'trust') as IBucket,
      truststoreKey: 'clients.pem',
      truststoreVersion: 'v7',
      ownershipCertificate: certificateOf(stack, 'Public'),
    });
    new RestApi(stack, 'Rest', { fn: newFn(stack), domain }).addCatchAll();
    const template = templateOf(stack);
    expect(propertiesOf(template, 'AWS::ApiGatewayV2::DomainName')[0]).toMatchObject({
      MutualTlsAuthentication: { TruststoreUri: 's3://trust/clients.pem', TruststoreVersion: 'v7' },
      DomainNameConfigurations: [{ SecurityPolicy: 'TLS_1_2', OwnershipVerificationCertificateArn: expect.anything() }],
    });
    expect(propertiesOf(template, 'AWS::ApiGateway::RestApi')[0]).toMatchObject({ DisableExecuteApiEndpoint: true });
  });

  it('is the address of a WebSocket API, whose messages to clients keep the address of the stage', () => {
    const stack = newStack({ env });
    const domain = new ApiDomain(stack, 'Domain', { domainName: 'ws.notes.example', hostedZone: zoneOf(stack) });
    const sockets = new WebSocketApi(stack, 'Sockets', { fn: newFn(stack), domain });
    expect(sockets.url).toBe('wss://ws.notes.example');
    expect(sockets.managementEndpoint).not.toContain('notes.example');
    expect(propertiesOf(templateOf(stack), 'AWS::ApiGatewayV2::ApiMapping')).toEqual([
      expect.objectContaining({ Stage: 'live' }),
    ]);
  });

  const trust = (at: Stack) => Bucket.fromBucketName(at, 'Trust', 'trust') as IBucket;
  const REJECTED: readonly (readonly [string, string, (at: Stack) => Partial<ApiDomainProps>])[] = [
    ['no certificate and no zone', 'no certificate', () => ({})],
    ['a name of 300 characters', 'domainName', () => ({ domainName: `${'a'.repeat(300)}.example` })],
    ['a part of 64 characters', 'domainName', () => ({ domainName: `${'a'.repeat(64)}.example` })],
    ['a name outside the zone', 'domainName', (at) => ({ hostedZone: zoneOf(at, 'other.example') })],
    ['a part of a name of the zone', 'domainName', (at) => ({ hostedZone: zoneOf(at, 'es.example') })],
    [
      'a private zone',
      'private',
      (at) => ({
        hostedZone: new PrivateHostedZone(at, 'Private', {
          zoneName: 'notes.example',
          vpc: new Vpc(at, 'Vpc') as never,
        }),
      }),
    ],
    ['a truststore without a key', 'truststoreBucket alone', (at) => ({ truststoreBucket: trust(at) })],
    ['a key without a truststore', 'truststoreKey alone', () => ({ truststoreKey: 'a.pem' })],
    [
      'a version without a truststore',
      'truststoreVersion',
      (at) => ({ certificate: certificateOf(at), truststoreVersion: '1' }),
    ],
  ];
  it.each(REJECTED)('rejects %s', (_name, text, propsOf) => {
    const stack = newStack({ env });
    const props = { domainName: 'api.notes.example', ...propsOf(stack) };
    expectMisuse(() => new ApiDomain(stack, 'Domain', props), text);
  });

  it('rejects certificates of clients for a WebSocket API', () => {
    const stack = newStack({ env });
    const domain = new ApiDomain(stack, 'Domain', {
      domainName: 'ws.notes.example',
      certificate: certificateOf(stack),
      truststoreBucket: trust(stack),
      truststoreKey: 'a.pem',
    });
    expectMisuse(() => new WebSocketApi(stack, 'Sockets', { fn: newFn(stack), domain }), 'WebSocket API Test/Sockets');
  });
});

describe('the authorizer of $connect', () => {
  const withConnect = (authorization: ApiAuthorization, stack = newStack({ env })) => {
    const sockets = new WebSocketApi(stack, 'Sockets', { fn: newFn(stack, 'Sock'), authorization });
    for (const key of ['$connect', 'say']) sockets.addRouteKey(key);
    return { stack, sockets };
  };
  const routesOf = (stack: Stack) =>
    propertiesOf(templateOf(stack), 'AWS::ApiGatewayV2::Route').map(({ RouteKey, AuthorizationType }) => [
      RouteKey,
      AuthorizationType,
    ]);

  it('is a function that reads a query parameter, which browsers can send', () => {
    const stack = newStack({ env });
    const authorization = ApiAuthorization.request({ fn: newFn(stack, 'Decides'), queryParameter: 'ticket' });
    const { sockets } = withConnect(authorization, stack);
    expect(sockets.authenticatesCallers).toBe(true);
    expect(routesOf(stack)).toEqual([
      ['$connect', 'CUSTOM'],
      ['say', 'NONE'],
    ]);
    const template = templateOf(stack);
    expect(propertiesOf(template, 'AWS::ApiGatewayV2::Authorizer')).toEqual([
      expect.objectContaining({ AuthorizerType: 'REQUEST', IdentitySource: ['route.request.querystring.ticket'] }),
    ]);
    const sources = propertiesOf(template, 'AWS::Lambda::Permission').map(({ SourceArn }) => JSON.stringify(SourceArn));
    expect(sources.some((one) => one.includes('/authorizers/'))).toBe(true);
  });

  it('is IAM', () => {
    const { stack } = withConnect(ApiAuthorization.IAM);
    expect(routesOf(stack)[0]).toEqual(['$connect', 'AWS_IAM']);
  });

  it('needs the route $connect: without it API Gateway accepts every connection', () => {
    const stack = newStack({ env });
    new WebSocketApi(stack, 'Sockets', { fn: newFn(stack), authorization: ApiAuthorization.IAM }).addRouteKey('say');
    expect(messageOf(() => templateOf(stack))).toContain('$connect');
  });

  it.each([
    ['JWT', () => ApiAuthorization.jwt('https://issuer.example', ['a']), 'JWT authorizer'],
    ['token', (fn: IFunction) => ApiAuthorization.token({ fn }), 'token authorizer'],
    [
      'cached',
      (fn: IFunction) => ApiAuthorization.request({ fn, scope: 'api', cacheTtl: Duration.minutes(1) }),
      'cacheTtl',
    ],
    [
      'with header and parameter',
      (fn: IFunction) => ApiAuthorization.request({ fn, header: 'A', queryParameter: 'a' }),
      'header and queryParameter',
    ],
  ] as const)('rejects an authorizer that is %s', (_name, authorizationOf, text) => {
    const stack = newStack({ env });
    const authorization = authorizationOf(newFn(stack, 'Decides') as IFunction);
    expectMisuse(() => withConnect(authorization, stack), text);
  });
});

describe('a private REST API', () => {
  it('accepts only requests through its endpoints', () => {
    const stack = newStack({ env });
    const vpc = new Vpc(stack, 'Vpc');
    const endpoint = vpc.addInterfaceEndpoint('Api', { service: InterfaceVpcEndpointAwsService.APIGATEWAY });
    new RestApi(stack, 'Rest', {
      fn: newFn(stack),
      endpoint: RestEndpoint.private([endpoint as IInterfaceVpcEndpoint]),
    }).addCatchAll();
    const [api] = propertiesOf(templateOf(stack), 'AWS::ApiGateway::RestApi');
    const id = { Ref: expect.stringMatching(/^VpcApi/) };
    expect(api).toMatchObject({ EndpointConfiguration: { Types: ['PRIVATE'], VpcEndpointIds: [id] } });
    expect((api as { Policy: { Statement: unknown[] } }).Policy.Statement[1]).toMatchObject({
      Effect: 'Deny',
      Condition: { StringNotEquals: { 'aws:SourceVpce': [id] } },
    });
  });

  it('rejects no endpoint, and a public domain', () => {
    const stack = newStack({ env });
    const fn = newFn(stack);
    expectMisuse(() => new RestApi(stack, 'A', { fn, endpoint: RestEndpoint.private([]) }), 'at least one interface');
    const domain = new ApiDomain(stack, 'D', { domainName: 'a.notes.example', certificate: certificateOf(stack) });
    const endpoint = RestEndpoint.private([{ vpcEndpointId: 'vpce-1' } as IInterfaceVpcEndpoint]);
    expectMisuse(() => new RestApi(stack, 'B', { fn, endpoint, domain }), 'domain with a private endpoint');
  });
});

it('requires a key of a usage plan on every route but public ones', () => {
  const stack = newStack({ env });
  const keys = [new ApiKey(stack, 'Partner') as IApiKey];
  const rest = new RestApi(stack, 'Rest', {
    fn: newFn(stack),
    usagePlans: [{ keys, rate: 5, burst: 10, quota: 1000, period: 'day' }],
  });
  rest.addRoutes([
    { method: 'GET', path: '/notes' },
    { method: 'GET', path: '/health', withoutAuthorizer: true },
  ]);
  const template = templateOf(stack);
  const methods = propertiesOf(template, 'AWS::ApiGateway::Method').map(
    ({ ApiKeyRequired }) => ApiKeyRequired ?? false,
  );
  expect(methods).toEqual([true, false]);
  expect(propertiesOf(template, 'AWS::ApiGateway::UsagePlan')).toEqual([
    expect.objectContaining({
      Throttle: { RateLimit: 5, BurstLimit: 10 },
      Quota: { Limit: 1000, Period: 'DAY' },
      ApiStages: [expect.objectContaining({ Stage: { Ref: expect.stringMatching(/^RestDeploymentStage/) } })],
    }),
  ]);
  expect(propertiesOf(template, 'AWS::ApiGateway::UsagePlanKey')).toHaveLength(1);
});

describe('WebAcl', () => {
  it('limits each address, and includes AWS managed rules, of which the rule for large bodies only counts', () => {
    const stack = newStack({ env });
    const acl = new WebAcl(stack, 'Acl');
    new RestApi(stack, 'Rest', { fn: newFn(stack), webAclArn: acl.arn }).addCatchAll();
    const template = templateOf(stack);
    const [web] = propertiesOf(template, 'AWS::WAFv2::WebACL');
    const rules = web?.Rules as { Name: string; Priority: number }[];
    expect(rules.map(({ Name, Priority }) => [Name, Priority])).toEqual([
      ['RateLimit', 0],
      ['AWSManagedRulesAmazonIpReputationList', 1],
      ['AWSManagedRulesCommonRuleSet', 2],
      ['AWSManagedRulesKnownBadInputsRuleSet', 3],
    ]);
    expect(rules[2]).toMatchObject({
      Statement: {
        ManagedRuleGroupStatement: {
          RuleActionOverrides: [{ Name: 'SizeRestrictions_BODY', ActionToUse: { Count: {} } }],
        },
      },
    });
    expect(propertiesOf(template, 'AWS::WAFv2::WebACLAssociation')).toHaveLength(1);
    const [log] = propertiesOf(template, 'AWS::WAFv2::LoggingConfiguration');
    expect(log?.RedactedFields).toEqual([
      { SingleHeader: { Name: 'authorization' } },
      { SingleHeader: { Name: 'cookie' } },
      { QueryString: {} },
    ]);
    const groups = propertiesOf(template, 'AWS::Logs::LogGroup').map((one) => JSON.stringify(one.LogGroupName ?? ''));
    expect(groups.some((name) => name.includes('aws-waf-logs-'))).toBe(true);
  });

  it.each([
    ['a rule of a group that it does not have', { countOnly: ['AWSManagedRulesSQLiRuleSet/SQLi_BODY'] }, 'countOnly'],
    ['a group that is not of AWS', { managedRules: ['Mine'] }, 'managedRules'],
    ['a limit of 5 requests', { rateLimit: 5 }, 'rateLimit'],
    ['a rule with a priority', { rules: [{ name: 'a', priority: 1 } as never] }, 'rules'],
  ])('rejects %s', (_name, props, text) => {
    expectMisuse(() => new WebAcl(newStack({ env }), 'Acl', props), text);
  });
});

describe('an API of several functions', () => {
  /** One door of a shared API: a function, its application and its wiring in a separate stack. */
  function addService(stack: Stack, shared: SharedHttpApi, name: string, routes: number) {
    const { fn } = new ServiceFunction(stack, name, { code });
    const app = new SecureApp();
    for (let n = 0; n < routes; n += 1) app.get(`/${name}/${n}`, ok, Public());
    const wiring = new ServiceWiring(stack, `${name}Wiring`, { fn, inventory: toInventory(app) });
    wiring.http(new HttpApi(stack, `${name}Http`, { fn, shared }));
  }

  it('routes each path to its function, in other stacks, with the authorizer of the API', () => {
    const app = newApp();
    const edge = new Stack(app, 'Edge', { env });
    const shared = new SharedHttpApi(edge, 'Shop', {
      authorization: ApiAuthorization.jwt('https://issuer.example', ['shop']),
    });
    const orders = new Stack(app, 'Orders', { env });
    new HttpApi(orders, 'Http', { fn: newFn(orders), shared }).addRoutes([{ method: 'GET', path: '/orders' }]);
    const bills = new Stack(app, 'Bills', { env });
    new HttpApi(bills, 'Http', { fn: newFn(bills), shared }).addRoutes([{ method: 'GET', path: '/bills' }]);
    const assembly = app.synth();
    const of = (name: string) => assembly.getStackByName(name).template;
    expect(propertiesOf(of('Edge'), 'AWS::ApiGatewayV2::Api')).toHaveLength(1);
    expect(propertiesOf(of('Edge'), 'AWS::ApiGatewayV2::Authorizer')).toHaveLength(1);
    for (const name of ['Orders', 'Bills']) {
      expect(propertiesOf(of(name), 'AWS::ApiGatewayV2::Api')).toEqual([]);
      expect(propertiesOf(of(name), 'AWS::ApiGatewayV2::Integration')).toHaveLength(1);
      const [route] = propertiesOf(of(name), 'AWS::ApiGatewayV2::Route');
      expect(route).toMatchObject({ AuthorizationType: 'JWT', ApiId: { 'Fn::ImportValue': expect.anything() } });
    }
  });

  it('rejects a route of two functions, props of the API, and an API of another region', () => {
    const stack = newStack({ env });
    const shared = new SharedHttpApi(stack, 'Shop');
    const fn = newFn(stack);
    new HttpApi(stack, 'A', { fn, shared }).addRoutes([{ method: 'GET', path: '/a' }]);
    const second = new HttpApi(stack, 'B', { fn: newFn(stack, 'Other'), shared });
    expectMisuse(
      () => second.addRoutes([{ method: 'GET', path: '/a' }]),
      'GET /a is a route of Test/A',
      'constructs.conflict',
    );
    expectMisuse(() => new HttpApi(stack, 'C', { fn, shared, throttleRate: 5 }), 'throttleRate with shared');
    const far = new Stack(stack.node.root as never, 'Far', { env: { ...env, region: 'us-east-1' } });
    expectMisuse(() => new HttpApi(far, 'D', { fn: newFn(far), shared }), 'shared is in 123456789012, eu-west-1');
  });

  it('has 40 functions and 400 routes in stacks of less than 500 resources', () => {
    const app = newApp();
    const edge = new Stack(app, 'Edge', { env });
    const shared = new SharedHttpApi(edge, 'Shop', { routeQuota: 400 });
    for (let part = 0; part < 4; part += 1) {
      const stack = new Stack(app, `Part${part}`, { env });
      for (let n = 0; n < 10; n += 1) addService(stack, shared, `s${part}${n}`, 10);
    }
    const counts = app
      .synth()
      .stacks.map(({ template, stackName }) => [stackName, Object.keys(template.Resources).length]);
    expect(counts).toEqual([
      ['Edge', 3],
      ['Part0', 160],
      ['Part1', 160],
      ['Part2', 160],
      ['Part3', 160],
    ]);
  });

  it('reports more routes than the quota of the account', () => {
    const stack = newStack({ env });
    const api = new HttpApi(stack, 'Http', { fn: newFn(stack) });
    api.addRoutes(Array.from({ length: 301 }, (_, n) => ({ method: 'GET', path: `/a${n}` })));
    expect(messageOf(() => templateOf(stack))).toContain('routes of the API, got 301, expected at most 300');
  });

  it('reports more resources of a REST API than the quota of the account', () => {
    const stack = newStack({ env });
    const api = new RestApi(stack, 'Rest', { fn: newFn(stack) });
    api.addRoutes(Array.from({ length: 200 }, (_, n) => ({ method: 'GET', path: `/a${n}/b` })));
    expect(messageOf(() => templateOf(stack))).toContain('resources of the API, got 401, expected at most 300');
  });
});
