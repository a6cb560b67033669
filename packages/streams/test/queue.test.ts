import { FrameworkError } from '@sallyport/core';
import { createEventRouter, type QueueOptions } from '@sallyport/streams';
import { createQueueRouter } from '@sallyport/streams/queue';
import { change, click, environment, fifoMessage, loadEvent, message, reportOf } from './support.js';

describe('a standard queue', () => {
  it('answers an empty list when every message was handled, and ignores what the handler returns', async () => {
    const router = createEventRouter(environment().options);
    const seen: string[] = [];
    router.queue('orders', (_ctx, { body }) => {
      seen.push(body);
      return { batchItemFailures: [{ itemIdentifier: 'invented' }] };
    });
    expect(await router.serveQueueEvent(loadEvent('queue-standard'))).toEqual({ batchItemFailures: [] });
    expect(seen).toEqual(['{"order":1}', '{"order":2}']);
  });

  it('calls a handler with one frame between it and the batch, because each is in every stack trace', async () => {
    const router = createEventRouter({ ...environment().options, observability: {} });
    let stack = '';
    router.queue('orders', () => {
      stack = new Error('where').stack ?? '';
    });
    await router.serveQueueEvent({ Records: [message('a')] });
    const [handler, ...frames] = stack.split('\n').filter((line) => line.includes('packages/streams/'));
    expect(handler).toContain('queue.test.ts');
    expect(frames.slice(0, 2)).toEqual([
      expect.stringContaining('batch/internal/run.ts'),
      expect.stringContaining('batch/internal/deliver.ts'),
    ]);
  });

  it('tries every message in order and reports only failed messages', async () => {
    const router = createEventRouter(environment().options);
    const seen: string[] = [];
    router.queue('orders', async (_ctx, { messageId }) => {
      seen.push(messageId);
      if (messageId === 'b') throw new Error('no');
    });
    const event = { Records: ['a', 'b', 'c'].map((id) => message(id)) };
    expect(await router.serveQueueEvent(event)).toEqual(reportOf('b'));
    expect(seen).toEqual(['a', 'b', 'c']);
  });

  it.each([
    ['undefined', undefined],
    ['null', null],
    ['text', 'text'],
    ['false', false],
    ['zero', 0],
  ])('reports a record whose handler throws %s', async (_name, thrown) => {
    const router = createEventRouter(environment().options);
    router.queue('orders', () => {
      throw thrown;
    });
    expect(await router.serveQueueEvent({ Records: [message('a')] })).toEqual(reportOf('a'));
  });

  it.each([
    ['undefined', undefined],
    ['null', null],
    ['text', 'text'],
  ])('reports a record whose handler rejects with %s', async (_name, thrown) => {
    const router = createEventRouter(environment().options);
    router.queue('orders', () => Promise.reject(thrown));
    expect(await router.serveQueueEvent({ Records: [message('a')] })).toEqual(reportOf('a'));
  });

  it('treats a thenable that is not a promise as a value', async () => {
    const router = createEventRouter(environment().options);
    const thenable = Object.defineProperty({}, 'then', {
      value: (_ok: unknown, fail: (error: unknown) => void) => fail(new Error('no')),
    });
    router.queue('orders', () => thenable);
    expect(await router.serveQueueEvent({ Records: [message('a')] })).toEqual(reportOf('a'));
  });

  it('names each identifier once', async () => {
    const router = createEventRouter(environment().options);
    router.queue('orders', () => Promise.reject(new Error('no')));
    expect(await router.serveQueueEvent({ Records: [message('a'), message('a')] })).toEqual(reportOf('a'));
  });

  it('is not a FIFO queue only because it has group ids', async () => {
    const router = createEventRouter(environment().options);
    const seen: string[] = [];
    router.queue('orders', (_ctx, { messageId }) => {
      seen.push(messageId);
      if (messageId === 'a') throw new Error('no');
    });
    const Records = ['a', 'b'].map((id) => message(id, { attributes: { MessageGroupId: 'g' } }));
    expect(await router.serveQueueEvent({ Records })).toEqual(reportOf('a'));
    expect(seen).toEqual(['a', 'b']);
  });

  it('runs nothing when no message came', async () => {
    expect(await createEventRouter().serveQueueEvent({ Records: [] })).toEqual({ batchItemFailures: [] });
  });

  it.each([null, undefined, 'text', {}, { Records: {} }])('rejects %j, which has no records', async (event) => {
    await expect(createEventRouter().serveQueueEvent(event)).rejects.toMatchObject({
      code: 'streams.invalid_event',
      message: 'framework: event has no records',
    });
  });
});

describe('identifiers', () => {
  it.each([undefined, null, '', '   ', 7])('throws when a failed message has the id %j', async (id) => {
    const router = createEventRouter(environment().options);
    const seen: unknown[] = [];
    router.queue('orders', (_ctx, { messageId }) => {
      seen.push(messageId);
      throw new Error('no');
    });
    await expect(router.serveQueueEvent({ Records: [message('a'), message(id), message('c')] })).rejects.toMatchObject({
      code: 'streams.missing_identifier',
      message: 'framework: failed record has no identifier',
    });
    expect(seen).toEqual(['a', id]);
  });

  it('does not need an id of a message that was handled', async () => {
    const router = createEventRouter(environment().options);
    router.queue('orders', () => {});
    expect(await router.serveQueueEvent({ Records: [message(undefined)] })).toEqual({ batchItemFailures: [] });
  });

  it('lets what already runs settle before it throws', async () => {
    const { clock, options } = environment();
    const router = createEventRouter(options);
    const seen: unknown[] = [];
    router.queue(
      'orders',
      async (_ctx, { messageId }) => {
        if (messageId === undefined) throw new Error('no');
        await new Promise<void>((resolve) => clock.after(10, resolve));
        seen.push(messageId);
      },
      { concurrency: 2 },
    );
    const answer = router.serveQueueEvent({ Records: [message('a'), message(undefined), message('c')] });
    const expectation = expect(answer).rejects.toMatchObject({ code: 'streams.missing_identifier' });
    await clock.advance(10);
    await expectation;
    expect(seen).toEqual(['a']);
  });
});

describe('sources', () => {
  it('serves two registered queues in one batch', async () => {
    const router = createEventRouter(environment().options);
    const seen: string[] = [];
    router.queue('orders', () => void seen.push('orders'));
    router.queue('bills', () => void seen.push('bills'));
    const bill = message('b', { eventSourceARN: 'arn:aws:sqs:us-east-2:123456789012:bills' });
    expect(await router.serveQueueEvent({ Records: [message('a'), bill, message('c')] })).toEqual(reportOf());
    expect(seen).toEqual(['orders', 'bills', 'orders']);
  });

  it.each([
    ['an unregistered queue', { eventSourceARN: 'arn:aws:sqs:us-east-2:123456789012:other' }],
    ['another tag', { eventSource: 'aws:kinesis' }],
    ['a tag in another case', { eventSource: 'AWS:SQS' }],
    ['no tag', { eventSource: undefined }],
    ['no ARN', { eventSourceARN: undefined }],
    ['an ARN that is no text', { eventSourceARN: 5 }],
    ['an ARN of another service', { eventSourceARN: 'arn:aws:sns:us-east-2:123456789012:orders' }],
    ['a short ARN', { eventSourceARN: 'orders' }],
    ['an ARN without a name', { eventSourceARN: 'arn:aws:sqs:us-east-2:123456789012:' }],
  ])('runs nothing and reports every id when a record has %s', async (_name, stranger) => {
    const router = createEventRouter(environment().options);
    const seen: string[] = [];
    router.queue('orders', (_ctx, { messageId }) => void seen.push(messageId));
    const event = { Records: [message('a'), message('b', stranger), message('c')] };
    expect(await router.serveQueueEvent(event)).toEqual(reportOf('a', 'b', 'c'));
    expect(seen).toEqual([]);
  });

  it('throws when the report cannot name a message of an unregistered queue, because it has no id', async () => {
    const router = createEventRouter(environment().options);
    router.queue('orders', () => {});
    await expect(router.serveQueueEvent({ Records: [message('a'), null] })).rejects.toMatchObject({
      code: 'streams.missing_identifier',
    });
  });

  it.each([
    ['queue-standard', 'arn:aws:sqs:us-east-2:123456789012:orders'],
    ['queue-cross-account-china', 'arn:aws-cn:sqs:cn-north-1:210987654321:orders'],
    ['queue-redriven', 'orders'],
  ])('serves %s under %s', async (event, name) => {
    const router = createEventRouter(environment().options);
    router.queue(name, () => {});
    expect(await router.serveQueueEvent(loadEvent(event))).toEqual(reportOf());
  });

  it('prefers the handler of the whole ARN over that of the bare name', async () => {
    const router = createEventRouter(environment().options);
    const seen: string[] = [];
    router.queue('orders', () => void seen.push('name'));
    router.queue('arn:aws:sqs:us-east-2:123456789012:orders', () => void seen.push('arn'));
    await router.serveQueueEvent({ Records: [message('a')] });
    const other = message('b', { eventSourceARN: 'arn:aws:sqs:eu-west-1:123456789012:orders' });
    await router.serveQueueEvent({ Records: [other] });
    expect(seen).toEqual(['arn', 'name']);
  });
});

describe('a FIFO queue', () => {
  it('reports the rest of a failed group untried and continues with other groups', async () => {
    const router = createEventRouter(environment().options);
    const seen: string[] = [];
    router.queue('orders.fifo', async (_ctx, { messageId }) => {
      seen.push(messageId);
      if (messageId === 'A1') throw new Error('no');
    });
    const Records = [fifoMessage('A1', 'A'), fifoMessage('B1', 'B'), fifoMessage('A2', 'A'), fifoMessage('B2', 'B')];
    expect(await router.serveQueueEvent({ Records })).toEqual(reportOf('A1', 'A2'));
    expect(seen).toEqual(['A1', 'B1', 'B2']);
  });

  it('treats messages without a group id as one group', async () => {
    const router = createEventRouter(environment().options);
    const seen: string[] = [];
    router.queue('orders.fifo', (_ctx, { messageId }) => {
      seen.push(messageId);
      throw new Error('no');
    });
    const Records = [fifoMessage('1'), fifoMessage('2'), fifoMessage('3', 'A')];
    expect(await router.serveQueueEvent({ Records })).toEqual(reportOf('1', '2', '3'));
    expect(seen).toEqual(['1', '3']);
  });

  it('runs one message at a time with any option for standard queues', async () => {
    const router = createEventRouter({ ...environment().options, queueConcurrency: 5 });
    let running = 0;
    let most = 0;
    router.queue('orders.fifo', async () => {
      running += 1;
      most = Math.max(most, running);
      await Promise.resolve();
      running -= 1;
    });
    await router.serveQueueEvent(loadEvent('queue-fifo'));
    expect(most).toBe(1);
  });

  it('does not hold a group of the same id in another queue', async () => {
    const router = createEventRouter(environment().options);
    const seen: string[] = [];
    const handler = (_ctx: unknown, { messageId }: { messageId: string }) => {
      seen.push(messageId);
      if (messageId === '1') throw new Error('no');
    };
    router.queue('orders.fifo', handler).queue('bills.fifo', handler);
    const eventSourceARN = 'arn:aws:sqs:us-east-2:123456789012:bills.fifo';
    const Records = [fifoMessage('1', 'A'), { ...fifoMessage('2', 'A'), eventSourceARN }];
    expect(await router.serveQueueEvent({ Records })).toEqual(reportOf('1'));
    expect(seen).toEqual(['1', '2']);
  });
});

describe('concurrency', () => {
  it('runs so many messages at the same time, starts them in order and reports them in order', async () => {
    const { clock, options } = environment();
    const router = createEventRouter(options);
    const started: string[] = [];
    let running = 0;
    let most = 0;
    router.queue(
      'orders',
      async (_ctx, { messageId }) => {
        started.push(messageId);
        running += 1;
        most = Math.max(most, running);
        await new Promise<void>((resolve) => clock.after(100 - Number(messageId), resolve));
        running -= 1;
        if (Number(messageId) % 2 === 1) throw new Error('no');
      },
      { concurrency: 5 },
    );
    const ids = ['0', '1', '2', '3', '4', '5', '6', '7'];
    const answer = router.serveQueueEvent({ Records: ids.map((id) => message(id)) });
    await clock.advance(1_000);
    expect(await answer).toEqual(reportOf('1', '3', '5', '7'));
    expect(started).toEqual(ids);
    expect(most).toBe(5);
  });

  it('is 1 by default, and the option of a registration wins over that of the router', async () => {
    const most = async (queueConcurrency: number | undefined, concurrency: number | undefined) => {
      const { options } = environment();
      const router = createEventRouter({ ...options, ...(queueConcurrency && { queueConcurrency }) });
      let running = 0;
      let highest = 0;
      const handler = async () => {
        running += 1;
        highest = Math.max(highest, running);
        await Promise.resolve();
        running -= 1;
      };
      router.queue('orders', handler, concurrency === undefined ? {} : { concurrency });
      await router.serveQueueEvent({ Records: ['a', 'b', 'c', 'd'].map((id) => message(id)) });
      return highest;
    };
    expect(await most(undefined, undefined)).toBe(1);
    expect(await most(3, undefined)).toBe(3);
    expect(await most(3, 2)).toBe(2);
    expect(await most(undefined, 99)).toBe(4);
  });

  it('is the lowest of the queues in a batch', async () => {
    const { options } = environment();
    const router = createEventRouter(options);
    let running = 0;
    let most = 0;
    const handler = async () => {
      running += 1;
      most = Math.max(most, running);
      await Promise.resolve();
      running -= 1;
    };
    router.queue('orders.fifo', handler).queue('orders', handler, { concurrency: 5 });
    const Records = [fifoMessage('a', 'A'), message('b'), message('c'), fifoMessage('d', 'B'), message('e')];
    expect(await router.serveQueueEvent({ Records })).toEqual(reportOf());
    expect(most).toBe(1);
  });
});

describe('failWhole', () => {
  const serve = async (registered: QueueOptions | undefined, ids: readonly string[], bad: readonly string[]) => {
    const { options, lines } = environment({ maskErrors: false });
    const router = createEventRouter(options);
    const handler = (_ctx: unknown, { messageId }: { messageId: string }) => {
      if (bad.includes(messageId)) throw new FrameworkError('app.conflict', `no ${messageId}`);
    };
    router.queue('orders', handler, registered);
    const answer = await router
      .serveQueueEvent({ Records: ids.map((id) => message(id)) })
      .catch((error: FrameworkError) => [error.code, error.message, (error.cause as Error).message]);
    return [answer, lines.filter(({ level }) => level === 'error').length];
  };

  it.each<[string, QueueOptions | undefined, readonly string[], readonly string[], unknown, number]>([
    ['without the option all are reported', undefined, ['a', 'b'], ['a', 'b'], reportOf('a', 'b'), 2],
    ['with false too', { failWhole: false }, ['a', 'b'], ['a', 'b'], reportOf('a', 'b'), 2],
    [
      'with it the invocation fails, with the first error as its cause',
      { failWhole: true },
      ['a', 'b'],
      ['a', 'b'],
      ['streams.batch_failed', 'framework: no record of the batch was handled', 'no a'],
      2,
    ],
    ['a batch with one success is reported', { failWhole: true }, ['a', 'b'], ['b'], reportOf('b'), 1],
    ['a batch without a failure is a success', { failWhole: true }, ['a'], [], reportOf(), 0],
    ['an empty batch is a success', { failWhole: true }, [], [], reportOf(), 0],
  ])('%s', async (_what, registered, ids, bad, answer, errors) => {
    expect(await serve(registered, ids, bad)).toEqual([answer, errors]);
  });

  it('a batch without a handler is reported: no option requests a failure', async () => {
    const router = createEventRouter(environment().options);
    router.queue('other', () => {}, { failWhole: true });
    expect(await router.serveQueueEvent({ Records: [message('a')] })).toEqual(reportOf('a'));
  });

  it('with maskErrors the cause has no text of the handler', async () => {
    const router = createEventRouter(environment({ maskErrors: true }).options);
    router.queue('orders', () => Promise.reject(new Error('secret')), { failWhole: true });
    const failed = router.serveQueueEvent({ Records: [message('a')] });
    await expect(failed).rejects.toMatchObject({
      code: 'streams.batch_failed',
      cause: { code: 'streams.handler_failed' },
    });
  });

  it('a batch that the deadline ends before any message fails whole', async () => {
    const { options, lambda } = environment();
    const router = createEventRouter(options);
    router.queue('orders', () => {}, { failWhole: true });
    await expect(router.serveQueueEvent({ Records: [message('a')] }, lambda(100))).rejects.toMatchObject({
      code: 'streams.batch_failed',
    });
  });

  it('applies to table streams and data streams, and a separate queue', async () => {
    const fail = () => Promise.reject(new Error('no'));
    const router = createEventRouter(environment().options)
      .kinesis('clicks', fail, { failWhole: true })
      .tableStream('notes', fail, { failWhole: true, onFailure: 'stop' });
    const code = 'streams.batch_failed';
    await expect(router.serveStreamEvent({ Records: [click('1'), click('2')] })).rejects.toMatchObject({ code });
    await expect(router.serveTableStream({ Records: [change('1'), change('2')] })).rejects.toMatchObject({ code });
    const alone = createQueueRouter({ log: false }).queue('orders', fail, { failWhole: true });
    await expect(alone.serveQueueEvent({ Records: [message('a')] })).rejects.toMatchObject({ code });
  });
});
