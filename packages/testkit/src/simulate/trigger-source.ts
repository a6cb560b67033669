import { defineOptions } from '@sallyport/core/options';
import { type Data, filled, object, someOf } from '../internal/kinds.js';

/** Any events of one asynchronous trigger: S3, log groups, alarms. */
export interface AsynchronousSource {
  /** Kind of source. */
  readonly kind: 'asynchronous';
  /** The events; each is a separate invocation. Their ids are `event-1`, `event-2`, … */
  readonly events: readonly Data[];
}

/** Records of Kafka, of any topics and partitions. */
export interface KafkaSource {
  /** Kind of source. */
  readonly kind: 'kafka';
  /** The event whose records are delivered. Their ids are `<topic>-<partition>-<offset>`. */
  readonly event: Data;
}

/** Records of a Firehose stream. */
export interface FirehoseSource {
  /** Kind of source. */
  readonly kind: 'firehose';
  /** The event whose records are delivered. Their ids are the ids in the event. */
  readonly event: Data;
}

/** Messages of a broker, or changes of a DocumentDB. */
export interface BlockingSource {
  /** Kind of source. */
  readonly kind: 'blocking';
  /** The event whose messages are delivered. Their ids are the ids in the event, or `message-<n>`. */
  readonly event: Data;
}

/** Tasks of a job of S3 Batch Operations. */
export interface BatchJobSource {
  /** Kind of source. */
  readonly kind: 'batch-job';
  /** The events; the task of each gets the id `task-<n>`. */
  readonly events: readonly Data[];
}

/** One rotation of a secret. */
export interface RotationSource {
  /** Kind of source. */
  readonly kind: 'rotation';
  /** An event of any step; the ids are the four steps. */
  readonly event: Data;
}

/** Requests of CloudFormation for custom resources. */
export interface CustomResourceSource {
  /** Kind of source. */
  readonly kind: 'custom-resource';
  /** The events in order; each gets the id `request-<n>`, and a response URL whose answers are read. */
  readonly events: readonly Data[];
}

/** Records of a pipe. */
export interface PipeSource {
  /** Kind of source. */
  readonly kind: 'pipe';
  /** The records. Their ids are the ids of messages or stream records, or `record-<n>`. */
  readonly events: readonly Data[];
}

/** Records of one window of a shard. */
export interface WindowSource {
  /** Kind of source. */
  readonly kind: 'window';
  /** The event whose records are delivered. Their ids are the ids in the event; the end of the window is `final`. */
  readonly event: Data;
}

/** Jobs of CodePipeline. */
export interface PipelineJobSource {
  /** Kind of source. */
  readonly kind: 'pipeline-job';
  /** The events; each gets the id `job-<n>`. */
  readonly events: readonly Data[];
}

/** A trigger outside the fixed table. */
export type TriggerSource =
  | AsynchronousSource
  | KafkaSource
  | FirehoseSource
  | BlockingSource
  | BatchJobSource
  | RotationSource
  | CustomResourceSource
  | PipeSource
  | WindowSource
  | PipelineJobSource;

const ONE = defineOptions<{ event: Data }>()({ event: object().required() });
const MANY = defineOptions<{ events: readonly Data[]; name: string }>()({
  events: someOf(object()),
  name: filled.required(),
});

function one(event: object): Data {
  return ONE.parse({ event: event as Data }).event;
}

function many(events: readonly object[]): readonly Data[] {
  return MANY.parse({ events: events as readonly Data[], name: 'events' }).events;
}

/**
 * Triggers outside the fixed table to simulate. They accept events of any builder, for example from `@sallyport/triggers/testing`,
 * and deliver the records of the events in new batches. Each throws FrameworkError `app.invalid_configuration` for no event.
 *
 * @example await simulate(buildApp, triggers.kafka(buildKafkaEvent('orders', [{ value: 'a' }, { value: 'b' }])));
 */
export const triggers = {
  /** Events of a service that invokes asynchronously: S3, log groups, alarms. */
  asynchronous: (events: readonly object[]): AsynchronousSource => ({ kind: 'asynchronous', events: many(events) }),
  /** Records of topics of Kafka. */
  kafka: (event: object): KafkaSource => ({ kind: 'kafka', event: one(event) }),
  /** Records of a Firehose stream. */
  firehose: (event: object): FirehoseSource => ({ kind: 'firehose', event: one(event) }),
  /** Messages of ActiveMQ or RabbitMQ, or changes of DocumentDB: a failed batch blocks all later messages. */
  blocking: (event: object): BlockingSource => ({ kind: 'blocking', event: one(event) }),
  /** Tasks of a job of S3 Batch Operations. */
  batchJob: (events: readonly object[]): BatchJobSource => ({ kind: 'batch-job', events: many(events) }),
  /** The four steps of a rotation of a secret. */
  rotation: (event: object): RotationSource => ({ kind: 'rotation', event: one(event) }),
  /** Requests of CloudFormation; the app sends its answers with {@link responseFetch}. */
  customResource: (events: readonly object[]): CustomResourceSource => ({
    kind: 'custom-resource',
    events: many(events),
  }),
  /** Records of EventBridge Pipes: a failed enrichment, and a failed target, repeat the batch. */
  pipe: (records: readonly object[]): PipeSource => ({ kind: 'pipe', events: many(records) }),
  /** A shard of a stream with a tumbling window: its records in batches that pass the state on, then the end of the window. */
  window: (event: object): WindowSource => ({ kind: 'window', event: one(event) }),
  /** Jobs of CodePipeline; the app reports its results with {@link jobClient}. */
  pipelineJob: (events: readonly object[]): PipelineJobSource => ({ kind: 'pipeline-job', events: many(events) }),
} as const;
