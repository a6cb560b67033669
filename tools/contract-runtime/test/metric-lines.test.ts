/** CloudWatch's specification of the embedded metric format as the judge of every metric line. */
import type { MetricRecord } from '@sallyport/core';
import { defineMetrics } from '@sallyport/core/observability';
import { ManualClock } from '@sallyport/core/testing';
import fc from 'fast-check';
import { ALL_DETAILS, extract, faultsOf, newSink, SINKS } from './support/emf.js';

/** An invocation of a container, as far as a sink needs it. */
const newInvocation = () => ({
  clock: new ManualClock(),
  lambdaContext: undefined,
  requestId: '',
  tenantId: '',
  ending: undefined as { end(failed: boolean): void } | undefined,
});

it('the judge rejects a line that CloudWatch would reject', () => {
  const directive = { Namespace: 'N', Dimensions: [['service']], Metrics: [{ Name: 'A', Unit: 'Count' }] };
  const line = (aws: object, rest: object) =>
    faultsOf(
      JSON.stringify({
        _aws: { Timestamp: 1, CloudWatchMetrics: [{ ...directive, ...aws }] },
        service: 's',
        A: 1,
        ...rest,
      }),
    );
  expect(line({}, {})).toEqual([]);
  expect(line({}, { A: [1, 2] })).toEqual([]);
  for (const [aws, rest] of [
    [{}, { A: '1' }],
    [{}, { A: null }],
    [{}, { A: Array.from({ length: 101 }, () => 1) }],
    [{}, { service: 'grüße' }],
    [{}, { service: ' ' }],
    [{}, { service: 1 }],
    [{ Dimensions: [['other']] }, {}],
    [{ Dimensions: [] }, {}],
    [{ Dimensions: [Array.from({ length: 31 }, (_, n) => `d${n}`)] }, {}],
    [{ Metrics: [{ Name: 'A', Unit: 'Hours' }] }, {}],
    [{ Metrics: Array.from({ length: 101 }, () => ({ Name: 'A' })) }, {}],
    [{ Namespace: '' }, {}],
  ] as const)
    expect([aws, line(aws, rest).length]).toEqual([aws, 1]);
});

const word = fc.oneof(
  fc.constantFrom('', 'a', 'b', ' ', 'grüße', '/users/{id}', '\u2028', '\ud800', 'x'.repeat(300)),
  fc.string(),
);
const number = fc.oneof(fc.double(), fc.integer());
const tags = (names: readonly string[]) => fc.dictionary(fc.constantFrom(...names), word);
const ids = fc.record({ request_id: word, tenant_id: word }, { requiredKeys: [] });

const frameworkRecord: fc.Arbitrary<MetricRecord> = fc.record(
  {
    name: fc.constantFrom('framework.request', 'framework.event', 'framework.call', 'framework.limit'),
    value: fc.constant(1),
    tags: tags([
      'trigger',
      'method',
      'route',
      'status',
      'error_code',
      'source',
      'outcome',
      'records',
      'failed',
      'kind',
      'target',
      'policy',
      'decision',
    ]),
    duration_ms: number,
    measures: fc.record({ retries: number, oldest_record_ms: number }, { requiredKeys: [] }),
    properties: ids,
  },
  { requiredKeys: ['name', 'value', 'tags'] },
) as never;

/** The application's own metrics, whose names and tags can be those of the framework. */
const NAMES = ['Orders', 'RequestCount', 'route', 'status', 'channel', 'request_id', 'Amount'];
const TAGS = ['channel', 'route', 'Orders', 'version', 'status', 'size', 'x-y'];
const metrics = defineMetrics(
  Object.fromEntries(NAMES.map((name) => [name, { unit: 'Count', tags: TAGS.filter((tag) => tag !== name) }])),
);
const ownValue = fc.record({ name: fc.constantFrom(...NAMES), value: number, tags: tags(TAGS) });

it('every line of random loads is valid, and no value is lost', () => {
  const load = fc.array(
    fc.oneof(
      frameworkRecord,
      ownValue.map((own) => ({ own })),
    ),
    { maxLength: 300 },
  );
  fc.assert(
    fc.property(load, fc.constantFrom(...SINKS), (records, options) => {
      const { sink, lines } = newSink(options);
      const invocation = newInvocation();
      let own = 0;
      const metric = (record: MetricRecord) => {
        own += 1;
        sink(record, () => invocation);
      };
      for (const record of records) {
        if ('own' in record) {
          const { name, value, tags: given } = record.own;
          metrics.emit({ metric }, { name, value, options: { tags: given } }, invocation);
        } else sink(record, () => invocation);
      }
      expect(lines.length).toBe(0);
      invocation.ending?.end(false);
      expect(lines.flatMap(faultsOf)).toEqual([]);
      const points = lines.flatMap(extract);
      const sum = (name: string) =>
        points
          .filter(({ metric: of, dimensions }) => of === name && Object.keys(dimensions).join() === 'service')
          .flatMap(({ values }) => values).length;
      const count = NAMES.filter((name) => name !== 'RequestCount').reduce((all, name) => all + sum(name), 0);
      const foreign = records.filter(
        (record) => 'own' in record && record.own.name === 'RequestCount' && Number.isFinite(record.own.value),
      ).length;
      expect(count).toBe(own - foreign);
    }),
    { numRuns: 300 },
  );
});

it('the metrics of one invocation are one line', () => {
  const { sink, lines } = newSink({ by: ALL_DETAILS, version: '7' });
  const invocation = newInvocation();
  const record = (name: string, given: Record<string, string>): MetricRecord => ({
    name,
    value: 1,
    duration_ms: 2,
    tags: given,
  });
  sink(record('framework.limit', { policy: 'fixed', decision: 'allowed' }), () => invocation);
  sink(record('framework.call', { kind: 'tool', target: 'add', outcome: 'ok' }), () => invocation);
  sink({ name: 'Amount', value: 5, unit: 'None', tags: {} }, () => invocation);
  sink({ name: 'Amount', value: 7, unit: 'None', tags: {} }, () => invocation);
  sink(
    record('framework.request', {
      trigger: 'gateway-v2',
      method: 'POST',
      route: '/mcp',
      status: '200',
      error_code: '',
    }),
    () => invocation,
  );
  invocation.ending?.end(false);
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    {
      Amount: [5, 7],
      CallCount: 1,
      CallDuration: 2,
      ColdStarts: 1,
      LimitAllowed: 1,
      RequestCount: 1,
      route: '/mcp',
      target: 'add',
    },
  ]);
});

it('more than 100 values of a metric need a second line', () => {
  const { sink, lines } = newSink({});
  const invocation = newInvocation();
  for (let n = 1; n <= 250; n += 1) sink({ name: 'Amount', value: n, unit: 'None', tags: {} }, () => invocation);
  invocation.ending?.end(false);
  expect(lines.flatMap(faultsOf)).toEqual([]);
  expect(lines.map((line) => (JSON.parse(line) as { readonly Amount: readonly number[] }).Amount.length)).toEqual([
    100, 100, 50,
  ]);
});

it('more than 100 metrics need a second line', () => {
  const { sink, lines } = newSink({});
  const invocation = newInvocation();
  for (let n = 1; n <= 150; n += 1) sink({ name: `m${n}`, value: n, unit: 'None', tags: {} }, () => invocation);
  invocation.ending?.end(false);
  expect(lines.flatMap(faultsOf)).toEqual([]);
  expect(lines).toHaveLength(2);
});

it('of 10,000 values of a tag the first 100 are kept, and the others are counted as folded', () => {
  const { sink, lines } = newSink({});
  for (let n = 0; n < 10_000; n += 1)
    sink(
      { name: 'Orders', value: 1, unit: 'Count', tags: { customer: `c-${n}` } },
      n % 2 === 0 ? undefined : newInvocation,
    );
  for (let n = 0; n < 5; n += 1) sink({ name: 'Orders', value: 1, unit: 'Count', tags: { customer: 'c-1' } });
  const points = lines.flatMap(extract);
  const customers = new Set(points.flatMap(({ dimensions }) => dimensions.customer ?? []));
  expect(customers.size).toBeLessThanOrEqual(101);
  expect([customers.has('other'), customers.has('c-9998')]).toEqual([true, false]);
  const folded = points.filter(({ metric }) => metric === 'FoldedValues').flatMap(({ values }) => values);
  const others = points.filter(({ dimensions }) => dimensions.customer === 'other').flatMap(({ values }) => values);
  expect(folded.length).toBe(others.length);
});
