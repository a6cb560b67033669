import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { FrameworkError } from '@sallyport/core';
import { createApp } from '@sallyport/dispatch/app';
import { createTestEnv } from '@sallyport/testkit';
import { type CustomResourceOptions, customResource, type ResourceHandlers } from '@sallyport/triggers/custom-resource';
import { buildCustomResourceEvent } from '@sallyport/triggers/testing';

interface Put {
  readonly method: string | undefined;
  readonly type: string | undefined;
  readonly length: string | undefined;
  readonly body: Record<string, unknown>;
}

let server: Server;
let puts: Put[];
let statuses: number[];
let host: string;

beforeEach(async () => {
  puts = [];
  statuses = [];
  server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    const { 'content-type': type, 'content-length': length } = request.headers;
    puts.push({ method: request.method, type, length, body: JSON.parse(text) });
    response.writeHead(statuses.shift() ?? 200).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => new Promise((resolve) => server.close(resolve)));

const DONE: ResourceHandlers = { create: () => {}, update: () => {}, delete: () => {} };
const SENT = {
  StackId: 'arn:aws:cloudformation:us-east-1:123456789012:stack/notes/00000000-0000-0000-0000-000000000000',
  RequestId: 'request-1',
  LogicalResourceId: 'Resource',
};

function serve(
  handlers: Partial<ResourceHandlers>,
  event: object,
  options: CustomResourceOptions = {},
  env = createTestEnv(),
) {
  const surface = customResource({ ...DONE, ...handlers }, { responseHosts: [host], ...options });
  const app = createApp({ ...env.options(), surfaces: [surface] });
  return app.handleLambda(event, env.lambdaContext({ remainingMs: 30_000 }));
}

const build = (options: Parameters<typeof buildCustomResourceEvent>[0] = {}) =>
  buildCustomResourceEvent({ responseUrl: `http://${host}/answer?signature=secret`, ...options });

it('answers with one PUT without a content type', async () => {
  const seen: unknown[] = [];
  const create = (_ctx: unknown, request: unknown) => {
    seen.push(request);
    return { physicalId: 'zone-1', data: { Name: 'n' }, noEcho: true };
  };
  await expect(serve({ create }, build({ properties: { name: 'a' } }))).resolves.toBeNull();

  expect(puts).toMatchObject([{ method: 'PUT', type: '' }]);
  expect(puts[0]?.length).toBe(String(JSON.stringify(puts[0]?.body).length));
  expect(puts[0]?.body).toEqual({
    Status: 'SUCCESS',
    PhysicalResourceId: 'zone-1',
    NoEcho: true,
    Data: { Name: 'n' },
    ...SENT,
  });
  expect(seen).toEqual([
    {
      properties: { name: 'a' },
      logicalId: 'Resource',
      resourceType: 'Custom::Resource',
      stackId: SENT.StackId,
      requestId: 'request-1',
    },
  ]);
});

it.each<[string, Partial<ResourceHandlers>, Parameters<typeof buildCustomResourceEvent>[0], object]>([
  ['a new resource gets an id of its own', {}, {}, { Status: 'SUCCESS', PhysicalResourceId: 'Resource-request-1' }],
  ['an update keeps the id', {}, { requestType: 'Update' }, { Status: 'SUCCESS', PhysicalResourceId: 'resource-1' }],
  [
    'another id is a replacement',
    { update: () => ({ physicalId: 'resource-2' }) },
    { requestType: 'Update' },
    { Status: 'SUCCESS', PhysicalResourceId: 'resource-2' },
  ],
  [
    'a failed update keeps the old id for its Delete',
    { update: () => fail('boom') },
    { requestType: 'Update' },
    { Status: 'FAILED', Reason: 'the handler failed; see the log of the function', PhysicalResourceId: 'resource-1' },
  ],
  [
    'a failed Create marks its id',
    { create: () => fail('boom') },
    {},
    { Status: 'FAILED', PhysicalResourceId: 'sallyport-failed-create-request-1' },
  ],
  [
    'the Delete of a failed Create runs no handler',
    { delete: () => fail('ran') },
    { requestType: 'Delete', physicalId: 'sallyport-failed-create-request-1' },
    { Status: 'SUCCESS', PhysicalResourceId: 'sallyport-failed-create-request-1' },
  ],
  [
    'the text of a FrameworkError is the reason',
    {
      create: () => {
        throw new FrameworkError('app.conflict', 'The name is taken.');
      },
    },
    {},
    { Status: 'FAILED', Reason: 'The name is taken.' },
  ],
  [
    'an answer over 4,096 bytes fails',
    { create: () => ({ data: { a: 'x'.repeat(4_096) } }) },
    {},
    { Status: 'FAILED' },
  ],
  ['an id over 1 KB fails', { create: () => ({ physicalId: 'x'.repeat(1_025) }) }, {}, { Status: 'FAILED' }],
  ['an empty id fails', { create: () => ({ physicalId: '' }) }, {}, { Status: 'FAILED' }],
])('%s', async (_what, handlers, options, answer) => {
  await serve(handlers, build(options));
  expect(puts).toHaveLength(1);
  expect(puts[0]?.body).toMatchObject({ ...SENT, ...answer });
});

it('answers FAILED once at the deadline, while the handler runs on', async () => {
  const env = createTestEnv();
  let finish = () => {};
  const create = () =>
    new Promise<undefined>((resolve) => {
      finish = () => resolve(undefined);
    });
  const answer = serve({ create }, build(), {}, env);
  await env.clock.advance(27_500);
  await answer;
  finish();
  await env.clock.advance(5_000);
  expect(puts.map(({ body }) => body.Status)).toEqual(['FAILED']);
});

it('tries again after a failure of the endpoint, with the same answer', async () => {
  statuses = [503, 500];
  await serve({}, build());
  expect(puts).toHaveLength(3);
  expect(new Set(puts.map(({ body }) => JSON.stringify(body))).size).toBe(1);
});

it.each([
  ['refuses it', [403]],
  ['is down', [500, 500, 500]],
])('throws without the URL when the endpoint %s', async (_what, answers) => {
  const env = createTestEnv();
  statuses = answers;
  await expect(serve({}, build(), {}, env)).rejects.toMatchObject({ code: 'triggers.response_failed' });
  expect(JSON.stringify(env.records)).not.toContain('secret');
});

it.each([
  'http://example.com/',
  'https://example.com/',
  'https://s3.amazonaws.com.evil.test/',
  'https://a@b.s3.amazonaws.com/',
  'no url',
])('sends nothing to %s', async (responseUrl) => {
  await expect(serve({}, build({ responseUrl }))).rejects.toMatchObject({ code: 'triggers.response_failed' });
});

it('behind the CDK’s provider the result is the answer, and an error is thrown', async () => {
  const options = { cdkProvider: true };
  await expect(serve({ create: () => ({ physicalId: 'p', data: { A: 1 } }) }, build(), options)).resolves.toEqual({
    PhysicalResourceId: 'p',
    Data: { A: 1 },
  });
  await expect(serve({ create: () => fail('boom') }, build(), options)).rejects.toThrow('boom');
  expect(puts).toEqual([]);
});

it.each(['create', 'update', 'delete'])('a missing %s is refused', (name) => {
  expect(() => customResource({ ...DONE, [name]: undefined })).toThrow(
    `framework: customResource ${name} must be a function`,
  );
});

function fail(text: string): never {
  throw new Error(text);
}
