import { createEventRouter, type EventContext } from '@sallyport/streams';
import fc from 'fast-check';
import { change, click, environment, message } from './support.js';

const item = fc.record({
  fate: fc.oneof(
    { weight: 6, arbitrary: fc.constant('done' as const) },
    { weight: 3, arbitrary: fc.constantFrom('throws', 'rejects', 'throws nothing', 'hangs') },
  ),
  isAsync: fc.boolean(),
  id: fc.oneof(
    { weight: 9, arbitrary: fc.constant('own') },
    { weight: 1, arbitrary: fc.constantFrom('', undefined, ' ') },
  ),
  source: fc.oneof(
    { weight: 9, arbitrary: fc.constantFrom('one', 'two', 'three.fifo') },
    { weight: 1, arbitrary: fc.constantFrom('unregistered') },
  ),
  group: fc.constantFrom('A', 'B', undefined),
  takesMs: fc.integer({ min: 0, max: 300 }),
});
type Item = typeof item extends fc.Arbitrary<infer T> ? T : never;

const KINDS = {
  queue: {
    entrypoint: 'serveQueueEvent',
    service: 'sqs',
    resource: (name: string) => name,
    make: message,
    id: 'messageId',
  },
  stream: {
    entrypoint: 'serveStreamEvent',
    service: 'kinesis',
    resource: (name: string) => `stream/${name}`,
    make: click,
    id: 'eventID',
  },
  table: {
    entrypoint: 'serveTableStream',
    service: 'dynamodb',
    resource: (name: string) => `table/${name}/stream/1`,
    make: change,
    id: 'eventID',
  },
} as const;

const recordsOf = (kind: keyof typeof KINDS, items: Item[]) => {
  const { service, resource, make, id } = KINDS[kind];
  return items.map(({ id: given, source, group }, index) =>
    make(String(index), {
      [id]: given === 'own' ? `id-${index}` : given,
      eventSourceARN: `arn:aws:${service}:us-east-1:123456789012:${resource(source)}`,
      attributes: group === undefined ? {} : { MessageGroupId: group },
    }),
  );
};

describe.each(Object.keys(KINDS) as (keyof typeof KINDS)[])('any batch of a %s', (kind) => {
  it('loses nothing: each record completed, or is reported, or the call throws', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(item, { maxLength: 12 }),
        fc.integer({ min: 1, max: 4 }),
        fc.constantFrom('continue' as const, 'stop' as const),
        fc.option(fc.integer({ min: -100, max: 3_000 })),
        fc.boolean(),
        async (items, concurrency, onFailure, remainingMs, wrapped) => {
          const { clock, lambda, options } = environment();
          const router = createEventRouter(options);
          const completed = new Set<number>();
          const started: number[] = [];
          const handler = (ctx: EventContext) => {
            const { index } = ctx.batch;
            const { fate, isAsync, takesMs } = items[index] as Item;
            started.push(index);
            const finish = () => {
              if (fate === 'done') completed.add(index);
              else if (fate === 'throws nothing') throw undefined;
              else throw new Error(fate);
            };
            if (fate === 'hangs') return new Promise(() => {});
            if (fate === 'rejects') return Promise.reject(new Error('no'));
            if (isAsync) return new Promise<void>((resolve) => clock.after(takesMs, resolve)).then(finish);
            clock.tick(takesMs);
            finish();
          };
          for (const name of ['one', 'two', 'three.fifo']) {
            if (kind === 'queue') router.queue(name, handler, name === 'three.fifo' ? {} : { concurrency });
            else if (kind === 'stream') router.kinesis(name, handler, { onFailure });
            else router.tableStream(name, handler, { onFailure });
          }
          if (wrapped) router.useEvents((_ctx, _event, next) => next());
          const hangs = items.some(({ fate }) => fate === 'hangs');
          const context = remainingMs === null && !hangs ? undefined : lambda(remainingMs ?? 2_000);
          const answer = router[KINDS[kind].entrypoint]({ Records: recordsOf(kind, items) }, context).then(
            ({ batchItemFailures }) => ({ reported: batchItemFailures.map(({ itemIdentifier }) => itemIdentifier) }),
            (error: { code?: string }) => ({ code: error.code }),
          );
          await clock.advance(10_000);
          const outcome = await answer;
          if ('code' in outcome) {
            expect(outcome.code).toBe('streams.missing_identifier');
            expect(items.some(({ id }) => id !== 'own')).toBe(true);
            return;
          }
          expect(new Set(outcome.reported).size).toBe(outcome.reported.length);
          expect(outcome.reported).toEqual(
            [...outcome.reported].sort((a, b) => Number(a.slice(3)) - Number(b.slice(3))),
          );
          expect(started).toEqual([...started].sort((a, b) => a - b));
          items.forEach((_item, index) => {
            if (!outcome.reported.includes(`id-${index}`)) expect(completed).toContain(index);
          });
          if (items.some(({ source }) => source === 'unregistered')) {
            expect(started).toEqual([]);
            expect(outcome.reported).toHaveLength(items.length);
          }
        },
      ),
      { numRuns: 150 },
    );
  });
});

describe('a FIFO group', () => {
  it('never runs a message after a failed message of its group', async () => {
    const messages = fc.array(fc.record({ group: fc.constantFrom('A', 'B', 'C'), fails: fc.boolean() }), {
      maxLength: 10,
    });
    await fc.assert(
      fc.asyncProperty(messages, async (items) => {
        const router = createEventRouter(environment().options);
        const failed = new Set<string>();
        router.queue('q.fifo', async (ctx) => {
          const { group, fails } = items[ctx.batch.index] as { group: string; fails: boolean };
          expect(failed.has(group)).toBe(false);
          if (!fails) return;
          failed.add(group);
          throw new Error('no');
        });
        const Records = items.map(({ group }, index) =>
          message(`id-${index}`, {
            eventSourceARN: 'arn:aws:sqs:us-east-1:123456789012:q.fifo',
            attributes: { MessageGroupId: group },
          }),
        );
        const { batchItemFailures } = await router.serveQueueEvent({ Records });
        const broken = new Set<string>();
        const expected = items.flatMap(({ group, fails }, index) => {
          if (fails) broken.add(group);
          return broken.has(group) ? [`id-${index}`] : [];
        });
        expect(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier)).toEqual(expected);
      }),
    );
  });
});
