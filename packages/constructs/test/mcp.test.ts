import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import { Code, type IFunction } from 'aws-cdk-lib/aws-lambda';
import { Bucket, type IBucket } from 'aws-cdk-lib/aws-s3';
import type { Stack } from 'aws-cdk-lib/core';
import {
  AlbTarget,
  ApiDomain,
  Challenge,
  ChallengeEdge,
  FunctionUrl,
  HttpApi,
  type IHttpDoor,
  McpServer,
  type McpServerProps,
  McpSessions,
  McpTable,
  RestApi,
  ServiceFunction,
} from '../src/index.js';
import { newFn } from './support/function.js';
import { newStack, propertiesOf, statementsOf, type Template, templateOf } from './support/synth.js';

function make(props: Partial<McpServerProps> = {}) {
  const stack = newStack();
  const fn = newFn(stack);
  return { stack, fn, server: new McpServer(stack, 'Mcp', { fn, ...props }) };
}

const warningsOf = (server: McpServer) =>
  server.node.metadata.filter(({ type }) => type === 'aws:cdk:warning').map(({ data }) => String(data));

const variablesOf = (template: Template) =>
  Object.keys(
    (propertiesOf(template, 'AWS::Lambda::Function')[0]?.Environment as { Variables?: object } | undefined)
      ?.Variables ?? {},
  );

it('has POST, GET and DELETE, and both documents at both places, on a separate API whose routes all stream', () => {
  const { stack } = make();
  const template = templateOf(stack);
  const methods = propertiesOf(template, 'AWS::ApiGateway::Method').map(({ HttpMethod, Integration }) => [
    HttpMethod,
    (Integration as Record<string, unknown>).ResponseTransferMode,
  ]);
  expect(methods).toEqual([
    ['POST', 'STREAM'],
    ['GET', 'STREAM'],
    ['DELETE', 'STREAM'],
    ['GET', 'STREAM'],
    ['GET', 'STREAM'],
    ['GET', 'STREAM'],
    ['GET', 'STREAM'],
  ]);
  const parts = propertiesOf(template, 'AWS::ApiGateway::Resource').map(({ PathPart }) => PathPart);
  expect(parts).toEqual(['mcp', '.well-known', 'oauth-protected-resource', 'mcp', 'oauth-authorization-server', 'mcp']);
});

it('attaches to an HTTP API without its authorizer, and has the address at its root', () => {
  const stack = newStack();
  const fn = newFn(stack);
  const api = new HttpApi(stack, 'Api', { fn });
  const server = new McpServer(stack, 'Mcp', { fn, api, streaming: false });
  const template = templateOf(stack);
  expect(propertiesOf(template, 'AWS::ApiGatewayV2::Route').map(({ RouteKey }) => RouteKey)).toEqual([
    'POST /mcp',
    'GET /mcp',
    'DELETE /mcp',
    'GET /.well-known/oauth-protected-resource/mcp',
    'GET /.well-known/oauth-authorization-server/mcp',
    'GET /.well-known/oauth-protected-resource',
    'GET /.well-known/oauth-authorization-server',
  ]);
  expect(server.url).toMatch(/\/mcp$/);
});

it.each([
  ['durable', McpSessions.DURABLE, ['FRAMEWORK_MCP_TABLE_NAME'], 1, 0],
  ['sealed', McpSessions.SEALED, ['FRAMEWORK_MCP_SECRET_ARN'], 0, 1],
  ['none', McpSessions.NONE, [], 0, 0],
] as const)(
  'keeps %s sessions with the table or the secret that they need',
  (_name, sessions, variables, tables, secrets) => {
    const template = templateOf(make({ sessions }).stack);
    expect(variablesOf(template)).toEqual(variables);
    expect(propertiesOf(template, 'AWS::DynamoDB::Table')).toHaveLength(tables);
    expect(propertiesOf(template, 'AWS::SecretsManager::Secret')).toHaveLength(secrets);
  },
);

it('sets no value that could end up in the challenge of a rejected client', () => {
  const stack = newStack();
  const fn = newFn(stack);
  const spillBucket = new Bucket(stack, 'Spill') as IBucket;
  new McpServer(stack, 'Mcp', { fn, generateSecret: true, spillBucket });
  const template = templateOf(stack);
  expect(variablesOf(template).sort()).toEqual([
    'FRAMEWORK_MCP_SECRET_ARN',
    'FRAMEWORK_MCP_SPILL_BUCKET',
    'FRAMEWORK_MCP_TABLE_NAME',
  ]);
  expect(statementsOf(template).flatMap(({ Action }) => Action)).toContain('secretsmanager:GetSecretValue');
});

it('serves the facade on an HTTP API', () => {
  const stack = newStack();
  const fn = newFn(stack);
  new McpServer(stack, 'Mcp', { fn, api: new HttpApi(stack, 'Api', { fn }), streaming: false, facade: true });
  const keys = propertiesOf(templateOf(stack), 'AWS::ApiGatewayV2::Route').map(({ RouteKey }) => RouteKey);
  expect(keys).toHaveLength(34);
  expect(keys).toEqual(
    expect.arrayContaining([
      'POST /{p1}/partners/{p3}/agents/{p5}/mcp',
      'GET /.well-known/oauth-protected-resource/{p3}/mcp',
      'GET /{p1}/mcp/.well-known/oauth-authorization-server',
      'POST /.well-known/oauth-authorization-server/{p3}/agents/{p5}/mcp/token',
    ]),
  );
});

it('serves the facade on a REST API, where parameters of one place share their resource', () => {
  expect(() => templateOf(make({ facade: true }).stack)).not.toThrow();
});

describe('warnings', () => {
  it('warns of the stage in the path and of the renamed header, until a domain and an edge are there', () => {
    const [first, second, ...others] = warningsOf(make().server);
    expect(first).toContain('Sallyport::McpStagePrefix');
    expect(second).toContain('Sallyport::McpChallengeRenamed');
    expect(others).toEqual([]);
  });

  it('does not warn behind a load balancer, which renames nothing', () => {
    const stack = newStack();
    const fn = newFn(stack);
    const api = new AlbTarget(stack, 'Target', { fn });
    expect(warningsOf(new McpServer(stack, 'Mcp', { fn, api, streaming: false }))).toEqual([]);
  });

  it('warns of the header alone at the root of a function URL and of a domain', () => {
    const stack = newStack();
    const fn = newFn(stack);
    const url = new McpServer(stack, 'Url', { fn, api: new FunctionUrl(stack, 'FnUrl', { fn }) });
    expect(warningsOf(url)).toEqual([expect.stringContaining('Sallyport::McpChallengeRenamed')]);
  });

  it('needs a ChallengeEdge where one is stated', () => {
    const { stack } = make({ challenge: Challenge.EDGE });
    expect(() => templateOf(stack)).toThrow(/without a ChallengeEdge/);
  });
});

describe('ChallengeEdge', () => {
  const edgeOf = (region: string, door: (stack: Stack, fn: IFunction) => IHttpDoor | undefined = () => undefined) => {
    const stack = newStack({ env: { region } });
    const fn = newFn(stack) as IFunction;
    const api = door(stack, fn);
    const server = new McpServer(stack, 'Mcp', {
      fn,
      challenge: Challenge.EDGE,
      ...(api && { api, streaming: false }),
    });
    const certificate = Certificate.fromCertificateArn(
      stack,
      'Certificate',
      'arn:aws:acm:us-east-1:123456789012:certificate/1',
    );
    const edge = new ChallengeEdge(stack, 'Edge', { server, domainName: 'mcp.example.com', certificate });
    return { stack, server, edge };
  };

  it('caches nothing, hides the stage, and runs its function for answers of the origin', () => {
    const { stack, server } = edgeOf('us-east-1');
    expect(warningsOf(server)).toEqual([]);
    const [{ DistributionConfig } = {}] = propertiesOf(templateOf(stack), 'AWS::CloudFront::Distribution');
    expect(DistributionConfig).toMatchObject({
      Aliases: ['mcp.example.com'],
      DefaultCacheBehavior: {
        CachePolicyId: '4135ea2d-6df8-44a3-9df3-4b5a84be39ad',
        LambdaFunctionAssociations: [{ EventType: 'origin-response' }],
        ViewerProtocolPolicy: 'https-only',
      },
      Origins: [{ OriginPath: '/live', CustomOriginConfig: { OriginProtocolPolicy: 'https-only' } }],
      ViewerCertificate: { MinimumProtocolVersion: 'TLSv1.2_2021' },
    });
  });

  it('restores the original name of the header', async () => {
    const functions = propertiesOf(templateOf(edgeOf('us-east-1').stack), 'AWS::Lambda::Function');
    const { ZipFile = '' } = (functions.find(({ MemorySize }) => MemorySize === 128)?.Code ?? {}) as {
      ZipFile?: string;
    };
    const program: { handler?: (event: unknown) => Promise<unknown> } = {};
    new Function('exports', ZipFile)(program);
    const run = (headers: object) => program.handler?.({ Records: [{ cf: { response: { status: '401', headers } } }] });
    const renamed = [{ key: 'x-amzn-Remapped-WWW-Authenticate', value: 'Bearer' }];
    expect(await run({ 'x-amzn-remapped-www-authenticate': renamed })).toEqual({
      status: '401',
      headers: { 'www-authenticate': [{ key: 'WWW-Authenticate', value: 'Bearer' }] },
    });
    expect(await run({ date: [] })).toEqual({ status: '401', headers: { date: [] } });
  });

  it('rejects other regions, and a load balancer, which cannot rename headers', () => {
    expect(() => edgeOf('eu-west-1')).toThrow(/region of the stack, got "eu-west-1", expected us-east-1/);
    expect(() => edgeOf('us-east-1', (stack, fn) => new AlbTarget(stack, 'Target', { fn }))).toThrow(
      /renames no header/,
    );
  });
});

describe('rejected configurations', () => {
  it('rejects a domain with a base path: the documents of the origin would be out of reach', () => {
    const stack = newStack();
    const arn = 'arn:aws:acm:eu-west-1:123456789012:certificate/1';
    const certificate = Certificate.fromCertificateArn(stack, 'Certificate', arn);
    const domain = new ApiDomain(stack, 'Domain', { domainName: 'notes.example', certificate, basePath: 'v1' });
    const fn = newFn(stack);
    expect(() => new McpServer(stack, 'Mcp', { fn, domain })).toThrow(/base path v1/);
    const api = new RestApi(stack, 'Api', { fn, domain });
    expect(() => new McpServer(stack, 'Second', { fn, api })).toThrow(/base path v1/);
  });

  it.each([
    [
      'a buffered API with streaming',
      (fn: never, stack: never) => ({ api: new HttpApi(stack, 'Api', { fn }) }),
      /buffers/,
    ],
    [
      'a table of sealed sessions',
      (_: never, stack: never) => ({ sessions: McpSessions.SEALED, table: new McpTable(stack, 'T') }),
      /table with sessions sealed/,
    ],
    ['a path without slash', () => ({ path: 'mcp' }), /path, got "mcp"/],
    [
      'an API of another function',
      (_: never, stack: never) => ({ api: new HttpApi(stack, 'Api', { fn: newFn(stack, 'Other') }) }),
      /Test\/Other/,
    ],
  ])('rejects %s', (_name, propsOf, expected) => {
    const stack = newStack();
    const fn = newFn(stack);
    const props = (propsOf as (fn: unknown, stack: unknown) => object)(fn, stack);
    expect(() => new McpServer(stack, 'Mcp', { fn, ...props })).toThrow(expected);
  });
});

describe('tasks', () => {
  it.each([
    ['separate doors', { separateDoors: true }],
    ['provisioned environments', { provisionedConcurrency: 1 }],
  ])('keep their failures with %s, where the code invokes its own version', (_name, props) => {
    const stack = newStack();
    const { fn } = new ServiceFunction(stack, 'Api', { code: Code.fromInline('exports.handler = 1'), ...props });
    new McpServer(stack, 'Mcp', { fn, tasks: true });
    const template = templateOf(stack);
    const configs = propertiesOf(template, 'AWS::Lambda::EventInvokeConfig').map(({ Qualifier, DestinationConfig }) => [
      JSON.stringify(Qualifier),
      JSON.stringify(DestinationConfig),
    ]);
    const version = configs.filter(([qualifier = '']) => qualifier.includes('CurrentVersion'));
    expect(version).toHaveLength(1);
    expect(circleIn(template)).toEqual([]);
    expect(new Set(configs.map(([, destination]) => destination)).size).toBe(1);
  });

  it.each([
    ['own API', {}],
    ['the alias of a canary', { alias: true }],
  ])('let the function invoke itself, without a circle: %s', (_name, { alias = false }: { alias?: boolean }) => {
    const stack = newStack();
    const service = new ServiceFunction(stack, 'Api', { code: Code.fromInline('exports.handler = 1') });
    const live = alias ? (service.fn.addAlias('live') as IFunction) : (service.fn as IFunction);
    new McpServer(stack, 'Mcp', { fn: live, tasks: true });
    const template = templateOf(stack);
    const [fnId = ''] = Object.keys(template.Resources).filter((id) => /^Api[0-9A-F]{8}$/.test(id));
    const arn = { 'Fn::GetAtt': [fnId, 'Arn'] };
    expect(statementsOf(template)).toContainEqual({
      Action: 'lambda:InvokeFunction',
      Effect: 'Allow',
      Resource: [arn, { 'Fn::Join': ['', [arn, ':*']] }],
    });
    expect(circleIn(template)).toEqual([]);
    expect(propertiesOf(template, 'AWS::Lambda::EventInvokeConfig')).toHaveLength(alias ? 2 : 1);
  });

  it('without the prop the function may not', () => {
    const { stack } = make();
    expect(JSON.stringify(statementsOf(templateOf(stack)))).not.toContain('lambda:InvokeFunction');
  });
});

/** The logical ids of resources that depend on each other in a circle. */
function circleIn({ Resources }: Template): readonly string[] {
  const targets = (id: string): readonly string[] => {
    const text = JSON.stringify(Resources[id]);
    return Object.keys(Resources).filter((other) => other !== id && text.includes(`"${other}"`));
  };
  const done = new Set<string>();
  const visit = (id: string, path: readonly string[]): readonly string[] => {
    if (path.includes(id)) return [...path.slice(path.indexOf(id)), id];
    if (done.has(id)) return [];
    for (const target of targets(id)) {
      const circle = visit(target, [...path, id]);
      if (circle.length > 0) return circle;
    }
    done.add(id);
    return [];
  };
  return Object.keys(Resources).flatMap((id) => visit(id, []));
}
