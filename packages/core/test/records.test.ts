import {
  batchCompleted,
  type EventFacts,
  eventCompleted,
  type RequestOutcome,
  recordCompleted,
  requestCompleted,
} from '../src/internal.js';
import type { LogRecord, MetricRecord, Observability } from '../src/observability/hooks.js';
import { requestState, type StateOptions } from './support.js';

function hooks(more: Partial<Observability> = {}) {
  const logs: LogRecord[] = [];
  const metrics: MetricRecord[] = [];
  return {
    logs,
    metrics,
    observability: { log: (r: LogRecord) => logs.push(r), metric: (r: MetricRecord) => metrics.push(r), ...more },
  };
}

const OK: RequestOutcome = { status: 200, errorCode: '', durationMs: 12.3456, streamed: false, responseBytes: 7 };
const route = (pattern = '/users/{id}', method = 'GET') => ({ surface: 'http', method, pattern }) as const;

function completed(
  options: StateOptions,
  outcome: Partial<RequestOutcome> = {},
  matched = route() as ReturnType<typeof route> | null,
) {
  const seen = hooks();
  const state = requestState(options);
  state.route = matched;
  requestCompleted(seen.observability, state, { ...OK, ...outcome });
  return { log: seen.logs[0] as LogRecord, metric: seen.metrics[0] as MetricRecord };
}

describe('request.completed', () => {
  it('has every field, in the order of the contract', () => {
    const { log } = completed({
      tenant: 't-1',
      headers: { traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01' },
    });
    expect(Object.entries(log)).toEqual([
      ['level', 'info'],
      ['event', 'request.completed'],
      ['trigger', 'gateway-v2'],
      ['request_id', 'req-1'],
      ['trace_id', '4bf92f3577b34da6a3ce929d0e0e4736'],
      ['tenant_id', 't-1'],
      ['method', 'GET'],
      ['route', '/users/{id}'],
      ['path', '/users/1'],
      ['status', 200],
      ['error_code', ''],
      ['duration_ms', 12.346],
      ['streamed', false],
      ['response_bytes', 7],
    ]);
  });

  it.each([
    [200, 'info'],
    [399, 'info'],
    [400, 'warn'],
    [499, 'warn'],
    [500, 'error'],
    [503, 'error'],
  ])('of status %d is %s', (status, level) => {
    expect(completed({}, { status }).log.level).toBe(level);
  });

  it.each([
    ['EMPTY_BODY', 'app.bad_request'],
    ['INVALID_JSON', 'app.bad_request'],
    ['app.not_found', 'app.not_found'],
    ['own\r\ncode', 'owncode'],
  ])('names the code %j as %j, in log and metric', (errorCode, expected) => {
    const { log, metric } = completed({}, { status: 400, errorCode });
    expect([log.error_code, metric.tags.error_code]).toEqual([expected, expected]);
  });

  it('scrubs the path, cuts it, and leaves it out on demand', () => {
    expect(completed({ path: '/u/alice@example.com' }).log.path).toBe('/u/[REDACTED]');
    expect(String(completed({ path: `/${'a'.repeat(3000)}` }).log.path)).toHaveLength(1024);
    const seen = hooks({ logPath: false });
    requestCompleted(seen.observability, requestState(), OK);
    expect(seen.logs[0]).not.toHaveProperty('path');
  });

  it('cleans ids of control characters', () => {
    const { log, metric } = completed({ tenant: `t\r\n\u2028${'x'.repeat(500)}` });
    expect(log.tenant_id).toBe(`t${'x'.repeat(255)}`);
    expect(metric.properties?.tenant_id).toBe(`t${'x'.repeat(255)}`);
  });
});

describe('framework.request', () => {
  it('has bounded tags, and ids among its properties only', () => {
    expect(completed({ tenant: 't-1' }, { status: 404, errorCode: 'app.not_found' }).metric).toEqual({
      name: 'framework.request',
      value: 1,
      duration_ms: 12.346,
      tags: { trigger: 'gateway-v2', method: 'GET', route: '/users/{id}', status: '404', error_code: 'app.not_found' },
      properties: { request_id: 'req-1', tenant_id: 't-1' },
    });
  });

  it('uses one set of tags for a thousand paths of one route', () => {
    const tags = new Set<string>();
    for (let n = 1; n <= 1000; n += 1) tags.add(JSON.stringify(completed({ path: `/users/${n}` }).metric.tags));
    expect([...tags]).toHaveLength(1);
  });

  it('returns (unmatched) and OTHER for a scan of made-up paths and methods', () => {
    const tags = new Set<string>();
    for (let n = 0; n < 100; n += 1) {
      const { metric, log } = completed({ path: `/x${n}`, method: `M${n}` }, { status: 404 }, null);
      expect(log.method).toBe('OTHER');
      tags.add(`${metric.tags.method} ${metric.tags.route}`);
    }
    expect([...tags]).toEqual(['OTHER (unmatched)']);
  });

  it.each([
    ['PURGE', 'PURGE', 'PURGE'],
    ['HEAD', 'GET', 'HEAD'],
    ['', '', 'OTHER'],
    ['PURGE', 'GET', 'OTHER'],
  ])('names the method %j on a route of %j %j', (method, registered, expected) => {
    expect(completed({ method }, {}, route('/x', registered)).metric.tags.method).toBe(expected);
  });
});

describe('hooks', () => {
  it('are not called, and nothing is built, without hooks', () => {
    const state = new Proxy(requestState(), {
      get() {
        throw new Error('read');
      },
    });
    expect(() => requestCompleted({}, state, OK)).not.toThrow();
  });

  it.each<[string, () => unknown]>([
    [
      'throw',
      () => {
        throw new Error('x');
      },
    ],
    ['reject', () => Promise.reject(new Error('x'))],
  ])('that %s change nothing', async (_, hook) => {
    const seen = hooks();
    expect(() => requestCompleted({ log: hook, metric: seen.observability.metric }, requestState(), OK)).not.toThrow();
    expect(() =>
      eventCompleted({ log: hook, metric: hook }, FACTS, { failed: true, errorCode: '', durationMs: 1 }),
    ).not.toThrow();
    await new Promise(setImmediate);
    expect(seen.metrics).toHaveLength(1);
  });
});

const FACTS: EventFacts = { trigger: 'event-bus', source: 'billing', requestId: 'r', traceId: 't', tenantId: 'n' };

describe('event.completed', () => {
  it.each([
    ['event', eventCompleted, false, 'info', 'success', ''],
    ['event', eventCompleted, true, 'error', 'error', 'app.internal'],
    ['record', recordCompleted, false, 'debug', 'success', ''],
    ['record', recordCompleted, true, 'error', 'error', 'app.internal'],
  ] as const)('of an %s (%p, failed %p) is %s', (_, complete, failed, level, outcome, errorCode) => {
    const seen = hooks();
    complete(
      seen.observability,
      { ...FACTS, recordId: 'm-1', correlationId: 'c-1', detailType: 'Paid' },
      { failed, errorCode: '', durationMs: 2 },
    );
    expect(seen.logs).toEqual([
      {
        level,
        event: 'event.completed',
        trigger: 'event-bus',
        request_id: 'r',
        trace_id: 't',
        tenant_id: 'n',
        source: 'billing',
        record_id: 'm-1',
        correlation_id: 'c-1',
        detail_type: 'Paid',
        outcome,
        error_code: errorCode,
        duration_ms: 2,
      },
    ]);
  });

  it('has a metric for an event, but not for a record: the batch has it', () => {
    const seen = hooks();
    const outcome = { failed: true, errorCode: 'x.y', durationMs: 2 };
    recordCompleted(seen.observability, FACTS, outcome);
    eventCompleted(seen.observability, { ...FACTS, source: '', detailType: 'Paid' }, outcome);
    expect(seen.metrics).toEqual([
      {
        name: 'framework.event',
        value: 1,
        duration_ms: 2,
        tags: { trigger: 'event-bus', source: '(unregistered)', outcome: 'error', error_code: 'x.y' },
        properties: { request_id: 'r', tenant_id: 'n' },
      },
    ]);
  });

  it('scrubs what the sender chose', () => {
    const seen = hooks();
    eventCompleted(
      seen.observability,
      { ...FACTS, correlationId: 'alice@example.com', detailType: 'a\r\nb', eventName: 'token=x', recordId: 'm\u2028' },
      { failed: false, errorCode: '', durationMs: -1 },
    );
    expect(seen.logs[0]).toMatchObject({
      correlation_id: '[REDACTED]',
      detail_type: 'ab',
      event_name: '[REDACTED]',
      record_id: 'm',
      duration_ms: 0,
    });
  });
});

describe('batch.completed', () => {
  it.each([
    [0, 0, 'none', 'info', 'success', '0'],
    [2, 0, 'none', 'info', 'error', '2'],
    [1, 3, 'failure', 'warn', 'error', '4'],
    [0, 4, 'no_handler', 'warn', 'error', '4'],
  ] as const)('with %d failed and %d not tried (%s) is %s', (failed, notTried, stoppedBy, level, outcome, failures) => {
    const seen = hooks();
    batchCompleted(
      seen.observability,
      { ...FACTS, trigger: 'queue', source: 'orders' },
      { records: 4, failed, notTried, stoppedBy, errorCode: failed ? 'x.y' : '', durationMs: 9 },
    );
    expect(seen.logs).toEqual([
      {
        level,
        event: 'batch.completed',
        trigger: 'queue',
        request_id: 'r',
        trace_id: 't',
        tenant_id: 'n',
        source: 'orders',
        records: 4,
        failed,
        not_tried: notTried,
        stopped_by: stoppedBy,
        duration_ms: 9,
      },
    ]);
    expect(seen.metrics).toEqual([
      {
        name: 'framework.event',
        value: 1,
        duration_ms: 9,
        tags: {
          trigger: 'queue',
          source: 'orders',
          outcome,
          error_code: failed ? 'x.y' : outcome === 'error' ? 'app.internal' : '',
          records: '4',
          failed: failures,
        },
        properties: { request_id: 'r', tenant_id: 'n' },
      },
    ]);
  });
});
