import {
  graphqlDifferences,
  type StreamExchange,
  type StreamingDoorKind,
  streamDifferences,
  webSocketDifferences,
} from '../src/events.js';

const MIB = 1024 * 1024;
const seen = (found: readonly { readonly topic: string; readonly source: string }[]) => found.map(({ topic }) => topic);

describe('graphqlDifferences compares one field with the quotas of AppSync', () => {
  it.each<[string, Parameters<typeof graphqlDifferences>[0], string[]]>([
    ['a small field', { eventBytes: 100, answerBytes: 100, durationMs: 100 }, []],
    ['an event of 5 MB', { eventBytes: 5 * MIB }, []],
    ['an event of 5 MB and one byte', { eventBytes: 5 * MIB + 1 }, ['request.limit']],
    ['an answer of 5 MB', { answerBytes: 5 * MIB }, []],
    ['an answer of 5 MB and one byte', { answerBytes: 5 * MIB + 1 }, ['answer.limit']],
    ['30 seconds', { durationMs: 30_000 }, []],
    ['more than 30 seconds', { durationMs: 30_001 }, ['duration.door']],
  ])('%s', (_title, exchange, topics) => {
    const found = graphqlDifferences(exchange);
    expect(seen(found)).toEqual(topics);
    for (const { source } of found) expect(source).toBe('https://docs.aws.amazon.com/general/latest/gr/appsync.html');
  });
});

describe('webSocketDifferences compares one route with the quotas of a WebSocket API', () => {
  it.each<[string, Parameters<typeof webSocketDifferences>[0], string[]]>([
    ['a small message', { sentBytes: 100, durationMs: 100 }, []],
    ['a message of 128 KB', { sentBytes: 131_072 }, []],
    ['a message of 128 KB and one byte', { sentBytes: 131_073 }, ['answer.limit']],
    ['an authorizer context of 8 KB', { authorizerBytes: 8192 }, []],
    ['an authorizer context of 8 KB and one byte', { authorizerBytes: 8193 }, ['answer.limit']],
    ['29 seconds', { durationMs: 29_000 }, []],
    ['more than 29 seconds', { durationMs: 29_001 }, ['duration.door']],
  ])('%s', (_title, exchange, topics) => {
    const found = webSocketDifferences(exchange);
    expect(seen(found)).toEqual(topics);
    for (const { source } of found) {
      expect(source).toBe(
        'https://docs.aws.amazon.com/apigateway/latest/developerguide/apigateway-execution-service-websocket-limits-table.html',
      );
    }
  });
});

describe('streamDifferences compares a streamed answer with the facts of its door', () => {
  const CHALLENGE = { statusCode: 401, headers: { 'WWW-Authenticate': 'Bearer' } };
  it.each<[string, StreamingDoorKind, StreamExchange, string[]]>([
    ['a small answer', 'gateway-v1', { prelude: { statusCode: 200 }, bytes: 100, durationMs: 100 }, []],
    ['a small answer', 'function-url', { prelude: undefined, bytes: 100 }, []],
    ['no status and headers', 'gateway-v1', { prelude: undefined }, ['stream.prelude']],
    ['16 KB of headers', 'gateway-v1', { prelude: {}, preludeBytes: 16_384 }, []],
    ['more than 16 KB of headers', 'gateway-v1', { prelude: {}, preludeBytes: 16_385 }, ['stream.prelude']],
    ['more than 16 KB of headers', 'function-url', { prelude: {}, preludeBytes: 16_385 }, []],
    ['a status that is no number', 'function-url', { prelude: { statusCode: 'ok' } }, ['stream.prelude']],
    ['a status of 99', 'gateway-v1', { prelude: { statusCode: 99 } }, ['stream.prelude']],
    ['a member that no door reads', 'gateway-v1', { prelude: { body: 'x' } }, ['answer.ignored']],
    ['lists of headers', 'gateway-v1', { prelude: { multiValueHeaders: { a: ['1'] } } }, []],
    ['lists of headers', 'function-url', { prelude: { multiValueHeaders: { a: ['1'] } } }, ['answer.ignored']],
    ['cookies', 'gateway-v1', { prelude: { cookies: ['a=1'] } }, []],
    ['a challenge', 'gateway-v1', { prelude: CHALLENGE }, ['header.renamed']],
    ['a challenge', 'function-url', { prelude: CHALLENGE }, ['header.renamed']],
    ['200 MB', 'function-url', { prelude: {}, bytes: 200 * MIB }, []],
    ['200 MB and one byte', 'function-url', { prelude: {}, bytes: 200 * MIB + 1 }, ['answer.limit']],
    ['200 MB and one byte', 'gateway-v1', { prelude: {}, bytes: 200 * MIB + 1 }, ['answer.limit']],
    ['15 minutes', 'gateway-v1', { prelude: {}, durationMs: 900_000 }, []],
    ['more than 15 minutes', 'gateway-v1', { prelude: {}, durationMs: 900_001 }, ['duration.door']],
    ['a pause of 5 minutes', 'gateway-v1', { prelude: {}, longestPauseMs: 300_000 }, []],
    ['a longer pause', 'gateway-v1', { prelude: {}, longestPauseMs: 300_001 }, ['duration.door']],
    ['a longer pause', 'function-url', { prelude: {}, longestPauseMs: 300_001 }, []],
    ['10 MB in 3 seconds', 'function-url', { prelude: {}, bytes: 10 * MIB, timeoutMs: 3000 }, []],
    ['14 MB in 3 seconds', 'function-url', { prelude: {}, bytes: 14 * MIB, timeoutMs: 3000 }, ['duration.function']],
  ])('%s through %s', (_title, kind, exchange, topics) => {
    const found = streamDifferences(kind, exchange);
    expect(seen(found)).toEqual(topics);
    for (const { source } of found) expect(source).toMatch(/^https:\/\/docs\.aws\.amazon\.com\//);
  });
});
