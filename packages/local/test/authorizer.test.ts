import { readFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { join } from 'node:path';
import { sha256 } from '@sallyport/core/internal';
import { generateKeyPair, importJWK, type JWK, SignJWT } from 'jose';
import { signHeaders } from '../src/internal/aws/signature.js';
import { toCognitoClaims, toJwtClaims } from '../src/internal/doors/jwt-authorizer.js';
import { isPublic } from '../src/internal/doors/public-routes.js';
import type { RunningHost } from '../src/internal/host/create-host.js';
import { NOTHING_KNOWN } from '../src/internal/inspect/to-inspection.js';
import { createProject, type Project, start } from './support/run.js';

const SERVICE = `
export const handler = async ({ requestContext: { authorizer = null, identity = null } }) =>
  ({ statusCode: 200, body: JSON.stringify({ authorizer, identity }) });`;

type Door = 'gateway-v2' | 'gateway-v1' | 'load-balancer' | 'function-url';

/** One request, with its status, the headers of authorizers, and its body. */
function ask(
  host: RunningHost,
  door: Door,
  headers: Record<string, string> = {},
  { method = 'GET', path = '/notes', body = '' } = {},
): Promise<{ status: number | undefined; challenge: unknown; type: unknown; body: unknown }> {
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest({ host: '127.0.0.1', port: host.ports[door], method, path, headers }, (incoming) => {
      let text = '';
      incoming.setEncoding('utf8').on('data', (chunk) => (text += chunk));
      incoming.on('end', () => {
        const { 'www-authenticate': challenge, 'x-amzn-errortype': type } = incoming.headers;
        resolve({ status: incoming.statusCode, challenge, type, body: text === '' ? '' : JSON.parse(text) });
      });
    });
    outgoing.on('error', reject);
    outgoing.end(body === '' ? undefined : body);
  });
}

describe('--authorizer jwt', () => {
  const NOW = Math.floor(Date.now() / 1000);
  let project: Project;
  let host: RunningHost;
  let own: JWK;
  let issuer: string;

  beforeAll(async () => {
    project = createProject({ 'src/lambda.mjs': SERVICE });
    host = await start(project, { authorizer: 'jwt' });
    own = (JSON.parse(readFileSync(join(project.folder, '.sallyport/identity.json'), 'utf8')) as { key: JWK }).key;
    issuer = host.identity.substitute('$issuer');
  });
  afterAll(async () => {
    await host.stop();
    project.remove();
  });

  interface Change {
    readonly claims?: Readonly<Record<string, unknown>>;
    readonly header?: Readonly<Record<string, unknown>>;
    readonly otherKey?: boolean;
  }
  async function tokenWith({ claims, header, otherKey = false }: Change): Promise<string> {
    const key = otherKey ? (await generateKeyPair('ES256')).privateKey : await importJWK(own, 'ES256');
    const whole = { iss: issuer, sub: 'ada', aud: 'local', iat: NOW - 10, exp: NOW + 600, ...claims };
    const protectedHeader = { alg: 'ES256', kid: own.kid, ...header } as { alg: string };
    return new SignJWT(whole).setProtectedHeader(protectedHeader).sign(key);
  }
  const unsigned = (claims: object) =>
    `${Buffer.from('{"alg":"none"}').toString('base64url')}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.`;

  test.each<[string, Change, string]>([
    ['another key', { otherKey: true }, 'the signature is invalid'],
    ['another issuer', { claims: { iss: 'https://evil.example' } }, 'the token does not have a valid issuer'],
    ['another audience', { claims: { aud: 'other' } }, 'the token does not have a valid audience'],
    ['an empty audience', { claims: { aud: '' } }, 'the token does not have a valid audience'],
    [
      'another audience and a right client',
      { claims: { aud: 'other', client_id: 'local' } },
      'the token does not have a valid audience',
    ],
    ['no audience', { claims: { aud: undefined } }, 'the token does not have a valid audience'],
    ['a time that has passed', { claims: { exp: 1 } }, 'the token has expired'],
    ['no end', { claims: { exp: undefined } }, 'the token does not expire'],
    ['a time that has not come', { claims: { nbf: NOW + 300 } }, 'the token is not valid yet'],
    ['an issue in the future', { claims: { iat: NOW + 300 } }, 'the token was issued in the future'],
    ['another key id', { header: { kid: 'other' } }, 'the token does not name the key that signed it'],
    ['no key id', { header: { kid: undefined } }, 'the token does not name the key that signed it'],
  ])('a token with %s is 401 before the function', async (_name, change, reason) => {
    const authorization = `Bearer ${await tokenWith(change)}`;
    const challenge = `Bearer scope="" error="invalid_token" error_description="${reason}"`;
    for (const door of ['gateway-v2', 'gateway-v1'] as const) {
      expect(await ask(host, door, { authorization })).toEqual({
        status: 401,
        challenge,
        type: undefined,
        body: { message: 'Unauthorized' },
      });
      expect(host.journal.list().at(-1)).toMatchObject({
        status: 'failed',
        summary: '401',
        environment: null,
        error: { errorType: 'Unauthorized', errorMessage: reason },
      });
    }
  });

  test.each([
    ['no token', undefined, 'Bearer'],
    ['a token that is not signed', unsigned({ sub: 'root', exp: 1 }), undefined],
    ['text', 'Bearer x', undefined],
    ['nothing after the scheme', 'Bearer ', 'Bearer'],
  ])('%s is 401', async (_name, authorization, challenge) => {
    const answer = await ask(host, 'gateway-v2', authorization === undefined ? {} : { authorization });
    expect(answer).toMatchObject({ status: 401, body: { message: 'Unauthorized' } });
    if (challenge !== undefined) expect(answer.challenge).toBe(challenge);
  });

  test('a valid token passes, alone or after its scheme; claims are strings in the forms of each door', async () => {
    const claims = { 'cognito:groups': ['admin', 'users'], level: 1, email_verified: true, iat: 1_700_000_000 };
    const token = await tokenWith({ claims: { ...claims, exp: 4_000_000_000, scope: 'notes:read' } });
    const common = { iss: issuer, sub: 'ada', aud: 'local', level: '1', email_verified: 'true', scope: 'notes:read' };
    expect((await ask(host, 'gateway-v2', { authorization: token })).body).toMatchObject({
      authorizer: {
        jwt: {
          claims: { ...common, 'cognito:groups': '[admin users]', iat: '1700000000', exp: '4000000000' },
          scopes: null,
        },
      },
    });
    expect((await ask(host, 'gateway-v1', { authorization: `bearer ${token}` })).body).toMatchObject({
      authorizer: {
        claims: {
          ...common,
          'cognito:groups': 'admin,users',
          iat: 'Tue Nov 14 22:13:20 UTC 2023',
          exp: 'Tue Oct 02 07:06:40 UTC 2096',
        },
      },
    });
  });

  test('a token without an audience passes for its client', async () => {
    const token = await tokenWith({ claims: { aud: undefined, client_id: 'local' } });
    expect(await ask(host, 'gateway-v2', { authorization: `Bearer ${token}` })).toMatchObject({ status: 200 });
  });

  test('a load balancer and a function URL have no such authorizer, and leave nothing', async () => {
    for (const door of ['load-balancer', 'function-url'] as const)
      expect(await ask(host, door)).toMatchObject({ status: 200, body: { authorizer: null } });
  });

  test('a preflight has no authorizer', async () => {
    const headers = { origin: 'http://localhost:5173', 'access-control-request-method': 'POST' };
    expect(await ask(host, 'gateway-v2', headers, { method: 'OPTIONS' })).toMatchObject({ status: 200 });
    expect(await ask(host, 'gateway-v2', {}, { method: 'OPTIONS' })).toMatchObject({ status: 401 });
  });

  test('a manual event has its own token, or receives the answer of the authorizer', async () => {
    const sent = await host.sender.send({ kind: 'http', target: 'GET /notes', as: { sub: 'ada', scopes: ['a', 'b'] } });
    expect(sent.invocations).toMatchObject([{ door: 'gateway-v2', outcome: { ok: true }, client: { status: 200 } }]);
    const anonymous = await host.sender.send({
      kind: 'http',
      target: 'GET /notes',
      doors: ['gateway-v2', 'gateway-v1'],
    });
    expect(anonymous.invocations).toMatchObject([
      { door: 'gateway-v2', outcome: { ok: false }, client: { status: 401 } },
      { door: 'gateway-v1', outcome: { ok: false }, client: { status: 401 } },
    ]);
  });
});

test('with authorization scopes a token needs one of them', async () => {
  const project = createProject({ 'src/lambda.mjs': SERVICE });
  const host = await start(project, { authorizer: 'jwt', authorizerScopes: ['notes:read', 'notes:write'] });
  const withScopes = async (...scopes: string[]) =>
    ask(host, 'gateway-v2', { authorization: await host.identity.token({ sub: 'ada', scopes }) });
  try {
    expect(await withScopes('notes:write', 'other')).toMatchObject({
      status: 200,
      body: { authorizer: { jwt: { scopes: ['notes:write'] } } },
    });
    for (const answer of [await withScopes(), await withScopes('other')])
      expect(answer).toMatchObject({ status: 403, body: { message: 'Forbidden' } });
  } finally {
    await host.stop();
    project.remove();
  }
});

describe('--authorizer iam', () => {
  let project: Project;
  let host: RunningHost;

  beforeAll(async () => {
    project = createProject({ 'src/lambda.mjs': SERVICE });
    host = await start(project, { authorizer: 'iam' });
  });
  afterAll(async () => {
    await host.stop();
    project.remove();
  });

  interface Signing {
    readonly keys?: { readonly accessKeyId: string; readonly secretAccessKey: string };
    readonly service?: string;
    readonly now?: Date;
    readonly signedBody?: string;
  }
  function signed(
    door: Door,
    { keys = host.keys, service = 'execute-api', now = new Date(), signedBody = '' }: Signing,
  ) {
    const request = {
      method: 'POST',
      path: '/notes',
      query: 'b=2&a=%2F',
      headers: { host: `127.0.0.1:${host.ports[door]}` },
    };
    return signHeaders(request, keys, { region: 'us-east-1', service, payloadHash: sha256(signedBody), now });
  }
  const post = (door: Door, headers: Record<string, string>, body = '') =>
    ask(host, door, headers, { method: 'POST', path: '/notes?b=2&a=%2F', body });

  const FORBIDDEN = { status: 403, challenge: undefined, type: undefined, body: { message: 'Forbidden' } };
  const MISSING = {
    status: 403,
    type: 'MissingAuthenticationTokenException',
    body: { message: 'Missing Authentication Token' },
  };

  test('a request that is not signed is 403 in the form of each door', async () => {
    expect(await post('gateway-v2', {})).toEqual(FORBIDDEN);
    expect(await post('gateway-v1', {})).toMatchObject(MISSING);
    expect(await post('function-url', {})).toMatchObject({
      status: 403,
      type: 'AccessDeniedException',
      body: { Message: 'Forbidden' },
    });
    expect(await post('load-balancer', {})).toMatchObject({ status: 200 });
    const evil = { origin: 'https://evil.example', 'content-type': 'text/plain' };
    expect(await post('gateway-v2', evil, 'x')).toMatchObject({ status: 403 });
    expect(host.journal.list().filter(({ environment }) => environment !== null)).toHaveLength(1);
  });

  test.each<[string, Signing, string]>([
    ['another access key', { keys: { accessKeyId: 'AKIAOTHER', secretAccessKey: 'x' } }, 'UnrecognizedClientException'],
    ['another service', { service: 's3' }, 'InvalidSignatureException'],
    ['the service of a function URL', { service: 'lambda' }, 'InvalidSignatureException'],
    ['another time', { now: new Date('2020-01-01') }, 'InvalidSignatureException'],
    ['another body', { signedBody: 'other' }, 'InvalidSignatureException'],
  ])('a signature with %s is 403', async (_name, signing, type) => {
    expect(await post('gateway-v1', signed('gateway-v1', signing))).toMatchObject({ status: 403, type });
    expect(await post('gateway-v2', signed('gateway-v2', signing))).toEqual(FORBIDDEN);
  });

  test('another secret, another path, and half a signature are 403', async () => {
    const secret = signed('gateway-v1', { keys: { ...host.keys, secretAccessKey: 'x' } });
    const half = { authorization: 'AWS4-HMAC-SHA256 Credential=a' };
    const whole = signed('gateway-v1', {});
    expect(await post('gateway-v1', secret)).toMatchObject({ status: 403, type: 'InvalidSignatureException' });
    expect(await post('gateway-v1', half)).toMatchObject({ status: 403, type: 'IncompleteSignatureException' });
    expect(await ask(host, 'gateway-v1', whole, { method: 'POST', path: '/wipe' })).toMatchObject({ status: 403 });
  });

  test('a signed request has its caller where each door puts it', async () => {
    const caller = { accessKey: host.keys.accessKeyId, userArn: 'arn:aws:iam::123456789012:user/local' };
    expect((await post('gateway-v2', signed('gateway-v2', { signedBody: 'x' }), 'x')).body).toMatchObject({
      authorizer: { iam: { ...caller, callerId: 'AIDALOCAL', cognitoIdentity: null } },
    });
    expect((await post('function-url', signed('function-url', { service: 'lambda' }))).body).toMatchObject({
      authorizer: { iam: caller },
    });
    expect((await post('gateway-v1', signed('gateway-v1', {}))).body).toMatchObject({
      authorizer: null,
      identity: { ...caller, caller: 'AIDALOCAL', user: 'AIDALOCAL', sourceIp: '127.0.0.1' },
    });
  });

  test('events from the command line and the page are signed', async () => {
    const sent = await host.sender.send({
      kind: 'http',
      target: 'POST /notes/%C3%A4?x=1',
      doors: ['gateway-v2', 'gateway-v1', 'load-balancer', 'function-url'],
      as: { sub: 'ada' },
      options: { json: { a: 'ä' }, query: { q: ['1', '2 3'] }, headers: { 'X-Own': ['a', 'b'] }, cookies: ['c=1'] },
    });
    expect(sent.invocations.map(({ client }) => client?.status)).toEqual([200, 200, 200, 200]);
    const answer = await fetch(`http://127.0.0.1:${host.ports.console}/door/gateway-v1/notes?x=1`, {
      method: 'POST',
      headers: { authorization: `Bearer ${host.token}`, 'door-authorization': 'Bearer x' },
      body: '{"a":1}',
    });
    expect(answer.headers.get('door-status')).toBe('200');
  });
});

test('the GraphQL API rejects tokens of other issuers', async () => {
  const files = { 'src/lambda.mjs': SERVICE, 'schema.graphql': 'type Query { note: String }' };
  const project = createProject(files);
  const host = await start(project, { schema: 'schema.graphql' });
  const forged = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${Buffer.from('{"sub":"root"}').toString('base64url')}.x`;
  const post = (headers: Record<string, string>) =>
    fetch(`http://127.0.0.1:${host.ports.graphql}/graphql`, { method: 'POST', headers, body: '{"query":"{ note }"}' });
  try {
    const rejected = await post({ authorization: `Bearer ${forged}` });
    expect(rejected.status).toBe(401);
    expect(await rejected.json()).toMatchObject({ errors: [{ errorType: 'UnauthorizedException' }] });
    expect((await post({ authorization: await host.identity.token({ sub: 'ada' }) })).status).toBe(200);
    expect((await post({})).status).toBe(200);
    expect((await post({ authorization: 'a-token-of-the-service' })).status).toBe(200);
  } finally {
    await host.stop();
    project.remove();
  }
});

test('claims are strings', () => {
  const claims = { list: ['a', 1], none: null, object: { a: [1] }, number: 1.5, no: false, text: 'x', exp: 0 };
  expect(toJwtClaims(claims)).toEqual({
    list: '[a 1]',
    object: '{"a":[1]}',
    number: '1.5',
    no: 'false',
    text: 'x',
    exp: '0',
  });
  expect(toCognitoClaims(claims)).toEqual({
    list: 'a,1',
    object: '{"a":[1]}',
    number: '1.5',
    no: 'false',
    text: 'x',
    exp: 'Thu Jan 01 00:00:00 UTC 1970',
  });
});

describe('routes without an authorizer', () => {
  const route = (method: string, pattern: string, posture: string) => ({
    surface: 'http',
    name: '',
    scopes: [],
    streaming: false,
    method,
    pattern,
    posture,
  });
  const inspection = {
    ...NOTHING_KNOWN,
    routes: [
      route('GET', '/health', 'public'),
      route('GET', '/files/{path*}', 'public'),
      route('GET', '/notes/{id}', 'authenticated'),
      route('POST', '/notes/{id}', 'public'),
      route('GET', '/notes/mine', 'public'),
    ],
  };
  test.each([
    ['GET', '/health', true],
    ['HEAD', '/health?x', true],
    ['POST', '/health', false],
    ['GET', '/health/', false],
    ['GET', '/healthy', false],
    ['GET', '/files/a/b', true],
    ['GET', '/notes/1', false],
    ['POST', '/notes/1', true],
    // Two patterns match: the stricter pattern applies.
    ['GET', '/notes/mine', false],
    ['GET', '/unknown', false],
    ['OPTIONS', '/health', false],
  ])('%s %s: %s', (method, path, expected) => {
    const request = { method, path, headers: [], body: new Uint8Array(), sourceIp: '127.0.0.1' };
    expect(isPublic(inspection, request)).toBe(expected);
  });
});
