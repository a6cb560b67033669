import { RequestContext } from '../src/internal.js';
import type { LogRecord, MetricRecord } from '../src/observability/hooks.js';
import { defineMetrics } from '../src/observability.js';
import { requestState } from './support.js';

function registry(metrics: Record<string, unknown>) {
  const logs: LogRecord[] = [];
  const written: MetricRecord[] = [];
  const observability = {
    metrics: defineMetrics(metrics as never),
    log: (r: LogRecord) => logs.push(r),
    metric: (r: MetricRecord) => written.push(r),
  };
  return { logs, written, ctx: new RequestContext(requestState({ observability, tenant: 't-1' })) };
}

describe('ctx.metric', () => {
  it('writes a declared metric with its declared unit and tags', () => {
    const { ctx, written, logs } = registry({ OrdersPlaced: { unit: 'Count', tags: ['channel'] } });
    ctx.metric('OrdersPlaced', 2, { tags: { channel: 'we\u2028b' } });
    ctx.metric('OrdersPlaced', 1, { unit: 'None' });
    expect(written).toEqual([
      {
        name: 'OrdersPlaced',
        value: 2,
        unit: 'Count',
        tags: { channel: 'web' },
        properties: { request_id: 'req-1', tenant_id: 't-1' },
      },
      { name: 'OrdersPlaced', value: 1, unit: 'None', tags: {}, properties: { request_id: 'req-1', tenant_id: 't-1' } },
    ]);
    expect(logs).toEqual([]);
  });

  it('drops undeclared values, with one warning each', () => {
    const { ctx, written, logs } = registry({ A: {} });
    for (let n = 0; n < 3; n += 1) {
      ctx.metric('B', 1);
      ctx.metric('constructor', 1);
      ctx.metric('A', 1, { tags: { user: 'u' } });
      ctx.metric('A', Number.NaN);
    }
    expect(written.map(({ name, tags }) => [name, tags])).toEqual([
      ['A', {}],
      ['A', {}],
      ['A', {}],
    ]);
    expect(logs).toEqual([
      { level: 'warn', event: 'metric.dropped', dropped: 'metric B' },
      { level: 'warn', event: 'metric.dropped', dropped: 'metric constructor' },
      { level: 'warn', event: 'metric.dropped', dropped: 'tag A.user' },
      { level: 'warn', event: 'metric.dropped', dropped: 'value A' },
    ]);
  });

  it('warns once in a container that declares none', () => {
    const logs: LogRecord[] = [];
    const observability = { log: (r: LogRecord) => logs.push(r) };
    const ctx = new RequestContext(requestState({ observability }));
    ctx.metric('A', 1);
    ctx.metric('B', 1);
    expect(logs).toEqual([{ level: 'warn', event: 'metric.dropped', dropped: 'observability.metrics is missing' }]);
    expect(() => new RequestContext(requestState()).metric('A', 1)).not.toThrow();
  });

  it.each([
    [{ 'framework.request': {} }],
    [{ '': {} }],
    [{ 'a b': {} }],
    [{ A: null }],
    [{ A: { units: 'Count' } }],
    [{ A: { unit: 'Apples' } }],
    [{ A: { tags: ['tenant_id'] } }],
    [{ A: { tags: ['request_id'] } }],
    [{ A: { tags: ['path'] } }],
    [{ A: { tags: 'channel' } }],
    [{ A: { tags: ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'] } }],
  ])('rejects %j at construction', (metrics) => {
    expect(() => registry(metrics)).toThrow(expect.objectContaining({ code: 'app.invalid_configuration' }));
  });

  it.each([
    'Seconds',
    'Milliseconds',
    'Microseconds',
    'Percent',
    'None',
    'Count',
    'Count/Second',
    'Bytes',
    'Kilobytes',
    'Terabits/Second',
    'Bits',
  ])('accepts the unit %s', (unit) => {
    expect(() => registry({ A: { unit } })).not.toThrow();
  });
});

it('rejects a metric named _aws, which would create a second line of metrics', () => {
  expect(() => defineMetrics({ _aws: {} })).toThrow(/names of letters, .*other than "_aws"/);
});
