import { createApp } from '@sallyport/dispatch/app';
import { json } from '@sallyport/http';
import type { QueueRecord } from '@sallyport/streams';
import { type Durable, durable } from '../src/index.js';

interface Order {
  readonly id: string;
  readonly note?: string;
  readonly lines: readonly { readonly sku: string; readonly count: number }[];
}

declare const order: Order;
type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const check = <_T extends true>() => {};

// Compiled only: the gate `types` reads this file.
async function operations(ctx: Durable) {
  const read = await ctx.step('read', () => order);
  const id: string = read.id;
  const count: number | undefined = read.lines[0]?.count;
  const later = await ctx.step('read later', async () => order);
  const note: string | undefined = later.note;
  const text = await ctx.step('text', () => 'text');
  check<Equal<typeof text, string>>();
  const nothing = await ctx.step('nothing', () => {});
  const nothingLater = await ctx.step('nothing later', async () => {});
  const date: string = await ctx.step('date', () => new Date());
  const dates = await ctx.step('dates', async () => ({ at: new Date(), list: [new Date()] }));
  check<Equal<typeof dates.at, string>>();
  const unchecked = await ctx.step('unknown', async () => JSON.parse('1') as unknown);
  const union = await ctx.step('union', async (): Promise<'a' | 'b' | null> => 'a');
  check<Equal<typeof union, 'a' | 'b' | null>>();
  const items = await ctx.map('items', [1, 2], async (item, inner) => inner.step('one', () => ({ item })));
  const first: number | undefined = items[0]?.item;
  const voids = await ctx.map('voids', [1, 2], async () => {});
  // @ts-expect-error a Map is not JSON
  await ctx.step('map', () => new Map([['a', 1]]));
  // @ts-expect-error a bigint is not JSON
  await ctx.step('bigint', () => 1n);
  // @ts-expect-error a function is not JSON
  await ctx.step('function', async () => () => 1);
  // @ts-expect-error a member that is a Set is not JSON
  await ctx.step('member', async () => ({ set: new Set([1]) }));
  // @ts-expect-error bytes are not JSON
  await ctx.step('bytes', async () => new Uint8Array(1));
  return { id, count, note, nothing, nothingLater, date, unchecked, first, voids };
}

function registrations() {
  const app = createApp();
  app.queue(
    'orders',
    durable(async (ctx, message) => {
      const record: QueueRecord = message;
      await ctx.step('charge', () => record.body);
      ctx.log.info(ctx.recordId);
    }),
  );
  app.post(
    '/orders',
    durable(async (ctx) => json(200, await ctx.step('read', () => ctx.bodyText()))),
  );
  app.topic(
    'news',
    durable((ctx, { Sns }) => ctx.step('send', () => Sns.Message)),
  );
}

test('operations and registrations compile without type arguments', () => {
  expect([operations, registrations].map(({ length }) => length)).toEqual([1, 0]);
});
