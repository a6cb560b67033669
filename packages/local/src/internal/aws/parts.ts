import type { EventBusOptions, TopicRecordOptions } from '@sallyport/testkit/events';
import type { LocalQueue } from '../sources/queue.js';
import type { SourceKind } from '../sources/sources.js';
import type { LocalStream } from '../sources/stream.js';

/** What SQS needs of the sources. */
export interface SqsSources {
  queue(name: string): LocalQueue;
  namesOf(kind: SourceKind): readonly string[];
}

/** What SNS and EventBridge need of the sources. */
export interface EventSources {
  publish(topic: string, record: TopicRecordOptions, traceId?: string): string;
  putEvent(bus: string, options: EventBusOptions, traceId?: string): string;
  namesOf(kind: SourceKind): readonly string[];
}

/** What Kinesis needs of the sources. */
export interface StreamSources {
  stream(name: string): LocalStream;
  namesOf(kind: SourceKind): readonly string[];
}
