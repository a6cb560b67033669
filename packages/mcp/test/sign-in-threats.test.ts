// Each promise of docs/sign-in.md, section "Threats", has a test here with the same name.
import { decodeJwt } from 'jose';
import { type McpStore, memoryMcpStore } from '../src/index.js';
import { OAuthError } from '../src/oauth.js';
import { counting } from './support/counting.js';
import { type CognitoLab, openCognitoLab } from './support/sign-in.js';
import { ByHand, callTool, REDIRECT } from './support/sign-in-client.js';

let lab: CognitoLab;
afterEach(() => lab.close());

describe('consent', () => {
  it('is required for each client at every sign-in, even if the user has agreed before', async () => {
    lab = await openCognitoLab();
    const first = new ByHand(lab);
    await first.register({ client_name: 'First' });
    await first.signIn();
    await first.signIn();
    await first.register({ client_name: 'Second' });
    await first.signIn();
    const asked = first.browser.pages.filter((page) => page.includes('requests access to Notes'));
    expect(asked.map((page) => /<h1>(\w+) requests/.exec(page)?.[1])).toEqual(['First', 'First', 'Second']);
  });

  it('shows the host that receives the code, and that the name is not verified', async () => {
    lab = await openCognitoLab();
    const client = new ByHand(lab);
    await client.register({ client_name: '<b>Claude</b>', redirect_uris: ['https://evil.example/cb'] });
    const response = await client.browser.send(client.authorizationUrl({ redirect_uri: 'https://evil.example/cb' }));
    const page = await response.text();
    expect(page).toContain('<strong>evil.example</strong>');
    expect(page).toContain('This name is not verified.');
    expect(page).toContain('&#60;b&#62;Claude&#60;/b&#62;');
    expect(page).not.toContain('<b>');
    expect(response.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(response.headers.get('x-frame-options')).toBe('DENY');
    expect(response.headers.get('cache-control')).toBe('no-store');
  });

  it('that is denied sends the client access_denied, and the provider receives nothing', async () => {
    lab = await openCognitoLab();
    const client = new ByHand(lab, 'deny');
    await client.register();
    const answer = await client.signIn();
    expect(Object.fromEntries(answer)).toEqual({
      error: 'access_denied',
      state: 'the state of the client',
      iss: lab.door.origin,
    });
    expect(lab.cognito.requests).toEqual([]);
  });

  it.each([
    ['without the cookie of the browser', {}],
    ['from a page of another origin', { origin: 'https://evil.example' }],
  ])('that is sent %s is rejected', async (_, headers) => {
    lab = await openCognitoLab();
    const client = new ByHand(lab);
    await client.register();
    const page = await client.browser.send(client.authorizationUrl());
    const cookie = 'origin' in headers ? (page.headers.get('set-cookie')?.split(';')[0] ?? '') : '';
    const body = client.browser.fill(await page.text());
    const options = { method: 'POST', body, headers: { ...headers, cookie }, redirect: 'manual' } as const;
    const response = await fetch(`${lab.door.origin}/oauth/authorize`, options);
    expect(response.status).toBe(400);
    expect(response.headers.get('location')).toBeNull();
  });

  it('expires after ten minutes', async () => {
    lab = await openCognitoLab();
    const client = new ByHand(lab);
    await client.register();
    const page = await client.browser.send(client.authorizationUrl());
    lab.wait(600_001);
    const form = client.browser.fill(await page.text());
    expect((await client.browser.send(new URL(`${lab.door.origin}/oauth/authorize`), form)).status).toBe(400);
  });
});

describe('the confused deputy', () => {
  it('a user who did not agree in this browser cannot be signed in to the client of an attacker', async () => {
    lab = await openCognitoLab();
    const attacker = new ByHand(lab);
    await attacker.register();
    // The attacker agrees, and sends the link to the provider to a victim, who has no consent page.
    const provider = await attacker.browser.open(
      attacker.authorizationUrl(),
      ({ origin }) => origin === lab.cognito.domain,
    );
    const victim = new ByHand(lab);
    const callback = await victim.browser.open(provider, ({ pathname }) => pathname === '/oauth/callback');
    const response = await victim.browser.send(callback);
    expect([response.status, response.headers.get('location')]).toEqual([400, null]);
    expect(lab.cognito.tokenForms).toEqual([]);
    // Nor can the attacker use the victim's answer up in advance: the state still belongs to the browser that agreed.
    expect((await attacker.browser.send(callback)).status).toBe(302);
  });

  it('an answer of the provider is used once', async () => {
    lab = await openCognitoLab();
    const client = new ByHand(lab);
    await client.register();
    const callback = await client.browser.open(
      client.authorizationUrl(),
      ({ pathname }) => pathname === '/oauth/callback',
    );
    const statuses = [await client.browser.send(callback), await client.browser.send(callback)].map(
      ({ status }) => status,
    );
    expect(statuses).toEqual([302, 400]);
    expect(lab.cognito.tokenForms).toHaveLength(1);
  });
});

describe('redirects', () => {
  it.each([
    ['another path', `${REDIRECT}/more`],
    ['a query', `${REDIRECT}?a=b`],
    ['another case', 'https://client.example/Callback'],
    ['a sub-domain', 'https://a.client.example/callback'],
    ['a user name', 'https://client.example@evil.example/callback'],
    ['a port', 'https://client.example:444/callback'],
    ['plain http', 'http://client.example/callback'],
    ['a fragment', `${REDIRECT}#`],
    ['a parent folder', 'https://client.example/x/../callback'],
    ['nothing', undefined],
  ])('with %s are never followed', async (_, redirect_uri) => {
    lab = await openCognitoLab();
    const client = new ByHand(lab);
    await client.register();
    const response = await client.browser.send(client.authorizationUrl({ redirect_uri }));
    expect([response.status, response.headers.get('location')]).toEqual([400, null]);
  });

  it('to this device may differ only in the port', async () => {
    lab = await openCognitoLab();
    const client = new ByHand(lab);
    await client.register({ redirect_uris: ['http://127.0.0.1:1111/callback'] });
    const status = async (redirect_uri: string) =>
      (await client.browser.send(client.authorizationUrl({ redirect_uri }))).status;
    expect(await status('http://127.0.0.1:2222/callback')).toBe(200);
    expect(await status('http://127.0.0.1/callback')).toBe(200);
    for (const uri of [
      'http://127.0.0.1:2222/other',
      'http://localhost:2222/callback',
      'http://127.0.0.1:2222@evil.example/callback',
    ]) {
      expect([uri, await status(uri)]).toEqual([uri, 400]);
    }
  });

  it.each([
    ['no PKCE', { code_challenge: undefined }, 'invalid_request'],
    ['the PKCE method plain', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['another resource', { resource: 'https://other.example/mcp' }, 'invalid_target'],
    ['an unknown scope', { scope: 'admin' }, 'invalid_scope'],
    ['the implicit flow', { response_type: 'token' }, 'unsupported_response_type'],
  ])('for %s need a click of the user, and carry the error, state and issuer', async (_, changes, error) => {
    lab = await openCognitoLab();
    const client = new ByHand(lab);
    await client.register();
    const response = await client.browser.send(client.authorizationUrl(changes));
    expect([response.status, response.headers.get('location')]).toEqual([400, null]);
    const link = /<a href="([^"]+)">Return to client\.example</.exec(await response.text())?.[1] ?? '';
    const { searchParams } = new URL(link.replaceAll('&#38;', '&'));
    expect([searchParams.get('error'), searchParams.get('state'), searchParams.get('iss')]).toEqual([
      error,
      'the state of the client',
      lab.door.origin,
    ]);
    expect(lab.cognito.requests).toEqual([]);
  });

  it.each(['com.example.app:/callback', 'com.example.app://[', 'com.example.app:%'])(
    'to the application %s are shown as such',
    async (redirect_uri) => {
      lab = await openCognitoLab();
      const client = new ByHand(lab);
      await client.register({ application_type: 'native', redirect_uris: [redirect_uri] });
      const page = await (await client.browser.send(client.authorizationUrl({ redirect_uri }))).text();
      expect(page).toContain('<strong>an application on this device (com.example.app:)</strong>');
    },
  );
});

describe('tokens', () => {
  it('that a client receives are for this server alone, and the provider’s refresh and ID tokens are not among them', async () => {
    lab = await openCognitoLab();
    const tokens = await new ByHand(lab).tokens();
    expect(Object.keys(tokens).sort()).toEqual(['access_token', 'expires_in', 'refresh_token', 'scope', 'token_type']);
    expect(decodeJwt(String(tokens.access_token))).toMatchObject({ aud: lab.url.href, iss: lab.cognito.issuer });
    const kept = lab.cognito.tokenForms.map((form) => form.get('refresh_token'));
    expect(kept).not.toContain(tokens.refresh_token);
    expect(await callTool(lab, tokens.access_token)).toMatchObject({ status: 200 });
  });

  it('of a client are never sent to the provider', async () => {
    lab = await openCognitoLab();
    const client = new ByHand(lab);
    const { access_token, refresh_token } = await client.tokens();
    await client.refresh(refresh_token);
    const sent = lab.cognito.tokenForms.map(String).join(' ');
    expect(lab.cognito.tokenForms).toHaveLength(2);
    for (const token of [access_token, refresh_token, client.verifier]) expect(sent).not.toContain(String(token));
  });

  it('for another audience are not given to a client, even if the provider issues them', async () => {
    lab = await openCognitoLab();
    lab.cognito.overrideClaims = { aud: 'https://other.example/mcp' };
    const client = new ByHand(lab);
    await client.register();
    const answer = await client.signIn();
    expect([answer.get('error'), answer.get('code')]).toEqual(['server_error', null]);
    expect(lab.lines).toMatchObject([{ event: 'mcp.identity_provider_failed', reason: 'audience' }]);
  });

  it('of another app client are rejected if the pool does not bind resources', async () => {
    lab = await openCognitoLab({}, { resourceBinding: false });
    const { access_token } = await new ByHand(lab).tokens();
    expect(await callTool(lab, access_token)).toMatchObject({ status: 200 });
    lab.cognito.overrideClaims = { client_id: 'the client of another application' };
    const other = new ByHand(lab);
    await other.register();
    expect((await other.signIn()).get('error')).toBe('server_error');
  });

  it('of the store are encrypted or hashed', async () => {
    const store = memoryMcpStore();
    const rows: string[] = [];
    const put: McpStore['put'] = (row, when) => {
      rows.push(Buffer.from(row.data).toString('utf8'));
      return store.put(row, when);
    };
    lab = await openCognitoLab({ store: { ...counting(store), put } });
    const client = new ByHand(lab);
    const { access_token, refresh_token } = await client.tokens();
    await client.refresh(refresh_token);
    const dump = rows.join(' ');
    const upstream = lab.cognito.tokenForms[1]?.get('refresh_token');
    expect(upstream).toEqual(expect.any(String));
    for (const secret of [
      access_token,
      refresh_token,
      upstream,
      'sub-ada',
      lab.cognito.tokenForms[0]?.get('code_verifier'),
    ]) {
      expect(dump).not.toContain(String(secret));
    }
  });

  it('and secrets are in no line of the log', async () => {
    lab = await openCognitoLab();
    const client = new ByHand(lab);
    const { access_token, refresh_token } = await client.tokens();
    lab.cognito.faults.token = 'html';
    await client.refresh(refresh_token);
    const log = JSON.stringify(lab.lines);
    expect(log).toContain('mcp.identity_provider_failed');
    for (const secret of [access_token, refresh_token, 'the+secret+of+the+app+client'])
      expect(log).not.toContain(String(secret));
  });
});

describe('registration', () => {
  it('writes nothing, so that registrations without end fill no store', async () => {
    const store = counting(memoryMcpStore());
    lab = await openCognitoLab({ store });
    const client = new ByHand(lab);
    for (let count = 0; count < 200; count += 1) await client.register();
    expect(store.counts).toEqual({});
    expect((await client.browser.send(client.authorizationUrl())).status).toBe(200);
    expect(store.counts).toEqual({});
  });

  it.each([
    ['a script', { redirect_uris: ['javascript:alert(1)'] }, 'invalid_redirect_uri'],
    ['plain http', { redirect_uris: ['http://evil.example/cb'] }, 'invalid_redirect_uri'],
    [
      'eleven redirect URIs',
      { redirect_uris: Array.from({ length: 11 }, (_, at) => `${REDIRECT}/${at}`) },
      'invalid_redirect_uri',
    ],
    ['1,500 characters', { redirect_uris: [`${REDIRECT}/${'x'.repeat(1500)}`] }, 'invalid_client_metadata'],
    ['a secret', { token_endpoint_auth_method: 'client_secret_post' }, 'invalid_client_metadata'],
    ['another grant', { grant_types: ['client_credentials'] }, 'invalid_client_metadata'],
  ])('with %s is rejected', async (_, metadata, error) => {
    lab = await openCognitoLab();
    const response = await new ByHand(lab).register(metadata);
    expect([response.status, ((await response.json()) as { error: string }).error]).toEqual([400, error]);
  });

  it('is limited to the redirect URIs of the policy', async () => {
    lab = await openCognitoLab({ policy: { allowedRedirectUris: [REDIRECT] } });
    expect((await new ByHand(lab).register()).status).toBe(201);
    expect((await new ByHand(lab).register({ redirect_uris: ['https://evil.example/cb'] })).status).toBe(400);
  });

  it('can be turned off', async () => {
    lab = await openCognitoLab({ registration: false });
    const response = await fetch(`${lab.door.origin}/oauth/register`, { method: 'POST', body: '{}' });
    expect(response.status).toBe(404);
    const document = await (await fetch(`${lab.door.origin}/.well-known/oauth-authorization-server`)).json();
    expect(document).not.toHaveProperty('registration_endpoint');
  });

  it('ends after a year, and an id that the server did not issue is unknown', async () => {
    lab = await openCognitoLab();
    const client = new ByHand(lab);
    await client.register();
    const status = async () => (await client.browser.send(client.authorizationUrl())).status;
    expect(await status()).toBe(200);
    lab.wait(366 * 86_400_000);
    expect(await status()).toBe(400);
    client.clientId = `${client.clientId.slice(0, -4)}AAAA`;
    expect(await status()).toBe(400);
  });
});

describe('client metadata documents', () => {
  const CLIENT = 'https://client.example/client.json';

  it('identify a client by its host, without a registration', async () => {
    const metadata = { client_name: 'Reader', redirect_uris: [REDIRECT], token_endpoint_auth_method: 'none' };
    lab = await openCognitoLab({
      loadClient: async (client_id) => ({ client_id, grant_types: [], response_types: [], ...metadata }),
    });
    const client = new ByHand(lab);
    client.clientId = CLIENT;
    const { body } = await client.redeem((await client.signIn()).get('code'));
    expect(client.browser.pages[0]).toContain('Described by client.example.');
    expect(await callTool(lab, body.access_token)).toMatchObject({ status: 200 });
  });

  it.each([
    ['are not loaded from an address', {}, 'https://127.0.0.1/client.json'],
    ['are not loaded from this machine', {}, 'https://localhost/client.json'],
    ['are not loaded from a parent folder', {}, 'https://client.example/../client.json'],
    ['are not loaded if they are turned off', { clientDocuments: false }, CLIENT],
    ['are loaded from the allowed hosts only', { clientHosts: ['claude.ai'] }, CLIENT],
  ])('%s', async (_, options, clientId) => {
    lab = await openCognitoLab(options);
    const client = new ByHand(lab);
    client.clientId = clientId;
    expect((await client.browser.send(client.authorizationUrl())).status).toBe(400);
  });

  it('that cannot be loaded now are answered with 503', async () => {
    lab = await openCognitoLab({
      loadClient: () => Promise.reject(new OAuthError('temporarily_unavailable', 'try again')),
    });
    const client = new ByHand(lab);
    client.clientId = CLIENT;
    expect((await client.browser.send(client.authorizationUrl())).status).toBe(503);
  });
});

describe('an attacker with a registered client', () => {
  it('cannot redeem or refresh what another client received', async () => {
    lab = await openCognitoLab();
    const [owner, thief] = [new ByHand(lab), new ByHand(lab)];
    await thief.register({ client_name: 'Thief' });
    const { refresh_token } = await owner.tokens();
    const stolen = (await owner.signIn()).get('code');
    expect(await thief.redeem(stolen, { code_verifier: owner.verifier })).toMatchObject({
      status: 400,
      body: { error: 'invalid_grant' },
    });
    expect(await thief.refresh(refresh_token)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    // The family is revoked, because another client has the token.
    expect(await owner.refresh(refresh_token)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    expect(lab.lines).toMatchObject([{ event: 'mcp.refresh_family_revoked', reason: 'foreign' }]);
  });

  it('cannot redeem a code without its verifier, twice, or with another redirect URI', async () => {
    lab = await openCognitoLab();
    const client = new ByHand(lab);
    await client.register();
    const rejected = { status: 400, body: { error: 'invalid_grant' } };
    const code = async () => (await client.signIn()).get('code');
    expect(await client.redeem(await code(), { code_verifier: 'x'.repeat(43) })).toMatchObject(rejected);
    expect(await client.redeem(await code(), { redirect_uri: `${REDIRECT}/` })).toMatchObject(rejected);
    const one = await code();
    const { body } = await client.redeem(one);
    expect(await client.redeem(one)).toMatchObject(rejected);
    expect(await client.refresh(body.refresh_token)).toMatchObject(rejected);
  });

  it('cannot get a permission that the user or the provider has not granted', async () => {
    lab = await openCognitoLab();
    const client = new ByHand(lab);
    const { access_token, refresh_token, scope } = await client.tokens();
    expect(scope).toBe('notes:read');
    expect(await callTool(lab, access_token, 'write')).toMatchObject({ status: 403 });
    const wider = await client.refresh(refresh_token, { scope: 'notes:read notes:write' });
    expect(wider).toMatchObject({ status: 400, body: { error: 'invalid_scope' } });
    lab.cognito.overrideClaims = { scope: 'notes-api/notes:read' };
    const answer = await client.signIn({ scope: 'notes:read notes:write' });
    expect((await client.redeem(answer.get('code'))).body.scope).toBe('notes:read');
  });
});
