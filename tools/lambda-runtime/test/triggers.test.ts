import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buildInvocation } from '@sallyport/triggers/invoke';
import {
  buildCognitoEvent,
  buildCustomResourceEvent,
  buildRequestAuthorizerEvent,
  buildS3Event,
  buildTokenAuthorizerEvent,
} from '@sallyport/triggers/testing';
import type { Runtime } from '../src/index.js';
import { serve } from './support/functions.js';

let server: Server;
let host: string;
const puts: unknown[] = [];

beforeAll(async () => {
  server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    puts.push(JSON.parse(text));
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

async function invoke(runtime: Runtime, event: unknown): Promise<[string, unknown]> {
  const { outcome, body } = await runtime.invoke(event);
  const answer = JSON.parse(body.toString('utf8')) as Record<string, unknown> | null;
  return [outcome, outcome === 'error' ? [answer?.errorType, answer?.errorMessage] : answer];
}

describe('opt-in triggers of SecureApp', () => {
  let runtime: Runtime;
  beforeAll(async () => {
    runtime = await serve('triggers.ts', 'container', { env: { RESPONSE_HOST: host } });
  });
  afterAll(() => runtime.stop());

  test.each<[string, unknown, [string, unknown]]>([
    ['S3', buildS3Event('uploads', [{ key: 'a b' }]), ['response', null]],
    [
      'a failed object',
      buildS3Event('uploads', [{ key: 'secret' }]),
      ['error', ['FrameworkError', 'framework: event workload failed']],
    ],
    ['an invocation by name', buildInvocation('double', 21), ['response', 42]],
    ['its code as the type of the error', buildInvocation('conflict', null), ['error', ['app.conflict', 'taken']]],
    [
      'an unknown name',
      buildInvocation('other', null),
      ['error', ['app.not_found', 'framework: no handler for this name']],
    ],
    ['no identity', buildTokenAuthorizerEvent({ token: 'x' }), ['error', ['Error', 'Unauthorized']]],
  ])('%s', async (_name, event, expected) => {
    await expect(invoke(runtime, event)).resolves.toEqual(expected);
  });

  test('a token is answered with a policy, a sign-up with its response', async () => {
    await expect(invoke(runtime, buildTokenAuthorizerEvent())).resolves.toMatchObject([
      'response',
      { principalId: 'u1', policyDocument: { Statement: [{ Effect: 'Allow' }] } },
    ]);
    await expect(invoke(runtime, buildCognitoEvent())).resolves.toMatchObject([
      'response',
      { triggerSource: 'PreSignUp_SignUp', response: { autoConfirmUser: true } },
    ]);
  });

  test('a custom resource is answered by one PUT', async () => {
    const event = buildCustomResourceEvent({ responseUrl: `http://${host}/answer` });
    await expect(invoke(runtime, event)).resolves.toEqual(['response', null]);
    expect(puts).toMatchObject([{ Status: 'SUCCESS', PhysicalResourceId: 'made' }]);
  });

  test('an agent reaches none of them', async () => {
    const clientContext = JSON.stringify({ custom: { bedrockAgentCoreToolName: 'notes___add' } });
    const { outcome, body } = await runtime.invoke(buildInvocation('double', 1), { clientContext });
    expect([outcome, JSON.parse(body.toString('utf8')).errorMessage]).toEqual([
      'error',
      'framework: no adapter for agent invocations',
    ]);
  });
});

test('a request authorizer is a function of its own', async () => {
  const runtime = await serve('triggers.ts', 'serveAuthorizer');
  const event = buildRequestAuthorizerEvent({ version: '2.0', headers: { 'X-Api-Key': 'k' } });
  await expect(invoke(runtime, event)).resolves.toEqual(['response', { isAuthorized: true }]);
  await expect(invoke(runtime, buildRequestAuthorizerEvent({ version: '2.0' }))).resolves.toEqual([
    'response',
    { isAuthorized: false },
  ]);
});

test('a surface is a function of its own', async () => {
  const runtime = await serve('triggers.ts', 'alone');
  await expect(invoke(runtime, buildS3Event('uploads', [{ key: 'a' }]))).resolves.toEqual(['response', null]);
});
