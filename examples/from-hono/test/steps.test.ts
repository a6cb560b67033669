import { FrameworkError } from '@sallyport/core';
import type { SecureApp, SecureOptions, SecurePrincipalResolver } from '@sallyport/secure';
import { buildAPIGatewayV2Request, createTestEnv } from '@sallyport/testkit';
import { Bookmarks } from '../src/bookmarks.js';
import { createService as createStep1 } from '../src/step-1.js';
import { createService as createStep2 } from '../src/step-2.js';
import { createService as createStep3 } from '../src/step-3.js';

type Step = (options: SecureOptions, bookmarks: Bookmarks) => SecureApp;
const STEPS: readonly [string, Step][] = [
  ['step 1', createStep1],
  ['step 2', createStep2],
  ['step 3', createStep3],
];

/** Tokens of these tests; a deployment checks signed ones. */
const PEOPLE: Readonly<Record<string, readonly string[]>> = { ada: ['bookmarks:read', 'bookmarks:write'], eve: [] };
const principalResolver: SecurePrincipalResolver = (ctx) => {
  const token = /^Bearer (\w+)$/.exec(ctx.header('authorization') ?? '')?.[1];
  if (token === undefined) return null;
  const scopes = PEOPLE[token];
  if (scopes === undefined) throw new FrameworkError('app.unauthorized', 'unknown token');
  return { identity: token, scopes };
};

const REQUESTS: readonly [string, string, string | undefined, number, string][] = [
  ['GET', '/bookmarks', undefined, 200, '[{"id":"1","url":"https://a.example/","owner":"ada"}]'],
  ['GET', '/bookmarks.txt', undefined, 200, 'https://a.example/'],
  ['GET', '/bookmarks/1', undefined, 200, '{"id":"1","url":"https://a.example/","owner":"ada"}'],
  ['GET', '/bookmarks/2', undefined, 404, '{"error":"no such bookmark"}'],
  ['POST', '/bookmarks', '{"url":"https://c.example/"}', 201, '{"id":"3","url":"https://c.example/","owner":"ada"}'],
  ['POST', '/bookmarks', '{}', 400, '{"error":"url is missing"}'],
  ['DELETE', '/bookmarks/1', undefined, 204, ''],
  ['DELETE', '/bookmarks/2', undefined, 404, '{"error":"no such bookmark"}'],
];

interface Answer {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

async function ask(create: Step, method: string, path: string, body?: string, token?: string): Promise<Answer> {
  const env = createTestEnv();
  const bookmarks = new Bookmarks();
  bookmarks.add('https://a.example/', 'ada');
  bookmarks.add('https://b.example/', 'eve');
  const headers = {
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  };
  const event = buildAPIGatewayV2Request(method, path, { headers, ...(body === undefined ? {} : { body }) });
  return (await env.invoke(create({ ...env.options(), principalResolver }, bookmarks), event)) as Answer;
}

describe.each(STEPS)('%s', (_, create) => {
  it.each(REQUESTS)('%s %s %s is answered %i %s', async (method, path, body, status, text) => {
    const answer = await ask(create, method, path, body, 'ada');
    expect([answer.statusCode, answer.body]).toEqual([status, text]);
  });

  it.each(REQUESTS)('%s %s %s of an anonymous caller is 401', async (method, path, body) => {
    expect((await ask(create, method, path, body)).statusCode).toBe(401);
  });

  it('answers a wrong token with 401, and reports its state without a token', async () => {
    expect((await ask(create, 'GET', '/bookmarks', undefined, 'nobody')).statusCode).toBe(401);
    expect(await ask(create, 'GET', '/health')).toMatchObject({ statusCode: 200, body: '{"ok":true}' });
  });

  it('keeps media types and where a new bookmark is', async () => {
    const text = await ask(create, 'GET', '/bookmarks.txt', undefined, 'ada');
    const made = await ask(create, 'POST', '/bookmarks', '{"url":"https://c.example/"}', 'ada');
    expect(text.headers['content-type']).toMatch(/^text\/plain; ?charset=utf-8$/i);
    expect(made.headers['content-type']).toMatch(/^application\/json/);
    expect(made.headers.location).toBe('/bookmarks/3');
  });
});

it.each<[string, Step, number, number]>([
  ['step 1', createStep1, 200, 204],
  ['step 2', createStep2, 403, 204],
  ['step 3', createStep3, 403, 403],
])('scopes guard moved routes: %s', async (_, create, read, written) => {
  const { statusCode } = await ask(create, 'GET', '/bookmarks', undefined, 'eve');
  const removal = await ask(create, 'DELETE', '/bookmarks/2', undefined, 'eve');
  expect([statusCode, removal.statusCode]).toEqual([read, written]);
});

it.each<[string, Step, readonly string[]]>([
  [
    'step 1',
    createStep1,
    [
      'GET /health public',
      'GET /{rest+} authenticated',
      'GET / authenticated',
      'POST /{rest+} authenticated',
      'POST / authenticated',
      'DELETE /{rest+} authenticated',
      'DELETE / authenticated',
    ],
  ],
  [
    'step 2',
    createStep2,
    [
      'GET /health public',
      'GET /bookmarks authenticated',
      'GET /bookmarks.txt authenticated',
      'GET /bookmarks/{id} authenticated',
      'POST /{rest+} authenticated',
      'POST / authenticated',
      'DELETE /{rest+} authenticated',
      'DELETE / authenticated',
    ],
  ],
  [
    'step 3',
    createStep3,
    [
      'GET /health public',
      'GET /bookmarks authenticated',
      'GET /bookmarks.txt authenticated',
      'GET /bookmarks/{id} authenticated',
      'POST /bookmarks authenticated',
      'DELETE /bookmarks/{id} authenticated',
    ],
  ],
])('only /health is open in %s', (_, create, routes) => {
  const listed = create({ principalResolver }, new Bookmarks()).routes();
  expect(listed.map(({ method, path, posture }) => `${method} ${path} ${posture}`)).toEqual(routes);
});

it.each<[string, Step, number]>([
  ['step 1', createStep1, 500],
  ['step 2', createStep2, 500],
  ['step 3', createStep3, 400],
])('a body that is not JSON is answered by the application of the route: %s', async (_, create, status) => {
  expect((await ask(create, 'POST', '/bookmarks', '{', 'ada')).statusCode).toBe(status);
});
