import { createErrorNotifier, createLogger } from '@sallyport/core/observability';
import { createEventRouter } from '@sallyport/streams';
import { click, environment, message, notification, reportOf } from './support.js';

const ids = (...names: string[]) => ({ Records: names.map((name) => message(name)) });

describe('the deadline of a batch', () => {
  it('starts no record when less than the margin is left, reports the rest and counts it in one warning', async () => {
    const { clock, lambda, options, records } = environment();
    const router = createEventRouter(options);
    const seen: string[] = [];
    router.queue('orders', (_ctx, { messageId }) => {
      seen.push(messageId);
      clock.tick(400);
    });
    expect(await router.serveQueueEvent(ids('a', 'b', 'c', 'd'), lambda(1_000))).toEqual(reportOf('c', 'd'));
    expect(seen).toEqual(['a', 'b']);
    expect(records.filter(({ event }) => event === 'streams.deadline')).toEqual([
      { level: 'warn', event: 'streams.deadline', trigger: 'queue', not_tried: 2 },
    ]);
  });

  it('still starts a record at the deadline itself', async () => {
    const { clock, lambda, options } = environment();
    const router = createEventRouter(options);
    router.queue('orders', () => clock.tick(500));
    expect(await router.serveQueueEvent(ids('a', 'b', 'c'), lambda(1_000))).toEqual(reportOf('c'));
  });

  it('reads the clock for every fourth record while records are fast, and starts at most three late', async () => {
    const { clock, lambda, options } = environment();
    let readings = 0;
    const counted = {
      now: () => clock.now(),
      after: (ms: number, run: () => void) => clock.after(ms, run),
      monotonicMs: () => {
        readings += 1;
        return clock.monotonicMs();
      },
    };
    const { observability: _none, ...unobserved } = options;
    const router = createEventRouter({ ...unobserved, clock: counted });
    const startedAt: number[] = [];
    let slowFrom = 100;
    router.kinesis('clicks', () => {
      startedAt.push(clock.monotonicMs());
      clock.tick(startedAt.length > slowFrom ? 1_100 : 1);
    });
    const Records = Array.from({ length: 100 }, (_, index) => click(String(index)));
    expect(await router.serveStreamEvent({ Records }, lambda(2_500))).toEqual(reportOf());
    // One for the deadline, one for the first record, then every fourth.
    expect(readings).toBe(1 + 1 + 25);

    startedAt.length = 0;
    slowFrom = 10;
    const begin = clock.monotonicMs();
    await router.serveStreamEvent({ Records }, lambda(2_500));
    const late = startedAt.filter((at) => at > begin + 2_000);
    expect([startedAt.length, late.map((at) => at - begin - 2_000)]).toEqual([13, [210]]);
  });

  it('uses the margin of the option', async () => {
    const { lambda, options } = environment({ deadlineMarginMs: 0 });
    const router = createEventRouter(options);
    router.queue('orders', () => {});
    expect(await router.serveQueueEvent(ids('a'), lambda(1))).toEqual(reportOf());
    expect(await router.serveQueueEvent(ids('a'), lambda(-1))).toEqual(reportOf('a'));
  });

  it.each([
    ['no Lambda context', undefined],
    ['a context that does not say', { awsRequestId: 'r' }],
    ['a context that says nonsense', { getRemainingTimeInMillis: () => Number.NaN }],
  ])('does not exist with %s', async (_name, context) => {
    const { clock, options } = environment();
    const router = createEventRouter(options);
    const deadlines: unknown[] = [];
    router.queue('orders', (ctx) => {
      deadlines.push(ctx.deadline, ctx.remainingMs, ctx.signal.aborted);
      clock.tick(1e9);
    });
    expect(await router.serveQueueEvent(ids('a', 'b'), context)).toEqual(reportOf());
    expect(deadlines).toEqual([null, 0, false, null, 0, false]);
    expect(clock.pendingTimers).toBe(0);
  });

  it('aborts the signal, waits half a margin, then counts the record as failed and discards what it still does', async () => {
    const { clock, lambda, options, records } = environment();
    const router = createEventRouter(options);
    const trail: string[] = [];
    router.queue('orders', async (ctx, { messageId }) => {
      ctx.signal.addEventListener('abort', () =>
        trail.push(`abort ${messageId} ${ctx.signal.reason.code} ${clock.monotonicMs()}`),
      );
      await new Promise<void>((resolve) => clock.after(2_000, resolve));
      trail.push(`late ${messageId}`);
    });
    const answer = router.serveQueueEvent(ids('a', 'b'), lambda(1_500)).then((report) => {
      trail.push(`answer ${clock.monotonicMs()}`);
      return report;
    });
    await clock.advance(5_000);
    expect(await answer).toEqual(reportOf('a', 'b'));
    expect(trail).toEqual(['abort a app.timeout 1000', 'answer 1250', 'late a']);
    expect(records.map(({ event, level, error_code, not_tried }) => [level, event, error_code ?? not_tried])).toEqual([
      ['error', 'event.completed', 'streams.deadline_exceeded'],
      ['warn', 'batch.completed', 1],
      ['warn', 'streams.deadline', 1],
    ]);
    expect(clock.pendingTimers).toBe(0);
  });

  it('counts a record that settles between deadline and half a margin', async () => {
    const { clock, lambda, options } = environment();
    const router = createEventRouter(options);
    router.queue('orders', (_ctx, { messageId }) => {
      if (messageId === 'a') return new Promise<void>((resolve) => clock.after(1_200, resolve));
    });
    const answer = router.serveQueueEvent(ids('a', 'b'), lambda(1_500));
    await clock.advance(5_000);
    expect(await answer).toEqual(reportOf('b'));
  });

  it('turns a rejection after the answer into one warning and never into an unhandled rejection', async () => {
    const { clock, lambda, options, records } = environment();
    const router = createEventRouter(options);
    const unhandled: unknown[] = [];
    const note = (reason: unknown) => void unhandled.push(reason);
    process.on('unhandledRejection', note);
    router.queue('orders', async () => {
      await new Promise<void>((resolve) => clock.after(3_000, resolve));
      throw new Error('secret text of a late failure');
    });
    const answer = router.serveQueueEvent(ids('a'), lambda(1_000));
    await clock.advance(10_000);
    expect(await answer).toEqual(reportOf('a'));
    await new Promise((resolve) => setImmediate(resolve));
    process.off('unhandledRejection', note);
    expect(unhandled).toEqual([]);
    expect(records.filter(({ event }) => event === 'streams.late_failure')).toEqual([
      {
        level: 'warn',
        event: 'streams.late_failure',
        trigger: 'queue',
        source: 'orders',
        record_id: 'a',
        error_code: 'app.internal',
      },
    ]);
    expect(JSON.stringify(records)).not.toContain('secret');
  });

  it('reports each of several records that run on, once and in order', async () => {
    const { clock, lambda, options } = environment();
    const router = createEventRouter(options);
    router.queue(
      'orders',
      (_ctx, { messageId }) =>
        messageId === 'b' ? undefined : new Promise<void>((resolve) => clock.after(9_000, resolve)),
      { concurrency: 5 },
    );
    const answer = router.serveQueueEvent(ids('a', 'b', 'c', 'd'), lambda(1_000));
    await clock.advance(20_000);
    expect(await answer).toEqual(reportOf('a', 'c', 'd'));
  });

  it('creates a signal for each record, aborted from the start if it starts too late', async () => {
    const { clock, lambda, options } = environment();
    const router = createEventRouter(options);
    const signals: AbortSignal[] = [];
    router.queue('orders', (ctx) => {
      signals.push(ctx.signal, ctx.signal);
      clock.tick(1_000);
      signals.push(ctx.signal);
    });
    await router.serveQueueEvent(ids('a', 'b'), lambda(1_400));
    const other: boolean[] = [];
    router.kinesis('clicks', (ctx) => {
      clock.tick(1_000);
      other.push(ctx.signal.aborted);
    });
    await router.serveStreamEvent({ Records: [click('1')] }, lambda(1_400));
    expect(new Set(signals).size).toBe(1);
    expect(other).toEqual([true]);
  });

  it('leaves no timer', async () => {
    const { clock, lambda, options } = environment();
    const router = createEventRouter(options);
    router.queue('orders', async (ctx) => void ctx.signal);
    await router.serveQueueEvent(ids('a', 'b'), lambda(60_000));
    expect(clock.pendingTimers).toBe(0);
  });

  it.each([
    ['no Lambda context', () => undefined],
    ['time left', (lambda: (ms: number) => object) => lambda(60_000)],
  ] as const)('awaits a notification of an error: %s', async (_, contextOf) => {
    const { clock, lambda, options } = environment();
    const order: string[] = [];
    let published = () => {};
    const publish = () =>
      new Promise<void>((resolve) => {
        published = resolve;
      });
    const notifier = createErrorNotifier({
      publish,
      topicArn: 'arn:aws:sns:eu-west-1:123456789012:errors',
      service: 's',
    });
    const router = createEventRouter({ ...options, log: createLogger({ write: () => {}, sinks: [notifier], clock }) });
    router.queue('orders', (ctx) => ctx.log.error('broken', { error: new Error('x') }));
    const answer = router.serveQueueEvent(ids('a'), contextOf(lambda)).then(() => order.push('answered'));
    await clock.advance(100);
    order.push('published');
    published();
    await answer;
    expect(order).toEqual(['published', 'answered']);
  });

  it('starts no timer for handlers that return no promise', async () => {
    const { clock, lambda, options } = environment();
    const router = createEventRouter(options);
    const pending: number[] = [];
    router.queue('orders', () => void pending.push(clock.pendingTimers));
    await router.serveQueueEvent(ids('a', 'b'), lambda(60_000));
    expect(pending).toEqual([0, 0]);
  });

  it('is a date on the clock, and remains where it is', async () => {
    const { clock, lambda, options } = environment();
    const router = createEventRouter(options);
    const seen: unknown[] = [];
    router.queue('orders', (ctx) => {
      seen.push(ctx.deadline?.getTime(), ctx.remainingMs);
      clock.tick(100);
      seen.push(ctx.deadline?.getTime(), ctx.remainingMs);
    });
    await router.serveQueueEvent(ids('a'), lambda(3_000));
    expect(seen).toEqual([2_500, 3_000, 2_500, 2_900]);
  });
});

describe('the deadline of topics and event buses', () => {
  it('runs no later notification and throws, so that the service tries again', async () => {
    const { clock, lambda, options } = environment();
    const router = createEventRouter(options);
    const seen: string[] = [];
    router.topic('alerts', (_ctx, { Sns }) => {
      seen.push(Sns.MessageId);
      clock.tick(2_000);
    });
    const event = { Records: [notification('a'), notification('b')] };
    await expect(router.serveTopicEvent(event, lambda(1_000))).rejects.toMatchObject({
      code: 'streams.deadline_exceeded',
      message: 'framework: deadline exceeded',
    });
    expect(seen).toEqual(['a']);
  });

  it('throws for an event whose handler does not settle', async () => {
    const { clock, lambda, options } = environment();
    const router = createEventRouter(options);
    router.eventBus({ source: 'billing' }, () => new Promise(() => {}));
    const answer = router.serveEventBus({ source: 'billing', 'detail-type': 'x' }, lambda(1_000));
    const expectation = expect(answer).rejects.toMatchObject({ code: 'streams.deadline_exceeded' });
    await clock.advance(5_000);
    await expectation;
  });
});
