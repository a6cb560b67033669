import { buildEdgeEvent, edgeHandler } from '@sallyport/triggers/edge';
import type * as aws from 'aws-lambda';

const header = (value: string) => [{ key: 'X-A', value }];

it('each place has its handler, and undefined changes nothing', async () => {
  const seen: string[] = [];
  const note =
    (name: string) =>
    (_first: unknown, ...rest: readonly { eventType?: string }[]) => {
      seen.push(`${name} ${rest.at(-1)?.eventType}`);
      return undefined;
    };
  const handler = edgeHandler({
    viewerRequest: note('viewerRequest') as never,
    originRequest: note('originRequest') as never,
    originResponse: note('originResponse') as never,
    viewerResponse: note('viewerResponse') as never,
  });
  for (const type of ['viewer-request', 'origin-request', 'origin-response', 'viewer-response'] as const) {
    const event = buildEdgeEvent(type);
    const { request, response } = event.Records[0]?.cf ?? {};
    await expect(handler(event)).resolves.toEqual(type.endsWith('request') ? request : response);
  }
  expect(seen).toEqual([
    'viewerRequest viewer-request',
    'originRequest origin-request',
    'originResponse origin-response',
    'viewerResponse viewer-response',
  ]);
});

it('a request is changed or answered, a response is changed', async () => {
  const rewrite = edgeHandler({ viewerRequest: (request) => ({ ...request, uri: request.uri.toLowerCase() }) });
  await expect(rewrite(buildEdgeEvent('viewer-request', { uri: '/A' }))).resolves.toMatchObject({
    uri: '/a',
    method: 'GET',
  });
  const answer = edgeHandler({ viewerRequest: () => ({ status: 302, headers: { location: header('/b') } }) });
  await expect(answer(buildEdgeEvent('viewer-request'))).resolves.toEqual({
    status: '302',
    headers: { location: header('/b') },
  });
  const secure = edgeHandler({ viewerResponse: (response) => ({ ...response, headers: { 'x-a': header('1') } }) });
  await expect(secure(buildEdgeEvent('viewer-response'))).resolves.toEqual({
    status: '200',
    statusDescription: 'OK',
    headers: { 'x-a': header('1') },
  });
});

const OK = { status: '200', headers: {} };
it.each<
  [string, 'viewer-request' | 'origin-request' | 'viewer-response' | 'origin-response', unknown, string | undefined]
>([
  ['40 KB at the viewer', 'viewer-request', { ...OK, body: 'x'.repeat(40_958) }, undefined],
  ['more than 40 KB at the viewer', 'viewer-request', { ...OK, body: 'x'.repeat(40_959) }, 'more than 40960 bytes'],
  ['1 MB at the origin', 'origin-request', { ...OK, body: 'x'.repeat(1_048_574) }, undefined],
  [
    'more than 1 MB at the origin',
    'origin-response',
    { ...OK, body: 'x'.repeat(1_048_575) },
    'more than 1048576 bytes',
  ],
  ['another status of a viewer response', 'viewer-response', { ...OK, status: '404' }, 'keeps its status'],
  ['another status of an origin response', 'origin-response', { ...OK, status: '404' }, undefined],
  ['a status of 1xx', 'viewer-request', { status: 101 }, 'status must be 200 to 599'],
  ['an HTTP response', 'viewer-request', { statusCode: 200, body: 'a' }, 'must be a request'],
  ['null', 'viewer-request', null, 'must be a request'],
  ['headers as strings', 'viewer-request', { status: '200', headers: { location: '/b' } }, 'headers must be lists'],
  [
    'headers in upper case',
    'viewer-request',
    { status: '200', headers: { Location: header('/b') } },
    'headers must be lists',
  ],
  [
    'a disallowed header',
    'viewer-request',
    { status: '200', headers: { 'x-amz-cf-id': header('a') } },
    'cannot add the header x-amz-cf-id',
  ],
  ['bytes as body', 'origin-request', { status: '200', body: 5 }, 'body must be a string'],
  ['another encoding', 'origin-request', { status: '200', body: 'a', bodyEncoding: 'gzip' }, 'body must be a string'],
  ['a request as response', 'origin-response', { uri: '/', method: 'GET', headers: {} }, 'status must be 200 to 599'],
])('CloudFront gets an answer that it can read: %s', async (_what, type, answer, message) => {
  const handlers = {
    viewerRequest: () => answer,
    originRequest: () => answer,
    viewerResponse: () => answer,
    originResponse: () => answer,
  };
  const running = edgeHandler(handlers as never)(buildEdgeEvent(type));
  if (message === undefined) await expect(running).resolves.toEqual(answer);
  else await expect(running).rejects.toThrow(expect.failure('triggers.invalid_answer', message));
});

it('the method of a request is read-only, and headers that CloudFront has set can be kept', async () => {
  const change = edgeHandler({ originRequest: (request) => ({ ...request, method: 'POST' }) });
  await expect(change(buildEdgeEvent('origin-request'))).rejects.toThrow(
    expect.failure('triggers.invalid_answer', 'method and clientIp are read-only'),
  );
  const keep = edgeHandler({ originRequest: (request) => ({ ...request }) });
  const event = buildEdgeEvent('origin-request', { headers: { 'X-Amz-Cf-Id': 'a' } });
  await expect(keep(event)).resolves.toMatchObject({ headers: { 'x-amz-cf-id': [{ value: 'a' }] } });
});

it.each<[string, unknown]>([
  ['an event of S3', { Records: [{ eventSource: 'aws:s3', s3: {} }] }],
  ['no record', { Records: [] }],
  ['a request of an API', { httpMethod: 'GET', path: '/' }],
  ['nothing', undefined],
  ['a place without handler', buildEdgeEvent('origin-request')],
  ['an unknown place', { Records: [{ cf: { config: { eventType: 'constructor' }, request: {} } }] }],
])('%s is rejected', async (_what, event) => {
  let ran = 0;
  const handler = edgeHandler({
    viewerRequest: () => {
      ran += 1;
      return undefined;
    },
  });
  await expect(handler(event)).rejects.toMatchObject({ code: 'triggers.invalid_event' });
  expect(ran).toBe(0);
});

it('an error of a handler is thrown, so that CloudFront answers 502', async () => {
  const failing = edgeHandler({ viewerRequest: () => Promise.reject(new Error('no')) });
  await expect(failing(buildEdgeEvent('viewer-request'))).rejects.toThrow('no');
});

it.each<[string, unknown, string]>([
  ['no handler', {}, 'edgeHandler needs a handler'],
  ['nothing', undefined, 'edgeHandler needs a handler'],
  ['an unknown place', { viewerResponses: () => undefined }, 'unknown place "viewerResponses"'],
  ['no function', { viewerRequest: 5 }, 'viewerRequest must be a function'],
])('rejects %s', (_what, handlers, message) => {
  expect(() => edgeHandler(handlers as never)).toThrow(expect.failure('app.invalid_configuration', message));
});

it('events fit those of @types/aws-lambda', () => {
  type Cf = ReturnType<typeof buildEdgeEvent>['Records'][number]['cf'];
  const config: aws.CloudFrontEvent['config'] = buildEdgeEvent('viewer-request').Records[0]?.cf.config as Cf['config'];
  const ours: Cf['config'] = config;
  expect(ours.distributionId).toBe('DISTRIBUTION1');
});
