import {
  buildAPIGatewayProxyRequest,
  buildAPIGatewayV2Request,
  buildLambdaFunctionURLRequest,
} from '@sallyport/testkit/events';
import type { Runtime } from '../src/index.js';
import { createGate, errorTrailers, type Gate, KINDS, serve, splitStream } from './support/functions.js';

/** One answer, however it travels: the headers that both ways have, bytes as text of one byte a character. */
interface Answer {
  readonly path: string;
  readonly status: number;
  readonly type: string | undefined;
  readonly cookies?: readonly string[];
  readonly body: string;
}

const JSON_TYPE = 'application/json; charset=utf-8';
const bytesOf = (text: string) => Buffer.from(text, 'utf8').toString('latin1');

const ANSWERS: readonly (readonly [string, Answer])[] = [
  ['JSON', { path: '/hello', status: 200, type: JSON_TYPE, body: '{"hello":"world"}' }],
  [
    'text outside of ASCII, and cookies',
    {
      path: '/html',
      status: 404,
      type: 'text/html; charset=utf-8',
      cookies: ['a=1', 'b=2'],
      body: bytesOf('<p>grüße</p>'),
    },
  ],
  ['bytes', { path: '/bytes', status: 200, type: 'application/octet-stream', body: '\x00\xff\x80\n' }],
  ['an empty body', { path: '/empty', status: 200, type: 'text/plain; charset=utf-8', body: '' }],
  ['204', { path: '/no-content', status: 204, type: undefined, body: '' }],
];

interface Prelude {
  readonly statusCode: number;
  readonly headers: Record<string, string>;
  readonly cookies?: readonly string[];
  readonly multiValueHeaders?: Record<string, readonly string[]>;
}

const DOORS = [
  ['function URL', 'functionUrl', buildLambdaFunctionURLRequest],
  ['REST API', 'gatewayRest', buildAPIGatewayProxyRequest],
] as const;

describe.each(KINDS)('%s', (_kind, file) => {
  describe('buffered', () => {
    let runtime: Runtime;
    beforeAll(async () => {
      runtime = await serve(file, 'buffered');
    });
    afterAll(() => runtime.stop());

    test.each(ANSWERS)('answers with %s', async (_name, { path, status, type, cookies, body }) => {
      const result = await runtime.invoke(buildAPIGatewayV2Request('GET', path));
      expect(result).toMatchObject({ outcome: 'response', streaming: false });
      const answer = JSON.parse(result.body.toString('utf8'));
      const bytes = Buffer.from(answer.body, answer.isBase64Encoded ? 'base64' : 'utf8').toString('latin1');
      expect([answer.statusCode, answer.headers['content-type'], answer.cookies, bytes]).toEqual([
        status,
        type,
        cookies,
        body,
      ]);
    });

    test('reports a rejection as an error, and serves the next invocation', async () => {
      const { outcome, streaming, body } = await runtime.invoke({ unknown: true });
      expect([outcome, streaming]).toEqual(['error', false]);
      expect(JSON.parse(body.toString('utf8'))).toHaveProperty('errorMessage');
      expect((await runtime.invoke(buildAPIGatewayV2Request('GET', '/hello'))).outcome).toBe('response');
    });

    test('answers 500 to an exception, without its text', async () => {
      const { outcome, body } = await runtime.invoke(buildAPIGatewayV2Request('GET', '/fails-before'));
      expect([outcome, JSON.parse(body.toString('utf8')).statusCode]).toEqual(['response', 500]);
      expect(body.toString('utf8')).not.toContain('connection string');
    });
  });

  describe.each(DOORS)('streamed through a %s', (_door, handler, build) => {
    let runtime: Runtime;
    let gate: Gate;
    beforeAll(async () => {
      gate = await createGate();
      runtime = await serve(file, handler, { env: { GATE_URL: gate.url } });
    });
    afterAll(() => runtime.stop());

    test.each(ANSWERS)('answers with %s', async (_name, { path, status, type, cookies, body }) => {
      const result = await runtime.invoke(build('GET', path));
      expect(result).toMatchObject({
        outcome: 'response',
        streaming: true,
        headers: {
          'content-type': 'application/vnd.awslambda.http-integration-response',
          'transfer-encoding': 'chunked',
        },
      });
      expect(errorTrailers(result)).toBeUndefined();
      const prelude = splitStream(result).prelude as Prelude;
      expect([
        prelude.statusCode,
        prelude.headers['content-type'],
        prelude.cookies ?? prelude.multiValueHeaders?.['set-cookie'],
        splitStream(result).payload.toString('latin1'),
      ]).toEqual([status, type, cookies, body]);
    });

    test('begins with the metadata, in one line of JSON, and eight NUL bytes', async () => {
      const { body } = await runtime.invoke(build('GET', '/hello'));
      expect(body.toString('latin1')).toMatch(/^\{"statusCode":200,"headers":\{[^\n]*\}\}\0{8}\{"hello":"world"\}$/);
    });

    test('sends a chunk before the next chunk exists', async () => {
      let received = '';
      const result = await runtime.invoke(build('GET', '/two-chunks'), {
        onChunk: (chunk) => {
          received += chunk.toString('latin1');
          if (received.endsWith('\0one;')) gate.open();
        },
      });
      expect(result.outcome).toBe('response');
      expect(splitStream(result).payload.toString('latin1')).toBe('one;two;');
    });

    test('sends 1.5 MiB whole and in order', async () => {
      const result = await runtime.invoke(build('GET', '/large'));
      const { payload } = splitStream(result);
      expect([result.outcome, payload.byteLength]).toEqual(['response', 1_572_864]);
      const letters = Array.from({ length: 24 }, (_, index) =>
        payload.toString('latin1', index * 65_536, index * 65_536 + 1),
      );
      expect(letters.join('')).toBe('abcdefghijklmnopqrstuvwx');
      expect(
        letters.every((letter, index) =>
          payload.subarray(index * 65_536, (index + 1) * 65_536).every((byte) => byte === letter.charCodeAt(0)),
        ),
      ).toBe(true);
    });

    test('answers 500 to an exception before the first byte, without its text', async () => {
      const result = await runtime.invoke(build('GET', '/fails-before'));
      expect([result.outcome, (splitStream(result).prelude as Prelude).statusCode]).toEqual(['response', 500]);
      expect(result.body.toString('latin1')).not.toContain('connection string');
      expect(errorTrailers(result)).toBeUndefined();
    });

    test.each([
      ['an exception', '/fails-after', 15_000, 'internal error'],
      ['the deadline', '/outlives-deadline', 1_000, 'request timeout'],
    ])(
      'reports %s after the first byte in trailers, and serves the next invocation',
      async (_name, path, timeoutMs, message) => {
        const result = await runtime.invoke(build('GET', path), { timeoutMs });
        expect(result.outcome).toBe('response');
        expect(splitStream(result).payload.toString('latin1')).toBe('begin;');
        const trailers = errorTrailers(result);
        expect(trailers?.type).toMatch(/^\w+$/);
        expect(JSON.parse(trailers?.body ?? '').errorMessage).toBe(message);
        expect(trailers?.body).not.toContain('connection string');

        const next = await runtime.invoke(build('GET', '/hello'));
        expect([next.outcome, runtime.running]).toEqual(['response', true]);
      },
    );
  });
});
