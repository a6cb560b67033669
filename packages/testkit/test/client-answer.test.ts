import { json } from '@sallyport/http';
import {
  buildAPIGatewayProxyRequest,
  buildAPIGatewayV2Request,
  buildLambdaFunctionURLRequest,
  buildLoadBalancerRequest,
  clientAnswer,
  createTestEnv,
  FAILED,
  type HttpDoor,
} from '../src/index.js';

const textOf = ({ body }: { body: Uint8Array }) => Buffer.from(body).toString();
const DOORS: readonly [HttpDoor, object][] = [
  ['gateway-v2', buildAPIGatewayV2Request('GET', '/n')],
  ['function-url', buildLambdaFunctionURLRequest('GET', '/n')],
  ['gateway-v1', buildAPIGatewayProxyRequest('GET', '/n')],
  ['load-balancer', buildLoadBalancerRequest('GET', '/n', { multiValue: true })],
  ['load-balancer', buildLoadBalancerRequest('GET', '/n')],
];

it.each(DOORS)('the client of %s gets what a handler answered', async (kind, event) => {
  const env = createTestEnv();
  const cookies = ['a=1; Path=/', 'b=2'];
  const app = env.app().get('/n', () => ({ ...json(201, { n: 1 }), headers: { 'x-a': ['1'] }, cookies }));
  const answer = clientAnswer(kind, await app.handleLambda(event));
  expect([answer.status, textOf(answer), answer.problem]).toEqual([201, '{"n":1}', undefined]);
  expect(answer.headers.filter(([name]) => name === 'set-cookie').map(([, value]) => value)).toEqual(cookies);
  expect(answer.headers).toContainEqual(['x-a', '1']);
});

it.each<[HttpDoor, unknown, number, string]>([
  ['gateway-v2', { n: 1 }, 200, '{"n":1}'],
  ['gateway-v2', 'text', 200, 'text'],
  ['gateway-v2', undefined, 200, 'null'],
  ['function-url', [1], 200, '[1]'],
  ['gateway-v2', { statusCode: 204 }, 204, ''],
  ['gateway-v1', { statusCode: '200', body: 'x' }, 200, 'x'],
  ['gateway-v1', { statusCode: 200, body: 'aGk=', isBase64Encoded: true }, 200, 'hi'],
  ['load-balancer', { statusCode: 200, body: null }, 200, ''],
])('%s reads %j', (kind, given, status, body) => {
  const answer = clientAnswer(kind, given);
  expect([answer.status, textOf(answer), answer.problem]).toEqual([status, body, undefined]);
});

it.each<[HttpDoor, unknown, number, string]>([
  ['gateway-v2', FAILED, 500, '{"message":"Internal Server Error"}'],
  ['gateway-v1', FAILED, 502, '{"message":"Internal server error"}'],
  ['function-url', FAILED, 502, 'Internal Server Error'],
  ['load-balancer', FAILED, 502, '<html><head><title>502 Bad Gateway</title></head></html>'],
  ['gateway-v1', 'text', 502, '{"message":"Internal server error"}'],
  ['gateway-v1', {}, 502, '{"message":"Internal server error"}'],
  ['gateway-v1', { statusCode: 200, body: {} }, 502, '{"message":"Internal server error"}'],
  ['gateway-v1', { statusCode: 200, multiValueHeaders: { a: 'b' } }, 502, '{"message":"Internal server error"}'],
  ['gateway-v2', { statusCode: 'ok' }, 500, '{"message":"Internal Server Error"}'],
  ['gateway-v2', { statusCode: 200, cookies: 'a=1' }, 500, '{"message":"Internal Server Error"}'],
  ['gateway-v2', { statusCode: 200, headers: { a: [1] } }, 500, '{"message":"Internal Server Error"}'],
  ['load-balancer', { statusCode: 99 }, 502, '<html><head><title>502 Bad Gateway</title></head></html>'],
])('%s answers %p with its own error, and says why', (kind, given, status, body) => {
  const answer = clientAnswer(kind, given);
  expect([answer.status, textOf(answer)]).toEqual([status, body]);
  expect(answer.problem).not.toBe('');
  expect(answer.problem).toBeDefined();
});

it('a name in both maps of payload 1.0 is sent once for each value of the list', () => {
  const answer = { statusCode: 200, headers: { 'X-A': '2', 'x-b': '3' }, multiValueHeaders: { 'x-a': ['1', '2'] } };
  expect(clientAnswer('gateway-v1', answer).headers).toEqual([
    ['x-b', '3'],
    ['x-a', '1'],
    ['x-a', '2'],
  ]);
});

it('other kinds have no HTTP client', () => {
  expect(() => clientAnswer('queue' as HttpDoor, {})).toThrow('framework: clientAnswer reads answers of gateway-v2');
});
