import { createEventRouter } from '@sallyport/streams';
import { createQueueRouter, observeRecords } from '@sallyport/streams/queue';
import { change, click, environment, message, notification } from './support.js';

const HINT = '; FRAMEWORK_EVENT_SOURCES maps their names to deployed ones';
const QUEUE = 'arn:aws:sqs:us-east-2:123456789012:';
const queueOf = (name: string) => ({ eventSourceARN: `${QUEUE}${name}` });
const FRAMEWORK_EVENT_SOURCES = '{"queue":{"orders":"Stack-Orders-1A"}}';

/** The errors that batches were rejected with, as the router's logger gets them. */
const refusalsOf = async (serve: (router: ReturnType<typeof createEventRouter>) => unknown, variables = {}) => {
  const { options, lines } = environment({ environment: variables });
  const router = createEventRouter(options);
  await serve(router);
  return lines.map(({ fields }) => {
    const { message, cause } = fields.error as Error & { readonly cause: Error };
    return { message, cause: cause.message };
  });
};
const thrownBy = (work: Promise<unknown>) => work.then(undefined, (error: Error) => error) as Promise<Error>;
const nothing = () => {};

describe('a source that no handler is registered for', () => {
  it.each<[string, (router: ReturnType<typeof createEventRouter>) => unknown, object, string, string]>([
    [
      'a queue under a generated name',
      (router) =>
        router
          .queue('orders', nothing)
          .queue('mails', nothing)
          .serveQueueEvent({ Records: [message('1', queueOf('Stack-Orders-1A2B'))] }),
      {},
      'framework: no handler for queue',
      `the record comes from "${QUEUE}Stack-Orders-1A2B"; handlers are registered for "orders", "mails"${HINT}`,
    ],
    [
      'a queue that the variable maps to another name',
      (router) =>
        router.queue('orders', nothing).serveQueueEvent({ Records: [message('1', queueOf('Stack-Orders-2B'))] }),
      { FRAMEWORK_EVENT_SOURCES },
      'framework: no handler for queue',
      `the record comes from "${QUEUE}Stack-Orders-2B"; handlers are registered for "orders" as "Stack-Orders-1A"${HINT}`,
    ],
    [
      'a data stream',
      (router) =>
        router
          .kinesis('visits', nothing)
          .queue('x', nothing)
          .serveStreamEvent({ Records: [click('1')] }),
      {},
      'framework: no handler for stream',
      `the record comes from "arn:aws:kinesis:us-east-2:123456789012:stream/clicks"; handlers are registered for "visits"${HINT}`,
    ],
    [
      'a table stream',
      (router) => router.tableStream('orders', nothing).serveTableStream({ Records: [change('1')] }),
      {},
      'framework: no handler for table-stream',
      `the record comes from "arn:aws:dynamodb:us-east-1:123456789012:table/notes/stream/2026-05-11T21:21:33.291"; handlers are registered for "orders"${HINT}`,
    ],
    [
      'a queue where none is registered',
      (router) => router.kinesis('visits', nothing).serveQueueEvent({ Records: [message('1')] }),
      {},
      'framework: no handler for queue',
      'the record comes from "arn:aws:sqs:us-east-2:123456789012:orders"; no handler of this kind is registered',
    ],
    [
      'a record without an ARN',
      (router) => router.queue('orders', nothing).serveQueueEvent({ Records: [message('1', { eventSourceARN: 5 })] }),
      {},
      'framework: no handler for queue',
      `the record comes from ""; handlers are registered for "orders"${HINT}`,
    ],
    [
      'a name with line breaks',
      (router) =>
        router.queue('orders', nothing).serveQueueEvent({ Records: [message('1', { eventSourceARN: 'a\nb' })] }),
      {},
      'framework: no handler for queue',
      `the record comes from "a\\nb"; handlers are registered for "orders"${HINT}`,
    ],
  ])('is named with the registered sources: %s', async (_case, serve, variables, text, cause) => {
    expect(await refusalsOf(serve, variables)).toEqual([{ message: text, cause }]);
  });

  it('is named by the error that a topic throws, whose text is the contract', async () => {
    const router = createEventRouter(environment().options).topic('news', nothing);
    const error = await thrownBy(router.serveTopicEvent({ Records: [notification('1')] }));
    expect(error).toMatchObject({ code: 'streams.no_handler', message: 'framework: no handler for topic' });
    expect(error.cause).toMatchObject({
      message: `the record comes from "arn:aws:sns:us-east-2:123456789012:alerts"; handlers are registered for "news"${HINT}`,
    });
  });

  it('is named by the error of an event bus, with its selectors', async () => {
    const router = createEventRouter(environment().options)
      .eventBus({ detailType: 'Paid', source: 'billing' }, nothing)
      .eventBus({ ruleName: 'nightly' }, nothing);
    const error = await thrownBy(router.serveEventBus({ source: 'shop', detailType: 'Paid', detail: 'secret' }));
    expect(error.cause).toMatchObject({
      message:
        'the event has source "shop" and detail type "Paid"; handlers are registered for ' +
        '{"source":"billing","detailType":"Paid"}, {"ruleName":"nightly"}',
    });
  });

  it('is cut: 256 characters of a name, 20 names', async () => {
    const [refusal] = await refusalsOf((router) => {
      for (let index = 1; index <= 22; index += 1) router.queue(`q${index}`, nothing);
      return router.serveQueueEvent({ Records: [message('1', queueOf('n'.repeat(300)))] });
    });
    expect(refusal?.cause).toContain(`"${`${QUEUE}${'n'.repeat(300)}`.slice(0, 256)}"`);
    expect(refusal?.cause).toContain('"q19", "q20", …');
    expect(refusal?.cause).not.toContain('"q21"');
  });

  it('is named by the router of queues alone', async () => {
    const { options, lines } = environment();
    const router = createQueueRouter({ log: options.log, environment: {}, observability: observeRecords() });
    await router.queue('orders', nothing).serveQueueEvent({ Records: [message('1', queueOf('other'))] });
    expect(lines).toMatchObject([
      {
        fields: {
          error: {
            cause: { message: `the record comes from "${QUEUE}other"; handlers are registered for "orders"${HINT}` },
          },
        },
      },
    ]);
  });
});
