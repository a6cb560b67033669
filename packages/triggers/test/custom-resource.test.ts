import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { FrameworkError } from '@sallyport/core';
import { createApp } from '@sallyport/dispatch/app';
import { createTestEnv } from '@sallyport/testkit';
import { type CustomResourceOptions, customResource, type ResourceHandlers } from '@sallyport/triggers';
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
  remainingMs = 30_000,
) {
  const surface = customResource({ ...DONE, ...handlers }, { responseHosts: [host], ...options });
  const app = createApp({ ...env.options(), surfaces: [surface] });
  return app.handleLambda(event, env.lambdaContext({ remainingMs }));
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

it.each([
  // Lambda's default timeout is 3 s.
  [2_950, 1_967],
  [5_000, 3_333],
  [5_001, 3_334],
  [60_000, 55_000],
])('with %d ms left the handler runs, and the rest is for the answer', async (remainingMs, deadline) => {
  const env = createTestEnv();
  const deadlines: (number | undefined)[] = [];
  const create: ResourceHandlers['create'] = (ctx) => {
    deadlines.push(ctx.deadline?.getTime());
    return { physicalId: 'p' };
  };
  await serve({ create }, build(), {}, env, remainingMs);
  expect(puts.map(({ body }) => [body.Status, body.PhysicalResourceId])).toEqual([['SUCCESS', 'p']]);
  expect(deadlines).toEqual([deadline]);
});

it('answers FAILED before the end of an invocation of 3 s when the handler does not end', async () => {
  const env = createTestEnv();
  const answer = serve({ create: () => new Promise(() => {}) }, build(), {}, env, 3_000);
  await env.clock.advance(2_500);
  await answer;
  expect(puts.map(({ body }) => body.Status)).toEqual(['FAILED']);
});

it.each<[string, () => unknown]>([
  ['a BigInt', () => ({ data: { n: 10n } })],
  [
    'a cycle',
    () => {
      const data: Record<string, unknown> = {};
      data.self = data;
      return { data };
    },
  ],
  ['a list as data', () => ({ data: [1] })],
  ['bytes', () => ({ data: { bytes: new Uint8Array(10) } })],
  ['a number as id', () => ({ physicalId: 5 })],
])('a result with %s is answered FAILED, and is one error line', async (_what, create) => {
  const env = createTestEnv();
  await serve({ create: create as never }, build(), {}, env);
  expect(puts.map(({ body }) => body)).toMatchObject([{ ...SENT, Status: 'FAILED' }]);
  const errors = env.records.logs.filter(({ level }) => level === 'ERROR');
  expect(errors).toMatchObject([{ message: 'framework: event handler failed' }]);
});

it('a reason of control characters is shortened until the answer fits', async () => {
  const create = () => {
    throw new FrameworkError('app.conflict', '\u0001'.repeat(5_000));
  };
  await serve({ create }, build());
  expect(puts[0]?.body.Status).toBe('FAILED');
  expect(Number(puts[0]?.length)).toBeLessThanOrEqual(4_096);
});

it.each([
  'bucket.s3.us-east-1.amazonaws.com',
  's3.amazonaws.com',
  'bucket.s3-eu-west-1.amazonaws.com',
  'bucket.s3.dualstack.eu-west-1.amazonaws.com',
  'bucket.s3.us-gov-west-1.amazonaws.com',
  'bucket.s3.cn-north-1.amazonaws.com.cn',
  'bucket.s3.eusc-de-east-1.amazonaws.eu',
  'bucket.s3.us-iso-east-1.c2s.ic.gov',
  'bucket.s3.us-isob-east-1.sc2s.sgov.gov',
  'bucket.s3.eu-isoe-west-1.cloud.adc-e.uk',
  'bucket.s3.us-isof-south-1.csp.hci.ic.gov',
])('answers go to %s', async (place) => {
  const urls: string[] = [];
  const fetch = async (url: URL) => {
    urls.push(url.host);
    return { status: 200 };
  };
  await serve({}, build({ responseUrl: `https://${place}/answer` }), { fetch });
  expect(urls).toEqual([place]);
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
  'https://s3.eusc-de-east-1.amazonaws.eu.evil.test/',
  'https://s3.eusc-de-east-1.amazonaws.de/',
  'https://evil.ic.gov/',
  'no url',
])('sends nothing to %s', async (responseUrl) => {
  await expect(serve({}, build({ responseUrl }))).rejects.toMatchObject({ code: 'triggers.response_failed' });
});

it('with the provider of the CDK the result is the answer, and an error is thrown', async () => {
  const options = { cdkProvider: true };
  await expect(serve({ create: () => ({ physicalId: 'p', data: { A: 1 } }) }, build(), options)).resolves.toEqual({
    PhysicalResourceId: 'p',
    Data: { A: 1 },
  });
  await expect(serve({ create: () => fail('boom') }, build(), options)).rejects.toThrow('boom');
  expect(puts).toEqual([]);
});

it.each(['create', 'update', 'delete'])('a missing %s is rejected', (name) => {
  expect(() => customResource({ ...DONE, [name]: undefined })).toThrow(
    expect.failure('app.invalid_configuration', `customResource ${name}`),
  );
});

function fail(text: string): never {
  throw new Error(text);
}
