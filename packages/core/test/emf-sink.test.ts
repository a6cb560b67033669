import { endOf } from '../src/internal.js';
import type { MetricRecord } from '../src/observability/hooks.js';
import { createEmfSink, type EmfSinkOptions } from '../src/observability.js';
import { ManualClock } from '../src/testing.js';

function emit(record: MetricRecord, options: EmfSinkOptions = {}): string {
  const raw: string[] = [];
  createEmfSink({
    service: 'shop',
    clock: new ManualClock(5),
    environment: {},
    write: (line) => raw.push(line),
    ...options,
  })(record);
  return raw.join('\n');
}

const REQUEST: MetricRecord = {
  name: 'framework.request',
  value: 1,
  duration_ms: 12.5,
  tags: { trigger: 'gateway-v2', method: 'GET', route: '/users/{id}', status: '404', error_code: 'app.not_found' },
  properties: { request_id: 'r-1', tenant_id: 't-1' },
};
const EXECUTION: MetricRecord = {
  name: 'framework.execution',
  value: 1,
  duration_ms: 3,
  tags: { outcome: 'error', error_code: 'x.y' },
};
const BATCH: MetricRecord = {
  name: 'framework.event',
  value: 1,
  duration_ms: 3,
  tags: { trigger: 'queue', source: 'orders', outcome: 'error', error_code: 'x.y', records: '10', failed: '2' },
  properties: { request_id: 'r-1', tenant_id: 't-1' },
};

describe('createEmfSink', () => {
  it('writes a request as one line, keys in a fixed order', () => {
    expect(emit(REQUEST)).toBe(
      '{"_aws":{"Timestamp":5,"CloudWatchMetrics":[{"Namespace":"Framework","Dimensions":[["service","trigger"]],' +
        '"Metrics":[{"Name":"RequestCount","Unit":"Count"},{"Name":"RequestDuration","Unit":"Milliseconds"},{"Name":"RequestErrors","Unit":"Count"},' +
        '{"Name":"RequestRejections","Unit":"Count"}]},{"Namespace":"Framework","Dimensions":[["service"]],"Metrics":[{"Name":"RequestErrors","Unit":"Count"}]}]},' +
        '"service":"shop","trigger":"gateway-v2","RequestCount":1,"RequestDuration":12.5,"RequestErrors":0,"RequestRejections":1,' +
        '"status":"404","error_code":"app.not_found","method":"GET","route":"/users/{id}","tenant_id":"t-1","request_id":"r-1"}',
    );
  });

  it.each([
    ['200', 0, 0],
    ['400', 0, 1],
    ['499', 0, 1],
    ['500', 1, 0],
  ])('counts status %s as %d errors and %d rejections', (status, errors, rejections) => {
    const line = JSON.parse(emit({ ...REQUEST, tags: { ...REQUEST.tags, status } })) as Record<string, unknown>;
    expect([line.RequestErrors, line.RequestRejections]).toEqual([errors, rejections]);
  });

  it('writes a batch with its counts, an event without', () => {
    const line = JSON.parse(emit(BATCH)) as Record<string, unknown>;
    expect(line).toMatchObject({
      service: 'shop',
      trigger: 'queue',
      source: 'orders',
      EventCount: 1,
      EventDuration: 3,
      EventErrors: 1,
      BatchRecords: 10,
      BatchFailures: 2,
      outcome: 'error',
      error_code: 'x.y',
      request_id: 'r-1',
    });
    const { records: _, failed: __, ...tags } = BATCH.tags;
    expect(emit({ ...BATCH, tags })).not.toContain('BatchRecords');
  });

  it.each([
    [REQUEST, 'RequestErrors', [['service'], ['service', 'version']]],
    [BATCH, 'BatchFailures', [['service'], ['service', 'version']]],
    [EXECUTION, 'ExecutionErrors', [['service', 'version']]],
  ])('adds the version of the function to one metric only', (record, Name, Dimensions) => {
    const line = JSON.parse(emit(record, { environment: { AWS_LAMBDA_FUNCTION_VERSION: '7' } })) as {
      readonly _aws: { readonly CloudWatchMetrics: readonly object[] };
    };
    expect(line).toMatchObject({ service: 'shop', version: '7' });
    expect(line._aws.CloudWatchMetrics[1]).toEqual({
      Namespace: 'Framework',
      Dimensions,
      Metrics: [{ Name, Unit: 'Count' }],
    });
    expect(line._aws.CloudWatchMetrics).toHaveLength(2);
    expect(emit(record, { version: '8' })).toContain('"version":"8"');
    expect(emit(record)).not.toContain('version');
  });

  it('keeps a tag of the application that is named version', () => {
    const declared: MetricRecord = { name: 'Orders', value: 1, tags: { version: 'a' }, properties: {} };
    expect(emit(declared, { version: '7' })).toContain('"Dimensions":[["service"],["service","version"]]');
    expect(emit(declared, { version: '7' })).toContain('"version":"a"');
  });

  it('writes a declared metric with its tags as dimensions', () => {
    const line = emit({
      name: 'OrdersPlaced',
      value: 3,
      unit: 'Count',
      tags: { channel: 'web' },
      properties: { request_id: 'r', tenant_id: '' },
    });
    expect(line).toBe(
      '{"_aws":{"Timestamp":5,"CloudWatchMetrics":[{"Namespace":"Framework","Dimensions":[["service"],["service","channel"]],"Metrics":[{"Name":"OrdersPlaced","Unit":"Count"}]}]},' +
        '"service":"shop","channel":"web","OrdersPlaced":3,"request_id":"r"}',
    );
  });

  it('uses dimension sets only for metrics with all their names', () => {
    const dimensions = [['service', 'status'], ['outcome']];
    expect(emit(REQUEST, { dimensions })).toContain('"Dimensions":[["service","status"]]');
    expect(emit(BATCH, { dimensions })).toContain('"Dimensions":[["outcome"]]');
    expect(emit(BATCH, { dimensions: [['route']] })).toContain('"Dimensions":[["service"]]');
  });

  it('never writes an empty dimension', () => {
    expect(emit(REQUEST, { service: '' })).toContain('"service":"none"');
    expect(emit({ ...REQUEST, tags: { ...REQUEST.tags, error_code: '' } }, { dimensions: [['error_code']] })).toContain(
      '"error_code":"none"',
    );
  });

  it('counts error codes beyond the first 64 as other, each sink for itself', () => {
    const raw: string[] = [];
    const sink = createEmfSink({ service: 's', environment: {}, write: (line) => raw.push(line) });
    for (let n = 0; n < 100; n += 1) sink({ ...REQUEST, tags: { ...REQUEST.tags, error_code: `c${n}` } });
    sink({ ...REQUEST, tags: { ...REQUEST.tags, error_code: 'c5' } });
    const codes = raw.map((line) => (JSON.parse(line) as { error_code: string }).error_code);
    expect(new Set(codes).size).toBe(65);
    expect([codes[63], codes[64], codes[100]]).toEqual(['c63', 'other', 'c5']);
    expect(emit({ ...REQUEST, tags: { ...REQUEST.tags, error_code: 'c99' } })).toContain('"error_code":"c99"');
  });

  it('keeps the first 100 of 10,000 values of a tag, and counts the others as other and in FoldedValues', () => {
    const raw: string[] = [];
    const sink = createEmfSink({ service: 's', environment: {}, write: (line) => raw.push(line) });
    for (let n = 0; n < 10_000; n += 1) sink({ name: 'Orders', value: 1, tags: { shop: `s${n}` }, properties: {} });
    const lines = raw.map((line) => JSON.parse(line) as { shop?: string; FoldedValues?: number });
    expect(new Set(lines.flatMap(({ shop }) => shop ?? []))).toEqual(
      new Set([...Array.from({ length: 100 }, (_, n) => `s${n}`), 'other']),
    );
    expect(lines.filter(({ shop }) => shop === 'other')).toHaveLength(9900);
    expect(lines.reduce((sum, { FoldedValues = 0 }) => sum + FoldedValues, 0)).toBe(9900);
  });

  it('reads the service from the environment and survives a writer that throws', () => {
    expect(emit(REQUEST, { service: undefined as never, environment: { AWS_LAMBDA_FUNCTION_NAME: 'fn' } })).toContain(
      '"service":"fn"',
    );
    expect(() =>
      emit(REQUEST, {
        write: () => {
          throw new Error('x');
        },
      }),
    ).not.toThrow();
  });

  it('cannot be broken by what it writes', () => {
    const line = emit({
      ...REQUEST,
      tags: { ...REQUEST.tags, route: '/a\u2028b' },
      properties: { request_id: 'r\r\n\u202e', tenant_id: '' },
    });
    expect(line).not.toMatch(/[\r\n\u2028\u202e]/);
  });

  it.each([
    [{ dimensions: [['tenant_id']] }, 'dimensions'],
    [{ dimensions: [['service', 'request_id']] }, 'dimensions'],
    [{ dimensions: [['path']] }, 'dimensions'],
    [{ dimensions: [['detail_type']] }, 'dimensions'],
    [{ dimensions: [['records']] }, 'dimensions'],
    [{ dimensions: [['toString']] }, 'dimensions'],
    [{ dimensions: ['tenant_id'] }, 'dimensions'],
    [{ dimensions: [] }, 'dimensions'],
    [{ dimensions: [[]] }, 'dimensions'],
    [{ dimensions: [['service', 'service']] }, 'dimensions'],
    [
      {
        dimensions: [['service', 'trigger', 'method', 'route', 'status', 'error_code', 'source', 'outcome', 'a', 'b']],
      },
      'dimensions',
    ],
    [{ namespace: '' }, 'namespace'],
    [{ names: 'x' }, 'names'],
  ])('rejects %j at construction', (options, named) => {
    expect(() => createEmfSink(options as never)).toThrow(new RegExp(`^framework: .*"${named}"`));
  });
});

describe('the metrics of an invocation', () => {
  const OWN: MetricRecord = { name: 'orders.created', value: 1, tags: {} };
  function running() {
    const lines: string[] = [];
    const invocation = { clock: new ManualClock(5), lambdaContext: undefined, ending: undefined };
    const sink = createEmfSink({ service: 'shop', environment: {}, write: (line) => lines.push(line) });
    sink(OWN, () => invocation);
    return { lines, emit: () => sink(OWN, () => invocation), end: () => endOf(invocation).end(false) };
  }

  it('wait for its end, and then no longer', () => {
    const { lines, emit, end } = running();
    emit();
    expect(lines).toEqual([]);
    end();
    const written = lines.length;
    expect(written).toBeGreaterThan(0);
    emit();
    expect(lines.length).toBe(written + 1);
  });

  it('do not wait if there are 1,000 of them', () => {
    const { lines, emit } = running();
    let values = 1;
    for (; lines.length === 0 && values < 2_000; values += 1) emit();
    expect(values).toBe(1_000);
  });
});
