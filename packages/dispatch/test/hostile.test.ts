import { isFrameworkError } from '@sallyport/core';
import { json } from '@sallyport/http';
import fc from 'fast-check';
import { createApp } from '../src/app.js';

const SECRET = 'hunter2-secret-text';

/** An app whose every handler throws a secret. */
function createFailingApp() {
  const fail = () => {
    throw new Error(SECRET);
  };
  const app = createApp({ maskErrors: true });
  for (const method of ['GET', 'POST', 'DELETE']) app.handle(method, '/{rest+}', fail).handle(method, '/', fail);
  app.get('/fine/{id}', (ctx) => json(200, [ctx.request.query, ctx.request.cookies, ctx.params]));
  for (const key of ['$connect', '$default']) app.webSocket(key, fail);
  app.appSyncField('Query', 'note', fail);
  app.queue('q', fail).tableStream('t', fail).kinesis('s', fail).topic('n', fail).eventBus({ source: 'x' }, fail);
  return app;
}

const V2 = {
  version: '2.0',
  routeKey: '$default',
  rawPath: '/fine/1',
  rawQueryString: 'a=1',
  cookies: ['a=b'],
  headers: { host: 'h', 'x-request-id': 'r' },
  requestContext: { http: { method: 'GET', path: '/fine/1', sourceIp: '1.2.3.4' }, stage: '$default', domainName: 'd' },
  body: 'e30=',
  isBase64Encoded: true,
};
const record = (eventSource: string, resource: string, more: object) => ({
  Records: [{ eventSource, eventSourceARN: `arn:aws:${resource}`, messageId: 'm', eventID: 'e', ...more }],
});
const SEEDS: readonly object[] = [
  V2,
  { httpMethod: 'POST', path: '/a', headers: {}, multiValueHeaders: { a: ['b'] }, requestContext: {}, body: '{}' },
  { httpMethod: 'GET', path: '/a', headers: {}, requestContext: { elb: { targetGroupArn: 'x' } }, body: '' },
  { requestContext: { connectionId: 'c', routeKey: '$connect', domainName: 'd', stage: 's' } },
  { arguments: {}, info: { fieldName: 'note', parentTypeName: 'Query' }, request: { headers: {} } },
  record('aws:sqs', 'sqs:r:1:q', { body: '{}' }),
  record('aws:dynamodb', 'dynamodb:r:1:table/t/stream/l', { dynamodb: {} }),
  record('aws:kinesis', 'kinesis:r:1:stream/s', { kinesis: { data: 'e30=' } }),
  { Records: [{ EventSource: 'aws:sns', Sns: { TopicArn: 'arn:aws:sns:r:1:n', MessageId: 'm', Message: 'x' } }] },
  { 'detail-type': 'd', source: 'x', detail: {} },
];

/** Every place in a value that could have another value. */
function placesIn(value: unknown, path: readonly string[] = []): string[][] {
  if (typeof value !== 'object' || value === null) return [[...path]];
  return [[...path], ...Object.entries(value).flatMap(([key, inner]) => placesIn(inner, [...path, key]))];
}

function put(value: unknown, path: readonly string[], replacement: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return replacement;
  const copy = (Array.isArray(value) ? [...value] : { ...(value as object) }) as Record<string, unknown>;
  copy[key] = put(copy[key], rest, replacement);
  return copy;
}

const mutated = fc.constantFrom(...SEEDS).chain((seed) =>
  fc
    .array(fc.tuple(fc.constantFrom(...placesIn(seed)), fc.jsonValue()), { minLength: 0, maxLength: 3 })
    .map((changes) =>
      changes.reduce<unknown>((event, [path, replacement]) => {
        try {
          return put(event, path, replacement);
        } catch {
          return event;
        }
      }, seed),
    ),
);

/** The answer as text, or the error that was thrown. */
async function outcomeOf(event: unknown): Promise<string> {
  try {
    return JSON.stringify(await createFailingApp().handleLambda(event)) ?? '';
  } catch (error) {
    expect(isFrameworkError(error)).toBe(true);
    return (error as Error).message;
  }
}

it('ends every mutated event in an answer or a framework error, and never shows what a handler threw', async () => {
  await fc.assert(
    fc.asyncProperty(mutated, async (event) => {
      expect(await outcomeOf(event)).not.toContain(SECRET);
    }),
    { numRuns: 1500 },
  );
});

it('does so for any JSON at all', async () => {
  await fc.assert(
    fc.asyncProperty(fc.jsonValue({ maxDepth: 5 }), async (event) => {
      expect(await outcomeOf(event)).not.toContain(SECRET);
    }),
    { numRuns: 500 },
  );
});
