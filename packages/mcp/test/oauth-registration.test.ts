import type { LookupFunction } from 'node:net';
import { Public, SecureApp } from '@sallyport/secure';
import { ManualClock } from '@sallyport/testkit';
import { createLoader } from '../src/oauth/client-metadata.js';
import { isPublicAddress } from '../src/oauth/internal/public-fetch.js';
import {
  CLAUDE_REGISTRATION_POLICY,
  type ClientRegistrationPolicy,
  createClientMetadataLoader,
  createRegistrationHandler,
  isClientMetadataURL,
  OAuthError,
  type RegisteredClient,
  validateClientRegistration,
} from '../src/oauth.js';
import { DOOR_NAMES, send } from './support/events.js';
import { startTlsServer, type TlsServer } from './support/tls-server.js';

const CLAUDE = 'https://claude.ai/api/mcp/auth_callback';
const errorOf = (request: unknown, policy?: ClientRegistrationPolicy) => {
  try {
    validateClientRegistration(request, policy);
    return undefined;
  } catch (error) {
    return error instanceof OAuthError ? error.error : error;
  }
};
const uris = (...redirect_uris: unknown[]) => ({ redirect_uris });

describe('a registration', () => {
  it('keeps known members, and drops all others', () => {
    const request = {
      redirect_uris: ['https://c.example/cb'],
      client_name: 'Client',
      client_uri: 'https://c.example',
      logo_uri: 'https://c.example/logo.png',
      scope: 'a b',
      application_type: 'web',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      software_id: 'x',
      client_id: 'chosen',
      client_secret: 'chosen',
      is_admin: true,
      __proto__: { tos_uri: 'https://evil.example' },
    };
    expect(validateClientRegistration(request)).toEqual({
      redirect_uris: ['https://c.example/cb'],
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      application_type: 'web',
      scope: 'a b',
      client_name: 'Client',
      client_uri: 'https://c.example',
      logo_uri: 'https://c.example/logo.png',
      software_id: 'x',
    });
  });

  it('has defaults for members that are left out', () => {
    expect(validateClientRegistration(uris('https://c.example/cb'))).toEqual({
      redirect_uris: ['https://c.example/cb'],
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code'],
      response_types: ['code'],
    });
  });

  it.each([
    'https://c.example/cb',
    'https://c.example/cb?a=1',
    'https://c.example',
    'http://localhost/cb',
    'http://localhost:33418/',
    'http://127.0.0.1:1/cb',
    'http://[::1]:65535/cb',
    `https://c.example/${'a'.repeat(2030)}`,
  ])('may redirect to %s', (uri) => {
    expect(errorOf(uris(uri))).toBeUndefined();
  });

  it.each([
    'javascript:alert(1)',
    'JavaScript:alert(1)',
    'data:text/html,x',
    'file:///etc/passwd',
    'vbscript:x',
    'about:blank',
    'blob:https://c.example/1',
    'https://a#b',
    'https://c.example/cb#',
    'http://evil',
    'http://evil.example/cb',
    'http://localhost.evil.example/cb',
    'http://127.0.0.1.evil.example/cb',
    'http://192.168.0.1/cb',
    'https://user@c.example/cb',
    'https://user:pw@c.example/cb',
    'https://@c.example/cb',
    'https://c.example\\@evil.example/cb',
    'https://c.example/a b',
    ' https://c.example/cb',
    'https://c.example/cb\n',
    'https://c.example/\u0000',
    'https://c.exämple/cb',
    '//c.example/cb',
    '/cb',
    'https:/c.example/cb',
    'https://',
    'com.example.app:/cb',
    'myapp://cb',
    '',
    `https://c.example/${'a'.repeat(2031)}`,
    7,
    null,
    ['https://c.example/cb'],
  ])('may not redirect to %j', (uri) => {
    expect(errorOf(uris(uri))).toBe('invalid_redirect_uri');
    expect(errorOf(uris('https://c.example/cb', uri))).toBe('invalid_redirect_uri');
  });

  it.each(['com.example.app:/cb', 'com.example.app://cb', 'com.example.app:cb', 'COM.example.app:/cb'])(
    'of a native application may redirect to %s',
    (uri) => {
      expect(errorOf({ ...uris(uri), application_type: 'native' })).toBeUndefined();
    },
  );

  it.each([
    'myapp:/cb',
    'javascript:alert(1)',
    'data:x',
    'com.example.app://user@cb',
    'com.example.app:/cb#a',
    '.a.b:/cb',
    'a..b:/cb',
  ])('of a native application may not redirect to %s', (uri) => {
    expect(errorOf({ ...uris(uri), application_type: 'native' })).toBe('invalid_redirect_uri');
  });

  it.each<[string, unknown, string]>([
    [
      '11 URIs',
      uris(...Array.from({ length: 11 }, (_, index) => `https://c.example/${index}`)),
      'invalid_redirect_uri',
    ],
    ['no URI', uris(), 'invalid_redirect_uri'],
    ['no list', { redirect_uris: CLAUDE }, 'invalid_redirect_uri'],
    ['nothing', {}, 'invalid_redirect_uri'],
    ['null', null, 'invalid_client_metadata'],
    ['a list', [], 'invalid_client_metadata'],
    ['an implicit grant', { ...uris(CLAUDE), grant_types: ['implicit'] }, 'invalid_client_metadata'],
    ['grants as text', { ...uris(CLAUDE), grant_types: 'authorization_code' }, 'invalid_client_metadata'],
    ['another response', { ...uris(CLAUDE), response_types: ['token'] }, 'invalid_client_metadata'],
    ['another method', { ...uris(CLAUDE), token_endpoint_auth_method: 'tls_client_auth' }, 'invalid_client_metadata'],
    ['another kind', { ...uris(CLAUDE), application_type: 'desktop' }, 'invalid_client_metadata'],
    ['a logo that runs', { ...uris(CLAUDE), logo_uri: 'javascript:alert(1)' }, 'invalid_client_metadata'],
    ['a name of 2,049 characters', { ...uris(CLAUDE), client_name: 'a'.repeat(2049) }, 'invalid_client_metadata'],
    ['a scope with a quote', { ...uris(CLAUDE), scope: 'a "' }, 'invalid_client_metadata'],
  ])('with %s is rejected', (_, request, error) => {
    expect(errorOf(request)).toBe(error);
  });

  it('keeps the grant and response types of the token endpoint, and no others', () => {
    const request = {
      ...uris('https://c.example/cb'),
      grant_types: ['password', 'refresh_token', 'client_credentials', 'authorization_code', 'implicit'],
      response_types: ['token', 'code'],
    };
    const { grant_types, response_types } = validateClientRegistration(request);
    expect([grant_types, response_types]).toEqual([['authorization_code', 'refresh_token'], ['code']]);
  });

  it.each([[['password', 'client_credentials']], [[]], [['refresh_token']], [['Authorization_Code']]])(
    'without the grant type of a code is rejected: %j',
    (grant_types) => {
      expect(errorOf({ ...uris('https://c.example/cb'), grant_types })).toBe('invalid_client_metadata');
    },
  );

  describe.each(['client_name', 'software_id', 'software_version'])('with %s', (member) => {
    const named = (value: unknown) => errorOf({ ...uris('https://c.example/cb'), [member]: value });

    it.each([
      ['NUL', 'a\u0000b'],
      ['a line feed', 'a\nb'],
      ['a tab', 'a\tb'],
      ['DEL', 'a\u007fb'],
      ['a C1 control', 'a\u0085b'],
      ['a right-to-left override', 'a\u202eb'],
      ['a left-to-right embedding', 'a\u202ab'],
      ['a right-to-left mark', 'a\u200fb'],
      ['an Arabic letter mark', 'a\u061cb'],
      ['an isolate', 'a\u2066b'],
      ['the end of an isolate', 'a\u2069b'],
      ['a zero-width space', 'a\u200bb'],
      ['a byte order mark', '\ufeffb'],
      ['a line separator', 'a\u2028b'],
      ['a tag character', 'a\u{e0041}b'],
      ['half a character', 'a\ud83db'],
      ['257 characters', 'a'.repeat(257)],
      ['nothing', ''],
      ['a blank', ' '],
      ['a number', 7],
    ])('is rejected for %s', (_, value) => {
      expect(named(value)).toBe('invalid_client_metadata');
    });

    it.each(['Ada’s client', 'نوٹس', 'हिन्दी‍', 'ノート', '👩‍💻', 'a'.repeat(256), '<b>C</b>'])('accepts %s', (value) => {
      expect(named(value)).toBeUndefined();
    });
  });

  it('is checked by a policy', () => {
    expect(errorOf(uris(CLAUDE), CLAUDE_REGISTRATION_POLICY)).toBeUndefined();
    expect(errorOf(uris('https://claude.com/api/mcp/auth_callback'), CLAUDE_REGISTRATION_POLICY)).toBeUndefined();
    for (const uri of [
      'https://claude.ai/api/mcp/auth_callback/',
      'https://CLAUDE.ai/api/mcp/auth_callback',
      `${CLAUDE}?a=1`,
      'http://localhost/cb',
    ]) {
      expect(errorOf(uris(uri), CLAUDE_REGISTRATION_POLICY)).toBe('invalid_redirect_uri');
    }
    const withMethod = (token_endpoint_auth_method: string) => ({ ...uris(CLAUDE), token_endpoint_auth_method });
    expect(errorOf(withMethod('none'), CLAUDE_REGISTRATION_POLICY)).toBeUndefined();
    expect(errorOf(withMethod('client_secret_post'), CLAUDE_REGISTRATION_POLICY)).toBe('invalid_client_metadata');
    expect(errorOf(withMethod('client_secret_post'))).toBeUndefined();
    expect(errorOf({ ...uris(CLAUDE), grant_types: ['authorization_code'] }, CLAUDE_REGISTRATION_POLICY)).toBe(
      'invalid_client_metadata',
    );
    expect(validateClientRegistration(uris(CLAUDE), CLAUDE_REGISTRATION_POLICY).grant_types).toEqual([
      'authorization_code',
      'refresh_token',
    ]);
    expect(() => validateClientRegistration(uris(CLAUDE), { allowed: [] } as never)).toThrow(
      expect.failure('app.invalid_configuration', 'unknown option "allowed"'),
    );
  });
});

describe('the registration endpoint', () => {
  const create = (options: object = {}) => {
    const saved: RegisteredClient[] = [];
    const app = new SecureApp({ log: false, clock: new ManualClock(new Date('2026-11-22T10:00:00.900Z')) });
    app.post(
      '/register',
      createRegistrationHandler({ save: (client) => void saved.push(client), ...options }),
      Public(),
    );
    return { app, saved };
  };
  const register = (app: SecureApp, body: string, type = 'application/json', door = DOOR_NAMES[0] ?? 'gateway v2') =>
    send(app, door, 'POST', '/register', { headers: { 'content-type': type }, body });

  it.each(DOOR_NAMES)('answers 201 through %s, and keeps what it answers', async (door) => {
    const { app, saved } = create();
    const answer = await register(app, JSON.stringify({ ...uris(CLAUDE), evil: 1 }), 'application/json', door);
    expect([answer.status, answer.headers['cache-control'], answer.headers.pragma]).toEqual([
      201,
      ['no-store'],
      ['no-cache'],
    ]);
    expect(JSON.parse(answer.text)).toEqual({
      client_id: expect.stringMatching(/^[\w-]{22}$/),
      client_id_issued_at: 1_795_341_600,
      redirect_uris: [CLAUDE],
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code'],
      response_types: ['code'],
    });
    expect(saved).toEqual([JSON.parse(answer.text)]);
  });

  it.each<[string, string, string, string]>([
    ['a URI that runs', JSON.stringify(uris('javascript:alert(1)')), 'application/json', 'invalid_redirect_uri'],
    ['broken JSON', '{', 'application/json', 'invalid_client_metadata'],
    ['a form', 'a=b', 'application/x-www-form-urlencoded', 'invalid_client_metadata'],
    ['nothing', '', 'application/json', 'invalid_client_metadata'],
    [
      '64 KiB',
      JSON.stringify({ ...uris(CLAUDE), x: 'a'.repeat(65_536) }),
      'application/json',
      'invalid_client_metadata',
    ],
  ])('answers 400 for %s', async (_, body, type, error) => {
    const { app, saved } = create();
    const answer = await register(app, body, type);
    expect([answer.status, JSON.parse(answer.text)]).toEqual([400, { error, error_description: expect.any(String) }]);
    expect(saved).toEqual([]);
  });

  it('shows a secret once', async () => {
    const { app, saved } = create({ save: () => ({ clientSecret: 's3cret', expiresAt: new Date(2e12) }) });
    const answer = await register(
      app,
      JSON.stringify({ ...uris(CLAUDE), token_endpoint_auth_method: 'client_secret_post' }),
    );
    expect(JSON.parse(answer.text)).toMatchObject({ client_secret: 's3cret', client_secret_expires_at: 2e9 });
    expect(JSON.stringify(saved)).not.toContain('s3cret');
  });

  it.each([
    ['client_secret_basic', 400],
    ['client_secret_post', 400],
    ['none', 201],
    ['private_key_jwt', 201],
  ])('without a secret answers a client with the method %s with %i', async (method, status) => {
    const { app } = create();
    const answer = await register(app, JSON.stringify({ ...uris(CLAUDE), token_endpoint_auth_method: method }));
    expect([answer.status, JSON.parse(answer.text).error]).toEqual([
      status,
      status === 400 ? 'invalid_client_metadata' : undefined,
    ]);
  });

  it('fails when the client cannot be kept', async () => {
    const { app } = create({ save: () => Promise.reject(new Error('no table')) });
    expect((await register(app, JSON.stringify(uris(CLAUDE)))).status).toBe(500);
  });

  it('is rejected without save', () => {
    expect(() => createRegistrationHandler({} as never)).toThrow(
      expect.failure('app.invalid_configuration', 'option "save"'),
    );
  });
});

describe('a client with a URL as its id', () => {
  it.each(['https://c.example/client.json', 'https://c.example:8443/a/b?v=1'])('is taken: %s', (id) => {
    expect(isClientMetadataURL(id)).toBe(true);
  });

  it.each([
    'c1',
    'http://c.example/client.json',
    'https://c.example',
    'https://c.example/',
    'https://c.example/a/../b',
    'https://c.example/%2e%2e/b',
    'https://c.example/./b',
    'https://C.example/b',
    'https://c.example:443/b',
    'https://u@c.example/b',
    'https://c.example/b#f',
    'https://localhost/b',
    'https://127.0.0.1/b',
    'https://[::1]/b',
    'https://0x7f.1/b',
    'https://2130706433/b',
    'https://169.254.169.254/latest',
    'https://127.1/b',
    '',
  ])('is not taken: %s', (id) => {
    expect(isClientMetadataURL(id)).toBe(false);
  });

  it.each(['8.8.8.8', '1.1.1.1', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '2a00:1450::1'])(
    'a public address: %s',
    (address) => {
      expect(isPublicAddress(address)).toBe(true);
    },
  );

  it.each([
    '127.0.0.1',
    '10.0.0.1',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '169.254.169.254',
    '169.254.170.2',
    '100.64.0.1',
    '0.0.0.0',
    '224.0.0.1',
    '255.255.255.255',
    '192.0.2.1',
    '198.18.0.1',
    '198.51.100.1',
    '203.0.113.1',
    '::1',
    '::',
    'fe80::1',
    'fe80::1%eth0',
    'fc00::1',
    'fd00:ec2::254',
    'ff02::1',
    '::ffff:127.0.0.1',
    '::ffff:8.8.8.8',
    '64:ff9b::7f00:1',
    '2001:db8::1',
    '2002:7f00:1::',
    '2001::1',
    '',
    'localhost',
    '1.1.1.1.',
  ])('not a public address: %s', (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  it('is not fetched from this machine or a private network', async () => {
    const load = createClientMetadataLoader();
    // Public names that resolve to this machine are rejected, too: the address is checked.
    await expect(load('https://localhost.localdomain/client.json')).rejects.toMatchObject({ error: 'invalid_client' });
    await expect(
      createClientMetadataLoader({ allowedHosts: ['c.example'] })('https://d.example/client.json'),
    ).rejects.toMatchObject({ error: 'invalid_client' });
  });

  describe('at a server', () => {
    let server: TlsServer;
    let ca: string;
    let port: number;
    let requests: string[] = [];
    let answer: {
      status?: number;
      type?: string;
      body?: unknown;
      location?: string;
      isSilent?: boolean;
      isCut?: boolean;
    } = {};

    beforeAll(async () => {
      server = await startTlsServer(['c.example', 'private.example', 'mixed.example'], (request, response) => {
        requests.push(request.url ?? '');
        if (answer.isSilent) return;
        if (answer.isCut) {
          response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
          response.write('{', () => response.destroy());
          return;
        }
        const { status = 200, type = 'application/json', body, location } = answer;
        response.writeHead(status, { 'content-type': type, ...(location && { location }) });
        response.end(typeof body === 'string' ? body : JSON.stringify(body));
      });
      ({ ca, port } = server);
    });
    afterAll(() => server.close());
    beforeEach(() => {
      requests = [];
      answer = {};
    });

    /** The server stands for one of the internet; the names lead to it, and some to a private network besides. */
    const lookup: LookupFunction = (hostname, _, callback) => {
      const here = { address: '127.0.0.1', family: 4 };
      const inside = { address: '10.0.0.1', family: 4 };
      callback(
        null,
        hostname === 'private.example' ? [inside] : hostname === 'mixed.example' ? [here, inside] : [here],
      );
    };
    const isAllowed = (address: string) => address === '127.0.0.1';
    const create = (options: object = {}) => createLoader(options, { isAllowed, lookup, ca });
    const id = (host = 'c.example', path = '/client.json') => `https://${host}:${port}${path}`;
    const document = (parts: object = {}) => ({
      client_id: id(),
      ...uris('http://localhost/cb'),
      client_name: 'C',
      ...parts,
    });

    it('is loaded once in ten minutes', async () => {
      answer = { body: document() };
      const clock = new ManualClock();
      const load = create({ clock });
      const client = await load(id());
      expect(client).toMatchObject({
        client_id: id(),
        redirect_uris: ['http://localhost/cb'],
        token_endpoint_auth_method: 'none',
      });
      await load(id());
      expect(requests).toEqual(['/client.json']);
      await clock.advance(600_000);
      await load(id());
      expect(requests.length).toBe(2);
    });

    it('is loaded once for many requests at the same time', async () => {
      answer = { body: document() };
      const load = create();
      const clients = await Promise.all(Array.from({ length: 200 }, () => load(id())));
      expect([requests.length, new Set(clients).size]).toEqual([1, 1]);
    });

    it('that is unknown is fetched again after 30 seconds', async () => {
      answer = { status: 404, body: document() };
      const clock = new ManualClock();
      const load = create({ clock, cacheSeconds: 0 });
      const fail = async () =>
        expect(await load(id()).catch((error: OAuthError) => error.error)).toBe('invalid_client');
      await Promise.all([fail(), fail(), fail()]);
      await fail();
      expect(requests.length).toBe(1);
      await clock.advance(29_999);
      await fail();
      expect(requests.length).toBe(1);
      await clock.advance(1);
      answer = { body: document() };
      expect((await load(id())).client_id).toBe(id());
      await load(id());
      // Without a time to live, a document is not used again.
      expect(requests.length).toBe(3);
    });

    it('is kept no longer after its clock was set back', async () => {
      answer = { body: document() };
      const clock = new ManualClock(new Date('2026-01-02T00:00:00Z'));
      const load = create({ clock });
      await load(id());
      clock.set(new Date('2026-01-01T00:00:00Z'));
      await load(id());
      expect(requests.length).toBe(2);
    });

    it('of one host is loaded for 20 ids a minute, regardless of their query', async () => {
      const clock = new ManualClock();
      const load = create({ clock });
      const ask = async (n: number) => {
        answer = { body: document({ client_id: id('c.example', `/client.json?x=${n}`) }) };
        return load(id('c.example', `/client.json?x=${n}`)).then(
          () => 'loaded',
          (error: OAuthError) => error.error,
        );
      };
      const outcomes: string[] = [];
      for (let n = 0; n < 25; n += 1) outcomes.push(await ask(n));
      expect(outcomes).toEqual([...Array(20).fill('loaded'), ...Array(5).fill('temporarily_unavailable')]);
      expect(requests.length).toBe(20);
      // Known ones are not loaded again.
      expect([await ask(0), requests.length]).toEqual(['loaded', 20]);
      await clock.advance(60_000);
      expect([await ask(24), requests.length]).toEqual(['loaded', 21]);
      // It took the place of the oldest of its host.
      expect([await ask(1), requests.length, await ask(0), requests.length]).toEqual(['loaded', 21, 'loaded', 22]);
    });

    it('is loaded for ten ids at the same time', async () => {
      answer = { isSilent: true };
      const load = create({ timeoutMs: 300 });
      const ask = (n: number) => load(id('c.example', `/${n}`)).catch((error: OAuthError) => error.error);
      const errors = await Promise.all(Array.from({ length: 15 }, (_, n) => ask(n)));
      expect(errors).toEqual([...Array(10).fill('invalid_client'), ...Array(5).fill('temporarily_unavailable')]);
    });

    it.each<[string, () => typeof answer]>([
      ['another id in it', () => ({ body: document({ client_id: 'https://other.example/client.json' }) })],
      ['no id in it', () => ({ body: uris(CLAUDE) })],
      ['a secret in it', () => ({ body: document({ client_secret: 'x' }) })],
      ['a method with a secret', () => ({ body: document({ token_endpoint_auth_method: 'client_secret_basic' }) })],
      ['another status', () => ({ status: 404, body: document() })],
      ['a redirect', () => ({ status: 302, location: '/client.json', body: document() })],
      ['HTML', () => ({ type: 'text/html', body: document() })],
      ['broken JSON', () => ({ body: '{' })],
      ['a list', () => ({ body: [] })],
      ['20 KiB', () => ({ body: document({ x: 'a'.repeat(20_000) }) })],
      ['no answer', () => ({ isSilent: true })],
      ['half an answer', () => ({ isCut: true })],
    ])('is not known with %s', async (_, give) => {
      answer = give();
      await expect(create({ timeoutMs: 300 })(id())).rejects.toMatchObject({
        error: 'invalid_client',
        message: 'the client is not known',
      });
    });

    it('is checked by the policy', async () => {
      answer = { body: document(uris('javascript:alert(1)')) };
      await expect(create()(id())).rejects.toMatchObject({ error: 'invalid_redirect_uri' });
    });

    it.each(['private.example', 'mixed.example'])(
      'is not fetched from %s, which has a private address',
      async (host) => {
        await expect(create()(id(host))).rejects.toMatchObject({ error: 'invalid_client' });
        expect(requests).toEqual([]);
      },
    );

    it('is not trusted with a certificate of another name', async () => {
      await expect(create()(id('d.example'))).rejects.toMatchObject({ error: 'invalid_client' });
      expect(requests).toEqual([]);
    });
  });
});
