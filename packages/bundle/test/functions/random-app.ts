/** Random closed applications and requests from a number: the same in each bundle of this file. */
import type { Context } from '@sallyport/core';
import { json, noContent, text } from '@sallyport/http';
import {
  Authenticated,
  AuthenticatedAnyOf,
  InternalOnly,
  Optional,
  type Posture,
  Public,
  SecureApp,
  type SecureOptions,
} from '@sallyport/secure';

/** A generator of numbers from 0 to below 1 (mulberry32). */
function randomFrom(seed: number) {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const pick = <T>(values: readonly T[]): T => values[Math.floor(next() * values.length)] as T;
  return { next, pick, chance: (share: number) => next() < share };
}

const SCOPES = ['notes:read', 'notes:write', 'admin'];
const SEGMENTS = ['notes', 'users', '{id}', '{name}', 'a%20b', 'é'];
const METHODS = ['GET', 'POST', 'PUT', 'DELETE', 'HEAD', 'OPTIONS'];

type Random = ReturnType<typeof randomFrom>;

function postureOf({ pick }: Random): Posture {
  return pick([
    () => Public(),
    () => Optional(),
    () => Authenticated(),
    () => Authenticated(pick(SCOPES)),
    () => Authenticated(pick(SCOPES), pick(SCOPES)),
    () => AuthenticatedAnyOf('admin', pick(SCOPES)),
    () => InternalOnly(),
  ])();
}

function optionsOf({ pick, chance }: Random): SecureOptions {
  return {
    ...(chance(0.3) && { tier: pick(['p0', 'p1', 'p2']) }),
    ...(chance(0.3) && { httpErrorFormat: pick(['nested', 'problem', 'flat_legacy'] as never[]) }),
    ...(chance(0.2) && { basePath: '/api' }),
    ...(chance(0.3) && { autoHead: true }),
    ...(chance(0.3) && { limits: { maxRequestBytes: 40, maxResponseBytes: 200 } }),
    ...(chance(0.2) && { trustTenantHeader: true }),
    ...(chance(0.3) && { challenge: pick(['Bearer realm="notes"', false as const]) }),
    ...(chance(0.2) && { directInvocations: pick(['serve', 'refuse'] as const) }),
    ...(chance(0.2) && { policyHook: () => (chance(0.3) ? { code: 'app.overloaded', message: 'later' } : undefined) }),
  };
}

/** The caller of a request is JSON in a header; an unreadable one makes the resolver throw. */
const principalResolver: NonNullable<SecureOptions['principalResolver']> = (ctx) => {
  const given = ctx.header('x-caller');
  return given === undefined ? undefined : JSON.parse(given);
};

/** The handler of a random application, with the lines that it logs. */
export function createRandomApp(seed: number) {
  const random = randomFrom(seed);
  const lines: string[] = [];
  const write = (level: string) => (message: string, fields?: Readonly<Record<string, unknown>>) =>
    void lines.push(`${level} ${message} ${String(fields?.event ?? '')} ${String(fields?.code ?? '')}`);
  const log = {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    isEnabled: () => true,
    with: () => log,
  };
  const isAnonymous = random.chance(0.1);
  const app = new SecureApp({ ...optionsOf(random), log, ...(!isAnonymous && { principalResolver }) });
  const handlers = [
    () => json(200, { ok: true }),
    () => text(201, 'x'.repeat(300)),
    () => noContent(),
    () => {
      throw new Error('secret');
    },
    (ctx: Context) => json(200, { caller: ctx.securePrincipal(), tenant: ctx.tenantId }),
  ];
  const seen = new Set<string>();
  for (let count = 0; count < 8; count += 1) {
    const path = `/${Array.from({ length: 1 + Math.floor(random.next() * 3) }, () => random.pick(SEGMENTS)).join('/')}`;
    const method = random.pick(METHODS);
    const shape = `${method} ${path.replace(/\{\w+\}/g, '{}')}`;
    const names = path.match(/\{\w+\}/g) ?? [];
    if (seen.has(shape) || new Set(names).size < names.length) continue;
    seen.add(shape);
    app.handle(method, path, random.pick(handlers) as never, postureOf(random));
  }
  return { handler: app.handleLambda, lines };
}

/** A random event of an HTTP API or a function URL. */
export function createRandomRequest(seed: number): object {
  const random = randomFrom(seed);
  const { pick, chance } = random;
  const segments = [...SEGMENTS, '7', '', '..', '%2F', '%', 'x'.repeat(60)];
  const path = `${chance(0.2) ? '/api' : ''}/${Array.from({ length: 1 + Math.floor(random.next() * 3) }, () => pick(segments)).join('/')}`;
  const caller = {
    identity: pick(['ada', 'bob', 'bob', '']),
    kind: pick(['external', 'internal', 'external', 'internal', 'service', 7]),
    scopes: [pick(SCOPES), pick(SCOPES)].slice(Math.floor(random.next() * 3)),
    ...(chance(0.5) && { tenantId: pick(['t1', 't2']) }),
  };
  const method = pick([...METHODS, 'get', 'PATCH', '']);
  const isUrl = chance(0.4);
  return {
    version: '2.0',
    ...(!isUrl && { routeKey: '$default' }),
    rawPath: path,
    rawQueryString: pick(['', 'a=1&a=2', 'tenant=t1', '%']),
    headers: {
      ...(chance(0.7) && { 'x-caller': chance(0.05) ? '{' : JSON.stringify(caller) }),
      ...(chance(0.3) && { 'x-tenant-id': pick(['t1', 't2', ' ']) }),
      ...(chance(0.3) && { authorization: pick(['Bearer abc', 'Basic abc', '']) }),
      ...(chance(0.2) && { origin: 'https://app.example', 'access-control-request-method': 'GET' }),
      ...(chance(0.3) && { 'x-request-id': pick(['request-7', 'a b', 'é']) }),
    },
    requestContext: {
      http: { method, path, sourceIp: '192.0.2.7' },
      stage: pick(['$default', 'api']),
      ...(isUrl && { domainName: 'abc.lambda-url.eu-west-1.on.aws' }),
    },
    ...(chance(0.4) && { body: pick(['{"a":1}', 'x'.repeat(60), '!', 7]), isBase64Encoded: chance(0.4) }),
  };
}
