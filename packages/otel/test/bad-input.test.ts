import { createApp } from '@sallyport/dispatch/app';
import { json } from '@sallyport/http';
import { buildAPIGatewayV2Request } from '@sallyport/testkit';
import { type Tracer, tracing } from '../src/index.js';
import { fromTraceparent, fromXray, toTracestate } from '../src/spans/internal/remote.js';
import { createSampler } from '../src/spans/internal/sampler.js';
import { collectSpans } from '../src/testing.js';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const SPAN = 'b7ad6b7169203331';

it.each([
  ['a valid value', `00-${TRACE}-${SPAN}-01`, [TRACE, SPAN, true]],
  ['a value that is not sampled', `00-${TRACE}-${SPAN}-00`, [TRACE, SPAN, false]],
  ['upper case', `00-${TRACE.toUpperCase()}-${SPAN.toUpperCase()}-01`, [TRACE, SPAN, true]],
  ['a later version', `01-${TRACE}-${SPAN}-01-more`, [TRACE, SPAN, true]],
  ['version ff', `ff-${TRACE}-${SPAN}-01`, undefined],
  ['a short trace id', `00-${TRACE.slice(1)}-${SPAN}-01`, undefined],
  ['a long span id', `00-${TRACE}-${SPAN}0-01`, undefined],
  ['a trace id of zeros', `00-${'0'.repeat(32)}-${SPAN}-01`, undefined],
  ['a span id of zeros', `00-${TRACE}-${'0'.repeat(16)}-01`, undefined],
  ['two values', `00-${TRACE}-${SPAN}-01,00-${TRACE}-${SPAN}-01`, undefined],
  ['nothing', '', undefined],
])('traceparent: %s', (_title, value, expected) => {
  const remote = fromTraceparent(value, '');
  expect(remote && [remote.traceId, remote.spanId, remote.sampled]).toEqual(expected);
});

it.each([
  [
    'a whole header',
    'Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1',
    ['53995c3f42cd8ad8', true],
  ],
  ['no parent', 'Root=1-5759e988-bd862e3fe1be46a994272793;Sampled=0', ['', false]],
  [
    'an open decision',
    'Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=?',
    ['53995c3f42cd8ad8', undefined],
  ],
  ['a parent of zeros', `Root=1-5759e988-bd862e3fe1be46a994272793;Parent=${'0'.repeat(16)};Sampled=1`, ['', true]],
  ['no root', 'Parent=53995c3f42cd8ad8;Sampled=1', undefined],
])('the header of X-Ray: %s', (_title, header, expected) => {
  const remote = fromXray(header);
  expect(remote && [remote.spanId, remote.sampled]).toEqual(expected);
  expect(remote?.traceId).toBe(remote && '5759e988bd862e3fe1be46a994272793');
});

it.each([
  ['nothing', '', '', ''],
  ['the first trace', '', TRACE, `sallyport=${TRACE}`],
  ['other vendors', 'a=1,b=2', TRACE, `sallyport=${TRACE},a=1,b=2`],
  [
    'an older first trace, which is replaced',
    `a=1,sallyport=${'1'.repeat(32)},b=2`,
    TRACE,
    `sallyport=${TRACE},a=1,b=2`,
  ],
])('tracestate: %s', (_title, state, beginning, expected) => {
  expect(toTracestate(state, beginning)).toBe(expected);
});

it('drops a tracestate of 8 KiB and one with control characters', () => {
  expect(fromTraceparent(`00-${TRACE}-${SPAN}-01`, `a=${'x'.repeat(8190)}`)?.state).toBe('');
  expect(fromTraceparent(`00-${TRACE}-${SPAN}-01`, 'a=1\r\nset-cookie: b')?.state).toBe('');
});

describe('the ratio of sampled traces', () => {
  const ids = Array.from({ length: 4000 }, (_, index) => {
    const random = (index * 0x9e3779b97f4a7) % 2 ** 52;
    return `${'a'.repeat(19)}${random.toString(16).padStart(13, '0')}`;
  });
  const sampled = (ratio: number | string) => ids.filter(createSampler(ratio)).length / ids.length;

  it('is the part of the trace ids, and a lower ratio samples a part of the same traces', () => {
    expect([sampled(0), sampled(1), sampled('1')]).toEqual([0, 1, 1]);
    expect(Math.abs(sampled(0.25) - 0.25)).toBeLessThan(0.05);
    const quarter = ids.filter(createSampler(0.25));
    expect(quarter.every(createSampler(0.5))).toBe(true);
  });

  it.each(['-0.1', '1.1', 'x'])('rejects %p in the variable', (value) => {
    expect(() => createSampler(value)).toThrow(expect.failure('app.invalid_configuration', 'OTEL_TRACES_SAMPLER_ARG'));
  });

  it('rejects a wrong option', () => {
    expect(() => tracing({ ratio: 2 })).toThrow(expect.failure('app.invalid_configuration', 'ratio'));
    expect(() => tracing({ services: 'x' } as never)).toThrow(expect.failure('app.invalid_configuration', 'services'));
  });
});

/** Runs a handler of a traced app, and returns the spans. */
async function spansOf(register: (app: ReturnType<typeof createApp>) => void, tracer?: Tracer) {
  const spans = collectSpans();
  const span = tracer ?? tracing({ exporter: spans, ratio: 1 });
  const app = createApp({ log: false, observability: { span } });
  register(app);
  const answer = await app.handleLambda(buildAPIGatewayV2Request('GET', '/'), {});
  return { spans: spans.spans, answer, counts: span as Tracer };
}

describe('attributes', () => {
  it('that throw or have a wrong type are dropped and counted', async () => {
    const attributes = {
      get broken(): string {
        throw new Error('secret');
      },
      object: {} as string,
      missing: undefined as unknown as string,
      kept: 1,
    };
    const { spans, answer } = await spansOf((app) => {
      app.get('/', (ctx) => ctx.span('work', () => json(200, {}), attributes));
    });
    expect(answer).toMatchObject({ statusCode: 200 });
    expect(spans[0]).toMatchObject({ attributes: { kept: 1 }, droppedAttributesCount: 2 });
  });

  it('are limited to 64 with 1,024 characters each', async () => {
    const many = Object.fromEntries(Array.from({ length: 70 }, (_, index) => [`a${index}`, 'x'.repeat(2000)]));
    const { spans } = await spansOf((app) => {
      app.get('/', (ctx) => ctx.span('work', () => json(200, {}), many));
    });
    expect(Object.keys(spans[0]?.attributes ?? {})).toHaveLength(64);
    expect(spans[0]?.droppedAttributesCount).toBe(6);
    expect(String(spans[0]?.attributes.a0)).toHaveLength(1024);
  });
});

it('counts a span that ends after its invocation, and a span that ends twice is one span', async () => {
  const collector = collectSpans();
  const tracer = tracing({ exporter: collector, ratio: 1 });
  const root = tracer.start('framework.request', 'http GET /', { 'http.request.method': 'GET' });
  const child = tracer.start('framework.span', 'late', {}, root);
  root.end();
  root.end();
  child.end();
  const after = tracer.start('framework.span', 'after', {}, root);
  after.end();
  expect(collector.spans.map(({ name }) => name)).toEqual(['late', 'GET']);
  expect(tracer.counts).toMatchObject({ sentSpans: 2, lateSpans: 1 });
});

it('never has a negative time, even if the clock of the machine is set to an earlier time', async () => {
  const { jest } = import.meta;
  const now = jest.spyOn(Date, 'now');
  const { spans } = await spansOf((app) => {
    app.get('/', (ctx) =>
      ctx.span('work', () => {
        now.mockReturnValue(0);
        return json(200, {});
      }),
    );
  });
  now.mockRestore();
  expect(spans).toHaveLength(2);
  expect(spans.every((span) => span.endTimeUnixNano >= span.startTimeUnixNano)).toBe(true);
});

it('answers as without a tracer if the exporter throws', async () => {
  const broken = {
    ...collectSpans(),
    export: () => {
      throw new Error('secret');
    },
  };
  const { answer } = await spansOf(
    (app) => void app.get('/', () => json(200, {})),
    tracing({ exporter: broken, ratio: 1 }),
  );
  expect(answer).toMatchObject({ statusCode: 200 });
});
