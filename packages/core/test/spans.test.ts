import { AsyncLocalStorage } from 'node:async_hooks';
import { tracingChannel } from 'node:diagnostics_channel';
import {
  type EventFacts,
  eventCompleted,
  RequestContext,
  requestCompleted,
  startEventSpan,
  startRequestSpan,
  startSurfaceSpan,
  stateOf,
} from '../src/internal.js';
import type { SpanMessage } from '../src/observability/active-span.js';
import type { Observability, Span, SpanAttributes, SpanHook } from '../src/observability/hooks.js';
import { requestState } from './support.js';

interface Recorded {
  kind: string;
  name: string;
  attributes: SpanAttributes;
  parent: Recorded | undefined;
  links: unknown;
  error: unknown;
  ended: number;
}

function recorder(current?: AsyncLocalStorage<Recorded>) {
  const spans: Recorded[] = [];
  const of = new Map<Span, Recorded>();
  const hook: SpanHook = {
    start(kind, name, attributes, parent, links) {
      const made: Recorded = {
        kind,
        name,
        attributes,
        parent: parent && of.get(parent),
        links,
        error: undefined,
        ended: 0,
      };
      const span: Span = {
        set: (more) => {
          made.attributes = { ...made.attributes, ...more };
        },
        error: (error) => {
          made.error = error;
        },
        end: () => {
          made.ended += 1;
        },
        run: (work) => (current ? current.run(made, work) : work()),
      };
      of.set(span, made);
      spans.push(made);
      return span;
    },
  };
  return { spans, observability: { span: hook } satisfies Observability };
}

const DONE = { status: 200, errorCode: '', durationMs: 1, streamed: false, responseBytes: 0 };
const FACTS: EventFacts = { trigger: 'queue', source: 'orders', requestId: 'r', traceId: '', tenantId: '' };

function matchedState() {
  const state = requestState({ tenant: 't-1' });
  state.route = { surface: 'http', method: 'GET', pattern: '/users/{id}' };
  return state;
}

describe('the span hook', () => {
  it('gets an event that is neither a request nor a record, with its tenant', () => {
    const { spans, observability } = recorder();
    const context = new RequestContext(matchedState());
    startSurfaceSpan({}, context, 'mcp');
    expect(stateOf(context).span).toBeUndefined();
    startSurfaceSpan(observability, context, 'mcp');
    expect(spans).toMatchObject([
      { kind: 'framework.event', name: 'mcp', attributes: { 'tenant.id': 't-1' }, ended: 0 },
    ]);
    stateOf(context).span?.end({}, '');
    expect(spans[0]?.ended).toBe(1);
  });

  it('gets a request with pattern, never path, and its end', () => {
    const { spans, observability } = recorder();
    const state = matchedState();
    const span = startRequestSpan(observability, state);
    expect(span?.run(() => 42)).toBe(42);
    requestCompleted(observability, state, { ...DONE, status: 503, errorCode: 'app.overloaded' }, span);
    expect(spans).toEqual([
      {
        kind: 'framework.request',
        name: 'http GET /users/{id}',
        attributes: {
          'faas.trigger': 'http',
          'http.request.method': 'GET',
          'http.route': '/users/{id}',
          'request.id': 'req-1',
          'tenant.id': 't-1',
          'http.response.status_code': 503,
          'error.type': 'app.overloaded',
        },
        parent: undefined,
        links: [],
        error: { name: 'Error', code: 'app.overloaded', message: 'overloaded' },
        ended: 1,
      },
    ]);
  });

  it('receives a rejection as attribute, not as error', () => {
    const { spans, observability } = recorder();
    const state = requestState({ method: 'M1' });
    requestCompleted(
      observability,
      state,
      { ...DONE, status: 404, errorCode: 'app.not_found' },
      startRequestSpan(observability, state),
    );
    expect(spans[0]).toMatchObject({
      name: 'http OTHER (unmatched)',
      error: undefined,
      attributes: { 'error.type': 'app.not_found' },
    });
  });

  it.each<[Partial<EventFacts>, string, SpanAttributes]>([
    [
      {},
      'queue orders',
      {
        'faas.trigger': 'pubsub',
        'messaging.system': 'aws_sqs',
        'messaging.destination.name': 'orders',
        'event.source': 'orders',
        'request.id': 'r',
      },
    ],
    [
      { trigger: 'topic', recordId: 'm' },
      'topic orders',
      {
        'faas.trigger': 'pubsub',
        'messaging.system': 'aws_sns',
        'messaging.destination.name': 'orders',
        'event.source': 'orders',
        'request.id': 'r',
        'messaging.message.id': 'm',
      },
    ],
    [
      { trigger: 'stream' },
      'stream orders',
      {
        'faas.trigger': 'pubsub',
        'messaging.system': 'aws_kinesis',
        'messaging.destination.name': 'orders',
        'event.source': 'orders',
        'request.id': 'r',
      },
    ],
    [
      { trigger: 'table-stream', source: '' },
      'table-stream (unregistered)',
      { 'faas.trigger': 'datasource', 'event.source': '(unregistered)', 'request.id': 'r' },
    ],
    [
      { trigger: 'event-bus', detailType: 'Paid', correlationId: 'c' },
      'event-bus orders',
      {
        'faas.trigger': 'pubsub',
        'event.source': 'orders',
        'request.id': 'r',
        'event.detail_type': 'Paid',
        'correlation.id': 'c',
      },
    ],
    [
      { trigger: 'event-bus', scheduled: true },
      'event-bus orders',
      { 'faas.trigger': 'timer', 'event.source': 'orders', 'request.id': 'r' },
    ],
  ])('gets the event %j', (facts, name, attributes) => {
    const { spans, observability } = recorder();
    startEventSpan(observability, { ...FACTS, ...facts });
    expect(spans[0]).toMatchObject({ kind: 'framework.event', name });
    expect(spans[0]?.attributes).toEqual(attributes);
  });

  it("gets a record as child of its batch, the record's own trace as a link", () => {
    const { spans, observability } = recorder();
    const batch = startEventSpan(observability, FACTS);
    startEventSpan(observability, FACTS, batch, '1-5759e988-bd862e3fe1be46a994272793');
    expect(spans[1]?.parent).toBe(spans[0]);
    expect(spans[1]?.links).toEqual([{ traceId: '1-5759e988-bd862e3fe1be46a994272793' }]);
  });

  it('ends once', () => {
    const { spans, observability } = recorder();
    const span = startEventSpan(observability, FACTS);
    const outcome = { failed: true, errorCode: '', durationMs: 1 };
    eventCompleted(observability, FACTS, outcome, span);
    eventCompleted(observability, FACTS, outcome, span);
    expect(spans[0]).toMatchObject({
      ended: 1,
      error: { code: 'app.internal' },
      attributes: { 'error.type': 'app.internal' },
    });
  });

  it('can make the span current for the work and what it awaits', async () => {
    const storage = new AsyncLocalStorage<Recorded>();
    const { spans, observability } = recorder(storage);
    const run = async () => {
      await new Promise(setImmediate);
      return storage.getStore();
    };
    await expect(startRequestSpan(observability, matchedState())?.run(run)).resolves.toBe(spans[0]);
    expect(storage.getStore()).toBeUndefined();
  });
});

describe('a tracer that misbehaves changes nothing', () => {
  const fails = () => {
    throw new Error('tracer');
  };
  const running = (run: Span['run']): SpanHook => ({ start: () => ({ set() {}, error() {}, end() {}, run }) });
  it.each<[string, SpanHook]>([
    ['throws at start', { start: fails }],
    ['gives nothing', { start: () => undefined as never }],
    ['throws everywhere else', { start: () => ({ set: fails, error: fails, end: fails, run: fails }) }],
    ['never runs the work', running(() => undefined as never)],
    [
      'runs the work twice',
      running((work) => {
        work();
        return work();
      }),
    ],
    [
      'gives another result',
      running((work) => {
        work();
        return 'other' as never;
      }),
    ],
    [
      'throws after the work',
      running((work) => {
        work();
        return fails();
      }),
    ],
    [
      'swallows what the work throws',
      running((work) => {
        try {
          return work();
        } catch {
          return undefined as never;
        }
      }),
    ],
    [
      'rejects',
      {
        start: () => ({
          set: async () => fails(),
          error: async () => fails(),
          end: async () => fails(),
          run: (work) => work(),
        }),
      },
    ],
  ])('when it %s', async (_, hook) => {
    const observability = { span: hook };
    const state = matchedState();
    const span = startRequestSpan(observability, state);
    let ran = 0;
    expect(span?.run(() => ++ran)).toBe(1);
    expect(ran).toBe(1);
    const error = new Error("the work's own");
    expect(() =>
      startRequestSpan(observability, state)?.run(() => {
        throw error;
      }),
    ).toThrow(error);
    expect(() =>
      requestCompleted(observability, state, { ...DONE, status: 500, errorCode: 'app.internal' }, span),
    ).not.toThrow();
    await new Promise(setImmediate);
  });
});

describe('the diagnostics channel', () => {
  it('builds no message without listeners', () => {
    expect(startRequestSpan({}, matchedState())).toBeUndefined();
    expect(startEventSpan({}, FACTS)).toBeUndefined();
  });

  it('publishes one message a span, and start covers the handler', async () => {
    const channel = tracingChannel<unknown, SpanMessage>('framework.request');
    const storage = new AsyncLocalStorage<SpanMessage>();
    const seen: [string, SpanMessage][] = [];
    const handlers = Object.fromEntries(
      ['start', 'end', 'asyncStart', 'asyncEnd', 'error'].map((name) => [
        name,
        (message: SpanMessage) => seen.push([name, message]),
      ]),
    ) as unknown as Parameters<typeof channel.subscribe>[0];
    channel.subscribe(handlers);
    channel.start.bindStore(storage, (message) => message);
    const state = matchedState();
    const span = startRequestSpan({}, state);
    const inside = await span?.run(async () => {
      await new Promise(setImmediate);
      return storage.getStore();
    });
    requestCompleted({}, state, { ...DONE, status: 500, errorCode: 'app.internal' }, span);
    channel.start.unbindStore(storage);
    channel.unsubscribe(handlers);
    expect(seen.map(([name]) => name)).toEqual(['start', 'end', 'error', 'asyncStart', 'asyncEnd']);
    expect(new Set(seen.map(([, message]) => message)).size).toBe(1);
    expect(inside).toBe(seen[0]?.[1]);
    expect(inside).toMatchObject({
      kind: 'framework.request',
      name: 'http GET /users/{id}',
      attributes: { 'http.response.status_code': 500, 'error.type': 'app.internal' },
      error: { code: 'app.internal', message: 'internal error' },
    });
    expect(startRequestSpan({}, state)).toBeUndefined();
  });
});
