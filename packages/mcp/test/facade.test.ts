import { Authenticated, Public, SecureApp } from '@sallyport/secure';
import fc from 'fast-check';
import { type FacadeConfig, mcpResourceMetadataURL, mcpResourceURL, registerMcpFacade } from '../src/facade.js';
import { DOOR_NAMES, type DoorName, type Line, type Received, rawLog, type Sent, send } from './support/events.js';

const BASE: FacadeConfig = {
  issuerUrl: 'https://id.example.com',
  jwksUri: 'https://id.example.com/jwks.json',
  urlMode: 'public_base_url',
  publicBaseUrl: 'https://mcp.example.com',
  scopes: {
    namespace: ['notes:read', 'notes:write', 'notes:read'],
    partner_namespace: ['p'],
    agent: ['a'],
    partner_agent: ['pa'],
  },
  mcpHandler: (ctx) => ({ body: JSON.stringify(ctx.params) }),
};
const { publicBaseUrl: _, ...WITHOUT_BASE } = BASE;
const HOSTS: FacadeConfig = {
  ...WITHOUT_BASE,
  urlMode: 'request_host',
  allowedHostnames: ['mcp.example.com', 'localhost:3000', 'b.example:8443'],
};

const PROTECTED = '/.well-known/oauth-protected-resource';
const SERVER = '/.well-known/oauth-authorization-server';
const ENDPOINTS = [
  '/acme/mcp',
  '/acme/partners/p1/mcp',
  '/acme/agents/bot/mcp',
  '/acme/partners/p1/agents/bot/mcp',
] as const;

function serve(config: Partial<FacadeConfig> & object = {}, base: FacadeConfig = BASE) {
  const app = new SecureApp({
    log: false,
    challenge: 'Bearer',
    principalResolver: (ctx) =>
      ctx.header('authorization') === 'Bearer good' ? { identity: 'ada', kind: 'external' } : null,
  });
  registerMcpFacade(app, { ...base, ...config } as FacadeConfig);
  return (door: DoorName, method: string, path: string, request: Sent = {}): Promise<Received> =>
    send(app, door, method, path, request);
}

const GOOD = { headers: { authorization: 'Bearer good' } };

describe.each(DOOR_NAMES)('through %s', (door) => {
  it.each([
    [
      '/acme/mcp',
      '{"resource":"https://mcp.example.com/acme/mcp","authorization_servers":["https://id.example.com"],"scopes_supported":["notes:read","notes:write"]}',
    ],
    [
      '/acme/partners/p1/mcp',
      '{"resource":"https://mcp.example.com/acme/partners/p1/mcp","authorization_servers":["https://id.example.com"],"scopes_supported":["p"]}',
    ],
    [
      '/acme/agents/bot/mcp',
      '{"resource":"https://mcp.example.com/acme/agents/bot/mcp","authorization_servers":["https://id.example.com"],"scopes_supported":["a"]}',
    ],
    [
      '/acme/partners/p1/agents/bot/mcp',
      '{"resource":"https://mcp.example.com/acme/partners/p1/agents/bot/mcp","authorization_servers":["https://id.example.com"],"scopes_supported":["pa"]}',
    ],
  ])('the protected-resource document of %s', async (path, text) => {
    const answer = await serve()(door, 'GET', PROTECTED + path);
    expect([answer.status, answer.text]).toEqual([200, text]);
    expect(answer.headers).toMatchObject({
      'content-type': ['application/json; charset=utf-8'],
      'cache-control': ['no-store'],
    });
    expect(answer.headers).not.toHaveProperty('vary');
  });

  it('the authorization-server document of an endpoint, in both places', async () => {
    const request = serve();
    for (const path of [`${SERVER}/acme/agents/bot/mcp`, `/acme/agents/bot/mcp${SERVER}`]) {
      const { status, text } = await request(door, 'GET', path);
      expect([status, text]).toEqual([
        200,
        '{"issuer":"https://id.example.com","authorization_endpoint":"https://mcp.example.com/.well-known/oauth-authorization-server/acme/agents/bot/mcp/authorize","token_endpoint":"https://mcp.example.com/.well-known/oauth-authorization-server/acme/agents/bot/mcp/token","registration_endpoint":"https://id.example.com/register","jwks_uri":"https://id.example.com/jwks.json","response_types_supported":["code"],"grant_types_supported":["authorization_code","refresh_token"],"token_endpoint_auth_methods_supported":["none"],"code_challenge_methods_supported":["S256"],"scopes_supported":["a"]}',
      ]);
    }
  });

  it('MCP routes are for authenticated callers, on all methods', async () => {
    const request = serve();
    for (const path of ENDPOINTS) {
      for (const method of ['POST', 'GET', 'DELETE']) {
        expect(await request(door, method, path)).toMatchObject({
          status: 401,
          headers: { 'www-authenticate': ['Bearer'] },
        });
        expect((await request(door, method, path, GOOD)).status).toBe(200);
      }
      expect((await request(door, 'PUT', path, GOOD)).status).toBe(405);
    }
  });

  it('the handler sees the identifiers', async () => {
    const { text } = await serve()(door, 'POST', '/acme/partners/p1/agents/bot/mcp', GOOD);
    expect(JSON.parse(text)).toEqual({ client_namespace: 'acme', partner_id: 'p1', agent_id: 'bot' });
  });

  it('a slash at the end of an MCP route and of a document is allowed', async () => {
    const request = serve();
    expect((await request(door, 'POST', '/acme/mcp/', GOOD)).status).toBe(200);
    const document = await request(door, 'GET', `${PROTECTED}/acme/mcp/`);
    expect(JSON.parse(document.text)).toMatchObject({ resource: 'https://mcp.example.com/acme/mcp' });
    expect((await request(door, 'GET', `${SERVER}/acme/mcp/`)).status).toBe(200);
  });

  it('documents are answered to HEAD, without a body', async () => {
    const request = serve();
    for (const path of [`${PROTECTED}/acme/mcp`, `${SERVER}/acme/mcp`, `/acme/mcp${SERVER}`]) {
      const { status, text, headers } = await request(door, 'HEAD', path);
      expect([status, text, headers['cache-control']]).toEqual([200, '', ['no-store']]);
    }
  });

  it('invalid identifiers are answered with 404, for documents and MCP routes', async () => {
    const request = serve();
    for (const identifier of ['%2e%2e', '..', '.', '%20', '%09', 'a%2Fb', '%2F', '%20.%20']) {
      const path = `/${identifier}/mcp`;
      for (const at of [PROTECTED + path, SERVER + path, path + SERVER]) {
        const { status, text } = await request(door, 'GET', at);
        expect([at, status]).toEqual([at, 404]);
        expect(JSON.parse(text)).toMatchObject({ error: { code: 'app.not_found' } });
      }
      expect((await request(door, 'POST', path, GOOD)).status).toBe(404);
      expect((await request(door, 'POST', `/acme/agents/${identifier}/mcp`, GOOD)).status).toBe(404);
    }
  });

  it('an identifier that a URL escapes is escaped in the document', async () => {
    const { status, text } = await serve()(door, 'GET', `${PROTECTED}/a%20%C3%A9%22/mcp`);
    expect([status, (JSON.parse(text) as { resource: string }).resource]).toEqual([
      200,
      'https://mcp.example.com/a%20%C3%A9%22/mcp',
    ]);
  });

  it('a host of the list is named in documents', async () => {
    const request = serve({}, HOSTS);
    const { status, text, headers } = await request(door, 'GET', `${PROTECTED}/acme/mcp`, {
      headers: { host: 'b.example:8443' },
    });
    expect([status, headers.vary, headers['cache-control']]).toEqual([200, ['host'], ['no-store']]);
    expect(JSON.parse(text)).toMatchObject({ resource: 'https://b.example:8443/acme/mcp' });
    const server = await request(door, 'GET', `${SERVER}/acme/mcp`, { headers: { host: 'b.example:8443' } });
    expect(JSON.parse(server.text)).toMatchObject({
      issuer: 'https://id.example.com',
      token_endpoint: 'https://b.example:8443/.well-known/oauth-authorization-server/acme/mcp/token',
    });
  });

  it('any other host is rejected', async () => {
    const answer = await serve({}, HOSTS)(door, 'GET', `${PROTECTED}/acme/mcp`, { headers: { host: 'evil.example' } });
    expect([answer.status, answer.text]).toEqual([400, '{"error":"invalid_request_host"}']);
    expect(answer.headers).toMatchObject({ 'cache-control': ['no-store'], vary: ['host'] });
  });

  it('authorize and token are served with their factories only', async () => {
    const attached = serve({
      authorizeHandler: (kind) => (ctx) => ({ body: `authorize ${kind} ${ctx.param('client_namespace')}` }),
      tokenHandler: (kind) => () => ({ body: `token ${kind}` }),
    });
    expect((await attached(door, 'GET', `${SERVER}/acme/mcp/authorize`)).text).toBe('authorize namespace acme');
    expect((await attached(door, 'POST', `${SERVER}/acme/agents/bot/mcp/token`)).text).toBe('token agent');
    expect((await attached(door, 'POST', `${SERVER}/%2e%2e/mcp/token`)).status).toBe(404);
    expect((await serve()(door, 'GET', `${SERVER}/acme/mcp/authorize`)).status).toBe(404);
  });

  it('the root document is served when it is configured only', async () => {
    const rootAuthorizationServer = {
      issuerUrl: 'https://up.example.com/',
      authorizationEndpointUrl: 'https://up.example.com/authorize',
      tokenEndpointUrl: 'https://up.example.com/token',
      registrationEndpointUrl: 'https://up.example.com/register',
      jwksUri: 'https://up.example.com/jwks.json',
      scopes: ['notes'],
    };
    const { status, text } = await serve({ rootAuthorizationServer })(door, 'GET', SERVER);
    expect([status, text]).toEqual([
      200,
      '{"issuer":"https://up.example.com","authorization_endpoint":"https://up.example.com/authorize","token_endpoint":"https://up.example.com/token","registration_endpoint":"https://up.example.com/register","jwks_uri":"https://up.example.com/jwks.json","response_types_supported":["code"],"grant_types_supported":["authorization_code","refresh_token"],"token_endpoint_auth_methods_supported":["none"],"code_challenge_methods_supported":["S256"],"scopes_supported":["notes"]}',
    ]);
    expect((await serve()(door, 'GET', SERVER)).status).toBe(404);
  });
});

describe('spelling', () => {
  it.each(['%61cme', 'a%3Ab', '%c3%a9', '%zz', '%'])(
    'an endpoint has one URL, and %s is not it',
    async (identifier) => {
      expect((await serve()('function URL', 'GET', `${PROTECTED}/${identifier}/mcp`)).status).toBe(404);
    },
  );

  it('a lone surrogate does not cause an error', async () => {
    expect((await serve()('gateway v2', 'GET', `${PROTECTED}/\ud800/mcp`)).status).toBe(200);
  });

  it('a path of any length is answered', async () => {
    expect((await serve()('function URL', 'GET', `${PROTECTED}/${'a'.repeat(8_000)}/mcp`)).status).toBe(200);
  });
});

it('capabilities equal the configuration, member by member', async () => {
  const { text } = await serve({ capabilities: { grantTypes: ['authorization_code'] } })(
    'function URL',
    'GET',
    `${SERVER}/acme/mcp`,
  );
  expect(JSON.parse(text)).toMatchObject({
    grant_types_supported: ['authorization_code'],
    response_types_supported: ['code'],
  });
});

it.each([true, false])('capabilities report support for client ids that are URLs: %s', async (supported) => {
  const request = serve({
    capabilities: { clientIdMetadataDocumentSupported: supported },
    rootAuthorizationServer: {
      issuerUrl: 'https://id.example.com',
      authorizationEndpointUrl: 'https://id.example.com/authorize',
      tokenEndpointUrl: 'https://id.example.com/token',
      registrationEndpointUrl: 'https://id.example.com/register',
      jwksUri: 'https://id.example.com/jwks.json',
      scopes: ['a'],
    },
  });
  for (const path of [`${SERVER}/acme/mcp`, SERVER]) {
    const { text } = await request('function URL', 'GET', path);
    expect(text).toContain(`,"client_id_metadata_document_supported":${supported}}`);
  }
});

it('a separate registration endpoint is in the document', async () => {
  const config = {
    issuerUrl: 'https://id.example.com/realms/a/',
    registrationEndpointUrl: 'https://reg.example.com/new',
  };
  const { text } = await serve(config)('function URL', 'GET', `${SERVER}/acme/mcp`);
  expect(JSON.parse(text)).toMatchObject({
    issuer: 'https://id.example.com/realms/a/',
    registration_endpoint: 'https://reg.example.com/new',
  });
});

it.each([
  ['https://id.example.com/', 'https://id.example.com', 'https://id.example.com/register'],
  ['https://id.example.com/realms/a', 'https://id.example.com/realms/a', 'https://id.example.com/realms/a/register'],
  ['https://id.example.com/realms/a/', 'https://id.example.com/realms/a/', 'https://id.example.com/realms/a/register'],
])('the issuer %s is %s in documents', async (issuerUrl, issuer, registration_endpoint) => {
  const { text } = await serve({ issuerUrl })('function URL', 'GET', `${SERVER}/acme/mcp`);
  expect(JSON.parse(text)).toMatchObject({ issuer, registration_endpoint });
});

it('documents may be kept where they do not depend on the request', async () => {
  const { headers } = await serve({ documentMaxAgeSeconds: 300 })('gateway v2', 'GET', `${PROTECTED}/acme/mcp`);
  expect(headers['cache-control']).toEqual(['public, max-age=300']);
});

describe('the host of a request', () => {
  const FORGED = {
    forwarded: 'host=evil.example',
    'x-forwarded-host': 'evil.example',
    'x-forwarded-proto': 'http',
    'x-original-host': 'evil.example',
  };
  const originOf = async (headers: Sent['headers'], config: Partial<FacadeConfig> = {}) => {
    const {
      status,
      text,
      headers: answered,
    } = await serve(config, HOSTS)('gateway v1', 'GET', `${PROTECTED}/a/mcp`, { headers: headers ?? {} });
    const { resource = '' } = JSON.parse(text) as { resource?: string };
    return [status, resource.replace('/a/mcp', ''), answered.vary?.join()];
  };

  it.each([
    ['mcp.example.com', 'https://mcp.example.com'],
    ['MCP.Example.COM', 'https://mcp.example.com'],
    ['mcp.example.com.', 'https://mcp.example.com'],
    ['mcp.example.com:443', 'https://mcp.example.com'],
    ['mcp.example.com:80', 'https://mcp.example.com:80'],
    ['b.example:8443', 'https://b.example:8443'],
    ['localhost:3000', 'http://localhost:3000'],
  ])('%s is %s', async (host, origin) => {
    expect(await originOf({ host })).toEqual([200, origin, 'host']);
  });

  it.each([
    'b.example',
    'b.example:443',
    'localhost',
    'mcp.example.com:8443',
    'mcp.example.com.evil.example',
    'evil.example/mcp.example.com',
    'u@mcp.example.com',
    'mcp.example.com, evil.example',
    'mcp.example.com,mcp.example.com',
    ' mcp.example.com x',
    '',
    ' ',
    'mcp.example.com:',
    'mcp.example.com:0443x',
    'mcp..example.com',
    'mcp.example.com#',
    '[::1]',
  ])('%j is rejected', async (host) => {
    expect(await originOf({ host })).toEqual([400, '', 'host']);
  });

  it.each([
    ['[::1]:3000', '[0:0:0:0:0:0:0:1]:3000', 'http://[::1]:3000'],
    ['127.0.0.1:80', '127.0.0.1', 'http://127.0.0.1'],
    ['127.0.0.1:443', '127.0.0.1:443', 'http://127.0.0.1:443'],
    ['[2001:DB8::1]', '[2001:db8::1]', 'https://[2001:db8::1]'],
    ['Mcp.Example.com.:443', 'mcp.example.com', 'https://mcp.example.com'],
  ])('the entry %s allows %s', async (entry, host, origin) => {
    expect(await originOf({ host }, { allowedHostnames: [entry] })).toEqual([200, origin, 'host']);
  });

  it('is read of no forwarding header that is not named', async () => {
    expect(await originOf({ host: 'mcp.example.com', ...FORGED })).toEqual([200, 'https://mcp.example.com', 'host']);
  });

  it('comes from the first named header in the request, valid or not', async () => {
    const config = { hostHeaders: ['X-Forwarded-Host', 'Host'] };
    expect(await originOf({ host: 'mcp.example.com', ...FORGED }, config)).toEqual([400, '', 'x-forwarded-host']);
    expect(await originOf({ host: 'evil.example', 'x-forwarded-host': 'b.example:8443' }, config)).toEqual([
      200,
      'https://b.example:8443',
      'x-forwarded-host',
    ]);
    expect(await originOf({ host: 'mcp.example.com' }, config)).toEqual([
      200,
      'https://mcp.example.com',
      'x-forwarded-host, host',
    ]);
    expect(await originOf({ host: 'mcp.example.com', 'x-forwarded-host': '' }, config)).toEqual([
      400,
      '',
      'x-forwarded-host',
    ]);
    expect(await originOf({ host: 'mcp.example.com' }, { hostHeaders: ['x-other'] })).toEqual([400, '', 'x-other']);
  });

  it('is rejected if the header is repeated, even with the same value', async () => {
    expect(await originOf({ host: ['mcp.example.com', 'mcp.example.com'] })).toEqual([400, '', 'host']);
    expect(await originOf({ host: ['mcp.example.com', 'evil.example'] })).toEqual([400, '', 'host']);
  });

  it('is not called for an invalid identifier', async () => {
    const answer = await serve({}, HOSTS)('function URL', 'GET', `${PROTECTED}/%2e%2e/mcp`, {
      headers: { host: 'evil.example' },
    });
    expect([answer.status, answer.headers.vary]).toEqual([404, undefined]);
  });
});

describe('URLs of a matched route', () => {
  const metadata = mcpResourceMetadataURL('https://mcp.example.com/');
  const resource = mcpResourceURL('https://mcp.example.com');

  it.each([
    ['/mcp', {}, '/mcp'],
    ['/{client_namespace}/mcp', { client_namespace: 'acme' }, '/acme/mcp'],
    [
      '/{client_namespace}/partners/{partner_id}/mcp',
      { client_namespace: 'acme', partner_id: 'p 1' },
      '/acme/partners/p%201/mcp',
    ],
    [
      '/{client_namespace}/agents/{agent_id}/mcp',
      { client_namespace: 'acme', agent_id: 'bot:7' },
      '/acme/agents/bot:7/mcp',
    ],
    [
      '/{client_namespace}/partners/{partner_id}/agents/{agent_id}/mcp',
      { client_namespace: 'acme', partner_id: 'p1', agent_id: 'é' },
      '/acme/partners/p1/agents/%C3%A9/mcp',
    ],
  ])('%s', (pattern, params, path) => {
    expect(resource({ pattern, params })).toBe(`https://mcp.example.com${path}`);
    expect(metadata({ pattern, params })).toBe(`https://mcp.example.com/.well-known/oauth-protected-resource${path}`);
  });

  it.each<[string, Record<string, string>]>([
    ['/notes', {}],
    ['/{tenant}/mcp', { tenant: 'acme' }],
    ['/{client_namespace}/mcp', {}],
    ['/{client_namespace}/mcp', { client_namespace: '..' }],
    ['/{client_namespace}/mcp', { client_namespace: 'a/b' }],
    ['/{client_namespace}/mcp', { client_namespace: ' ' }],
  ])('does not exist for %s %j', (pattern, params) => {
    expect([metadata({ pattern, params }), resource({ pattern, params })]).toEqual([undefined, undefined]);
  });

  it.each(['', 'mcp.example.com', 'http://mcp.example.com', 'https://mcp.example.com/x', 7])(
    'does not exist at %s',
    (base) => {
      expect(() => mcpResourceMetadataURL(base as string)).toThrow(
        expect.failure('app.invalid_configuration', 'option "publicBaseUrl"'),
      );
      expect(() => mcpResourceURL(base as string)).toThrow(
        expect.failure('app.invalid_configuration', 'option "publicBaseUrl"'),
      );
    },
  );
});

it('scopes of a posture are the application’s', async () => {
  const request = serve({ posture: () => Authenticated('notes') });
  expect((await request('function URL', 'POST', '/acme/mcp', GOOD)).status).toBe(403);
});

it('browsers read documents where the application lets them', async () => {
  const app = new SecureApp({ log: false, cors: { allowedOrigins: ['https://app.example'] } });
  registerMcpFacade(app, HOSTS);
  const headers = { origin: 'https://app.example', host: 'mcp.example.com' };
  const answer = await send(app, 'gateway v2', 'GET', `${PROTECTED}/acme/mcp`, { headers });
  expect(answer.headers['access-control-allow-origin']).toEqual(['https://app.example']);
  expect(answer.headers.vary?.join(', ').toLowerCase().split(/, */).sort()).toEqual(['host', 'origin']);
});

describe('for any input', () => {
  const part = fc.oneof(
    fc.constantFrom(
      'mcp.example.com',
      'localhost:3000',
      ':443',
      '.',
      ',',
      '@',
      '/',
      '%2f',
      '%2e',
      '..',
      ' ',
      '[::1]',
      '\u00e9',
      'A',
    ),
    fc.string({ unit: 'binary', maxLength: 3 }),
  );
  const text = fc.array(part, { maxLength: 4 }).map((parts) => parts.join(''));
  const ALLOWED = [
    'https://mcp.example.com',
    'https://mcp.example.com:80',
    'http://localhost:3000',
    'https://b.example:8443',
  ];

  it('a document names a host of the list, or the request is rejected', async () => {
    const request = serve({}, HOSTS);
    await fc.assert(
      fc.asyncProperty(text, async (host) => {
        const { status, text: body } = await request('function URL', 'GET', `${PROTECTED}/a/mcp`, {
          headers: { host },
        });
        const { resource } = JSON.parse(body) as { resource?: string };
        if (status === 200) expect(ALLOWED).toContain(resource?.replace('/a/mcp', ''));
        else expect([status, body]).toEqual([400, '{"error":"invalid_request_host"}']);
      }),
      { numRuns: 500 },
    );
  });

  it.each(DOOR_NAMES)('a path is found or not, and never fails, through %s', async (door) => {
    const request = serve();
    await fc.assert(
      fc.asyncProperty(text, async (identifier) => {
        const path = `/${identifier.replace(/[?#]/g, '')}/mcp`;
        for (const at of [PROTECTED + path, path + SERVER]) {
          const { status, text: body } = await request(door, 'GET', at);
          expect([200, 404]).toContain(status);
          if (status !== 200) continue;
          const { resource = '' } = JSON.parse(body) as { resource?: string };
          expect(resource).toMatch(
            at === path + SERVER ? /^$/ : /^https:\/\/mcp\.example\.com\/[\w.~!$&'()*+,;=:@%-]+\/mcp$/,
          );
        }
      }),
      { numRuns: 300 },
    );
  });
});

describe('a document with endpoints that may not exist', () => {
  const lines: Line[] = [];
  const warned = async (config: Partial<FacadeConfig>, extra: (app: SecureApp) => void = () => {}) => {
    lines.length = 0;
    const app = new SecureApp({ log: rawLog(lines) });
    registerMcpFacade(app, { ...BASE, ...config } as FacadeConfig);
    extra(app);
    for (const path of [`${SERVER}/acme/mcp`, `${SERVER}/acme/mcp`, `${PROTECTED}/acme/mcp`])
      await send(app, 'gateway v2', 'GET', path);
    return lines.map(({ event, option, path }) => [event, option, path]);
  };
  const handlers = { authorizeHandler: () => () => ({ status: 204 }), tokenHandler: () => () => ({ status: 204 }) };
  const registrationEndpointUrl = 'https://id.example.com/reg';
  const GUESSED = ['mcp.facade_endpoint', 'registrationEndpointUrl', undefined];
  const MISSING = [
    'mcp.facade_endpoint',
    'authorizeHandler',
    '/.well-known/oauth-authorization-server/{client_namespace}/mcp/authorize',
  ];

  it('is reported once, with the option that is missing', async () => {
    expect(await warned({})).toEqual([GUESSED, MISSING]);
    expect(await warned({ registrationEndpointUrl })).toEqual([MISSING]);
    expect(await warned(handlers)).toEqual([GUESSED]);
  });

  it('is not reported if the application serves them', async () => {
    expect(await warned({ ...handlers, registrationEndpointUrl })).toEqual([]);
    const own = (app: SecureApp) => {
      app.get(`${SERVER}/{client_namespace}/mcp/authorize`, () => ({ status: 204 }), Public());
    };
    expect(await warned({ registrationEndpointUrl }, own)).toEqual([]);
  });
});
