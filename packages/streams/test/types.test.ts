import {
  createEventRouter,
  type EventBusEvent,
  type QueueEvent,
  type QueueRecord,
  type StreamEvent,
  type TableStreamEvent,
  type TopicEvent,
} from '@sallyport/streams';
import type {
  Context,
  DynamoDBStreamEvent,
  DynamoDBStreamHandler,
  EventBridgeEvent,
  KinesisStreamEvent,
  KinesisStreamHandler,
  SNSEvent,
  SQSEvent,
  SQSHandler,
  SQSRecord,
} from 'aws-lambda';

/** Compiles only if each is assignable to the other. */
type Same<A, B> = [A, B] extends [B, A] ? true : false;
const same = <A, B>(result: Same<A, B>) => result;

describe('types', () => {
  it('of events are compatible with @types/aws-lambda, both ways', () => {
    expect([
      same<QueueEvent, SQSEvent>(true),
      same<TableStreamEvent, DynamoDBStreamEvent>(true),
      same<StreamEvent, KinesisStreamEvent>(true),
      same<TopicEvent, SNSEvent>(true),
      same<EventBusEvent<'a', { b: 1 }>, EventBridgeEvent<'a', { b: 1 }>>(true),
    ]).toEqual([true, true, true, true, true]);
  });

  it('allow an entrypoint as Lambda handler, and either types in a handler', () => {
    const router = createEventRouter();
    const queue: SQSHandler = router.serveQueueEvent;
    const table: DynamoDBStreamHandler = router.serveTableStream;
    const stream: KinesisStreamHandler = router.serveKinesisEvent;
    const call = (event: SQSEvent, context: Context) => router.serveQueueEvent(event, context);
    router.queue('a', (_ctx, record: SQSRecord) => record.body);
    router.queue('b', (_ctx, record: QueueRecord) => record.body);
    router.queue('c', async (ctx, record) => {
      ctx.log.info(record.messageId);
    });
    // @ts-expect-error a number has no members of a record
    router.queue('d', (_ctx, record: number) => record);
    // @ts-expect-error concurrency is of queues
    expect(() => router.kinesis('e', () => {}, { concurrency: 2 })).toThrow();
    expect([queue, table, stream, call].every((handler) => typeof handler === 'function')).toBe(true);
  });
});
