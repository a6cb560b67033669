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
  /** Kind of source. */
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
  /** Kind of source. */
  readonly kind: 'stream';
  /** The stream's ARN. */
  readonly arn: string;
  /** Its records. */
  readonly records: readonly KinesisRecordOptions[];
}

/** A table's stream and its records. */
export interface TableStreamSource {
  /** Kind of source. */
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
  /** Kind of source. */
  readonly kind: 'topic';
  /** The topic's ARN. */
  readonly arn: string;
  /** Its messages; each is a separate invocation. */
  readonly events: readonly TopicRecordOptions[];
}

/** An event bus and the events that match the function's rule. */
export interface EventBusSource {
  /** Kind of source. */
  readonly kind: 'event-bus';
  /** Its events; each is a separate invocation. */
  readonly events: readonly EventBusOptions[];
}

/** A schedule. */
export interface ScheduleSource {
  /** Kind of source. */
  readonly kind: 'schedule';
  /** Its name, in the group `default`. */
  readonly name: string;
  /** Milliseconds between two runs, and before the first. */
  readonly everyMs: number;
  /** Number of runs. */
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

/** Queues to simulate; messages as in `buildQueueEvent`. */
export const queue = {
  /**
   * A standard queue: messages arrive in any order, and some arrive twice with the option `duplicates`.
   *
   * @throws FrameworkError `app.invalid_configuration` for a blank name or no messages
   */
  standard(name: string, messages: readonly QueueRecordOptions[]): QueueSource {
    return { kind: 'queue', arn: arn('sqs', name), fifo: false, messages: checked(name, messages) };
  },
  /**
   * A FIFO queue. `.fifo` is appended to the name if it is missing. Messages without `groupId` form one group.
   *
   * @throws FrameworkError `app.invalid_configuration` for a blank name or no messages
   */
  fifo(name: string, messages: readonly QueueRecordOptions[]): QueueSource {
    const full = name.endsWith('.fifo') ? name : `${name}.fifo`;
    return { kind: 'queue', arn: arn('sqs', full), fifo: true, messages: checked(name, messages) };
  },
} as const;

/** Streams to simulate; records as in their builders, in the order of their sequence numbers. */
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

/** Topics to simulate; messages as in `buildTopicEvent`. */
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
   * Events that match the function's rule, as in `buildEventBusEvent`.
   *
   * @throws FrameworkError `app.invalid_configuration` for no events
   */
  events(events: readonly EventBusOptions[]): EventBusSource {
    return { kind: 'event-bus', events: checked('default', events) };
  },
  /**
   * A schedule of EventBridge Scheduler that runs `times` times, `everyMs` apart.
   *
   * @throws FrameworkError `app.invalid_configuration` for a blank name or a number that is not an integer of at least 1
   */
  schedule(name: string, { everyMs, times }: { readonly everyMs: number; readonly times: number }): ScheduleSource {
    return { kind: 'schedule', ...SCHEDULE.parse({ name, everyMs, times }) };
  },
} as const;
