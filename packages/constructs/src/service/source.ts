import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import type { EventPattern, Schedule } from 'aws-cdk-lib/aws-events';
import type { IStream } from 'aws-cdk-lib/aws-kinesis';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import type { ITopic, Topic } from 'aws-cdk-lib/aws-sns';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { ObjectBucket } from '../storage/object-bucket.js';
import { DataStream } from '../triggers/data-stream.js';
import type { EventRuleMappingProps } from '../triggers/event-rule-trigger.js';
import type { QueueMappingProps } from '../triggers/queue-trigger.js';
import type { S3MappingProps } from '../triggers/s3-trigger.js';
import { ServiceQueue } from '../triggers/service-queue.js';
import type { StreamMappingProps } from '../triggers/stream-mapping.js';
import type { TopicMappingProps } from '../triggers/topic-trigger.js';
import { isScheduled, ofSelector, ofTrigger } from '../wiring/internal/registrations.js';
import type { EventSelector, InventoryTrigger } from '../wiring/inventory.js';
import type { ServiceWiring } from '../wiring/service-wiring.js';
import { createTopic } from './internal/topic.js';

/** The resources that the sources of a service create, by the names of their handlers. */
export interface CreatedSources {
  /** Queues of {@link Source.queue} without `queue`. */
  readonly queues: Record<string, ServiceQueue>;
  /** Data streams of {@link Source.kinesis} without `stream`. */
  readonly streams: Record<string, DataStream>;
  /** Topics of {@link Source.topic} without `topic`. */
  readonly topics: Record<string, Topic>;
  /** Buckets of {@link Source.s3} without `bucket`. */
  readonly buckets: Record<string, ObjectBucket>;
}

/** Creates the resource of a source if it is not given, and attaches it. */
type Attach = (scope: Construct, wiring: ServiceWiring, created: CreatedSources) => void;

/**
 * A source of events for {@link Service}, under the name of its handler. The service creates queues, data streams, topics and buckets that you do not pass.
 * Their logical ids contain the name: to rename a handler and keep the resource, pass `id` with the old name.
 *
 * @example
 * sources: [Source.queue('orders'), Source.tableStream('notes', notesTable), Source.schedule('nightly', Schedule.rate(Duration.days(1)))]
 */
export class Source {
  /** A queue with its dead-letter queue; FIFO for a name that ends in `.fifo`. */
  static queue(
    name: string,
    { queue, id = name, ...props }: QueueMappingProps & { readonly queue?: IQueue; readonly id?: string } = {},
  ): Source {
    return named('queue', name, (scope, wiring, { queues }) => {
      if (queue === undefined) queues[name] = new ServiceQueue(scope, `Queue-${id}`, { fifo: name.endsWith('.fifo') });
      wiring.queue(name, queue ?? (queues[name]?.queue as IQueue), props);
    });
  }

  /** A data stream of Kinesis. */
  static kinesis(
    name: string,
    { stream, id = name, ...props }: StreamMappingProps & { readonly stream?: IStream; readonly id?: string } = {},
  ): Source {
    return named('stream', name, (scope, wiring, { streams }) => {
      if (stream === undefined) streams[name] = new DataStream(scope, `Stream-${id}`);
      wiring.kinesis(name, stream ?? (streams[name]?.stream as IStream), props);
    });
  }

  /** The stream of a table. The keys of the table are unknown to the service, so you pass it. */
  static tableStream(name: string, table: ITable, props: StreamMappingProps = {}): Source {
    return named('table-stream', name, (_scope, wiring) => wiring.tableStream(name, table, props));
  }

  /** A topic, encrypted by SNS and TLS-only. */
  static topic(
    name: string,
    { topic, id = name, ...props }: TopicMappingProps & { readonly topic?: ITopic; readonly id?: string } = {},
  ): Source {
    return named('topic', name, (scope, wiring, { topics }) => {
      if (topic === undefined) topics[name] = createTopic(scope, `Topic-${id}`);
      wiring.topic(name, topic ?? (topics[name] as ITopic), props);
    });
  }

  /** The objects of a bucket. */
  static s3(
    name: string,
    { bucket, id = name, ...props }: S3MappingProps & { readonly bucket?: IBucket; readonly id?: string } = {},
  ): Source {
    return named('s3', name, (scope, wiring, { buckets }) => {
      if (bucket === undefined) buckets[name] = new ObjectBucket(scope, `Bucket-${id}`);
      wiring.s3(name, bucket ?? (buckets[name]?.bucket as IBucket), props);
    });
  }

  /** The events of a bus that match the selector of a handler. */
  static eventBus(
    selector: EventSelector,
    props: EventRuleMappingProps & { readonly pattern?: EventPattern } = {},
  ): Source {
    const { key } = ofSelector(selector);
    return new Source(
      (trigger) => ofTrigger(trigger).key === key,
      (_scope, wiring) => wiring.eventBus(selector, props),
    );
  }

  /** A rule with a schedule, for the handler of `eventBus({ ruleName })`, or for a handler of all scheduled events. */
  static schedule(ruleName: string, schedule: Schedule, props: EventRuleMappingProps = {}): Source {
    const { key } = ofSelector({ ruleName });
    return new Source(
      (trigger) => ofTrigger(trigger).key === key || isScheduled(trigger.selector),
      (_scope, wiring) => wiring.schedule(ruleName, schedule, props),
    );
  }

  /** True if it is a source of this registration. */
  readonly covers: (trigger: InventoryTrigger) => boolean;
  /** Creates the resource and attaches it. @internal */
  readonly attach: Attach;

  private constructor(covers: (trigger: InventoryTrigger) => boolean, attach: Attach) {
    this.covers = covers;
    this.attach = attach;
  }

  /** A source of a test and a call. @internal */
  static of(covers: (trigger: InventoryTrigger) => boolean, attach: Attach): Source {
    return new Source(covers, attach);
  }
}

function named(kind: string, name: string, attach: Attach): Source {
  return Source.of((trigger) => trigger.kind === kind && trigger.name === name, attach);
}
