import { createEventRouter, payload, type QueueRecord } from '@sallyport/streams';
import * as v from 'valibot';
import { z } from 'zod';
import { click, environment, message, notification, reportOf } from './support.js';

const Order = z.object({ id: z.string(), items: z.array(z.object({ price: z.number() })) });
const GOOD = { id: 'o-1', items: [{ price: 3 }] };
const order = (id: string, body: unknown) =>
  message(id, { body: typeof body === 'string' ? body : JSON.stringify(body) });

/** The logged errors, as a string. */
function logOf(env: ReturnType<typeof environment>): string {
  return JSON.stringify(env.lines, (_key, value) => (value instanceof Error ? String(value) : value));
}

describe('payload', () => {
  it('hands the checked value, and the record, to the handler of a queue', async () => {
    const seen: unknown[] = [];
    const events = createEventRouter(environment().options);
    events.queue(
      'orders',
      payload(Order, (ctx, { id, items }, record) => {
        const text: string = id;
        const own: QueueRecord = record;
        seen.push([text, items[0]?.price, own.messageId, ctx.recordId]);
      }),
    );
    expect(await events.serveQueueEvent({ Records: [order('m-1', GOOD)] })).toEqual(reportOf());
    expect(seen).toEqual([['o-1', 3, 'm-1', 'm-1']]);
  });

  it('fails the record that does not fit, names its fields in the log and never their values', async () => {
    const env = environment();
    const events = createEventRouter(env.options);
    const done: string[] = [];
    events.queue(
      'orders',
      payload(Order, (_ctx, { id }) => void done.push(id)),
    );
    const misfit = { id: 7, items: [{ price: 'secret-price' }] };
    const Records = [order('1', GOOD), order('2', misfit), order('3', 'not json'), order('4', { ...GOOD, id: 'o-2' })];
    expect(await events.serveQueueEvent({ Records })).toEqual(reportOf('2', '3'));
    expect(done).toEqual(['o-1', 'o-2']);
    const log = logOf(env);
    expect(log).toContain('payload does not fit its schema at id, items.0.price');
    expect(log).toContain('record is not JSON');
    expect(log).not.toContain('secret-price');
  });

  it('quotes no value, even if the library does', async () => {
    const env = environment();
    const events = createEventRouter(env.options);
    events.queue(
      'orders',
      payload(v.object({ id: v.number() }), () => {}),
    );
    await events.serveQueueEvent({ Records: [order('1', { id: 'secret-id' })] });
    expect(logOf(env)).toContain('does not fit its schema at id');
    expect(logOf(env)).not.toContain('secret-id');
  });

  it('reads notifications, data streams and the detail of events alike, and answers what the handler answers', async () => {
    const Small = z.object({ n: z.number() });
    const events = createEventRouter(environment().options);
    const seen: number[] = [];
    events.topic(
      'alerts',
      payload(Small, (_ctx, { n }) => ({ n })),
    );
    events.kinesis(
      'clicks',
      payload(Small, (_ctx, { n }) => void seen.push(n)),
    );
    events.eventBus(
      { source: 'billing' },
      payload(Small, (_ctx, { n }) => ({ twice: n * 2 })),
    );
    expect(await events.serveTopicEvent({ Records: [notification('1', { Message: '{"n":1}' })] })).toEqual([{ n: 1 }]);
    const data = Buffer.from('{"n":2}').toString('base64');
    const clicked = click('1', { kinesis: { sequenceNumber: '1', data } });
    expect(await events.serveStreamEvent({ Records: [clicked] })).toEqual(reportOf());
    expect(seen).toEqual([2]);
    const event = { id: 'e', source: 'billing', 'detail-type': 'Paid', detail: { n: 3 } };
    expect(await events.serveEventBus(event)).toEqual({ twice: 6 });
    await expect(events.serveEventBus({ ...event, detail: null })).rejects.toMatchObject({
      code: 'streams.payload_invalid',
      message: 'framework: payload does not fit its schema at the payload itself',
    });
  });

  it('waits for an asynchronous schema, and passes its output', async () => {
    const Later = z.object({ at: z.string().transform(async (text) => text.length) });
    const seen: number[] = [];
    const events = createEventRouter(environment().options);
    events.queue(
      'orders',
      payload(Later, (_ctx, { at }) => void seen.push(at)),
    );
    await events.serveQueueEvent({ Records: [order('1', { at: 'four' })] });
    expect(seen).toEqual([4]);
  });

  it('names five fields and counts the others', async () => {
    const env = environment();
    const events = createEventRouter(env.options);
    const Wide = z.object(Object.fromEntries('abcdefg'.split('').map((name) => [name, z.string()])));
    events.queue(
      'orders',
      payload(Wide, () => {}),
    );
    await events.serveQueueEvent({ Records: [order('1', {})] });
    expect(logOf(env)).toContain('at a, b, c, d, e, and 2 more');
  });

  it.each([
    [{ type: 'object' }, () => {}, 'Standard Schema'],
    [Order, 'handler', 'handler must be a function'],
  ])('rejects an invalid schema and handler: %#', (schema, handler, text) => {
    expect(() => payload(schema as never, handler as never)).toThrow(expect.failure('app.invalid_configuration', text));
  });
});
