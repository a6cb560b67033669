import { readManifestFunctions } from '../src/internal/deployed/manifest.js';
import type { RunningHost } from '../src/internal/host/create-host.js';
import { createProject, type Project, start } from './support/run.js';

const ECHO = `export const handler = async (event) => ({ statusCode: 200, body: JSON.stringify(event) });`;

const DOORS = [
  {
    kind: 'http-api',
    routes: ['GET /notes/{id}', 'GET /health'],
    stage: 'v1',
    jwt: { 'GET /notes/{id}': { issuer: 'https://issuer.example', audience: ['notes'], scopes: ['notes:read'] } },
  },
  { kind: 'rest-api', routes: ['ANY /{all+}'], stage: 'live', binaryMediaTypes: ['image/png'] },
  { kind: 'load-balancer', routes: [], multiValueHeaders: true },
  { kind: 'websocket', stage: 'live' },
];
const manifestOf = (doors: unknown) => ({
  version: 1,
  functions: [{ path: 'App/Api', functionName: 'notes', entry: 'src/lambda.mjs', sources: [], doors }],
});

describe('dev reads the settings of doors in a manifest', () => {
  let project: Project;
  let host: RunningHost;
  beforeAll(async () => {
    project = createProject({ 'src/lambda.mjs': ECHO, 'cdk.out/sallyport.json': JSON.stringify(manifestOf(DOORS)) });
    host = await start(project);
  });
  afterAll(async () => {
    await host.stop();
    project.remove();
  });

  const get = (door: 'gateway-v2' | 'gateway-v1' | 'load-balancer', path: string, init: RequestInit = {}) =>
    fetch(`http://127.0.0.1:${host.ports[door]}${path}`, init);
  const tokenOf = async (scope?: string) => ({
    headers: {
      authorization: `Bearer ${await host.identity.token({ sub: 'ada', ...(scope && { scopes: [scope] }) })}`,
    },
  });

  test('the stage and the JWT authorizer of an HTTP API', async () => {
    expect((await get('gateway-v2', '/notes/1')).status).toBe(401);
    expect((await get('gateway-v2', '/notes/1', await tokenOf())).status).toBe(403);
    const answer = await get('gateway-v2', '/notes/1', await tokenOf('notes:read'));
    expect(await answer.json()).toMatchObject({
      rawPath: '/v1/notes/1',
      requestContext: { stage: 'v1', routeKey: 'GET /notes/{id}' },
    });
    expect((await get('gateway-v2', '/health')).status).toBe(200);
  });

  test('the stage and the binary media types of a REST API', async () => {
    const text = await get('gateway-v1', '/a', { method: 'POST', body: 'a', headers: { 'content-type': 'a/b' } });
    const image = await get('gateway-v1', '/a', {
      method: 'POST',
      body: 'a',
      headers: { 'content-type': 'image/png' },
    });
    expect(await text.json()).toMatchObject({ isBase64Encoded: false, requestContext: { stage: 'live' } });
    expect(await image.json()).toMatchObject({ isBase64Encoded: true });
  });

  test('multi-value headers of a load balancer', async () => {
    const answer = await get('load-balancer', '/a?b=1&b=2');
    expect(answer.status).toBe(200);
    expect(host.journal.rawEvent(host.journal.list().at(-1)?.id ?? 0)).toMatchObject({
      multiValueQueryStringParameters: { b: ['1', '2'] },
    });
  });

  test('nothing is assumed, and the issuer of the deployed API is named', () => {
    expect(host.journal.notes().flatMap(({ text }) => (/JWT|assumed/.test(text) ? [text] : []))).toEqual([
      'cdk.out/sallyport.json: the JWT authorizer accepts tokens of https://issuer.example; here it accepts tokens of the local issuer',
    ]);
  });
});

test('a REST API in a manifest of an older version has the default of its constructs', () => {
  const [fn] = readManifestFunctions(manifestOf([{ kind: 'rest-api', routes: [] }]));
  expect(fn?.doors).toEqual([{ kind: 'rest-api', routes: [], binaryMediaTypes: ['*/*'] }]);
});

test.each([
  [{ stage: 1 }, 'functions[0].doors[0].stage must be a string'],
  [{ routes: 'GET /' }, 'functions[0].doors[0].routes must be a list of strings'],
  [{ binaryMediaTypes: [1] }, 'functions[0].doors[0].binaryMediaTypes must be a list of strings'],
  [{ multiValueHeaders: 'yes' }, 'functions[0].doors[0].multiValueHeaders must be true or false'],
  [{ jwt: [] }, 'functions[0].doors[0].jwt must be an object by route'],
  [{ jwt: { 'GET /': {} } }, 'functions[0].doors[0].jwt["GET /"].audience must be a list of strings'],
  [{ jwt: { 'GET /': { issuer: 1, audience: [] } } }, 'functions[0].doors[0].jwt["GET /"].issuer must be a string'],
])('a manifest with the door %j is rejected', (door, text) => {
  expect(() => readManifestFunctions(manifestOf([{ kind: 'http-api', ...door }]))).toThrow(text);
});
