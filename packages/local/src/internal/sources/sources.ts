/** The kinds of sources that the test kit's engines serve. */
export type SourceKind = 'queue' | 'stream' | 'table-stream' | 'topic' | 'event-bus' | 'schedule' | 's3' | 'invoke';

/** One record in a source, as the console shows it. */
export interface SourceRecordView {
  readonly id: string;
  /** Message group or shard; `''` where there is no order. */
  readonly lane: string;
  readonly state: string;
  readonly deliveries: number;
  /** Milliseconds since the epoch when it comes back; `null` in other states. */
  readonly until: number | null;
  /** Sanitized. */
  readonly preview: string;
}

/** One source with its engine and its dead-letter queue or failure destination. */
export interface SourceView {
  readonly kind: SourceKind;
  readonly name: string;
  readonly arn: string;
  /** True if the function has a handler for it. */
  readonly hasHandler: boolean;
  /** Most deliveries of a record: 3. */
  readonly maxDeliveries: number;
  readonly records: readonly SourceRecordView[];
  /** What was given up, oldest first. */
  readonly deadLetters: readonly SourceRecordView[];
  readonly deadLetterName: string;
  /** Records that left it well. */
  readonly done: number;
  /** Records that AWS would not deliver, by the filters of a mapping, a filter policy or rules: their number, and the latest ones. */
  readonly filtered: { readonly count: number; readonly latest: readonly SourceRecordView[] };
  readonly settings: Readonly<Record<string, unknown>>;
}

/** What a developer can do with records. */
export type SourceAction =
  /** Ends the wait of a record and of its lane. */
  | 'now'
  /** Moves a dead letter back into its source. */
  | 'send-back'
  /** Drops a dead letter. */
  | 'delete'
  /** Runs a schedule once. */
  | 'fire';

/** What is put into a source: the options of the test kit's builder of its kind. */
export interface SourceSend {
  readonly kind: SourceKind;
  readonly name: string;
  readonly records: readonly Readonly<Record<string, unknown>>[];
  /** `X-Amzn-Trace-Id` of the call that sends; SQS keeps it as `AWSTraceHeader`. */
  readonly traceId?: string;
  readonly as?: string;
}

/** The queues, streams, topics, buses and schedules of a run. Made from what the function registers and from the configuration. */
export interface Sources {
  list(): readonly SourceView[];
  /** @returns ids in order. @throws FrameworkError `local.unknown_source`, or what the builder rejects with */
  send(send: SourceSend): readonly string[];
  /** @throws FrameworkError `local.unknown_source`, `local.unknown_record` */
  act(kind: SourceKind, name: string, action: SourceAction, recordId?: string): void;
  /** Empties every queue. What an invocation has runs to its end. */
  emptyQueues(): void;
  /** How many times faster than real time waits pass; 1 by default. */
  speed(): number;
  setSpeed(speed: number): void;
  /** Resolves when nothing waits, is delayed or runs. */
  settle(): Promise<void>;
}
