import type { HttpDoorKind } from '@sallyport/testkit/events';
import type { Config } from '../src/internal/config/config.js';
import { authorizerOf } from '../src/internal/doors/authorizer.js';

const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
const TOKEN = [encoded({ alg: 'none' }), encoded({ sub: 'ada', scope: 'notes:read notes:write' }), 'signature'].join(
  '.',
);
const request = (authorization?: string) => ({
  method: 'GET',
  path: '/',
  headers: authorization === undefined ? [] : [['Authorization', authorization] as const],
  body: new Uint8Array(),
  sourceIp: '127.0.0.1',
});
const left = (kind: HttpDoorKind, authorizer: Config['authorizer'], authorization?: string) =>
  authorizerOf(kind, request(authorization), { authorizer } as Config);
const claims = { sub: 'ada', scope: 'notes:read notes:write' };

test.each([
  ['gateway-v2', 'jwt', `Bearer ${TOKEN}`, { authorizer: { jwt: { claims, scopes: ['notes:read', 'notes:write'] } } }],
  ['gateway-v1', 'jwt', `Bearer ${TOKEN}`, { authorizer: { claims } }],
  ['gateway-v2', 'jwt', undefined, {}],
  ['gateway-v2', 'jwt', 'Bearer not-a-token', {}],
  ['load-balancer', 'jwt', `Bearer ${TOKEN}`, {}],
  ['gateway-v2', undefined, `Bearer ${TOKEN}`, {}],
  ['function-url', 'iam', undefined, { authorizer: { iam: expect.objectContaining({ accountId: '123456789012' }) } }],
  ['gateway-v1', 'iam', undefined, { authorizer: expect.objectContaining({ accountId: '123456789012' }) }],
] as const)('%s with the authorizer %s and %s', (kind, authorizer, authorization, expected) => {
  expect(left(kind, authorizer, authorization)).toEqual(expected);
});
