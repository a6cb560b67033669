import { defineOptions } from '@sallyport/core/options';
import type { EventBusOptions } from '../builders/event-bus.js';
import type { KinesisRecordOptions } from '../builders/kinesis.js';
import type { QueueRecordOptions } from '../builders/queue.js';
import { ACCOUNT, REGION } from '../builders/shape.js';
import type { TableStreamRecordOptions } from '../builders/table-stream.js';
import type { TopicRecordOptions } from '../builders/topic.js';
import { filled, object, positive, someOf } from '../internal/kinds.js';

/** A queue and its messages. */
export interface QueueSource {
  /** Tells it from a stream. */
  readonly kind: 'queue';
  /** The queue's ARN. */
  readonly arn: string;
  /** True if it is a FIFO queue. */
  readonly fifo: boolean;
  /** Its messages, in the order in which they were sent. */
  readonly messages: readonly QueueRecordOptions[];
}

/** A data stream and its records. */
export interface DataStreamSource {
  /** Tells it from a queue and a table's stream. */
  readonly kind: 'stream';
  /** The stream's ARN. */
  readonly arn: string;
  /** Its records. */
  readonly records: readonly KinesisRecordOptions[];
}

/** A table's stream and its records. */
export interface TableStreamSource {
  /** Tells it from a queue and a data stream. */
  readonly kind: 'table-stream';
  /** The stream's ARN. */
  readonly arn: string;
  /** Its records. */
  readonly records: readonly TableStreamRecordOptions[];
}

/** A stream of either kind. */
export type StreamSource = DataStreamSource | TableStreamSource;

/** A topic and its messages. */
export interface TopicSource {
  /** Tells it from the other sources. */
  readonly kind: 'topic';
  /** The topic's ARN. */
  readonly arn: string;
  /** Its messages; each is an invocation of its own. */
  readonly events: readonly TopicRecordOptions[];
}

/** An event bus and the events that match the function's rule. */
export interface EventBusSource {
  /** Tells it from the other sources. */
  readonly kind: 'event-bus';
  /** Its events; each is an invocation of its own. */
  readonly events: readonly EventBusOptions[];
}

/** A schedule. */
export interface ScheduleSource {
  /** Tells it from the other sources. */
  readonly kind: 'schedule';
  /** Its name, in the group `default`. */
  readonly name: string;
  /** Milliseconds between two runs, and before the first. */
  readonly everyMs: number;
  /** How often it runs. */
  readonly times: number;
}

/** A source whose events invoke the function asynchronously. */
export type AsyncSource = TopicSource | EventBusSource | ScheduleSource;

const SOURCE = defineOptions<{ name: string; records: readonly object[] }>()({
  name: filled.required(),
  records: someOf(object<object>()),
});

function arn(service: string, resource: string): string {
  return `arn:aws:${service}:${REGION}:${ACCOUNT}:${resource}`;
}

function checked<T extends object>(name: string, items: readonly T[]): readonly T[] {
  SOURCE.parse({ name, records: items });
  return items;
}

/** Queues to simulate; messages as `buildQueueEvent` takes them. */
export const queue = {
  /**
   * A standard queue: messages come in any order, and more than once if a simulation asks for it.
   *
   * @throws FrameworkError `app.invalid_configuration` for a blank name or no messages
   */
  standard(name: string, messages: readonly QueueRecordOptions[]): QueueSource {
    return { kind: 'queue', arn: arn('sqs', name), fifo: false, messages: checked(name, messages) };
  },
  /**
   * A FIFO queue. The name gets its `.fifo` if it has none. Messages without `groupId` are one group.
   *
   * @throws FrameworkError `app.invalid_configuration` for a blank name or no messages
   */
  fifo(name: string, messages: readonly QueueRecordOptions[]): QueueSource {
    const full = name.endsWith('.fifo') ? name : `${name}.fifo`;
    return { kind: 'queue', arn: arn('sqs', full), fifo: true, messages: checked(name, messages) };
  },
} as const;

/** Streams to simulate; records as their builders take them, in the order of their sequence numbers. */
export const stream = {
  /**
   * A data stream.
   *
   * @throws FrameworkError `app.invalid_configuration` for a blank name or no records
   */
  data(name: string, records: readonly KinesisRecordOptions[]): DataStreamSource {
    return { kind: 'stream', arn: arn('kinesis', `stream/${name}`), records: checked(name, records) };
  },
  /**
   * The stream of a table.
   *
   * @throws FrameworkError `app.invalid_configuration` for a blank name or no records
   */
  table(name: string, records: readonly TableStreamRecordOptions[]): TableStreamSource {
    const label = '2026-01-01T00:00:00.000';
    return {
      kind: 'table-stream',
      arn: arn('dynamodb', `table/${name}/stream/${label}`),
      records: checked(name, records),
    };
  },
} as const;

/** Topics to simulate; messages as `buildTopicEvent` takes them. */
export const topic = {
  /**
   * A standard topic.
   *
   * @throws FrameworkError `app.invalid_configuration` for a blank name or no messages
   */
  messages(name: string, messages: readonly TopicRecordOptions[]): TopicSource {
    return { kind: 'topic', arn: arn('sns', name), events: checked(name, messages) };
  },
} as const;

const SCHEDULE = defineOptions<Omit<ScheduleSource, 'kind'>>()({
  name: filled.required(),
  everyMs: positive.required(),
  times: positive.required(),
});

/** Event buses and schedules to simulate. */
export const eventBus = {
  /**
   * Events that match the function's rule, as `buildEventBusEvent` takes them.
   *
   * @throws FrameworkError `app.invalid_configuration` for no events
   */
  events(events: readonly EventBusOptions[]): EventBusSource {
    return { kind: 'event-bus', events: checked('default', events) };
  },
  /**
   * A schedule of EventBridge Scheduler that runs some times, `everyMs` apart.
   *
   * @throws FrameworkError `app.invalid_configuration` for a blank name or a number that is not a whole one of at least 1
   */
  schedule(name: string, { everyMs, times }: { readonly everyMs: number; readonly times: number }): ScheduleSource {
    return { kind: 'schedule', ...SCHEDULE.parse({ name, everyMs, times }) };
  },
} as const;
