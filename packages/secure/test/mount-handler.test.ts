import { json } from '@sallyport/http';
import { type AuthInfo, mountHandler } from '@sallyport/http/web';
import { Authenticated, firstPrincipal, Public, SecureApp, withBearer } from '../src/index.js';
import { sharedSecretPrincipalResolver } from '../src/shared-secret.js';

interface Door {
  readonly name: string;
  readonly event: (path: string, query: string, headers: Record<string, string>) => object;
}

const version2 = (domainName: string) => (rawPath: string, rawQueryString: string, headers: object) => ({
  version: '2.0',
  routeKey: '$default',
  rawPath,
  rawQueryString,
  headers: { host: domainName, ...headers },
  requestContext: { domainName, stage: '$default', http: { method: 'GET', path: rawPath, sourceIp: '192.0.2.1' } },
  isBase64Encoded: false,
});
const version1 = (requestContext: object) => (path: string, query: string, headers: object) => ({
  httpMethod: 'GET',
  path,
  headers: { host: 'tested.example', ...headers },
  queryStringParameters: query === '' ? null : Object.fromEntries(new URLSearchParams(query)),
  requestContext,
  body: null,
  isBase64Encoded: false,
});

const FUNCTION_URL: Door = { name: 'function URL', event: version2('tested.lambda-url.eu-west-1.on.aws') };
const REST: Door = {
  name: 'REST API',
  event: version1({ stage: 'prod', resourcePath: '/{proxy+}', identity: { sourceIp: '192.0.2.1' } }),
};
const LOAD_BALANCER: Door = {
  name: 'load balancer',
  event: version1({ elb: { targetGroupArn: 'arn:aws:elasticloadbalancing:eu-west-1:1:targetgroup/t/1' } }),
};
/** AWS decodes the path before it makes this event. */
const GATEWAY_V2: Door = { name: 'gateway v2', event: version2('a1.execute-api.eu-west-1.amazonaws.com') };

interface Answer {
  readonly statusCode: number;
  readonly body: string;
}

let seen: string[];
let given: (AuthInfo | undefined)[];
const fetch = (request: Request, options?: { authInfo?: AuthInfo }) => {
  seen.push(new URL(request.url).pathname + new URL(request.url).search);
  given.push(options?.authInfo);
  return new Response('handled');
};
beforeEach(() => {
  seen = [];
  given = [];
});

async function get(app: SecureApp, door: Door, path: string, query = '', headers: Record<string, string> = {}) {
  return (await app.handleLambda(door.event(path, query, headers))) as Answer;
}

/** One handler under a public path and a guarded one, and another under everything. */
function mounted(): SecureApp {
  const app = new SecureApp();
  mountHandler(app, '/sdk/public/{rest+}', { fetch }, { posture: Public() });
  mountHandler(app, '/sdk/admin/{rest+}', { fetch }, { posture: Authenticated('admin') });
  mountHandler(app, '/all/{rest+}', { fetch }, { posture: Public() });
  return app;
}

describe('the handled request is the request that the gate accepted', () => {
  const UNDECODED = [FUNCTION_URL, REST, LOAD_BALANCER];
  const refused = [
    '/sdk/public/../admin/keys',
    '/sdk/public/./keys',
    '/sdk/public/%2e%2e/admin/keys',
    '/sdk/public/%2E%2E/admin/keys',
    '/sdk/public/.%2e/admin/keys',
    '/sdk/public/%2e./admin/keys',
    '/sdk/public/%2e/keys',
    '/sdk/public/x/../../admin/keys',
    '/sdk/public/..\\admin\\keys',
    '/sdk/public/\\..\\admin/keys',
    '/sdk/public/..\\..\\sdk/admin/keys',
    '/sdk/public/.\t./admin/keys',
    '/sdk/public/.\n./admin/keys',
    '/sdk/public/%2e\r%2e/admin/keys',
    '/sdk/public/a\u0000b',
    '/sdk/public/a\\b',
    '/sdk/public/..',
    '/sdk/public/%2e%2e',
    '/sdk/public/ä/../b',
    '/all/../sdk/admin/keys',
    '/all/%2e%2e/sdk/admin/keys',
  ];
  const passed: readonly (readonly [string, string])[] = [
    ['/sdk/public/keys', '/sdk/public/keys'],
    ['/sdk/public/..%2fadmin/keys', '/sdk/public/..%2fadmin/keys'],
    ['/sdk/public/..%5cadmin', '/sdk/public/..%5cadmin'],
    ['/sdk/public/%252e%252e/admin', '/sdk/public/%252e%252e/admin'],
    ['/sdk/public/...', '/sdk/public/...'],
    ['/sdk/public/..;/admin', '/sdk/public/..;/admin'],
    ['/sdk/public/a%3Fadmin=1', '/sdk/public/a%3Fadmin=1'],
    ['/sdk/public/a%23b', '/sdk/public/a%23b'],
    ['/sdk/public/a#b', '/sdk/public/a%23b'],
    ['/sdk/public/%00', '/sdk/public/%00'],
    ['/sdk/public/a b"<>`{}^c', '/sdk/public/a%20b%22%3C%3E%60%7B%7D%5Ec'],
    ['/sdk/public/caf%C3%A9', '/sdk/public/caf%C3%A9'],
    ['/sdk/public/@evil.example', '/sdk/public/@evil.example'],
  ];

  it.each(UNDECODED.flatMap((door) => refused.map((path) => [door.name, path, door] as const)))(
    'at a %s %j is rejected',
    async (_, path, door) => {
      expect((await get(mounted(), door, path)).statusCode).toBe(400);
      expect(seen).toEqual([]);
    },
  );

  it.each(UNDECODED.flatMap((door) => passed.map(([path, url]) => [door.name, path, url, door] as const)))(
    'at a %s %j is handled as %s',
    async (_, path, url, door) => {
      expect((await get(mounted(), door, path)).statusCode).toBe(200);
      expect(seen).toEqual([url]);
    },
  );

  it.each([
    '/sdk/public/../admin/keys',
    '/sdk/public/./keys',
    '/sdk/public/..\\admin\\keys',
    '/sdk/public/a\\b',
    '/all/../sdk/admin/keys',
  ])('at a gateway v2 %j is rejected', async (path) => {
    expect((await get(mounted(), GATEWAY_V2, path)).statusCode).toBe(400);
    expect(seen).toEqual([]);
  });

  it.each([
    ['/sdk/public/%2e%2e/admin', '/sdk/public/%252e%252e/admin'],
    ['/sdk/public/a?admin=1', '/sdk/public/a%3Fadmin=1'],
    ['/sdk/public/a#b', '/sdk/public/a%23b'],
    ['/sdk/public/café au lait', '/sdk/public/caf%C3%A9%20au%20lait'],
    ['/sdk/public/.\t./admin', '/sdk/public/.%09./admin'],
  ])('at a gateway v2 the decoded path %j is handled as %s', async (path, url) => {
    expect((await get(mounted(), GATEWAY_V2, path)).statusCode).toBe(200);
    expect(seen).toEqual([url]);
  });

  it('the guarded path itself remains guarded', async () => {
    expect((await get(mounted(), FUNCTION_URL, '/sdk/admin/keys')).statusCode).toBe(401);
    expect(seen).toEqual([]);
  });

  it.each([FUNCTION_URL, REST, LOAD_BALANCER, GATEWAY_V2])('the query remains the query at a $name', async (door) => {
    await get(mounted(), door, '/sdk/public/a', 'x=1');
    expect(seen).toEqual(['/sdk/public/a?x=1']);
  });

  it('stage and base path are gone, as for routes', async () => {
    const app = new SecureApp({ basePath: '/api' });
    mountHandler(app, '/sdk/{rest+}', { fetch }, { posture: Public() });
    const event = GATEWAY_V2.event('/prod/api/sdk/a', '', {}) as { requestContext: object };
    Object.assign(event.requestContext, { stage: 'prod' });
    await app.handleLambda(event);
    await get(app, REST, '/api/sdk/b');
    expect(seen).toEqual(['/sdk/a', '/sdk/b']);
  });
});

describe('the token of a caller', () => {
  const secrets = sharedSecretPrincipalResolver({ header: 'x-api-key', secrets: [{ id: 'shop', value: 'correct' }] });
  const tokenOf = (header: string) => /^Bearer (\S+)$/.exec(header)?.[1];
  const app = () => {
    const made = new SecureApp({
      principalResolver: firstPrincipal(secrets, (ctx) => {
        const token = tokenOf(ctx.header('authorization') ?? '');
        if (token === 'quiet') return { identity: 'ada' };
        return token === undefined ? null : withBearer({ identity: 'ada' }, token);
      }),
    });
    mountHandler(made, '/sdk', { fetch }, { posture: Authenticated() });
    return made;
  };

  it.each([
    ['the one that the resolver verified', { authorization: 'Bearer verified' }, 'verified', 'ada'],
    ['not one that nobody looked at', { authorization: 'Bearer any', 'x-api-key': 'correct' }, '', 'shop'],
    ['not one that the resolver does not answer for', { authorization: 'Bearer quiet' }, '', 'ada'],
  ])('is %s', async (_, headers, token, clientId) => {
    expect((await get(app(), FUNCTION_URL, '/sdk', '', headers as Record<string, string>)).statusCode).toBe(200);
    expect(given).toMatchObject([{ token, clientId }]);
  });

  it('is not among what handlers see of a principal', async () => {
    const made = app();
    const principals: unknown[] = [];
    made.get('/me', (ctx) => json(200, principals.push(ctx.securePrincipal())), Authenticated());
    await get(made, FUNCTION_URL, '/me', '', { authorization: 'Bearer verified' });
    expect(JSON.stringify(principals)).not.toContain('verified');
    expect(principals).toHaveLength(1);
  });

  it('does not remain with a principal that several requests share', async () => {
    const shared = Object.freeze({ identity: 'ada' });
    const made = new SecureApp({
      principalResolver: (ctx) => {
        const token = tokenOf(ctx.header('authorization') ?? '');
        return token === undefined ? shared : withBearer(shared, token);
      },
    });
    mountHandler(made, '/sdk', { fetch }, { posture: Authenticated() });
    await get(made, FUNCTION_URL, '/sdk', '', { authorization: 'Bearer verified' });
    await get(made, FUNCTION_URL, '/sdk');
    expect(given.map((info) => info?.token)).toEqual(['verified', '']);
  });
});

describe('a mounted handler', () => {
  const principalResolver = (ctx: { header(name: string): string | undefined }) => {
    const [, token] = (ctx.header('authorization') ?? '').split(' ');
    if (token === undefined) return null;
    const claims = { client_id: 'client-1', exp: 2_000_000_000 };
    return withBearer({ identity: 'ada', scopes: ['mcp'], tenantId: 't1', claims }, token);
  };
  const post = async (app: SecureApp, body: string, headers: Record<string, string>) => {
    const event = FUNCTION_URL.event('/sdk', '', headers) as { requestContext: { http: object } };
    Object.assign(event.requestContext.http, { method: 'POST' });
    return (await app.handleLambda({ ...event, body })) as Answer & {
      headers: Record<string, string>;
      cookies: string[];
    };
  };

  it('passes the request and the caller to a web-standard handler', async () => {
    const app = new SecureApp({ principalResolver });
    const seen: unknown[] = [];
    const fetch = async (request: Request, options?: object) => {
      seen.push(request.method, request.url, request.headers.get('x-a'), await request.text(), options);
      return new Response('made', {
        status: 201,
        headers: [
          ['x-b', 'c'],
          ['set-cookie', 'd=1'],
          ['set-cookie', 'e=2'],
        ],
      });
    };
    mountHandler(app, '/sdk', { fetch }, { posture: Authenticated() });
    const answer = await post(app, 'body', { authorization: 'Bearer token-1', 'x-a': 'b' });
    expect([answer.statusCode, answer.body, answer.headers['x-b']]).toEqual([201, 'made', 'c']);
    expect(answer.cookies).toEqual(['d=1', 'e=2']);
    expect(seen).toEqual([
      'POST',
      'https://tested.lambda-url.eu-west-1.on.aws/sdk',
      'b',
      'body',
      {
        authInfo: {
          token: 'token-1',
          clientId: 'client-1',
          scopes: ['mcp'],
          expiresAt: 2_000_000_000,
          extra: {
            identity: 'ada',
            kind: 'external',
            tenantId: 't1',
            claims: { client_id: 'client-1', exp: 2_000_000_000 },
          },
        },
      },
    ]);
    expect((await post(app, 'body', {})).statusCode).toBe(401);
  });

  it('shows cookies of payload 2.0 in the header, to the resolver and to the handler', async () => {
    const app = new SecureApp({
      principalResolver: (ctx) => (ctx.header('cookie') === 'sid=abc; theme=dark' ? { identity: 'ada' } : null),
    });
    const fetch = async (request: Request) => new Response(request.headers.get('cookie'));
    mountHandler(app, '/sdk', { fetch }, { posture: Authenticated(), methods: ['GET'] });
    const answer = await app.serveGatewayV2({
      version: '2.0',
      routeKey: '$default',
      rawPath: '/sdk',
      headers: {},
      cookies: ['sid=abc', 'theme=dark'],
      requestContext: { stage: '$default', http: { method: 'GET', path: '/sdk' } },
    });
    expect(answer).toMatchObject({ statusCode: 200, body: 'sid=abc; theme=dark' });
  });

  it('is routed for the methods that change and read, and for others when they are named', () => {
    const app = new SecureApp();
    mountHandler(app, '/a', { fetch }, { posture: Public() });
    mountHandler(app, '/b', { fetch }, { posture: Public(), methods: ['PROPFIND'] });
    expect(app.routes().map(({ method, path, streaming }) => [method, path, streaming])).toEqual([
      ['GET', '/a', true],
      ['POST', '/a', true],
      ['PUT', '/a', true],
      ['PATCH', '/a', true],
      ['DELETE', '/a', true],
      ['HEAD', '/a', true],
      ['OPTIONS', '/a', true],
      ['PROPFIND', '/b', true],
    ]);
  });

  it('has the root path and preflights, as the application had them', async () => {
    const app = new SecureApp();
    const asked: string[] = [];
    const own = (request: Request) => {
      asked.push(`${request.method} ${new URL(request.url).pathname}`);
      return new Response(request.method === 'OPTIONS' ? null : 'old', {
        status: request.method === 'OPTIONS' ? 204 : 200,
        headers: { 'access-control-allow-origin': 'https://page.example' },
      });
    };
    mountHandler(app, '/{rest+}', { fetch: own }, { posture: Authenticated(), optionsPosture: Public() });
    const ask = async (method: string, path: string) => {
      const event = FUNCTION_URL.event(path, '', {}) as { requestContext: { http: object } };
      Object.assign(event.requestContext.http, { method });
      const { statusCode, headers } = (await app.handleLambda(event)) as Answer & { headers: Record<string, string> };
      return [statusCode, headers['access-control-allow-origin']];
    };
    expect(await ask('OPTIONS', '/api/orders')).toEqual([204, 'https://page.example']);
    expect(await ask('OPTIONS', '/')).toEqual([204, 'https://page.example']);
    expect(await ask('GET', '/')).toEqual([401, undefined]);
    expect(asked).toEqual(['OPTIONS /api/orders', 'OPTIONS /']);
  });

  it.each(['GET', 'HEAD', 'POST', 'OPTIONS'])('of a public application gets %s of /', async (method) => {
    const app = new SecureApp();
    const own = (request: Request) => new Response(null, { headers: { 'x-method': request.method } });
    mountHandler(app, '/{rest+}', { fetch: own }, { posture: Public() });
    const event = FUNCTION_URL.event('/', '', {}) as { requestContext: { http: object } };
    Object.assign(event.requestContext.http, { method });
    expect(await app.handleLambda(event)).toMatchObject({ statusCode: 200, headers: { 'x-method': method } });
  });

  it('leaves / to a route that has moved', async () => {
    const app = new SecureApp();
    app.get('/', () => json(200, { moved: true }), Public());
    mountHandler(app, '/{rest+}', { fetch }, { posture: Authenticated() });
    expect((await get(app, FUNCTION_URL, '/')).body).toBe('{"moved":true}');
    expect(app.routes().filter(({ path }) => path === '/')).toHaveLength(7);
  });

  it('needs a posture', () => {
    const fetch = () => new Response();
    expect(() => mountHandler(new SecureApp(), '/sdk', { fetch }, {} as never)).toThrow(
      expect.failure('app.invalid_configuration', 'option "posture"'),
    );
  });
});
