import { ManualClock } from '@sallyport/core/testing';
import { json } from '@sallyport/http';
import { Authenticated, SecureApp } from '@sallyport/secure';
import { type JwtPrincipalOptions, jwtPrincipalResolver, type KeyFetch } from '@sallyport/secure/jwt';
import { DIRECT, send } from './support/operations.js';
import {
  AUDIENCE,
  createKey,
  ISSUER,
  type KeyServer,
  NOW,
  type SigningKey,
  serveKeys,
  sign,
} from './support/tokens.js';

let key: SigningKey;
let server: KeyServer;
let clock: ManualClock;
let unknown: readonly string[];

beforeAll(async () => {
  key = await createKey('k1', 'ES256');
  const stranger = await createKey('x', 'ES256');
  unknown = await Promise.all(Array.from({ length: 50 }, (_, index) => sign({ ...stranger, kid: `made-up-${index}` })));
});
beforeEach(async () => {
  server = await serveKeys(() => [key.jwk]);
  clock = new ManualClock(NOW * 1000);
});
afterEach(() => server.close());

/** The statuses of requests with the tokens, in sequence or at the same time. */
function createCaller(options: Partial<JwtPrincipalOptions> = {}) {
  const { jwksUri, fetch } = server;
  const principalResolver = jwtPrincipalResolver({ issuer: ISSUER, jwksUri, fetch, audience: [AUDIENCE], ...options });
  const app = new SecureApp({ clock, principalResolver }).get('/op', () => json(200, {}), Authenticated());
  const call = async (token: string) =>
    (await send(app, DIRECT, { headers: { authorization: `Bearer ${token}` } })).status;
  return {
    call,
    async inTurn(tokens: readonly string[]) {
      const statuses = new Set<number>();
      for (const token of tokens) statuses.add(await call(token));
      return [...statuses];
    },
    async atOnce(tokens: readonly string[]) {
      return [...new Set(await Promise.all(tokens.map(call)))];
    },
  };
}

const fresh = (expiresIn = 7200) => sign(key, { iss: ISSUER, aud: AUDIENCE, sub: 'ada', exp: NOW + expiresIn });
const answerWith = (status: number, body: string) => {
  server.answer = (_, response) => response.writeHead(status).end(body);
};
const recover = () => answerWith(200, JSON.stringify({ keys: [key.jwk] }));

describe.each<[string, () => void]>([
  ['answers 500', () => answerWith(500, '{}')],
  ['answers 404', () => answerWith(404, '{}')],
  ['answers what is no JSON', () => answerWith(200, '<html>')],
  ['answers what is no key set', () => answerWith(200, '{"keys":{}}')],
  ['answers null', () => answerWith(200, 'null')],
  [
    'ends the connection',
    () => {
      server.answer = (request) => request.socket.destroy();
    },
  ],
  ['answers more than 512 KiB', () => answerWith(200, JSON.stringify({ keys: [], pad: 'x'.repeat(524_288) }))],
  ['answers more than 100 keys', () => answerWith(200, JSON.stringify({ keys: Array(101).fill(key.jwk) }))],
])('an issuer that %s', (_, spoil) => {
  beforeEach(spoil);

  it('is called once in 30 s, and every token is 503', async () => {
    const { inTurn } = createCaller();
    expect(await inTurn(unknown)).toEqual([503]);
    expect(server.requests).toHaveLength(1);
    await clock.advance(29_000);
    expect(await inTurn(unknown)).toEqual([503]);
    expect(server.requests).toHaveLength(1);
    await clock.advance(6_000);
    expect(await inTurn(unknown)).toEqual([503]);
    expect(server.requests).toHaveLength(2);
  });

  it('is called once by requests at the same time', async () => {
    expect(await createCaller().atOnce(unknown)).toEqual([503]);
    expect(server.requests).toHaveLength(1);
  });

  it('is fetched again after 30 s, and its keys are then accepted', async () => {
    const { call } = createCaller();
    const token = await fresh();
    expect(await call(token)).toBe(503);
    recover();
    expect(await call(token)).toBe(503);
    await clock.advance(35_000);
    expect(await call(token)).toBe(200);
    expect(server.requests).toHaveLength(2);
  });

  it('keeps the keys that are known', async () => {
    recover();
    const { call, inTurn } = createCaller();
    const token = await fresh();
    expect(await call(token)).toBe(200);
    await clock.advance(35_000);
    spoil();
    expect(await inTurn(unknown)).toEqual([503]);
    expect(await call(token)).toBe(200);
    expect(server.requests).toHaveLength(2);
  });
});

describe('an issuer that never answers', () => {
  /** In the place of the 5 s that the resolver waits: until the request has arrived, and then not much longer. */
  function impatient() {
    const given = new AbortController();
    const fetch: KeyFetch = (url, init) =>
      server.fetch(url, { ...init, signal: AbortSignal.any([init.signal as AbortSignal, given.signal]) });
    return { fetch, giveUp: () => void setTimeout(() => given.abort(), 20) };
  }

  it('costs one wait in 30 s', async () => {
    const { fetch, giveUp } = impatient();
    server.answer = giveUp;
    const { atOnce, inTurn } = createCaller({ fetch });
    expect(await atOnce(unknown)).toEqual([503]);
    expect(await inTurn(unknown)).toEqual([503]);
    expect(server.requests).toHaveLength(1);
  });

  it('is given up when it stops in the middle of the set', async () => {
    const { fetch, giveUp } = impatient();
    server.answer = (_, response) => {
      response.writeHead(200).write('{"keys":[');
      giveUp();
    };
    const { inTurn } = createCaller({ fetch });
    expect(await inTurn(unknown)).toEqual([503]);
    expect(server.requests).toHaveLength(1);
  });

  it('is given up after five seconds, also by a fetch that ignores its signal', async () => {
    const signals: AbortSignal[] = [];
    const timeout = import.meta.jest.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
      expect(ms).toBe(5_000);
      const controller = new AbortController();
      setImmediate(() => controller.abort());
      return controller.signal;
    });
    const deaf: KeyFetch = (_, init) => {
      signals.push(init.signal as AbortSignal);
      return new Promise<Response>(() => {});
    };
    const { inTurn } = createCaller({ fetch: deaf });
    const statuses = await inTurn(unknown).finally(() => timeout.mockRestore());
    expect([statuses, signals.length]).toEqual([[503], 1]);
  });
});

describe('an issuer that answers', () => {
  it('is not called for each key that it does not have', async () => {
    const { atOnce, inTurn } = createCaller();
    expect([await atOnce(unknown), await inTurn(unknown)]).toEqual([[401], [401]]);
    expect(server.requests).toHaveLength(1);
    await clock.advance(30_000);
    expect([await atOnce(unknown), await inTurn(unknown)]).toEqual([[401], [401]]);
    expect(server.requests).toHaveLength(2);
  });

  it('is fetched for a new key after 30 s', async () => {
    const next = await createKey('k2', 'ES256');
    const { call } = createCaller();
    expect(await call(await fresh())).toBe(200);
    answerWith(200, JSON.stringify({ keys: [key.jwk, next.jwk] }));
    await clock.advance(30_000);
    expect(await call(await sign(next, { iss: ISSUER, aud: AUDIENCE, sub: 'b', exp: NOW + 900 }))).toBe(200);
    expect(server.requests).toHaveLength(2);
  });

  it('is fetched again after ten minutes', async () => {
    const { call } = createCaller();
    const token = await fresh();
    expect(await call(token)).toBe(200);
    await clock.advance(599_999);
    expect(await call(token)).toBe(200);
    expect(server.requests).toHaveLength(1);
    await clock.advance(1);
    expect(await call(token)).toBe(200);
    expect(server.requests).toHaveLength(2);
  });

  it('accept a hundred keys', async () => {
    answerWith(200, JSON.stringify({ keys: [...Array(99).fill({ kty: 'oct', kid: 'other' }), key.jwk] }));
    expect(await createCaller().call(await fresh())).toBe(200);
  });
});

it('two issuers with one key set share its fetch', async () => {
  const tokens = await Promise.all(
    ['https://a.example', 'https://b.example'].map((iss) =>
      sign(key, { iss, aud: AUDIENCE, sub: 'ada', exp: NOW + 300 }),
    ),
  );
  const callers = ['https://a.example', 'https://b.example'].map((issuer) => createCaller({ issuer }));
  expect(await callers[0]?.call(tokens[0] as string)).toBe(200);
  expect(await callers[1]?.call(tokens[1] as string)).toBe(200);
  expect(server.requests).toHaveLength(1);
  expect(await callers[0]?.call(tokens[1] as string)).toBe(401);
});
