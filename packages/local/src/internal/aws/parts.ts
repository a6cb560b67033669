import type { EventBusOptions, TopicRecordOptions } from '@sallyport/testkit/events';
import type { LocalQueue } from '../sources/queue.js';
import type { SourceKind } from '../sources/sources.js';
import type { LocalStream } from '../sources/stream.js';

/** The sources that SQS uses. */
export interface SqsSources {
  queue(name: string): LocalQueue;
  namesOf(kind: SourceKind): readonly string[];
}

/** The sources that SNS and EventBridge use. */
export interface EventSources {
  publish(topic: string, record: TopicRecordOptions, traceId?: string): string;
  putEvent(bus: string, options: EventBusOptions, traceId?: string): string;
  namesOf(kind: SourceKind): readonly string[];
}

/** The sources that Kinesis uses. */
export interface StreamSources {
  stream(name: string): LocalStream;
  namesOf(kind: SourceKind): readonly string[];
}
