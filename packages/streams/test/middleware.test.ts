import { createEventRouter, type EventMiddleware } from '@sallyport/streams';
import { environment, message, notification, reportOf } from './support.js';

describe('event middleware', () => {
  it('wraps every record, the first registered outermost, at any time of registration', async () => {
    const router = createEventRouter(environment().options);
    const trail: string[] = [];
    const mark =
      (name: string): EventMiddleware =>
      async (ctx, event, next) => {
        trail.push(`${name}> ${ctx.recordId} ${(event as { body: string }).body}`);
        const result = await next();
        trail.push(`<${name} ${result}`);
        return result;
      };
    router.useEvents(mark('1'));
    router.queue('orders', (ctx) => `result-${ctx.recordId}`);
    router.useEvents(mark('2'));
    await router.serveQueueEvent({ Records: [message('a'), message('b')] });
    expect(trail).toEqual([
      '1> a a',
      '2> a a',
      '<2 result-a',
      '<1 result-a',
      '1> b b',
      '2> b b',
      '<2 result-b',
      '<1 result-b',
    ]);
  });

  it('wraps records where nothing is observed', async () => {
    const router = createEventRouter({ ...environment().options, observability: {} });
    const trail: string[] = [];
    router.useEvents(async (_ctx, _event, next) => {
      trail.push('before');
      const result = await next();
      trail.push(`after ${result}`);
      return result;
    });
    router.topic('alerts', () => 'handled');
    expect(await router.serveTopicEvent({ Records: [notification('a')] })).toEqual(['handled']);
    expect(trail).toEqual(['before', 'after handled']);
  });

  it('returns the result in place of the handler when it does not call next', async () => {
    const router = createEventRouter(environment().options);
    let ran = false;
    router.topic('alerts', () => {
      ran = true;
    });
    router.useEvents(() => 'handled');
    expect(await router.serveTopicEvent({ Records: [notification('a')] })).toEqual(['handled']);
    expect(ran).toBe(false);
  });

  it('may turn a failure of the handler into a success', async () => {
    const router = createEventRouter(environment().options);
    router.queue('orders', () => Promise.reject(new Error('poison')));
    router.useEvents(async (_ctx, _event, next) => {
      await next().catch(() => {});
    });
    expect(await router.serveQueueEvent({ Records: [message('a')] })).toEqual(reportOf());
  });

  it.each<[string, EventMiddleware]>([
    [
      'throws',
      () => {
        throw new Error('no');
      },
    ],
    ['rejects', () => Promise.reject(undefined)],
    [
      'awaits next twice',
      async (_ctx, _event, next) => {
        await next();
        await next();
      },
    ],
    [
      'calls next twice and drops the error',
      async (_ctx, _event, next) => {
        await next();
        await next().catch(() => {});
      },
    ],
    [
      'calls next twice at once and waits for neither',
      (_ctx, _event, next) => {
        next();
        next();
      },
    ],
  ])('fails the record when it %s', async (_name, middleware) => {
    const router = createEventRouter(environment().options);
    router.queue('orders', () => {});
    router.useEvents(middleware);
    expect(await router.serveQueueEvent({ Records: [message('a')] })).toEqual(reportOf('a'));
  });

  it('gets an error when it calls next twice', async () => {
    const router = createEventRouter(environment().options);
    let calls = 0;
    router.topic('alerts', () => {
      calls += 1;
    });
    router.useEvents(async (_ctx, _event, next) => {
      await next();
      return next();
    });
    await expect(router.serveTopicEvent({ Records: [notification('a')] })).rejects.toMatchObject({
      code: 'streams.next_called_twice',
      message: 'framework: next() called twice',
    });
    expect(calls).toBe(1);
  });

  it('does not lose the failure of a next that it did not wait for', async () => {
    const { clock, options } = environment();
    const router = createEventRouter(options);
    router.queue('orders', async () => {
      await new Promise<void>((resolve) => clock.after(10, resolve));
      throw new Error('late');
    });
    router.useEvents((_ctx, _event, next) => {
      void next();
    });
    const answer = router.serveQueueEvent({ Records: [message('a')] });
    await clock.advance(10);
    expect(await answer).toEqual(reportOf('a'));
  });

  it('cannot start the handler after the record is done', async () => {
    const router = createEventRouter(environment().options);
    let ran = false;
    let kept: (() => Promise<unknown>) | undefined;
    router.queue('orders', () => {
      ran = true;
    });
    router.useEvents((_ctx, _event, next) => {
      kept = next;
    });
    await router.serveQueueEvent({ Records: [message('a')] });
    await expect(kept?.()).rejects.toMatchObject({ code: 'streams.next_called_twice' });
    expect(ran).toBe(false);
  });

  it('does not run where no handler was found', async () => {
    const router = createEventRouter(environment().options);
    let ran = false;
    router.useEvents(() => {
      ran = true;
    });
    expect(await router.serveQueueEvent({ Records: [message('a')] })).toEqual(reportOf('a'));
    await expect(router.serveEventBus({ 'detail-type': 'x' })).rejects.toThrow(expect.failure('streams.no_handler'));
    expect(ran).toBe(false);
  });

  it('shares its bag only with the handler', async () => {
    const router = createEventRouter(environment().options);
    const seen: unknown[] = [];
    router.useEvents((ctx, _event, next) => {
      seen.push(ctx.get('who'));
      ctx.set('who', ctx.recordId);
      return next();
    });
    router.queue('orders', (ctx) => void seen.push(ctx.get('who')));
    await router.serveQueueEvent({ Records: [message('a'), message('b')] });
    expect(seen).toEqual([undefined, 'a', undefined, 'b']);
  });

  it('is rejected when it is not a function', () => {
    expect(() => createEventRouter().useEvents('x' as never)).toThrow(
      expect.failure('app.invalid_configuration', 'middleware must be a function'),
    );
  });
});
