import { Authenticated, Public, SecureApp } from '@sallyport/secure';
import { createMcpServer, mountMcp } from '../src/index.js';
import {
  createAuthorizationServerMetadata,
  createMetadataHandler,
  createProtectedResourceMetadata,
  mcpDiscovery,
  protectedResourceMetadataURL,
} from '../src/oauth.js';
import { DOOR_NAMES, send } from './support/events.js';

const RESOURCE = 'https://mcp.example.com/mcp';
const ISSUER = 'https://id.example.com';
const SERVER = {
  issuer: ISSUER,
  authorizationEndpoint: 'https://id.example.com/authorize',
  tokenEndpoint: 'https://id.example.com/token',
};

describe('a protected-resource document', () => {
  it('has its keys in order', () => {
    const document = createProtectedResourceMetadata({
      resourceName: 'Notes',
      bearerMethodsSupported: ['header'],
      scopesSupported: ['notes:read', 'notes:write'],
      jwksUri: 'https://mcp.example.com/jwks.json',
      authorizationServers: [ISSUER],
      resource: RESOURCE,
    });
    expect(JSON.stringify(document)).toBe(
      '{"resource":"https://mcp.example.com/mcp","authorization_servers":["https://id.example.com"],"jwks_uri":"https://mcp.example.com/jwks.json","scopes_supported":["notes:read","notes:write"],"bearer_methods_supported":["header"],"resource_name":"Notes"}',
    );
  });

  it('omits missing options', () => {
    expect(
      JSON.stringify(createProtectedResourceMetadata({ resource: RESOURCE, authorizationServers: [ISSUER] })),
    ).toBe('{"resource":"https://mcp.example.com/mcp","authorization_servers":["https://id.example.com"]}');
  });

  it('drops the slash of bare origins, and keeps other slashes', () => {
    const of = (resource: string, issuer: string) =>
      createProtectedResourceMetadata({ resource, authorizationServers: [issuer] });
    expect(of('https://x.example/', 'https://id.example/')).toEqual({
      resource: 'https://x.example',
      authorization_servers: ['https://id.example'],
    });
    expect(of('https://x.example/mcp/', 'https://id.example/t/')).toEqual({
      resource: 'https://x.example/mcp/',
      authorization_servers: ['https://id.example/t/'],
    });
  });

  it('cannot be changed', () => {
    const document = createProtectedResourceMetadata({ resource: RESOURCE, authorizationServers: [ISSUER] });
    expect(Object.isFrozen(document)).toBe(true);
    expect(Object.isFrozen(document.authorization_servers)).toBe(true);
  });

  it.each<[string, object, string]>([
    ['no resource', { authorizationServers: [ISSUER] }, 'option "resource"'],
    ['no issuer', { resource: RESOURCE, authorizationServers: [] }, 'option "authorizationServers"'],
    ['a wrong issuer', { resource: RESOURCE, authorizationServers: ['id'] }, 'option "authorizationServers[0]"'],
    [
      'a scope with a blank',
      { resource: RESOURCE, authorizationServers: [ISSUER], scopesSupported: ['a b'] },
      'scopesSupported',
    ],
    [
      'another way to send tokens',
      { resource: RESOURCE, authorizationServers: [ISSUER], bearerMethodsSupported: ['query'] },
      '["header"]',
    ],
    [
      'an unknown option',
      { resource: RESOURCE, authorizationServers: [ISSUER], scopes: [] },
      'unknown option "scopes"',
    ],
  ])('is rejected with %s', (_, options, text) => {
    expect(() => createProtectedResourceMetadata(options as never)).toThrow(
      expect.failure('app.invalid_configuration', text),
    );
  });
});

describe('an authorization-server document', () => {
  it('has its keys in order', () => {
    const document = createAuthorizationServerMetadata({
      clientIdMetadataDocumentSupported: true,
      authorizationResponseIssParameterSupported: true,
      scopesSupported: ['notes'],
      codeChallengeMethodsSupported: ['S256'],
      tokenEndpointAuthMethodsSupported: ['none'],
      grantTypesSupported: ['authorization_code'],
      responseTypesSupported: ['code'],
      jwksUri: 'https://id.example.com/jwks.json',
      registrationEndpoint: 'https://id.example.com/register',
      ...SERVER,
    });
    expect(JSON.stringify(document)).toBe(
      '{"issuer":"https://id.example.com","authorization_endpoint":"https://id.example.com/authorize","token_endpoint":"https://id.example.com/token","registration_endpoint":"https://id.example.com/register","jwks_uri":"https://id.example.com/jwks.json","response_types_supported":["code"],"grant_types_supported":["authorization_code"],"token_endpoint_auth_methods_supported":["none"],"code_challenge_methods_supported":["S256"],"scopes_supported":["notes"],"authorization_response_iss_parameter_supported":true,"client_id_metadata_document_supported":true}',
    );
  });

  it('contains the values for public clients with PKCE by default', () => {
    expect(JSON.stringify(createAuthorizationServerMetadata(SERVER))).toBe(
      '{"issuer":"https://id.example.com","authorization_endpoint":"https://id.example.com/authorize","token_endpoint":"https://id.example.com/token","response_types_supported":["code"],"grant_types_supported":["authorization_code","refresh_token"],"token_endpoint_auth_methods_supported":["none"],"code_challenge_methods_supported":["S256"]}',
    );
  });

  it('names a bare issuer without a slash', () => {
    expect(createAuthorizationServerMetadata({ ...SERVER, issuer: 'https://id.example.com/' }).issuer).toBe(ISSUER);
  });

  it('accepts http on loopback', () => {
    for (const issuer of ['http://localhost:3000', 'http://127.0.0.1:1', 'http://[::1]:8080']) {
      expect(createAuthorizationServerMetadata({ ...SERVER, issuer }).issuer).toBe(issuer);
    }
  });

  it.each([
    '',
    'id.example.com',
    '/relative',
    'ftp://id.example.com',
    'http://id.example.com',
    'http://localhost.evil.example',
    'https://',
    'https:id.example.com',
    'https://a@id.example.com',
    'https://@id.example.com',
    'https://a:b@id.example.com',
    'https://id.example.com?a=1',
    'https://id.example.com/?',
    'https://id.example.com#',
    'https://id.example.com/#a',
    ' https://id.example.com',
    'https://id.example.com/\n',
    'https://id.example.com/a b',
    'https://id.example.com\\@evil.example',
    'https://id.example.com:99999',
    'https://id.exämple.com',
    'https://{host}/',
    7,
    null,
  ])('rejects the issuer %j', (issuer) => {
    expect(() => createAuthorizationServerMetadata({ ...SERVER, issuer: issuer as string })).toThrow(
      expect.failure('app.invalid_configuration', 'option "issuer"'),
    );
  });

  it('lets endpoints have a query, and no fragment', () => {
    const authorizationEndpoint = 'https://id.example.com/authorize?tenant=a';
    expect(createAuthorizationServerMetadata({ ...SERVER, authorizationEndpoint }).authorization_endpoint).toBe(
      authorizationEndpoint,
    );
    expect(() => createAuthorizationServerMetadata({ ...SERVER, jwksUri: 'https://id.example.com/#a' })).toThrow(
      expect.failure('app.invalid_configuration', 'option "jwksUri"'),
    );
  });
});

describe('protectedResourceMetadataURL', () => {
  it.each([
    ['https://x.example/mcp', 'https://x.example/.well-known/oauth-protected-resource/mcp'],
    ['https://x.example/acme/mcp', 'https://x.example/.well-known/oauth-protected-resource/acme/mcp'],
    ['https://x.example', 'https://x.example/.well-known/oauth-protected-resource'],
    ['https://x.example/', 'https://x.example/.well-known/oauth-protected-resource'],
    ['http://127.0.0.1:8080/mcp', 'http://127.0.0.1:8080/.well-known/oauth-protected-resource/mcp'],
  ])('of %s is %s', (resource, url) => {
    expect(protectedResourceMetadataURL(resource)).toBe(url);
  });

  it.each(['/mcp', 'http://x.example/mcp', 'https://x.example/mcp?a', 'https://x.example/mcp#a', undefined])(
    'rejects %j',
    (resource) => {
      expect(() => protectedResourceMetadataURL(resource as string)).toThrow(
        expect.failure('app.invalid_configuration', 'option "resource"'),
      );
    },
  );
});

const create = (discovery: Partial<Parameters<typeof mcpDiscovery>[0]> = {}, path = '/mcp') => {
  const app = new SecureApp({ log: false });
  mountMcp(app, createMcpServer({ name: 'notes', version: '1' }), {
    path,
    posture: Authenticated(),
    discovery: mcpDiscovery({ publicBaseUrl: 'https://mcp.example.com', authorizationServers: [ISSUER], ...discovery }),
  });
  return app;
};

describe('the discovery of one server', () => {
  const DOCUMENT = '{"resource":"https://mcp.example.com/mcp","authorization_servers":["https://id.example.com"]}';

  it.each(DOOR_NAMES)('answers the same bytes at both places, to every caller, through %s', async (door) => {
    const app = create();
    for (const path of ['/.well-known/oauth-protected-resource', '/.well-known/oauth-protected-resource/mcp']) {
      const answer = await send(app, door, 'GET', path, { headers: { host: 'evil.example', forwarded: 'host=evil' } });
      expect([answer.status, answer.text]).toEqual([200, DOCUMENT]);
      expect(answer.headers['content-type']).toEqual(['application/json; charset=utf-8']);
      expect([answer.headers['cache-control'], answer.headers.pragma]).toEqual([['no-store'], undefined]);
      expect(answer.headers.vary).toBeUndefined();
    }
  });

  it.each(DOOR_NAMES)('answers HEAD, and paths with a slash at the end, through %s', async (door) => {
    const app = create();
    for (const path of ['/.well-known/oauth-protected-resource/', '/.well-known/oauth-protected-resource/mcp/']) {
      const answer = await send(app, door, 'GET', path);
      expect([answer.status, answer.text]).toEqual([200, DOCUMENT]);
      const head = await send(app, door, 'HEAD', path.slice(0, -1));
      expect([head.status, head.text]).toEqual([200, '']);
    }
  });

  it('has no authorization-server document unless it is configured', async () => {
    const path = '/.well-known/oauth-authorization-server/mcp';
    expect((await send(create(), 'gateway v2', 'GET', path)).status).toBe(404);
    const answer = await send(create({ authorizationServer: SERVER }), 'gateway v2', 'GET', path);
    expect(JSON.parse(answer.text)).toMatchObject({ issuer: ISSUER, token_endpoint: 'https://id.example.com/token' });
  });

  it('lets caches keep documents for the configured time', async () => {
    const app = create({ documentMaxAgeSeconds: 300 });
    const answer = await send(app, 'gateway v2', 'GET', '/.well-known/oauth-protected-resource/mcp');
    expect(answer.headers['cache-control']).toEqual(['public, max-age=300']);
  });

  it('follows the path of the server', async () => {
    const answer = await send(
      create({}, '/tools/mcp'),
      'gateway v2',
      'GET',
      '/.well-known/oauth-protected-resource/tools/mcp',
    );
    expect(JSON.parse(answer.text)).toMatchObject({ resource: 'https://mcp.example.com/tools/mcp' });
  });

  it('registers Public routes and leaves the server guarded', async () => {
    const app = create();
    expect(app.routes().map(({ method, path, posture }) => [method, path, posture])).toEqual([
      ['POST', '/mcp', 'authenticated'],
      ['GET', '/mcp', 'authenticated'],
      ['DELETE', '/mcp', 'authenticated'],
      ['GET', '/.well-known/oauth-protected-resource', 'public'],
      ['HEAD', '/.well-known/oauth-protected-resource', 'public'],
      ['GET', '/.well-known/oauth-protected-resource/mcp', 'public'],
      ['HEAD', '/.well-known/oauth-protected-resource/mcp', 'public'],
    ]);
    expect((await send(app, 'gateway v2', 'POST', '/mcp')).status).toBe(401);
  });

  it.each(['/{tenant}/mcp', '/:tenant/mcp'])('is rejected for %s', (path) => {
    expect(() => create({}, path)).toThrow(expect.failure('app.invalid_configuration', 'option "discovery"'));
  });

  it.each<[string, object, string]>([
    ['a base with a path', { publicBaseUrl: 'https://x.example/api' }, 'option "publicBaseUrl"'],
    ['no issuer', { authorizationServers: undefined }, 'option "authorizationServers"'],
    [
      'a wrong issuer in the other document',
      { authorizationServer: { ...SERVER, issuer: 'x' } },
      '"authorizationServer.issuer"',
    ],
    ['an age of 0', { documentMaxAgeSeconds: 0 }, 'option "documentMaxAgeSeconds"'],
    ['an unknown option', { resource: 'https://x.example' }, 'unknown option "resource"'],
  ])('is rejected with %s', (_, options, text) => {
    expect(() => create(options)).toThrow(expect.failure('app.invalid_configuration', text));
  });
});

it('a handler of a document is made once for all requests', async () => {
  const app = new SecureApp({ log: false });
  const document = createAuthorizationServerMetadata(SERVER);
  app.get(
    '/.well-known/oauth-authorization-server',
    createMetadataHandler(document, { documentMaxAgeSeconds: 60 }),
    Public(),
  );
  const answer = await send(app, 'load balancer', 'GET', '/.well-known/oauth-authorization-server');
  expect([answer.status, answer.headers['cache-control']]).toEqual([200, ['public, max-age=60']]);
});
