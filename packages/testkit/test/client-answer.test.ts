import { clientAnswer, clientFailure, type HttpDoorKind } from '../src/events.js';

const DOORS: readonly HttpDoorKind[] = ['gateway-v2', 'gateway-v1', 'function-url', 'load-balancer'];
const text = (body: Uint8Array) => Buffer.from(body).toString('utf8');

describe('what the client of a door gets', () => {
  test.each(DOORS)('%s: status, headers and a body in base64', (kind) => {
    const answer = { statusCode: 201, headers: { 'content-type': 'text/x' }, body: 'w6Q=', isBase64Encoded: true };
    const { status, headers, body, refused } = clientAnswer(kind, answer);
    expect({ status, headers, body: text(body), refused }).toEqual({
      status: 201,
      headers: [['content-type', 'text/x']],
      body: 'ä',
      refused: undefined,
    });
  });

  test('cookies are a list in payload 2.0, and headers with several values in payload 1.0', () => {
    expect(clientAnswer('gateway-v2', { statusCode: 200, cookies: ['a=1', 'b=2'] }).headers).toEqual([
      ['set-cookie', 'a=1'],
      ['set-cookie', 'b=2'],
      ['content-type', 'text/plain;charset=UTF-8'],
    ]);
    const answer = { statusCode: 200, headers: { a: '1', b: '1' }, multiValueHeaders: { A: ['2', '3'] } };
    expect(clientAnswer('gateway-v1', answer).headers).toEqual([
      ['b', '1'],
      ['A', '2'],
      ['A', '3'],
      ['content-type', 'application/json'],
    ]);
    expect(clientAnswer('load-balancer', answer).headers).toEqual([
      ['a', '1'],
      ['b', '1'],
    ]);
    expect(clientAnswer('load-balancer', answer, { multiValue: true }).headers).toEqual([
      ['A', '2'],
      ['A', '3'],
    ]);
  });

  test.each([
    ['gateway-v2', { a: 1 }, 200, '{"a":1}', undefined],
    ['function-url', 'hello', 200, 'hello', undefined],
    ['function-url', null, 200, 'null', undefined],
    [
      'gateway-v1',
      { a: 1 },
      502,
      '{"message": "Internal server error"}',
      'the answer has no statusCode: return an object such as { statusCode: 200 }',
    ],
    [
      'gateway-v2',
      { statusCode: 'x' },
      500,
      '{"message":"Internal Server Error"}',
      'statusCode is "x", and must be a whole number from 100 to 599',
    ],
    [
      'gateway-v2',
      { statusCode: 200, body: {} },
      500,
      '{"message":"Internal Server Error"}',
      'body is an object, and must be a string: JSON.stringify it, or send bytes as base64',
    ],
    [
      'gateway-v2',
      { statusCode: 200, isBase64Encoded: 1 },
      500,
      '{"message":"Internal Server Error"}',
      'isBase64Encoded is a number, and must be true or false',
    ],
    [
      'gateway-v2',
      { statusCode: 'x'.repeat(19) },
      500,
      '{"message":"Internal Server Error"}',
      'statusCode is a string, and must be a whole number from 100 to 599',
    ],
    [
      'gateway-v2',
      { statusCode: 200, headers: [] },
      500,
      '{"message":"Internal Server Error"}',
      'headers is a list, and must be an object',
    ],
    [
      'gateway-v1',
      { statusCode: 200, headers: { a: {} } },
      502,
      '{"message": "Internal server error"}',
      'headers["a"] is an object, and must be a string',
    ],
    [
      'function-url',
      { statusCode: 200, cookies: 'a=1' },
      502,
      'Internal Server Error',
      'cookies is a string, and must be a list: one string for each cookie',
    ],
    [
      'gateway-v1',
      { statusCode: 200, multiValueHeaders: { a: '1' } },
      502,
      '{"message": "Internal server error"}',
      'multiValueHeaders["a"] must be a list of strings, even for a single value',
    ],
  ] as const)('%s of %j', (kind, answer, status, body, refused) => {
    const got = clientAnswer(kind, answer);
    expect({ status: got.status, body: text(got.body), refused: got.refused }).toEqual({ status, body, refused });
  });

  test('a function without an answer', () => {
    const statuses = DOORS.map((kind) =>
      (['error', 'timeout', 'throttled'] as const).map((why) => clientFailure(kind, why).status),
    );
    expect(statuses).toEqual([
      [500, 503, 503],
      [502, 504, 503],
      [502, 502, 429],
      [502, 502, 502],
    ]);
  });
});
