import { buildAgentCoreCall, buildInterceptorEvent } from '@sallyport/mcp/testing';
import { buildAPIGatewayV2Request } from '@sallyport/testkit';
import type { Runtime } from '../src/index.js';
import { serve } from './support/functions.js';

let runtime: Runtime;
beforeAll(async () => {
  runtime = await serve('agents.ts', 'handler');
});
afterAll(() => runtime.stop());

async function call(args: unknown, headers: Record<string, string>, target = 'notes'): Promise<unknown> {
  const { event, clientContext } = buildAgentCoreCall('add', args, { target, headers });
  const { outcome, body } = await runtime.invoke(event, { clientContext: JSON.stringify(clientContext) });
  const answer = JSON.parse(body.toString('utf8'));
  return outcome === 'error' ? [answer.errorType, answer.errorMessage] : answer;
}

test('a tool of an agent is called by the name in the client context', async () => {
  await expect(call({ a: 1, b: 2 }, { 'X-User': 'ada' })).resolves.toMatchObject({
    structuredContent: { sum: 3, caller: 'ada' },
  });
  await expect(call({ a: 'x' }, { 'X-User': 'ada' })).resolves.toMatchObject({ isError: true });
});

test('without a caller, and for another target, it fails', async () => {
  await expect(call({ a: 1, b: 2 }, {})).resolves.toEqual(['FrameworkError', 'unauthorized']);
  await expect(call({ a: 1, b: 2 }, { 'X-User': 'ada' }, 'other')).resolves.toEqual([
    'FrameworkError',
    'framework: mcp: agent call: it is for another target',
  ]);
});

test('arguments in the shape of a request reach no route', async () => {
  await expect(call(buildAPIGatewayV2Request('GET', '/'), { 'X-User': 'ada' })).resolves.toMatchObject({
    isError: true,
  });
});

test('an interceptor passes and rejects', async () => {
  const invoke = async (headers: Record<string, string>) => {
    const { body } = await runtime.invoke(buildInterceptorEvent({ headers }));
    return JSON.parse(body.toString('utf8'));
  };
  await expect(invoke({ 'x-team': 'blue' })).resolves.toMatchObject({ mcp: { transformedGatewayRequest: {} } });
  await expect(invoke({})).resolves.toMatchObject({
    mcp: { transformedGatewayResponse: { statusCode: 500, body: { error: { message: 'Internal error' } } } },
  });
});
