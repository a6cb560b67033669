import type { Stack } from 'aws-cdk-lib/core';
import fc from 'fast-check';
import { FunctionUrl, HttpApi, McpServer, RestApi, RestEndpoint } from '../src/index.js';
import { newFn } from './support/function.js';
import { messageOf, newStack, propertiesOf, templateOf } from './support/synth.js';

const modesOf = (stack: Stack) =>
  propertiesOf(templateOf(stack), 'AWS::ApiGateway::Method').map(({ Integration }) => {
    const { ResponseTransferMode, TimeoutInMillis, Uri } = Integration as Record<string, unknown>;
    return [ResponseTransferMode, TimeoutInMillis, /response-streaming-invocations/.test(JSON.stringify(Uri))];
  });

const STREAM = ['STREAM', 900_000, true];
const BUFFERED = [undefined, undefined, false];

it('one streaming route makes all routes of the REST API stream, in any order', () => {
  const stack = newStack();
  const api = new RestApi(stack, 'Api', { fn: newFn(stack) });
  api.addRoutes([
    { method: 'GET', path: '/notes' },
    { method: 'GET', path: '/progress', streaming: true },
  ]);
  api.addRoutes([{ method: 'GET', path: '/later' }]);
  expect(modesOf(stack)).toEqual([STREAM, STREAM, STREAM]);
});

it('no streaming route: all buffer', () => {
  const stack = newStack();
  new RestApi(stack, 'Api', { fn: newFn(stack) }).addRoutes([{ method: 'GET', path: '/notes' }]);
  expect(modesOf(stack)).toEqual([BUFFERED]);
});

it('the documents of an MCP server on a separate API stream like its endpoint', () => {
  const stack = newStack();
  new McpServer(stack, 'Mcp', { fn: newFn(stack) });
  expect(new Set(modesOf(stack).map(([mode]) => mode))).toEqual(new Set(['STREAM']));
});

it('a change of the mode is deployed', () => {
  const deploymentOf = (streaming: boolean) => {
    const stack = newStack();
    new RestApi(stack, 'Api', { fn: newFn(stack) }).addRoutes([
      { method: 'GET', path: '/notes' },
      { method: 'GET', path: '/progress', streaming },
    ]);
    const { Resources } = templateOf(stack);
    return Object.keys(Resources).find((id) => Resources[id]?.Type === 'AWS::ApiGateway::Deployment');
  };
  expect(deploymentOf(true)).not.toBe(deploymentOf(false));
  expect(deploymentOf(true)).toBe(deploymentOf(true));
});

it.each([
  [
    'an edge API next to a streaming one',
    (stack: Stack) => {
      const fn = newFn(stack);
      new RestApi(stack, 'Live', { fn }).addRoutes([{ method: 'GET', path: '/progress', streaming: true }]);
      new RestApi(stack, 'Edge', { fn, endpoint: RestEndpoint.EDGE }).addRoutes([{ method: 'GET', path: '/notes' }]);
    },
    expect.failure(undefined, 'RestApi: ', 'Test/Edge', 'GET /progress', 'Test/Live', '(at Test/Edge)'),
  ],
  [
    'a streaming function URL next to a streaming REST API',
    (stack: Stack) => {
      const fn = newFn(stack);
      new FunctionUrl(stack, 'Url', { fn, streaming: true });
      new RestApi(stack, 'Live', { fn }).addRoutes([{ method: 'GET', path: '/progress', streaming: true }]);
    },
    expect.failure(undefined, 'RestApi: ', 'GET /progress', 'Test/Url', '(at Test/Live)'),
  ],
] as const)('rejects %s', (_name, build, failure) => {
  const stack = newStack();
  build(stack);
  expect(() => templateOf(stack)).toThrow(failure);
});

/** The doors of one function, and the routes that the application adds to each. */
const combination = fc.record({
  rests: fc.array(fc.array(fc.boolean(), { minLength: 1, maxLength: 4 }), { maxLength: 3 }),
  url: fc.option(fc.boolean(), { nil: undefined }),
  mcp: fc.option(fc.boolean(), { nil: undefined }),
  http: fc.boolean(),
});

it('for all combinations of doors, routes and modes, one handler writes what each door reads, or the stack is rejected', () => {
  fc.assert(
    fc.property(combination, ({ rests, url, mcp, http }) => {
      const stack = newStack();
      const fn = newFn(stack);
      const apis = rests.map((routes, door) => {
        const api = new RestApi(stack, `Rest${door}`, { fn });
        api.addRoutes(routes.map((streaming, index) => ({ method: 'GET', path: `/r${index}`, streaming })));
        return api;
      });
      if (url !== undefined) new FunctionUrl(stack, 'Url', { fn }).addCatchAll({ streaming: url });
      if (http) new HttpApi(stack, 'Http', { fn }).addRoutes([{ method: 'GET', path: '/r' }]);
      if (mcp !== undefined) new McpServer(stack, 'Mcp', { fn, streaming: mcp, ...(apis[0] && { api: apis[0] }) });
      const restStreams = rests.flat().includes(true) || mcp === true;
      const message = messageOf(() => templateOf(stack));
      if (restStreams && url === true) {
        expect(message).toContain('no handler writes both formats');
        return;
      }
      expect(message).toBe('');
      const template = templateOf(stack);
      // The handler is createGatewayRestStreamingHandler if a REST route streams, createLambdaFunctionURLStreamingHandler if the URL does.
      const read = propertiesOf(template, 'AWS::ApiGateway::Method').map(
        ({ Integration }) => (Integration as Record<string, unknown>).ResponseTransferMode ?? 'BUFFERED',
      );
      expect(new Set(read).size).toBeLessThanOrEqual(1);
      for (const mode of read) expect(mode).toBe(restStreams ? 'STREAM' : 'BUFFERED');
      const urls = propertiesOf(template, 'AWS::Lambda::Url').map(({ InvokeMode }) => InvokeMode);
      expect(urls).toEqual(url === undefined ? [] : [url ? 'RESPONSE_STREAM' : 'BUFFERED']);
    }),
    { numRuns: 15 },
  );
});
