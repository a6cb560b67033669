/** One record of a source, as the console shows it. */
export interface SourceRecordView {
  readonly id: string;
  /** Message group or shard; `''` if the source is unordered. */
  readonly lane: string;
  readonly state: string;
  readonly deliveries: number;
  /** Milliseconds since the epoch at which it is delivered again; `null` in other states. */
  readonly until: number | null;
  /** Sanitized. */
  readonly preview: string;
  /** The function that receives it, in a run of several functions; absent if no function does. */
  readonly function?: string;
}

/** One source with its engine and its dead-letter queue or failure destination. */
export interface SourceView {
  readonly kind: string;
  readonly name: string;
  readonly arn: string;
  /** True if the function has a handler for it. */
  readonly hasHandler: boolean;
  /** Maximum number of deliveries of a record, for example 3. */
  readonly maxDeliveries: number;
  readonly records: readonly SourceRecordView[];
  /** Dead letters, oldest first. */
  readonly deadLetters: readonly SourceRecordView[];
  readonly deadLetterName: string;
  /** Number of records that were processed successfully. */
  readonly done: number;
  /** Records that AWS would not deliver because of filters, a filter policy or rules: their number, and the latest records. */
  readonly filtered: { readonly count: number; readonly latest: readonly SourceRecordView[] };
  readonly settings: Readonly<Record<string, unknown>>;
}

/** The actions of a developer on records. */
export type SourceAction =
  /** Ends the wait of a record and of its lane. */
  | 'now'
  /** Moves a dead letter back into its source. */
  | 'send-back'
  /** Drops a dead letter. */
  | 'delete'
  /** Runs a schedule once. */
  | 'fire';

/** Records to send to a source: the options of the test kit's builder of its kind. */
export interface SourceSend {
  readonly kind: string;
  readonly name: string;
  readonly records: readonly Readonly<Record<string, unknown>>[];
  /** `X-Amzn-Trace-Id` of the sending call; SQS keeps it as `AWSTraceHeader`. */
  readonly traceId?: string;
}

/** The queues, streams, topics, buses and schedules of a run, created from the function's registrations and from the configuration. */
export interface Sources {
  list(): readonly SourceView[];
  /** @throws FrameworkError `local.unknown_source` if the service states its handlers, and the source is missing among them */
  assertHandled(kind: string, name: string): void;
  /** @returns ids in order. @throws FrameworkError `local.unknown_source`, or an error of the builder */
  send(send: SourceSend): readonly string[];
  /** @param fn the function whose record it is, in a run of several functions. @throws FrameworkError `local.unknown_source`, `local.unknown_record` */
  act(kind: string, name: string, action: SourceAction, recordId?: string, fn?: string): void;
  /** Empties every queue. Messages of a running invocation are processed to their end. */
  emptyQueues(): void;
  /** Factor by which waits are faster than real time; 1 by default. */
  speed(): number;
  setSpeed(speed: number): void;
}
