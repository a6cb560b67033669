/** The messages of a kind in a contract, by name. */
export type Messages<C, Kind extends 'queue' | 'topic' | 'stream'> = C extends { readonly [K in Kind]: infer M }
  ? M
  : Record<never, never>;

/** The details of a contract's events, by `source/detail-type`. */
export type Details<C> = C extends { readonly bus: infer M } ? M : Record<never, never>;

/** Members of every call. */
interface CallLimits {
  /** Ends the call: entries that were not accepted until then are returned as failed. */
  readonly signal?: AbortSignal;
}

/** Options of a message of a queue. */
export interface MessageOptions extends CallLimits {
  /** The message group: required for a FIFO queue, and for a fair share of a standard queue. */
  readonly group?: string;
  /** The deduplication id of a FIFO queue. Default: that of the queue, by content. */
  readonly dedupe?: string;
  /** Seconds before the message can be received, 0 to 900. Not for FIFO queues. */
  readonly delaySeconds?: number;
}

/** Options of a message of a topic. */
export interface NoticeOptions extends CallLimits {
  /** The message group: required for a FIFO topic. */
  readonly group?: string;
  /** The deduplication id of a FIFO topic. Default: that of the topic, by content. */
  readonly dedupe?: string;
  /** The subject, for subscriptions by e-mail. */
  readonly subject?: string;
}

/** Options of an event. */
export interface EventOptions extends CallLimits {
  /** ARNs of resources that the event is about. */
  readonly resources?: readonly string[];
  /** The time of the event. Default: the time at which EventBridge receives it. */
  readonly time?: Date;
}

/** Options of a record of a data stream. */
export interface RecordOptions extends CallLimits {
  /** The partition key: records with the same key are sent in order. */
  readonly key: string;
}
