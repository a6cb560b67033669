/** Containers check options and variables when they are created, although most of their surfaces are created later. */
import { createApp } from '@sallyport/dispatch/app';
import { json } from '@sallyport/http';

const queueEvent = (arn: string) => ({
  Records: [{ messageId: 'm-1', body: 'one', attributes: {}, eventSource: 'aws:sqs', eventSourceARN: arn }],
});
const CONNECT = { requestContext: { connectionId: 'c-1', routeKey: '$connect', eventType: 'CONNECT' } };

const INSPECT = Symbol.for('framework.inspect');
const usesOf = ({ handleLambda }: ReturnType<typeof createApp>): readonly string[] =>
  (handleLambda as unknown as Record<symbol, { uses(): readonly string[] }>)[INSPECT]?.uses() ?? [];

it.each([
  ['FRAMEWORK_STREAM_FAILURE_IDENTIFIER', 'id', '"auto", "eventID" or "sequenceNumber"'],
  ['FRAMEWORK_EVENT_SOURCES', '[1]', 'a JSON object of names'],
  ['FRAMEWORK_WEBSOCKET_ENDPOINT', 'example.com', 'an http or https URL such as'],
])('a wrong %s is rejected by createApp, before anything is registered', (name, value, wanted) => {
  expect(() => createApp({ environment: { [name]: value } })).toThrow(`${name}`);
  expect(() => createApp({ environment: { [name]: value } })).toThrow(wanted);
});

it('variables are read when the container is created, not at the first event', async () => {
  const environment: Record<string, string> = { FRAMEWORK_EVENT_SOURCES: '{"queue":{"orders":"orders-1F2"}}' };
  const app = createApp({ environment, log: false });
  environment.FRAMEWORK_EVENT_SOURCES = '{"queue":{"orders":"other"}}';
  environment.FRAMEWORK_WEBSOCKET_ENDPOINT = 'no URL';
  environment.FRAMEWORK_STREAM_FAILURE_IDENTIFIER = 'no identifier';
  const bodies: string[] = [];
  app.queue('orders', (_ctx, { body }) => void bodies.push(body));
  app.webSocket('$connect', () => json(200, {}));
  const arn = 'arn:aws:sqs:us-east-1:123456789012:orders-1F2';
  expect(await app.handleLambda(queueEvent(arn))).toEqual({ batchItemFailures: [] });
  expect(await app.handleLambda(CONNECT)).toMatchObject({ statusCode: 200 });
  expect(bodies).toEqual(['one']);
});

it('events of kinds without a registration are answered as before', async () => {
  const app = createApp({ log: false });
  const arn = 'arn:aws:sqs:us-east-1:123456789012:orders';
  const failed = { batchItemFailures: [{ itemIdentifier: 'm-1' }] };
  expect(await app.handleLambda(queueEvent(arn))).toEqual(failed);
  expect(await app.handleLambda(CONNECT)).toMatchObject({ statusCode: 404 });
  expect(await app.handleLambda({ info: { fieldName: 'a', parentTypeName: 'Query' }, arguments: {} })).toMatchObject({
    error_info: { code: 'app.not_found' },
  });
  expect(app.triggers()).toEqual([]);
});

it('the handler lists the options and registrations that need optional parts', () => {
  expect(usesOf(createApp())).toEqual([]);
  expect(usesOf(createApp({ log: false, cors: {}, basePath: undefined } as object))).toEqual(['log', 'cors']);
  const app = createApp();
  app.useEvents((_ctx, _event, next) => next());
  app.appSyncField('Query', 'a', () => json(200, {}));
  app.webSocket('$default', () => json(200, {}));
  expect(usesOf(app)).toEqual(['events', 'graphql', 'websocket']);
});
