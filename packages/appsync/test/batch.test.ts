import { FrameworkError } from '@sallyport/core';
import { createLogger } from '@sallyport/core/observability';
import { json, text } from '@sallyport/http';
import type { AppSyncBatchHandler } from '../src/index.js';
import { createService, LAMBDA, MASKED, resolverEvent } from './support/service.js';

const turns = async (count: number) => {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve));
};

describe('a batch invoke', () => {
  it('answers each element in its place, in any order of completion', async () => {
    const service = createService();
    service.graphql.register('Query', 'slow', async (ctx) => {
      const { n } = ctx.bodyJson<{ n: number }>();
      await turns(5 - n);
      return json(200, [n, ctx.requestId]);
    });
    const events = [0, 1, 2, 3, 4].map((n) => resolverEvent({ field: 'slow', args: { n } }));
    expect(await service.serve(events)).toEqual([0, 1, 2, 3, 4].map((n) => [n, `req-1#${n}`]));
  });

  it('keeps the failures of its elements apart', async () => {
    const service = createService();
    service.graphql.register('Query', 'ok', () => json(200, ['list', 'is one payload']));
    service.graphql.register('Query', 'nothing', () => {
      throw undefined;
    });
    service.graphql.register('Query', 'stream', () => ({ bodyStream: [Buffer.from('a')] }));
    const answers = (await service.serve([
      resolverEvent({ field: 'ok' }),
      resolverEvent({ field: 'nothing' }),
      { arguments: {} },
      resolverEvent({ field: 'stream' }),
      resolverEvent({ field: 'ok', headers: { 'x-request-id': 'own' } }),
    ])) as { error_message?: string }[];
    expect(answers[0]).toEqual(['list', 'is one payload']);
    expect(answers[1]).toEqual(MASKED);
    expect(answers.slice(2, 4).map((entry) => entry.error_message)).toEqual([
      'invalid appsync event',
      'unsupported appsync response',
    ]);
    expect(answers[4]).toEqual(['list', 'is one payload']);
  });

  it.each([
    [{}, 10],
    [{ batchConcurrency: 3 }, 3],
  ])('runs with %j at most %d at the same time', async (options, most) => {
    const service = createService(options);
    let running = 0;
    let peak = 0;
    service.graphql.register('Query', 'x', async () => {
      running += 1;
      peak = Math.max(peak, running);
      await turns(2);
      running -= 1;
      return text(200, '');
    });
    await service.serve(Array.from({ length: 40 }, () => resolverEvent({ field: 'x' })));
    expect(peak).toBe(most);
  });

  it('does not start elements when the time is up', async () => {
    let remaining = 2000;
    const service = createService({ batchConcurrency: 1 });
    service.graphql.register('Query', 'x', () => {
      remaining -= 900;
      return text(200, 'ok');
    });
    const answers = await service.serve(
      Array.from({ length: 3 }, () => resolverEvent({ field: 'x' })),
      {
        ...LAMBDA,
        getRemainingTimeInMillis: () => remaining,
      },
    );
    expect(answers).toMatchObject(['ok', 'ok', { framework_error: true, error_info: { code: 'app.timeout' } }]);
  });

  it('can wrap its entries for mapping templates that expect an envelope', async () => {
    const service = createService({ batchResult: 'envelope' });
    service.graphql.register('Query', 'x', () => json(200, { a: 1 }));
    service.graphql.register('Query', 'broken', () => {
      throw new TypeError('password=1');
    });
    const events = ['x', 'y', 'broken'].map((field) => resolverEvent({ field }));
    expect(await service.serve(events)).toEqual([
      { data: { a: 1 }, errorMessage: null, errorType: null },
      { data: null, errorMessage: 'not found', errorType: 'app.not_found' },
      { data: null, errorMessage: 'internal error', errorType: null },
    ]);
    expect(await service.serve(resolverEvent({ field: 'x' }))).toEqual({ a: 1 });
  });

  it('rejects an empty list, and logs the rejection', async () => {
    const lines: string[] = [];
    const log = createLogger({ write: (line) => lines.push(line) });
    await expect(createService({ log }).serve([])).rejects.toThrow(expect.failure('dispatch.not_an_object'));
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      {
        level: 'ERROR',
        message: 'framework: invocation refused',
        request_id: 'req-1',
        trigger: 'appsync',
        error: { code: 'dispatch.not_an_object' },
      },
    ]);
  });

  it('shares nothing between its elements', async () => {
    const service = createService();
    service.use(async (ctx, next) => {
      ctx.set('mine', ctx.header('x-who'));
      await turns(1);
      return next(ctx);
    });
    service.graphql.register('Query', 'x', (ctx) => json(200, [ctx.get('mine'), ctx.header('x-who')]));
    const answers = await service.serve(
      Array.from({ length: 20 }, (_, n) => resolverEvent({ field: 'x', headers: { 'x-who': `w${n}` } })),
    );
    expect(answers).toEqual(Array.from({ length: 20 }, (_, n) => [`w${n}`, `w${n}`]));
  });
});

describe('a batch field', () => {
  const serviceWith = (handler: AppSyncBatchHandler) => {
    const service = createService();
    service.graphql.registerBatch('Note', 'author', handler);
    return service;
  };
  const events = (count: number) =>
    Array.from({ length: count }, (_, n) =>
      resolverEvent({ parent: 'Note', field: 'author', args: { n }, source: { n } }),
    );

  it('calls its handler once for 100 elements', async () => {
    let calls = 0;
    const service = serviceWith(async (items) => {
      calls += 1;
      await turns(1);
      return items.map(({ source, arguments: args, ctx }) => [source.n, args.n, ctx.requestId]);
    });
    const answers = await service.serve(events(100));
    expect(calls).toBe(1);
    expect(answers).toEqual(Array.from({ length: 100 }, (_, n) => [n, n, `req-1#${n}`]));
  });

  it('answers a single event too', async () => {
    const service = serviceWith((items) => items.map(({ source }) => source.n));
    expect(await service.serve(events(1)[0])).toBe(0);
  });

  it('leaves out elements that a middleware rejected', async () => {
    const seen: unknown[] = [];
    const service = serviceWith((items) => {
      seen.push(items.map(({ source }) => source.n));
      return items.map(() => 'ok');
    });
    service.use(async (ctx, next) => {
      await turns(1);
      if (ctx.asAppSync()?.source.n === 1) throw new FrameworkError('app.forbidden');
      return next(ctx);
    });
    expect(await service.serve(events(3))).toMatchObject(['ok', { error_info: { code: 'app.forbidden' } }, 'ok']);
    expect(seen).toEqual([[0, 2]]);
  });

  it('waits for the others when a middleware answers for an element that has arrived', async () => {
    const seen: unknown[] = [];
    const service = serviceWith((items) => {
      seen.push(items.map(({ source }) => source.n));
      return items.map(() => 'batch');
    });
    service.use(async (ctx, next) => {
      const n = Number(ctx.asAppSync()?.source.n);
      await turns(n);
      const answer = next(ctx);
      return n === 0 ? text(200, 'early') : answer;
    });
    const served = service.serve(events(3));
    await Promise.race([served, turns(20)]);
    expect(seen).toEqual([[0, 1, 2]]);
    expect(await served).toEqual(['early', 'batch', 'batch']);
  });

  it('does not call its handler without waiting callers', async () => {
    let calls = 0;
    const service = serviceWith(() => {
      calls += 1;
      return [];
    });
    service.use(() => json(403, {}));
    await service.serve(events(2));
    expect(calls).toBe(0);
  });

  it.each<[string, AppSyncBatchHandler]>([
    ['too few results', () => [1]],
    ['no list', () => ({ length: 2 }) as never],
  ])('fails every element after %s', async (_name, handler) => {
    expect(await serviceWith(handler).serve(events(2))).toMatchObject([
      { error_info: { code: 'app.internal' } },
      { error_info: { code: 'app.internal' } },
    ]);
  });

  it('masks what its handler throws, for every element', async () => {
    const service = serviceWith(() => {
      throw new Error('secret');
    });
    expect(await service.serve(events(2))).toEqual([MASKED, MASKED]);
  });

  it('fails one element by an error in its place', async () => {
    const service = serviceWith((items) =>
      items.map((_, index) =>
        index === 0 ? new FrameworkError('app.conflict') : index === 1 ? new Error('secret') : 'ok',
      ),
    );
    const answers = await service.serve(events(3));
    expect(answers).toMatchObject([{ error_info: { code: 'app.conflict' } }, MASKED, 'ok']);
  });

  it('may be in a batch with other fields', async () => {
    const service = serviceWith((items) => items.map(() => 'batch'));
    service.graphql.register('Query', 'x', () => text(200, 'single'));
    const mixed = [resolverEvent({ field: 'x' }), ...events(1), resolverEvent({ field: 'x' }), ...events(1)];
    expect(await service.serve(mixed)).toEqual(['single', 'batch', 'single', 'batch']);
  });
});
