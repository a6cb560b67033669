import { authorizationDocuments } from '@sallyport/mcp/authorization';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { Stack } from 'aws-cdk-lib/core';
import {
  AlbTarget,
  Challenge,
  ChallengeEdge,
  FunctionUrl,
  HttpApi,
  type IHttpDoor,
  McpAuthorization,
  type McpAuthorizationProps,
  McpServer,
  RestApi,
} from '../src/index.js';
import { newFn } from './support/function.js';
import { newStack, propertiesOf, templateOf } from './support/synth.js';

const DOCUMENTS = authorizationDocuments({ publicBaseUrl: 'https://mcp.example.com', scopes: ['notes:read'] });
const PATHS = [
  '/.well-known/oauth-protected-resource',
  '/.well-known/oauth-protected-resource/mcp',
  '/.well-known/oauth-authorization-server',
];

function make(
  props: Partial<McpAuthorizationProps> = {},
  door: (stack: Stack, fn: IFunction) => IHttpDoor = (stack, fn) => new RestApi(stack, 'Api', { fn }),
) {
  const stack = newStack();
  const fn = newFn(stack) as IFunction;
  const api = door(stack, fn);
  const server = new McpServer(stack, 'Mcp', { fn, api, streaming: api.canStream });
  const signIn = new McpAuthorization(stack, 'SignIn', { server, documents: DOCUMENTS, ...props });
  return { stack, api, signIn };
}

/** The methods of a REST API by method and path. */
function methodsOf(stack: Stack) {
  const { Resources } = templateOf(stack);
  const pathOf = (id: unknown): string => {
    const key = (id as { Ref?: string }).Ref ?? '';
    const { ParentId, PathPart } = Resources[key]?.Properties ?? {};
    return PathPart === undefined ? '' : `${pathOf(ParentId)}/${PathPart}`;
  };
  const methods = Object.values(Resources).filter(({ Type }) => Type === 'AWS::ApiGateway::Method');
  return new Map(
    methods.map(({ Properties }) => [`${Properties.HttpMethod} ${pathOf(Properties.ResourceId)}`, Properties]),
  );
}

interface Mock {
  readonly Type: string;
  readonly Uri?: unknown;
  readonly ContentHandling?: string;
  readonly RequestTemplates?: Readonly<Record<string, string>>;
  readonly IntegrationResponses?: readonly {
    readonly ContentHandling: string;
    readonly ResponseTemplates: Readonly<Record<string, string>>;
    readonly ResponseParameters: Readonly<Record<string, string>>;
  }[];
}

const integrationOf = (stack: Stack, path: string) =>
  methodsOf(stack).get(`GET ${path}`)?.Integration as Mock | undefined;

describe('on a REST API', () => {
  it('no request for a document invokes the function', () => {
    const methods = methodsOf(make().stack);
    for (const path of PATHS) {
      const { AuthorizationType, Integration } = methods.get(`GET ${path}`) ?? {};
      const { Type, Uri, ContentHandling, RequestTemplates, IntegrationResponses } = Integration as Mock;
      expect([AuthorizationType, Type, Uri, ContentHandling]).toEqual(['NONE', 'MOCK', undefined, 'CONVERT_TO_TEXT']);
      expect(RequestTemplates).toEqual({ 'application/json': '{"statusCode":200}' });
      const [answer] = IntegrationResponses ?? [];
      expect(answer?.ResponseTemplates['application/json']).toBe(JSON.stringify(DOCUMENTS[path]));
      expect(answer?.ResponseParameters).toEqual({
        'method.response.header.Content-Type': "'application/json; charset=utf-8'",
        'method.response.header.Cache-Control': "'public, max-age=3600'",
        'method.response.header.Access-Control-Allow-Origin': "'*'",
      });
    }
  });

  it('the endpoints reach the function, and the server is unchanged', () => {
    const methods = methodsOf(make().stack);
    for (const route of [
      'GET /oauth/authorize',
      'POST /oauth/authorize',
      'GET /oauth/callback',
      'POST /oauth/token',
      'POST /oauth/register',
      'POST /mcp',
    ]) {
      expect([route, (methods.get(route)?.Integration as Mock | undefined)?.Type]).toEqual([route, 'AWS_PROXY']);
    }
  });

  it('routes that the wiring adds later do not replace the mock integrations', () => {
    const { stack, api } = make();
    api.addRoutes(PATHS.map((path) => ({ method: 'GET', path, streaming: true })));
    for (const path of PATHS) {
      expect(integrationOf(stack, path)?.Type).toBe('MOCK');
    }
  });

  it('a changed document makes a new deployment', () => {
    const idOf = (props: Partial<McpAuthorizationProps>) => {
      const { Resources } = templateOf(make(props).stack);
      return Object.keys(Resources).filter((id) => Resources[id]?.Type === 'AWS::ApiGateway::Deployment');
    };
    expect(idOf({ maxAgeSeconds: 60 })).not.toEqual(idOf({}));
    expect(idOf({})).toEqual(idOf({}));
  });

  it('scopes with characters of mapping templates arrive unchanged', () => {
    const scopes = ['a$b', '#if(true)', '$util.error', '$' + '{x}'];
    const documents = authorizationDocuments({ publicBaseUrl: 'https://mcp.example.com', scopes });
    const [answer] = integrationOf(make({ documents }).stack, PATHS[0] as string)?.IntegrationResponses ?? [];
    const template = answer?.ResponseTemplates['application/json'] ?? '';
    expect(template).not.toMatch(/[$#]/);
    expect(JSON.parse(template)).toEqual(documents['/.well-known/oauth-protected-resource']);
  });
});

describe('with a ChallengeEdge', () => {
  const atEdge = (documents: McpAuthorizationProps['documents'] = DOCUMENTS) => {
    const stack = newStack({ env: { region: 'us-east-1' } });
    const fn = newFn(stack) as IFunction;
    const api = new HttpApi(stack, 'Api', { fn });
    const server = new McpServer(stack, 'Mcp', { fn, api, streaming: false, challenge: Challenge.EDGE });
    const certificate = Certificate.fromCertificateArn(
      stack,
      'Certificate',
      'arn:aws:acm:us-east-1:123456789012:certificate/1',
    );
    const edge = new ChallengeEdge(stack, 'Edge', { server, domainName: 'mcp.example.com', certificate });
    const signIn = new McpAuthorization(stack, 'SignIn', { server, documents, edge });
    return { stack, signIn };
  };

  const programOf = (stack: Stack) => {
    const [{ FunctionCode } = {}] = propertiesOf(templateOf(stack), 'AWS::CloudFront::Function');
    const handler = new Function(`${FunctionCode}; return handler;`)() as (event: object) => Record<string, unknown>;
    return (method: string, uri: string) => handler({ request: { method, uri } });
  };

  it('a CloudFront function answers, before the origin receives anything', () => {
    const { stack, signIn } = atEdge();
    const run = programOf(stack);
    expect(signIn.servedBy).toBe('edge');
    for (const path of PATHS) {
      for (const uri of [path, `${path}/`]) {
        expect(run('GET', uri)).toMatchObject({
          statusCode: 200,
          headers: { 'cache-control': { value: 'public, max-age=3600' } },
          body: { encoding: 'text', data: JSON.stringify(DOCUMENTS[path]) },
        });
      }
    }
    const [{ DistributionConfig } = {}] = propertiesOf(templateOf(stack), 'AWS::CloudFront::Distribution');
    const { CacheBehaviors } = DistributionConfig as { CacheBehaviors: readonly Record<string, unknown>[] };
    expect(CacheBehaviors.map(({ PathPattern }) => PathPattern)).toEqual([
      '/.well-known/oauth-protected-resource*',
      '/.well-known/oauth-authorization-server*',
    ]);
    for (const { FunctionAssociations } of CacheBehaviors) {
      expect(FunctionAssociations).toEqual([expect.objectContaining({ EventType: 'viewer-request' })]);
    }
  });

  it.each([
    ['POST', '/.well-known/oauth-protected-resource'],
    ['GET', '/.well-known/oauth-protected-resource/other'],
    ['GET', '/.well-known/oauth-protected-resource/constructor'],
    ['GET', 'constructor'],
  ])('%s %s continues to the origin', (method, uri) => {
    expect(programOf(atEdge().stack)(method, uri)).toEqual({ method, uri });
  });

  it('documents over 10 KB are rejected, because CloudFront rejects such a function', () => {
    const scopes = Array.from({ length: 500 }, (_, at) => `a-long-scope-${at}`);
    const documents = authorizationDocuments({ publicBaseUrl: 'https://mcp.example.com', scopes });
    expect(() => atEdge(documents)).toThrow(expect.failure('constructs.invalid_prop', 'CloudFront function'));
  });
});

it.each<[string, (stack: Stack, fn: IFunction) => IHttpDoor]>([
  ['an HTTP API, which has no mock integration', (stack, fn) => new HttpApi(stack, 'Api', { fn })],
  ['a function URL', (stack, fn) => new FunctionUrl(stack, 'Api', { fn })],
  ['a load balancer', (stack, fn) => new AlbTarget(stack, 'Api', { fn })],
])('the function serves the documents, and a warning reports it: %s', (_, door) => {
  const { signIn } = make({}, door);
  const warnings = signIn.node.metadata
    .filter(({ type }) => type === 'aws:cdk:warning')
    .map(({ data }) => String(data));
  expect(signIn.servedBy).toBe('function');
  expect(warnings).toEqual([expect.stringContaining('Sallyport::McpDocumentsInvoke')]);
});

it.each([
  ['no documents', { documents: {} }, 'documents'],
  ['a path elsewhere', { documents: { '/mcp': {} } }, 'documents'],
  ['a path with a parameter', { documents: { '/.well-known/oauth-protected-resource/{a}': {} } }, 'documents'],
  ['a document that is a string', { documents: { [PATHS[0] as string]: '{}' } }, 'documents'],
  ['no time', { maxAgeSeconds: 0 }, 'maxAgeSeconds'],
])('rejects %s', (_, props, name) => {
  expect(() => make(props as never)).toThrow(expect.failure('constructs.invalid_prop', name));
});
