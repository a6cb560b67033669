import { membersOf } from '@sallyport/core/internal';
import { defineOptions } from '@sallyport/core/options';
import { listed } from '../../builders/http.js';
import { type Data, positive } from '../../internal/kinds.js';
import type { BatchModel, Item } from '../internal/batches.js';
import { listOf } from '../internal/members.js';

/** Options of `simulate` for messages of a broker, and for changes of DocumentDB. */
export interface BlockingSimulation {
  /** Most messages of one invocation. Default: 10. */
  readonly batchSize?: number;
  /** The function's timeout in milliseconds. Default: 30,000. */
  readonly timeoutMs?: number;
}

/** Validators and defaults for {@link BlockingSimulation}. */
export const BLOCKING_SIMULATION = defineOptions<BlockingSimulation>()({
  batchSize: positive.default(10),
  timeoutMs: positive.default(30_000),
});

const RETRY = { againMs: 1000 } as const;
/** All messages are in one lane: a failed message blocks all others. */
const LANE = 'source';

/** A message, and the queue of RabbitMQ that it is from. */
interface Part {
  readonly message: unknown;
  readonly queue?: string;
}

/** The messages or changes of an event. */
export function blockingItems(event: Data): readonly Item[] {
  return partsOf(event).map((part, index) => ({ id: idOf(part.message) || `message-${index + 1}`, lane: LANE, part }));
}

function partsOf({ messages, events, rmqMessagesByQueue }: Data): readonly Part[] {
  const rabbit = Object.entries(membersOf(rmqMessagesByQueue)).flatMap(([queue, list]) =>
    listOf(list).map((message) => ({ message, queue })),
  );
  return [
    ...listOf(messages).map((message) => ({ message })),
    ...listOf(events).map((message) => ({ message })),
    ...rabbit,
  ];
}

function idOf(message: unknown): string {
  const { messageID, basicProperties, event } = membersOf(message);
  const { _data } = membersOf(membersOf(event)._id);
  return String(messageID ?? membersOf(basicProperties).messageId ?? _data ?? '');
}

/** Lambda's treatment of answers: a failed batch is retried, before all others, until it succeeds. */
export function blockingModel(event: Data, { batchSize }: Required<BlockingSimulation>): BatchModel {
  return {
    batchSize,
    eventOf(items) {
      const parts = items.map(({ part }) => part as Part);
      const messages = parts.map(({ message }) => message);
      if (event.messages !== undefined) return { ...event, messages };
      if (event.events !== undefined) return { ...event, events: messages };
      const rmqMessagesByQueue = listed(parts.map(({ queue = '', message }) => [queue, message]));
      return { ...event, rmqMessagesByQueue };
    },
    judge: (outcome, delivered) => delivered.map(() => ('answer' in outcome ? 'done' : RETRY)),
  };
}
