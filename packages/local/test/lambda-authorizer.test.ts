import { buildAPIGatewayProxyRequest, buildAPIGatewayV2Request } from '@sallyport/testkit/events';
import { buildRequestAuthorizerEvent } from '@sallyport/triggers/testing';
import { arnOf, authorizationOf, authorizerEvent } from '../src/internal/doors/lambda-authorizer.js';
import type { RunningHost } from '../src/internal/host/create-host.js';
import type { InvokeOutcome } from '../src/internal/runtime/invoker.js';
import { createProject, type Project, start } from './support/run.js';

const ARN = 'arn:aws:execute-api:us-east-1:123456789012:api1/prod/GET/notes';
const answered = (answer: unknown): InvokeOutcome => ({ ok: true, id: 1, requestId: 'r', streamed: false, answer });
const threw = (errorMessage: string): InvokeOutcome => ({
  ok: false,
  id: 1,
  requestId: 'r',
  reason: 'handler',
  error: { errorType: 'Error', errorMessage },
});
const statement = (Effect: string, Resource: unknown, Action: unknown = 'execute-api:Invoke') => ({
  Effect,
  Resource,
  Action,
});
const policy = (Statement: unknown, more: object = {}) =>
  answered({ principalId: 'ada', policyDocument: { Version: '2012-10-17', Statement }, ...more });
const allowed = (authorizer: object) => ({ isAllowed: true, authorizer });
const refused = (status: number, message: string | null) => ({ isAllowed: false, status, message });

describe('what API Gateway makes of an answer', () => {
  test.each([
    [
      'simple',
      answered({ isAuthorized: true, context: { tier: 'gold', seats: 2 } }),
      allowed({ lambda: { tier: 'gold', seats: 2 } }),
    ],
    ['simple, no context', answered({ isAuthorized: true }), allowed({ lambda: null })],
    ['simple, refused', answered({ isAuthorized: false }), refused(403, 'Forbidden')],
    ['a text for a boolean', answered({ isAuthorized: 'true' }), refused(500, 'Internal Server Error')],
    ['policy', policy([statement('Allow', ARN)], { context: { tier: 'gold' } }), allowed({ lambda: { tier: 'gold' } })],
    ['policy, refused', policy([statement('Deny', ARN)]), refused(403, 'Forbidden')],
    ['Unauthorized', threw('Unauthorized'), refused(401, 'Unauthorized')],
    ['another error', threw('Unauthorized: secret'), refused(500, 'Internal Server Error')],
    ['nothing', answered(null), refused(500, 'Internal Server Error')],
  ])('HTTP API: %s', (_name, outcome, expected) => {
    expect(authorizationOf('gateway-v2', ARN, outcome)).toEqual(expected);
  });

  const EXPLICIT = refused(403, 'User is not authorized to access this resource with an explicit deny');
  const IMPLICIT = refused(403, 'User is not authorized to access this resource');
  const ADA = allowed({ principalId: 'ada', integrationLatency: 0 });
  test.each([
    ['exactly', policy([statement('Allow', ARN)]), ADA],
    ['one statement', policy(statement('Allow', ARN)), ADA],
    ['wildcards', policy([statement('Allow', 'arn:aws:execute-api:*:*:api?/prod/*', 'execute-api:*')]), ADA],
    ['lists', policy([statement('Allow', ['x', ARN], ['EXECUTE-API:invoke'])]), ADA],
    [
      'values become texts',
      policy([statement('Allow', '*')], { context: { seats: 2, paid: true } }),
      allowed({ seats: '2', paid: 'true', principalId: 'ada', integrationLatency: 0 }),
    ],
    ['another path', policy([statement('Allow', `${ARN}/n-1`)]), IMPLICIT],
    ['a dot is a dot', policy([statement('Allow', ARN.replace('notes', 'n.tes'))]), IMPLICIT],
    ['another action', policy([statement('Allow', ARN, 's3:GetObject')]), IMPLICIT],
    ['no statement', policy([]), IMPLICIT],
    ['Deny wins', policy([statement('Allow', '*'), statement('Deny', ARN)]), EXPLICIT],
    ['an unknown effect', policy([statement('allow', ARN)]), refused(500, null)],
    ['nobody', answered({ policyDocument: { Statement: [statement('Allow', ARN)] } }), refused(500, null)],
    ['an object in the context', policy([statement('Allow', ARN)], { context: { a: {} } }), refused(500, null)],
    ['the simple form', answered({ isAuthorized: true }), refused(500, null)],
    ['Unauthorized', threw('Unauthorized'), refused(401, 'Unauthorized')],
    ['another error', threw('secret'), refused(500, null)],
  ])('REST API: %s', (_name, outcome, expected) => {
    expect(authorizationOf('gateway-v1', ARN, outcome)).toEqual(expected);
  });
});

test('the event has the members of AWS’s, and no body', () => {
  const v2 = authorizerEvent(
    buildAPIGatewayV2Request('POST', '/notes?x=1', { body: 'b', headers: { authorization: 'key' }, cookies: ['a=1'] }),
  );
  const known = Object.keys(buildRequestAuthorizerEvent({ version: '2.0' }));
  expect(Object.keys(v2).filter((name) => !known.includes(name))).toEqual([]);
  expect(v2).toMatchObject({
    version: '2.0',
    type: 'REQUEST',
    routeArn: 'arn:aws:execute-api:us-east-1:123456789012:api1/$default/POST/notes',
    identitySource: ['key'],
    cookies: ['a=1'],
  });
  const request = buildAPIGatewayProxyRequest('GET', '/notes', { body: 'b' });
  const v1 = authorizerEvent(request);
  expect(Object.keys(v1).sort()).toEqual(Object.keys(buildRequestAuthorizerEvent()).sort());
  expect(v1).toMatchObject({ type: 'REQUEST', methodArn: ARN, httpMethod: 'GET' });
  expect(v1.requestContext).not.toHaveProperty('authorizer');
  expect(arnOf(request)).toBe(ARN);
});

const SERVICE = `
export const authorizer = async (event) => {
  const [, key] = Object.entries(event.headers).find(([name]) => name.toLowerCase() === 'x-key') ?? [];
  if (key === undefined) throw new Error('Unauthorized');
  if (event.version === '2.0') return { isAuthorized: key === 'good', context: { by: process.env.AWS_LAMBDA_FUNCTION_NAME } };
  const Statement = [{ Action: 'execute-api:Invoke', Effect: key === 'good' ? 'Allow' : 'Deny', Resource: event.methodArn }];
  return { principalId: 'ada', policyDocument: { Version: '2012-10-17', Statement }, context: { seats: 2 } };
};
export const handler = async (event) => ({ statusCode: 200, body: JSON.stringify(event.requestContext.authorizer ?? null) });`;

describe('at the doors', () => {
  let project: Project;
  let host: RunningHost;
  beforeAll(async () => {
    project = createProject({ 'src/lambda.mjs': SERVICE });
    host = await start(project, { authorizer: 'lambda:authorizer' });
  });
  afterAll(async () => {
    await host.stop();
    project.remove();
  });

  test.each([
    ['gateway-v2', 'good', 200, '{"lambda":{"by":"service-authorizer"}}'],
    ['gateway-v2', 'bad', 403, '{"message":"Forbidden"}'],
    ['gateway-v2', undefined, 401, '{"message":"Unauthorized"}'],
    ['gateway-v1', 'good', 200, '{"seats":"2","principalId":"ada","integrationLatency":0}'],
    ['gateway-v1', 'bad', 403, '{"message":"User is not authorized to access this resource with an explicit deny"}'],
    ['gateway-v1', undefined, 401, '{"message":"Unauthorized"}'],
    ['function-url', undefined, 200, 'null'],
    ['load-balancer', undefined, 200, 'null'],
  ] as const)('%s with the key %s', async (door, key, status, text) => {
    const before = host.journal.list().length;
    const answer = await fetch(`http://127.0.0.1:${host.ports[door]}/notes`, {
      headers: key === undefined ? {} : { 'x-key': key },
    });
    expect({ status: answer.status, text: await answer.text() }).toEqual({ status, text });
    const records = host.journal.list().slice(before);
    const asked = door === 'gateway-v2' || door === 'gateway-v1' ? ['authorizer'] : [];
    expect(records.map(({ origin }) => origin.kind)).toEqual([...asked, ...(status === 200 ? [door] : [])]);
    expect(new Set(records.map(({ traceId }) => traceId)).size).toBe(1);
    expect(records.at(-1)?.client?.status).toBe(status);
  });
});
