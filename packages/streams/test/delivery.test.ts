import { FrameworkError, type SurfaceHost } from '@sallyport/core';
import { type ManualClock, ManualIdGenerator } from '@sallyport/core/testing';
import type { EventMiddleware } from '@sallyport/streams';
import {
  attempt,
  createObserver,
  type Delivered,
  Delivery,
  type DeliveryKind,
  mask,
  settle,
  warnOf,
} from '@sallyport/streams/delivery';
import { environment, type Line } from './support.js';

interface Harness {
  readonly delivery: Delivery;
  readonly clock: ManualClock;
  readonly lines: readonly Line[];
  readonly middlewares: EventMiddleware[];
}

/** A delivery that a container has attached. */
function attached(host: Partial<SurfaceHost> = {}, kind: Partial<DeliveryKind> = {}): Harness {
  const delivery = new Delivery({ kind: 'thing', key: undefined, ...kind });
  const { clock, lines, options } = environment();
  const middlewares: EventMiddleware[] = [];
  delivery.attach({
    clock,
    ids: new ManualIdGenerator(),
    environment: {},
    log: options.log,
    observability: {},
    deadlineMarginMs: 500,
    maskErrors: false,
    failureText: 'framework: event handler failed',
    eventMiddlewares: middlewares as never,
    observeEvents: createObserver,
    ...host,
  } as SurfaceHost);
  return { delivery, clock, lines, middlewares };
}

const SOURCE = { name: 's', arn: 'arn', account: '1', region: 'r' };

/** Records by their ids; each record has a separate handler. */
function items(handlers: Readonly<Record<string, Delivered['handler']>>): Delivered[] {
  return Object.entries(handlers).map(([id, handler]) => ({ id, handler, record: { id }, name: 'n', source: SOURCE }));
}

const fail = (thrown: unknown) => () => {
  throw thrown;
};
const lambda = (ms: number) => ({ awsRequestId: 'r1', getRemainingTimeInMillis: () => ms });
const never = () => new Promise(() => {});

describe('each', () => {
  it('runs the records in order and resolves to their results, undefined as null', async () => {
    const { delivery } = attached();
    const seen: string[] = [];
    const run = (id: string, result: unknown) => () => {
      seen.push(id);
      return result;
    };
    await expect(
      delivery.each(items({ a: run('a', 1), b: run('b', undefined), c: async () => run('c', { n: 3 })() }), undefined),
    ).resolves.toEqual([1, null, { n: 3 }]);
    expect(seen).toEqual(['a', 'b', 'c']);
  });

  it('rethrows the first failure unchanged, and later records do not run', async () => {
    const { delivery, lines } = attached();
    const seen: string[] = [];
    const error = new FrameworkError('app.conflict', 'taken');
    await expect(delivery.each(items({ a: fail(error), b: () => void seen.push('b') }), lambda(10_000))).rejects.toBe(
      error,
    );
    expect(seen).toEqual([]);
    expect(lines).toMatchObject([
      { level: 'error', message: 'framework: event handler failed', fields: { record_id: 'a', error } },
    ]);
  });

  it.each<[string, boolean, unknown]>([
    ['with maskErrors', true, new Error('the database is at 10.0.0.1')],
    ['for what is no error', false, 'secret'],
    ['for nothing', false, undefined],
  ])('masks a failure %s', async (_what, maskErrors, thrown) => {
    const { delivery } = attached({ maskErrors });
    const error = await delivery.each(items({ a: fail(thrown) }), undefined).catch((caught: FrameworkError) => caught);
    expect(error).toMatchObject({ code: 'streams.handler_failed', message: 'framework: event handler failed' });
    expect((error as FrameworkError).cause).toBe(thrown);
  });

  it('past the deadline no record starts, one warning counts them, and the error names the deadline', async () => {
    const { delivery, clock, lines } = attached();
    const pending = delivery.each(items({ a: never, b: () => 1 }), lambda(3_000));
    const answer = expect(pending).rejects.toMatchObject({ code: 'streams.deadline_exceeded' });
    await clock.advance(3_000);
    await answer;
    expect(lines.filter(({ level }) => level === 'warn')).toMatchObject([
      { message: 'streams.deadline', fields: { trigger: 'thing', not_tried: 1 } },
    ]);
  });

  it('the longest time of the kind is a deadline, even without a Lambda context', async () => {
    const { delivery, clock } = attached({}, { maxMs: 5_000 });
    const pending = delivery.each(items({ a: never }), undefined);
    await clock.advance(4_749);
    let ended = false;
    pending.then(
      () => {},
      () => {
        ended = true;
      },
    );
    await clock.advance(0);
    expect(ended).toBe(false);
    await clock.advance(1);
    await expect(pending).rejects.toMatchObject({ code: 'streams.deadline_exceeded' });
  });

  it('the margin of the kind wins over a smaller one of the container', async () => {
    const marginOf = async (left: number | undefined) => {
      const { delivery, clock } = attached({ deadlineMarginMs: 100 }, { marginMs: 2_000 });
      const read: Delivered['handler'] = (ctx) => (ctx.deadline ? (left ?? 0) - ctx.deadline.getTime() : null);
      const [margin] = await delivery.each(items({ a: read }), left === undefined ? undefined : lambda(left));
      expect(clock.now().getTime()).toBe(0);
      return margin;
    };
    expect(await marginOf(60_000)).toBe(2_000);
    expect(await marginOf(6_000)).toBe(2_000);
    // The margin is a third of a shorter invocation, but at least the container's margin.
    expect(await marginOf(3_000)).toBe(1_000);
    expect(await marginOf(150)).toBe(100);
    expect(await marginOf(undefined)).toBeNull();
  });
});

describe('settle', () => {
  it('continues after a failure, and reports the outcome of each record', async () => {
    const { delivery } = attached();
    const error = new Error('no');
    await expect(
      settle(delivery, items({ a: () => 1, b: fail(error), c: fail(undefined), d: async () => undefined }), undefined),
    ).resolves.toEqual([{ value: 1 }, { thrown: error }, { thrown: undefined }, { value: null }]);
  });

  it('a failure holds back later records of its group alone', async () => {
    const { delivery } = attached();
    const seen: string[] = [];
    const run = (id: string) => () => void seen.push(id);
    const outcomes = await settle(
      delivery,
      items({ a1: fail('x'), b1: run('b1'), a2: run('a2'), b2: run('b2') }),
      undefined,
      ({ id }) => id[0] as string,
    );
    expect(outcomes).toEqual([{ thrown: 'x' }, { value: null }, undefined, { value: null }]);
    expect(seen).toEqual(['b1', 'b2']);
  });

  it('a record at the deadline fails, later records do not start, and a late result changes nothing', async () => {
    const { delivery, clock, lines } = attached();
    let finish: (value: unknown) => void = () => {};
    const slow = () =>
      new Promise((resolve) => {
        finish = resolve;
      });
    const pending = settle(delivery, items({ a: () => 1, b: slow, c: () => 3 }), lambda(3_000));
    await clock.advance(3_000);
    const outcomes = await pending;
    finish('late');
    await clock.advance(1);
    expect(outcomes).toMatchObject([{ value: 1 }, { thrown: { code: 'streams.deadline_exceeded' } }, undefined]);
    expect(lines.map(({ level }) => level)).toEqual(['error', 'warn']);
  });

  it('an empty list of records has no outcomes', async () => {
    await expect(settle(attached().delivery, [], undefined)).resolves.toEqual([]);
  });
});

describe('attempt', () => {
  it.each<[string, Delivered['handler'], object]>([
    ['a value', () => 5, { value: 5 }],
    ['nothing', () => undefined, { value: null }],
    ['an error, unmasked', fail('x'), { thrown: 'x' }],
  ])('resolves to %s', async (_what, handler, outcome) => {
    const { delivery } = attached({ maskErrors: true });
    const [item] = items({ a: handler }) as [Delivered];
    await expect(attempt(delivery, item, undefined)).resolves.toEqual(outcome);
  });

  it('past the deadline nothing runs', async () => {
    const { delivery } = attached();
    const [item] = items({ a: fail(new Error('ran')) }) as [Delivered];
    await expect(attempt(delivery, item, lambda(400))).resolves.toMatchObject({
      thrown: { code: 'streams.deadline_exceeded' },
    });
  });
});

it('each record has its own context, after the middlewares of the container', async () => {
  const { delivery, middlewares } = attached();
  const trail: unknown[] = [];
  middlewares.push(async (ctx, event, next) => {
    trail.push(['before', event]);
    ctx.set('mark', (ctx.get('mark') ?? 0) as number);
    const result = await next();
    return `${result}!`;
  });
  const handler: Delivered['handler'] = (ctx) => {
    trail.push([
      ctx.triggerKind,
      ctx.recordId,
      ctx.batch,
      ctx.source.name,
      ctx.requestId,
      ctx.attempt,
      ctx.get('other'),
    ]);
    ctx.set('other', 1);
  };
  await delivery.each(items({ a: handler, b: handler }), lambda(10_000));
  expect(trail).toEqual([
    ['before', { id: 'a' }],
    ['thing', 'a', { index: 0, size: 2 }, 's', 'r1', 0, undefined],
    ['before', { id: 'b' }],
    ['thing', 'b', { index: 1, size: 2 }, 's', 'r1', 0, undefined],
  ]);
});

it('hooks of the container see each record with kind, source and outcome', async () => {
  const records: unknown[] = [];
  const { delivery } = attached({ observability: { log: (record: unknown) => void records.push(record) } as never });
  await settle(delivery, items({ a: () => 1, b: fail(new FrameworkError('app.conflict', 'taken')) }), lambda(10_000));
  expect(records).toMatchObject([
    { trigger: 'thing', source: 'n', record_id: 'a' },
    { trigger: 'thing', source: 'n', record_id: 'b', error_code: 'app.conflict' },
  ]);
});

describe('names', () => {
  it.each([
    ['{"thing":{"a":"x"}}', 'x'],
    ['{"a":"y"}', 'y'],
    ['{"other":{"a":"z"}}', 'a'],
    ['', 'a'],
  ])('with %s the name a is %s', (FRAMEWORK_EVENT_SOURCES, name) => {
    expect(attached({ environment: { FRAMEWORK_EVENT_SOURCES } }).delivery.physicalName('thing', 'a')).toBe(name);
  });

  it('a variable that is not a map is rejected when a container attaches', () => {
    expect(() => attached({ environment: { FRAMEWORK_EVENT_SOURCES: '[]' } })).toThrow(
      expect.failure('app.invalid_configuration', 'FRAMEWORK_EVENT_SOURCES'),
    );
  });
});

it('an agent is rejected, and the rejection is in the log', () => {
  const { delivery, lines } = attached();
  const agent = { clientContext: { custom: { bedrockAgentCoreToolName: 't' } } };
  expect(() => delivery.refuseAgent(agent)).toThrow(expect.failure('dispatch.no_adapter', 'agent'));
  expect(lines).toMatchObject([{ level: 'error', message: 'framework: invocation refused' }]);
  expect(() => delivery.refuseAgent(undefined)).not.toThrow();
  expect(() => delivery.refuseAgent({ clientContext: {} })).not.toThrow();
});

it('a rejection before the handler is one error line', () => {
  const { delivery, lines } = attached();
  const error = new FrameworkError('triggers.invalid_event', 'framework: broken');
  delivery.logRefusal(error, lambda(1));
  expect(lines).toMatchObject([{ level: 'error', message: 'framework: invocation refused', fields: { error } }]);
});

it.each([
  [false, new Error('boom'), 'boom'],
  [true, new Error('boom'), 'framework: event handler failed'],
  [false, 'text', 'framework: event handler failed'],
])('mask with maskErrors %s', (maskErrors, thrown, message) => {
  expect(mask(attached({ maskErrors }).delivery, thrown)).toMatchObject({ message });
});

it('a warning has the kind, and a logger that throws changes nothing', () => {
  const { delivery, lines } = attached();
  warnOf(delivery, 'thing.cut', { records: 3 });
  expect(lines).toMatchObject([{ level: 'warn', message: 'thing.cut', fields: { trigger: 'thing', records: 3 } }]);
  const broken = attached({ log: { warn: fail(new Error('full')) } as never }).delivery;
  expect(() => warnOf(broken, 'thing.cut', {})).not.toThrow();
});

it('without a container it works automatically', async () => {
  const delivery = new Delivery({ kind: 'thing', key: undefined });
  expect(delivery.kind).toBe('thing');
  expect(delivery.physicalName('thing', 'a')).toBe('a');
  await expect(delivery.each(items({ a: (ctx) => ctx.requestId.length > 0 }), undefined)).resolves.toEqual([true]);
});
