import { createApp } from '@sallyport/dispatch/app';
import { json } from '@sallyport/http';
import { buildAPIGatewayV2Request } from '@sallyport/testkit';
import { tracing } from '../src/index.js';
import { createSampler } from '../src/spans/internal/sampler.js';
import { collectSpans } from '../src/testing.js';

const { jest } = import.meta;
const get = buildAPIGatewayV2Request('GET', '/');

afterEach(() => {
  for (const name of ['OTEL_SERVICE_NAME', 'AWS_LAMBDA_FUNCTION_NAME', 'AWS_LAMBDA_INITIALIZATION_TYPE'])
    delete process.env[name];
  jest.restoreAllMocks();
});

it.each<readonly [string, string | undefined, Readonly<Record<string, string>>]>([
  ['billing', 'billing', { OTEL_SERVICE_NAME: 'shop', AWS_LAMBDA_FUNCTION_NAME: 'shop-api' }],
  ['shop', undefined, { OTEL_SERVICE_NAME: 'shop', AWS_LAMBDA_FUNCTION_NAME: 'shop-api' }],
  ['shop-api', undefined, { OTEL_SERVICE_NAME: '', AWS_LAMBDA_FUNCTION_NAME: 'shop-api' }],
  ['unknown_service', undefined, {}],
])('the service is %s for the option %p and the variables %j', async (expected, service, variables) => {
  Object.assign(process.env, variables);
  const batches: Parameters<ReturnType<typeof collectSpans>['export']>[0][] = [];
  const exporter = {
    ...collectSpans(),
    counts: collectSpans().counts,
    export: (batch: (typeof batches)[number]) => void batches.push(batch),
  };
  const span = tracing({ ratio: 1, exporter, ...(service !== undefined && { service }) });
  const app = createApp({ log: false, observability: { span } });
  app.get('/', () => json(200, {}));
  await app.handleLambda(get, {});
  expect(batches[0]?.resource.attributes['service.name']).toBe(expected);
});

it('the exporter is called at the start of an invocation, before the handler, to send waiting spans', async () => {
  const calls: string[] = [];
  const spans = collectSpans();
  const exporter = Object.assign(spans, { begin: () => void calls.push('begin') });
  const app = createApp({ log: false, observability: { span: tracing({ ratio: 1, exporter }) } });
  app.get('/', () => {
    calls.push('handler');
    return json(200, {});
  });
  await app.handleLambda(get, {});
  expect(calls).toEqual(['begin', 'handler']);
});

it('by default five traces of each second are sampled, and one in ten of the others', () => {
  let now = 7000;
  jest.spyOn(performance, 'now').mockImplementation(() => now);
  const samples = createSampler(undefined);
  const [never, always] = ['0'.repeat(32), 'f'.repeat(32)];
  const seven = () => Array.from({ length: 7 }, () => samples(never));
  expect(seven()).toEqual([true, true, true, true, true, false, false]);
  now = 7999;
  expect([samples(never), samples(always)]).toEqual([false, true]);
  now = 8000;
  expect(seven()).toEqual([true, true, true, true, true, false, false]);
});

it.each<readonly [string, string, readonly number[]]>([
  ['are read together', 'on-demand', [2048]],
  ['are read one by one in an environment of a snapshot', 'snap-start', [8, 16]],
])('random bytes %s', async (_, type, sizes) => {
  process.env.AWS_LAMBDA_INITIALIZATION_TYPE = type;
  jest.resetModules();
  const { randomHex } = await import('../src/spans/internal/identity.js');
  const read = jest.spyOn(crypto, 'getRandomValues');
  expect([randomHex(8), randomHex(16)]).toEqual([
    expect.stringMatching(/^[0-9a-f]{16}$/),
    expect.stringMatching(/^[0-9a-f]{32}$/),
  ]);
  expect(read.mock.calls.map(([bytes]) => bytes?.byteLength)).toEqual(sizes);
});
