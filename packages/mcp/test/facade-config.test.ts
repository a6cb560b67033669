import { Authenticated, AuthenticatedAnyOf, InternalOnly, Optional, Public, SecureApp } from '@sallyport/secure';
import {
  defaultCapabilities,
  type FacadeConfig,
  registerMcpFacade,
  URL_MODE_PUBLIC_BASE_URL,
  URL_MODE_REQUEST_HOST,
} from '../src/facade.js';

const SCOPES = { namespace: ['a'], partner_namespace: ['b'], agent: ['c'], partner_agent: ['d'] };
const BASE: FacadeConfig = {
  issuerUrl: 'https://id.example.com',
  jwksUri: 'https://id.example.com/jwks.json',
  urlMode: 'public_base_url',
  publicBaseUrl: 'https://mcp.example.com',
  scopes: SCOPES,
  mcpHandler: () => ({ body: 'served' }),
};
const { publicBaseUrl: _, ...WITHOUT_BASE } = BASE;
const HOSTS: FacadeConfig = { ...WITHOUT_BASE, urlMode: 'request_host', allowedHostnames: ['mcp.example.com'] };
const ROOT = {
  issuerUrl: 'https://id.example.com',
  authorizationEndpointUrl: 'https://id.example.com/authorize',
  tokenEndpointUrl: 'https://id.example.com/token',
  registrationEndpointUrl: 'https://id.example.com/register',
  jwksUri: 'https://id.example.com/jwks.json',
  scopes: ['a'],
};
const handler = () => () => ({ body: 'made' });

const without = (config: object, name: string) =>
  Object.fromEntries(Object.entries(config).filter(([key]) => key !== name));

/** The fault, the configuration, and the error message. */
const REFUSED: readonly [string, object, string][] = [
  ['nothing', {}, 'option "issuerUrl"'],
  ['an unknown key', { ...BASE, allowedHosts: [] }, 'unknown option "allowedHosts"'],
  ['no handler', without(BASE, 'mcpHandler'), 'option "mcpHandler"'],
  ['a handler that is no function', { ...BASE, mcpHandler: {} }, 'option "mcpHandler"'],

  ...[
    '',
    'id.example.com',
    '/id',
    'http://id.example.com',
    'ftp://id.example.com',
    'https://',
    'https://a?b=1',
    'https://a#b',
    'https://u:p@a',
    'https://u@a',
    'https://a b',
    7,
    null,
  ].map((issuerUrl): [string, object, string] => [
    `the issuer ${issuerUrl}`,
    { ...BASE, issuerUrl },
    'option "issuerUrl"',
  ]),
  ['no issuer', without(BASE, 'issuerUrl'), 'option "issuerUrl"'],
  ['no keys', without(BASE, 'jwksUri'), 'option "jwksUri"'],
  ...(['jwksUri', 'registrationEndpointUrl'] as const).flatMap((name) =>
    ['', 'jwks.json', 'http://id.example.com/x', 'https://a/x#y', 'https://u:p@a/x'].map(
      (value): [string, object, string] => [
        `${name} ${value}`,
        { ...BASE, [name]: value },
        `option "${name}" must be an absolute https URL`,
      ],
    ),
  ),

  ['no mode', without(BASE, 'urlMode'), 'option "urlMode"'],
  ['another mode', { ...BASE, urlMode: 'forwarded' }, 'option "urlMode"'],

  ['no base', without(BASE, 'publicBaseUrl'), 'option "publicBaseUrl"'],
  ...[
    '',
    'mcp.example.com',
    'http://mcp.example.com',
    'https://a/x',
    'https://a//',
    'https://a?b',
    'https://a#b',
    'https://u@a',
    'https://a:99999',
  ].map((publicBaseUrl): [string, object, string] => [
    `the base ${publicBaseUrl}`,
    { ...BASE, publicBaseUrl },
    'option "publicBaseUrl"',
  ]),
  ['hosts beside a base', { ...BASE, allowedHostnames: ['a.example'] }, 'option "allowedHostnames"'],
  ['headers beside a base', { ...BASE, hostHeaders: ['host'] }, 'option "hostHeaders"'],

  ['a base beside hosts', { ...HOSTS, publicBaseUrl: 'https://a' }, 'option "publicBaseUrl"'],
  ['an age beside hosts', { ...HOSTS, documentMaxAgeSeconds: 60 }, 'option "documentMaxAgeSeconds"'],
  ['no hosts', without(HOSTS, 'allowedHostnames'), 'option "allowedHostnames"'],
  ...[
    [],
    '',
    'a.example',
    [7],
    [''],
    [' a.example'],
    ['a.example/'],
    ['a.example/x'],
    ['a.example?x'],
    ['a.example#x'],
    ['u@a.example'],
    ['https://a.example'],
    ['a.example:'],
    ['a.example:0'],
    ['a.example:65536'],
    ['a.example:x'],
    ['a..example'],
    ['*.example'],
    ['-a.example'],
    ['a.example,b.example'],
    ['::1'],
    ['[::g]'],
    ['[::1'],
    ['1.2.3'],
    ['0x7f.0.0.1'],
    ['ä.example'],
  ].map((allowedHostnames): [string, object, string] => [
    `the hosts ${JSON.stringify(allowedHostnames)}`,
    { ...HOSTS, allowedHostnames },
    'option "allowedHostnames"',
  ]),
  ...[[], 'host', [''], ['ho st'], ['host:'], [7]].map((hostHeaders): [string, object, string] => [
    `the headers ${JSON.stringify(hostHeaders)}`,
    { ...HOSTS, hostHeaders },
    'option "hostHeaders"',
  ]),

  ['no scopes', without(BASE, 'scopes'), 'option "scopes"'],
  ...Object.keys(SCOPES).map((kind): [string, object, string] => [
    `no scopes of ${kind}`,
    { ...BASE, scopes: without(SCOPES, kind) },
    `option "scopes.${kind}" must be a non-empty list of scopes`,
  ]),
  ['scopes of an unknown kind', { ...BASE, scopes: { ...SCOPES, tenant: ['a'] } }, 'unknown option "scopes.tenant"'],
  ...[[], 'a', [''], [' '], ['a b'], ['a"'], ['a\\'], ['ä'], [7]].map((agent): [string, object, string] => [
    `the scopes ${JSON.stringify(agent)}`,
    { ...BASE, scopes: { ...SCOPES, agent } },
    'option "scopes.agent"',
  ]),

  ...Object.keys(defaultCapabilities()).flatMap((name) =>
    [[], 'code', [''], [' '], ['a b'], [7]].map((value): [string, object, string] => [
      `${name} ${JSON.stringify(value)}`,
      { ...BASE, capabilities: { [name]: value } },
      `option "capabilities.${name}" must be a non-empty list of words`,
    ]),
  ),
  ['an unknown capability', { ...BASE, capabilities: { scopes: ['a'] } }, 'unknown option "capabilities.scopes"'],

  [
    'only one factory: authorize',
    { ...BASE, authorizeHandler: handler },
    'options "authorizeHandler" and "tokenHandler" must be given together',
  ],
  [
    'only one factory: token',
    { ...BASE, tokenHandler: handler },
    'options "authorizeHandler" and "tokenHandler" must be given together',
  ],
  [
    "a factory that is a handler's answer",
    { ...BASE, authorizeHandler: handler, tokenHandler: {} },
    'option "tokenHandler"',
  ],
  [
    'no authorization handler for a kind',
    {
      ...BASE,
      authorizeHandler: (kind: string) => (kind === 'agent' ? undefined : () => ({ body: '' })),
      tokenHandler: handler,
    },
    'option "authorizeHandler"',
  ],
  [
    'no token handler for a kind',
    {
      ...BASE,
      authorizeHandler: handler,
      tokenHandler: (kind: string) => (kind === 'partner_agent' ? 'x' : () => ({ body: '' })),
    },
    'option "tokenHandler"',
  ],

  ...Object.keys(ROOT).map((name): [string, object, string] => [
    `a root document without ${name}`,
    { ...BASE, rootAuthorizationServer: without(ROOT, name) },
    `option "rootAuthorizationServer.${name}" must be`,
  ]),
  [
    'a root issuer with a query',
    { ...BASE, rootAuthorizationServer: { ...ROOT, issuerUrl: 'https://a?b' } },
    'option "rootAuthorizationServer.issuerUrl"',
  ],
  [
    'a root endpoint with a fragment',
    { ...BASE, rootAuthorizationServer: { ...ROOT, tokenEndpointUrl: 'https://a/t#b' } },
    'option "rootAuthorizationServer.tokenEndpointUrl"',
  ],
  [
    'a root endpoint of http',
    { ...BASE, rootAuthorizationServer: { ...ROOT, jwksUri: 'http://a/jwks' } },
    'option "rootAuthorizationServer.jwksUri"',
  ],
  [
    'root scopes that are none',
    { ...BASE, rootAuthorizationServer: { ...ROOT, scopes: [] } },
    'option "rootAuthorizationServer.scopes"',
  ],
  [
    'an unknown member of the root',
    { ...BASE, rootAuthorizationServer: { ...ROOT, issuer: 'x' } },
    'unknown option "rootAuthorizationServer.issuer"',
  ],

  [
    'a public posture',
    { ...BASE, posture: () => Public() },
    'option "posture" must require authentication: it is public for namespace',
  ],
  [
    'an optional posture',
    { ...BASE, posture: (kind: string) => (kind === 'agent' ? Optional() : Authenticated()) },
    'option "posture" must require authentication: it is optional for agent',
  ],
  [
    'no posture for a kind',
    { ...BASE, posture: () => undefined },
    'invalid auth posture: POST /{client_namespace}/mcp has no posture',
  ],
  [
    'a forged posture',
    { ...BASE, posture: () => ({ kind: 'authenticated', scopes: [] }) },
    'invalid auth posture: POST /{client_namespace}/mcp',
  ],

  ...[0, -1, 1.5, '60', 31_536_001].map((documentMaxAgeSeconds): [string, object, string] => [
    `the age ${documentMaxAgeSeconds}`,
    { ...BASE, documentMaxAgeSeconds },
    'option "documentMaxAgeSeconds"',
  ]),
];

it.each(REFUSED)('%s is rejected, and nothing is registered', (_name, config, text) => {
  const app = new SecureApp({ log: false }).get('/health', () => ({ body: 'ok' }), Public());
  const attempt = () => registerMcpFacade(app, config as FacadeConfig);
  expect(attempt).toThrow(expect.failure('app.invalid_configuration', `mcp facade: ${text}`));
  expect(app.routes()).toHaveLength(1);
});

it.each([undefined, null, [], 'config'])('%s is not a valid configuration', (config) => {
  expect(() => registerMcpFacade(new SecureApp({ log: false }), config as never)).toThrow(
    expect.failure('app.invalid_configuration', 'mcp facade: options'),
  );
});

describe('what is accepted', () => {
  it.each<[string, Partial<FacadeConfig>]>([
    ['an issuer on loopback', { issuerUrl: 'http://localhost:9000', jwksUri: 'http://127.0.0.1:9000/jwks' }],
    ['a base on loopback', { publicBaseUrl: 'http://127.0.0.1:8080' }],
    ['a base with a slash', { publicBaseUrl: 'https://mcp.example.com/' }],
    ['an issuer with a path', { issuerUrl: 'https://id.example.com/realms/a' }],
    ['endpoints with a query', { jwksUri: 'https://id.example.com/keys?set=1' }],
    [
      'postures of other kinds',
      { posture: (kind) => (kind === 'agent' ? InternalOnly() : AuthenticatedAnyOf('a', 'b')) },
    ],
    ['both factories', { authorizeHandler: handler, tokenHandler: handler }],
  ])('%s', (_, config) => {
    expect(() => registerMcpFacade(new SecureApp({ log: false }), { ...BASE, ...config })).not.toThrow();
  });

  it('modes by their constants', () => {
    expect([URL_MODE_PUBLIC_BASE_URL, URL_MODE_REQUEST_HOST]).toEqual(['public_base_url', 'request_host']);
    for (const host of [
      'localhost:3000',
      '[::1]:3000',
      'MCP.Example.COM.',
      'mcp.example.com:443',
      '10.0.0.1',
      'xn--4ca.example',
    ]) {
      expect(() =>
        registerMcpFacade(new SecureApp({ log: false }), { ...HOSTS, allowedHostnames: [host] }),
      ).not.toThrow();
    }
  });

  it('default capabilities, a fresh copy each', () => {
    expect(defaultCapabilities()).toEqual({
      responseTypes: ['code'],
      grantTypes: ['authorization_code', 'refresh_token'],
      tokenEndpointAuthMethods: ['none'],
      codeChallengeMethods: ['S256'],
    });
    expect(defaultCapabilities().grantTypes).not.toBe(defaultCapabilities().grantTypes);
  });
});

describe('collisions', () => {
  const attached: FacadeConfig = {
    ...BASE,
    rootAuthorizationServer: ROOT,
    authorizeHandler: handler,
    tokenHandler: handler,
  };

  it.each([
    ['POST', '/{tenant}/mcp'],
    ['GET', '/{a}/partners/{b}/mcp'],
    ['DELETE', '/{a}/partners/{b}/agents/{c}/mcp'],
    ['GET', '/.well-known/oauth-protected-resource/{a}/mcp'],
    ['GET', '/.well-known/oauth-authorization-server/{a}/agents/{b}/mcp'],
    ['GET', '/{a}/mcp/.well-known/oauth-authorization-server'],
    ['GET', '/.well-known/oauth-authorization-server/{a}/mcp/authorize'],
    ['POST', '/.well-known/oauth-authorization-server/{a}/partners/{b}/agents/{c}/mcp/token'],
    ['GET', '/.well-known/oauth-authorization-server'],
  ])('with %s %s leave the application unchanged', (method, path) => {
    const app = new SecureApp({ log: false }).handle(method, path, () => ({ body: 'mine' }), Public());
    const before = app.routes();
    expect(() => registerMcpFacade(app, attached)).toThrow(
      expect.failure('app.invalid_configuration', `mcp facade: duplicate route: ${method} /`),
    );
    expect(app.routes()).toEqual(before);
  });

  it('a second facade on one application is rejected', () => {
    const app = new SecureApp({ log: false });
    registerMcpFacade(app, BASE);
    expect(() => registerMcpFacade(app, BASE)).toThrow(
      expect.failure('app.invalid_configuration', 'mcp facade: duplicate route'),
    );
  });

  it('a server at /mcp, other methods and more specific routes do not conflict', () => {
    const app = new SecureApp({ log: false })
      .post('/mcp', () => ({ body: 'mine' }), Authenticated())
      .put('/{tenant}/mcp', () => ({ body: 'mine' }), Authenticated())
      .post('/acme/mcp', () => ({ body: 'mine' }), Authenticated())
      .appSyncField('Query', 'mcp', () => ({ body: 'mine' }), Authenticated())
      .webSocket('$connect', () => ({ body: 'mine' }), Authenticated());
    expect(() => registerMcpFacade(app, attached)).not.toThrow();
  });
});

describe('the inventory', () => {
  it('names all routes of the contract, equal to the registered routes', () => {
    const app = new SecureApp({ log: false });
    const { routes, ...rest } = registerMcpFacade(app, {
      ...BASE,
      rootAuthorizationServer: ROOT,
      authorizeHandler: handler,
      tokenHandler: handler,
    });
    expect(rest).toEqual({
      contractVersion: 'm17.mcp-route-algebra/v1',
      rootAuthorizationServerPattern: '/.well-known/oauth-authorization-server',
      rootAuthorizationServerAttached: true,
    });
    expect(routes.map(({ kind }) => kind)).toEqual(['namespace', 'partner_namespace', 'agent', 'partner_agent']);
    expect(routes[2]).toEqual({
      kind: 'agent',
      mcpPattern: '/{client_namespace}/agents/{agent_id}/mcp',
      mcpMethods: ['POST', 'GET', 'DELETE'],
      protectedResourcePattern: '/.well-known/oauth-protected-resource/{client_namespace}/agents/{agent_id}/mcp',
      discoveryCanonicalPattern: '/.well-known/oauth-authorization-server/{client_namespace}/agents/{agent_id}/mcp',
      discoverySuffixPattern: '/{client_namespace}/agents/{agent_id}/mcp/.well-known/oauth-authorization-server',
      authorizePattern: '/.well-known/oauth-authorization-server/{client_namespace}/agents/{agent_id}/mcp/authorize',
      tokenPattern: '/.well-known/oauth-authorization-server/{client_namespace}/agents/{agent_id}/mcp/token',
      authorizationRoutesAttached: true,
    });
    const listed = [
      'GET /.well-known/oauth-authorization-server',
      ...routes.flatMap((route) => [
        ...route.mcpMethods.map((method) => `${method} ${route.mcpPattern}`),
        `GET ${route.protectedResourcePattern}`,
        `GET ${route.discoveryCanonicalPattern}`,
        `GET ${route.discoverySuffixPattern}`,
        `GET ${route.authorizePattern}`,
        `POST ${route.tokenPattern}`,
      ]),
    ];
    expect(
      app
        .routes()
        .filter(({ method }) => method !== 'HEAD')
        .map(({ method, path }) => `${method} ${path}`)
        .sort(),
    ).toEqual(listed.sort());
  });

  it('discovery is public, MCP routes have their posture', () => {
    const app = new SecureApp({ log: false });
    const { routes } = registerMcpFacade(app, {
      ...BASE,
      posture: (kind) => (kind === 'agent' ? Authenticated('agents') : Authenticated()),
    });
    const patterns = routes.map(({ mcpPattern }) => mcpPattern);
    for (const { method, path, posture, scopes, streaming } of app.routes()) {
      if (!patterns.includes(path))
        expect([['GET', 'HEAD'].includes(method), posture, streaming]).toEqual([true, 'public', undefined]);
      else
        expect([posture, scopes, streaming]).toEqual([
          'authenticated',
          path === '/{client_namespace}/agents/{agent_id}/mcp' ? ['agents'] : undefined,
          true,
        ]);
    }
    expect(app.routes()).toHaveLength(36);
  });

  it('cannot be changed, and each call returns a new one', () => {
    const one = registerMcpFacade(new SecureApp({ log: false }), BASE);
    const two = registerMcpFacade(new SecureApp({ log: false }), BASE);
    expect(
      [one, one.routes, ...one.routes, ...one.routes.map(({ mcpMethods }) => mcpMethods)].every(Object.isFrozen),
    ).toBe(true);
    expect(() => Object.assign(one, { contractVersion: 'x' })).toThrow(TypeError);
    expect(two).toEqual(one);
    expect(two).not.toBe(one);
    expect(one.rootAuthorizationServerAttached).toBe(false);
    expect(one.routes[0]?.authorizationRoutesAttached).toBe(false);
  });

  it('has snake_case keys as JSON', () => {
    const inventory = JSON.parse(JSON.stringify(registerMcpFacade(new SecureApp({ log: false }), BASE))) as Record<
      string,
      object[]
    >;
    expect(Object.keys(inventory)).toEqual([
      'contract_version',
      'routes',
      'root_authorization_server_pattern',
      'root_authorization_server_attached',
    ]);
    expect(Object.keys(inventory.routes?.[0] ?? {})).toEqual([
      'kind',
      'mcp_pattern',
      'mcp_methods',
      'protected_resource_pattern',
      'discovery_canonical_pattern',
      'discovery_suffix_pattern',
      'authorize_pattern',
      'token_pattern',
      'authorization_routes_attached',
    ]);
  });
});
