import type { LookupFunction } from 'node:net';
import { UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { Browser, ClientMemory } from '@sallyport/oauth-lab';
import * as oauth from 'oauth4webapi';
import { authorizationDocuments, cognitoAuthorization, oidcAuthorization } from '../src/authorization.js';
import { memoryMcpStore } from '../src/index.js';
import { createLoader } from '../src/oauth/client-metadata.js';
import { counting } from './support/counting.js';
import { openCognitoLab, openOidcLab, type SignInLab } from './support/sign-in.js';
import { ByHand, callTool } from './support/sign-in-client.js';
import { startTlsServer } from './support/tls-server.js';

/** The servers are on this machine, without TLS; every other check of the library is on. */
const LOOPBACK = { [oauth.allowInsecureRequests]: true };
const REDIRECT = 'http://127.0.0.1:9/callback';

/** A whole sign-in with a client library that checks each answer against its standard. */
async function signInStrictly(lab: SignInLab) {
  const challenged = await fetch(lab.url, { method: 'POST' });
  const resourceAnswer = await oauth.resourceDiscoveryRequest(lab.url, LOOPBACK);
  const resource = await oauth.processResourceDiscoveryResponse(lab.url, resourceAnswer);
  const issuer = new URL(resource.authorization_servers?.[0] ?? '');
  const discovery = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...LOOPBACK });
  const server = await oauth.processDiscoveryResponse(issuer, discovery);
  const metadata = { client_name: 'strict', redirect_uris: [REDIRECT], token_endpoint_auth_method: 'none' };
  const registered = await oauth.dynamicClientRegistrationRequest(server, metadata, LOOPBACK);
  const client = await oauth.processDynamicClientRegistrationResponse(registered);
  const [verifier, state] = [oauth.generateRandomCodeVerifier(), oauth.generateRandomState()];
  const url = new URL(server.authorization_endpoint ?? '');
  const parameters = {
    client_id: client.client_id,
    redirect_uri: REDIRECT,
    response_type: 'code',
    scope: resource.scopes_supported?.join(' ') ?? '',
    resource: resource.resource,
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  const answer = await new Browser(lab.person).open(url, ({ href }) => href.startsWith(REDIRECT));
  const validated = oauth.validateAuthResponse(server, client, answer, state);
  const auth = oauth.None();
  const additional = { additionalParameters: { resource: resource.resource }, ...LOOPBACK };
  const redeemed = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    auth,
    validated,
    REDIRECT,
    verifier,
    additional,
  );
  const tokens = await oauth.processAuthorizationCodeResponse(server, client, redeemed);
  const refreshed = await oauth.refreshTokenGrantRequest(server, client, auth, tokens.refresh_token ?? '', additional);
  const next = await oauth.processRefreshTokenResponse(server, client, refreshed);
  return { challenged, resource, server, client, tokens, next };
}

it.each([
  ['Cognito with resource binding', () => openCognitoLab()],
  ['Cognito without resource binding', () => openCognitoLab({}, { resourceBinding: false })],
  ['a public app client of Cognito', () => openPublicCognito()],
  ['oidc-provider', () => openOidcLab()],
])('oauth4webapi, which is strict, signs in with %s and refreshes', async (_, open) => {
  const lab = await open();
  const { challenged, resource, server, client, tokens, next } = await signInStrictly(lab);
  expect(challenged.headers.get('www-authenticate')).toContain('scope="notes:read"');
  expect(resource.resource).toBe(lab.url.href);
  expect(server).toMatchObject({ issuer: lab.door.origin, client_id_metadata_document_supported: true });
  expect(client).toMatchObject({ client_name: 'strict', redirect_uris: [REDIRECT] });
  expect(tokens).toMatchObject({ token_type: 'bearer', scope: 'notes:read notes:write' });
  for (const { access_token } of [tokens, next]) {
    expect(await callTool(lab, access_token, 'write')).toMatchObject({ status: 200 });
  }
  await lab.close();
  expect(lab.lines).toEqual([]);
});

/** An app client without a secret. */
async function openPublicCognito() {
  return openCognitoLab({}, { secret: undefined });
}

it('the official client signs in by the URL of its metadata document, without a registration', async () => {
  const memory = new ClientMemory();
  const host = await startTlsServer(['client.example'], (request, response) => {
    const document = { client_id: `https://${request.headers.host}${request.url}`, ...memory.clientMetadata };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(document));
  });
  Object.assign(memory, { clientMetadataUrl: `https://client.example:${host.port}/client.json` });
  const lookup: LookupFunction = (_, __, callback) => callback(null, [{ address: '127.0.0.1', family: 4 }]);
  const loadClient = createLoader({}, { isAllowed: () => true, lookup, ca: host.ca });
  const lab = await openCognitoLab({ loadClient });
  const open = () => new StreamableHTTPClientTransport(lab.url, { authProvider: memory });
  const transport = open();
  const client = new Client({ name: 'agent', version: '1.0.0' });
  await expect(client.connect(transport)).rejects.toBeInstanceOf(UnauthorizedError);
  const browser = new Browser(lab.person);
  const answer = await browser.open(memory.takeAuthorizationUrl(), ({ href }) => href.startsWith(memory.redirectUrl));
  await transport.finishAuth(answer.searchParams.get('code') ?? '');
  await client.connect(open());
  expect(await client.callTool({ name: 'who' })).toMatchObject({ content: [{ text: 'sub-ada notes:read' }] });
  await client.close();
  await lab.close();
  host.close();
  expect(browser.pages[0]).toContain('Described by client.example');
  expect(lab.door.requests).not.toContain('POST /oauth/register 201');
});

it('a sign-in costs seven writes, three reads and one deletion, and a refresh four writes and five reads', async () => {
  const store = counting(memoryMcpStore());
  const lab = await openCognitoLab({ store });
  const client = new ByHand(lab);
  const { refresh_token } = await client.tokens();
  expect(store.counts).toEqual({ put: 7, get: 3, take: 1 });
  await client.refresh(refresh_token);
  expect(store.counts).toEqual({ put: 11, get: 8, take: 1 });
  await lab.close();
});

describe('the documents', () => {
  const options = {
    clientId: 'mcp',
    publicBaseUrl: 'https://mcp.example.com',
    scopes: ['notes:read'],
    store: memoryMcpStore(),
    secret: { current: 'a secret of at least 32 bytes, for tests only' },
  };
  const userPool = { id: 'eu-central-1_a1B2c3D4e', domain: 'https://auth.example.com' };

  it('are the same for infrastructure code, for every provider and in every answer', async () => {
    const lab = await openCognitoLab();
    for (const [path, document] of Object.entries(lab.signIn.documents)) {
      for (const at of [path, `${path}/`]) {
        const response = await fetch(lab.door.origin + at);
        expect(response.headers.get('cache-control')).toBe('public, max-age=3600');
        expect(await response.text()).toBe(JSON.stringify(document));
      }
    }
    await lab.close();
    const { publicBaseUrl, scopes } = options;
    const documents = authorizationDocuments({ publicBaseUrl, scopes });
    expect(cognitoAuthorization({ ...options, userPool }).documents).toEqual(documents);
    expect(oidcAuthorization({ ...options, issuer: 'https://id.example.com' }).documents).toEqual(documents);
    expect(documents).toEqual({
      '/.well-known/oauth-protected-resource': {
        resource: 'https://mcp.example.com/mcp',
        authorization_servers: ['https://mcp.example.com'],
        scopes_supported: ['notes:read'],
        bearer_methods_supported: ['header'],
      },
      '/.well-known/oauth-protected-resource/mcp': documents['/.well-known/oauth-protected-resource'],
      '/.well-known/oauth-authorization-server': {
        issuer: 'https://mcp.example.com',
        authorization_endpoint: 'https://mcp.example.com/oauth/authorize',
        token_endpoint: 'https://mcp.example.com/oauth/token',
        registration_endpoint: 'https://mcp.example.com/oauth/register',
        response_types_supported: ['code'],
        grant_types_supported: ['authorization_code', 'refresh_token'],
        token_endpoint_auth_methods_supported: ['none'],
        code_challenge_methods_supported: ['S256'],
        scopes_supported: ['notes:read'],
        authorization_response_iss_parameter_supported: true,
        client_id_metadata_document_supported: true,
      },
    });
  });

  it.each([
    ['publicBaseUrl', { publicBaseUrl: 'https://mcp.example.com/base' }],
    ['publicBaseUrl', { publicBaseUrl: 'http://mcp.example.com' }],
    ['path', { path: '/{tenant}/mcp' }],
    ['scopes', { scopes: [] }],
    ['scopes', { scopes: ['a b'] }],
    ['clientId', { clientId: ' ' }],
    ['clientSecret', { clientSecret: '' }],
    ['store', { store: {} }],
    ['secret', { secret: { current: 'short' } }],
    ['userPool.id', { userPool: { ...userPool, id: 'pool' } }],
    ['userPool.domain', { userPool: { ...userPool, domain: 'auth.example.com' } }],
    ['userPool.region', { userPool: { ...userPool, region: 'eu-central-1' } }],
    ['timeoutMs', { timeoutMs: 60_000 }],
    ['clientHosts', { clientHosts: ['https://claude.ai'] }],
    ['registrations', { registrations: true }],
  ])('a wrong option %s is rejected by name', (name, wrong) => {
    const create = () => cognitoAuthorization({ ...options, userPool, ...wrong } as never);
    expect(create).toThrow(expect.failure('app.invalid_configuration', `option "${name}"`));
  });

  it('an issuer without TLS is rejected', () => {
    const create = () => oidcAuthorization({ ...options, issuer: 'http://id.example.com' });
    expect(create).toThrow(expect.failure('app.invalid_configuration', 'option "issuer"'));
  });
});
