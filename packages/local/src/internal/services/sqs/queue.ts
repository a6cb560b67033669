import { sha256 } from '@sallyport/core/internal';
import { createQueueEngine, type EngineChange, type QueueEngine, type QueueSettings } from '@sallyport/testkit/engines';
import type { QueueRecordOptions } from '@sallyport/testkit/events';
import { toArn } from '../../aws/names.js';
import { Filtered } from '../../sources/filtered.js';
import { type FilterSettings, queueFilter, type RecordFilter } from '../../sources/record-filter.js';
import type { LocalSource } from '../../sources/source.js';
import type { SourceRecordView, SourceView } from '../../sources/sources.js';
import { newId, type SourceContext } from '../../sources/sources-context.js';
import { StoredQueue } from './stored-queue.js';

/** Settings of a queue and of its mapping. */
export interface QueueConfig extends QueueSettings, FilterSettings {}

/** A FIFO queue accepts a deduplication id once in this time. */
const DEDUPLICATION_MS = 300_000;
const DEFAULTS = { invocations: 2, maxReceiveCount: 3, visibilityTimeoutMs: 30_000 } as const;

/** An accepted message. */
export interface Sent {
  readonly id: string;
  /** For a FIFO queue. */
  readonly sequenceNumber?: string;
}

/** A message that its sender delays. */
interface Delayed {
  readonly id: string;
  readonly record: QueueRecordOptions;
  readonly until: number;
  readonly cancel: () => void;
}

/** A queue. If the function has a handler, messages are delivered to it; otherwise they wait for a client that receives them. */
export class LocalQueue implements LocalSource {
  readonly kind = 'queue';
  readonly isAsynchronous = false;
  readonly name: string;
  readonly arn: string;
  readonly isFifo: boolean;
  readonly stored: StoredQueue;
  readonly settings: QueueConfig;
  readonly #context: SourceContext;
  /** The dead-letter queue. */
  readonly #deadLetters: () => LocalQueue;
  readonly deadLetterSource: string;
  readonly #delayed = new Map<string, Delayed>();
  /** By deduplication id: the first result, and the end of its validity. */
  readonly #seen = new Map<string, { readonly sent: Sent; readonly until: number }>();
  /** True if the mapping delivers a message to the function. */
  readonly #takes: RecordFilter<QueueRecordOptions>;
  readonly #filtered = new Filtered();
  /** True or false if the mapping is known; `undefined` if its setting is assumed. */
  readonly #reportsFailures: boolean | undefined;
  #engine: QueueEngine | undefined;
  #sent = 0;
  #done = 0;

  /** @param queueOf the queue of a name; created if it does not exist */
  constructor(name: string, settings: QueueConfig, context: SourceContext, queueOf: (name: string) => LocalQueue) {
    this.name = name;
    this.arn = queueArn(name);
    this.isFifo = name.endsWith('.fifo');
    this.settings = { ...DEFAULTS, ...settings };
    this.#reportsFailures = settings.reportBatchItemFailures;
    this.stored = new StoredQueue(context.clock);
    this.#context = context;
    this.deadLetterSource = deadLetterQueue(name);
    this.#deadLetters = () => queueOf(this.deadLetterSource);
    this.#takes = queueFilter(name, settings.filters);
  }

  /** True if the function handles the messages. */
  get isServed(): boolean {
    return this.#engine !== undefined;
  }

  /** The dead-letter queue and the number of receptions, as `GetQueueAttributes` names them; `undefined` if the queue has no dead-letter queue. */
  get redrivePolicy(): { readonly deadLetterTargetArn: string; readonly maxReceiveCount: number } | undefined {
    if (!this.isServed || this.settings.deadLetter === false) return undefined;
    const { maxReceiveCount = DEFAULTS.maxReceiveCount } = this.settings;
    return { deadLetterTargetArn: queueArn(this.deadLetterSource), maxReceiveCount };
  }

  /** Starts to deliver messages to the function, waiting messages included. */
  serve(): void {
    if (this.#engine) return;
    const { invocations: _, filters: __, ...settings } = this.settings;
    const engine = createQueueEngine({
      ...settings,
      invocations: this.settings.invocations ?? DEFAULTS.invocations,
      arn: this.arn,
      clock: this.#context.clock,
      invoke: (delivery) =>
        this.#context.deliver(this, delivery, {
          traceOf: (_id, record) => record.attributes?.AWSTraceHeader,
          reportsFailures: this.#reportsFailures,
          settings: this.settings,
        }),
      onChange: (change) => this.#onChange(change),
    });
    this.#engine = engine;
    for (const { id, record } of this.stored.clear()) this.#admit(id, record);
  }

  /** Sends a message. For a repeated deduplication id, a FIFO queue returns the first result. */
  send(given: QueueRecordOptions, delayMs = 0): Sent {
    const key =
      given.attributes?.MessageDeduplicationId ??
      (this.isFifo
        ? sha256(typeof given.body === 'string' ? given.body : JSON.stringify(given.body ?? {}))
        : undefined);
    const now = this.#context.clock.monotonicMs();
    const seen = this.isFifo && key !== undefined ? this.#seen.get(key) : undefined;
    if (seen && seen.until > now) return seen.sent;
    this.#sent += 1;
    const sequenceNumber = String(
      BigInt(this.#context.clock.now().getTime()) * 1_000_000n + BigInt(this.#sent),
    ).padStart(20, '0');
    const id = given.messageId ?? newId();
    const record = this.#recordOf({ ...given, messageId: id }, key, sequenceNumber);
    const sent = this.isFifo ? { id, sequenceNumber } : { id };
    if (this.isFifo && key !== undefined) this.#remember(key, sent, now);
    if (delayMs > 0) this.#delay(id, record, delayMs);
    else this.#admit(id, record);
    return sent;
  }

  #recordOf(given: QueueRecordOptions, key: string | undefined, SequenceNumber: string): QueueRecordOptions {
    const time = given.time ?? this.#context.clock.now();
    if (!this.isFifo) return { ...given, time };
    const own = { SequenceNumber, ...(key !== undefined && { MessageDeduplicationId: key }) };
    return { ...given, time, attributes: { ...given.attributes, ...own } };
  }

  #remember(key: string, sent: Sent, now: number): void {
    for (const [old, { until }] of this.#seen) if (until <= now) this.#seen.delete(old);
    this.#seen.set(key, { sent, until: now + DEDUPLICATION_MS });
  }

  #delay(id: string, record: QueueRecordOptions, ms: number): void {
    const { clock } = this.#context;
    const cancel = clock.after(ms, () => this.#endDelay(id));
    this.#delayed.set(id, { id, record, until: clock.monotonicMs() + ms, cancel });
  }

  #endDelay(id: string): void {
    const delayed = this.#delayed.get(id);
    if (!delayed) return;
    delayed.cancel();
    this.#delayed.delete(id);
    this.#admit(id, delayed.record);
  }

  #admit(id: string, record: QueueRecordOptions): void {
    if (!this.#engine) this.stored.add(id, record);
    else if (this.#takes(record)) this.#engine.send([record]);
    else this.#discard(id, record);
  }

  /** Lambda deletes messages that do not match its filters: no retry, no dead letter. */
  #discard(id: string, record: QueueRecordOptions): void {
    this.#filtered.add(id, this.#context.preview(record.body ?? '{}'));
    this.#context.filtered(this);
  }

  #onChange(change: EngineChange<QueueRecordOptions>): void {
    if (change.state === 'done') this.#done += 1;
    if (change.state === 'dead-letter') {
      const { record, id } = change;
      const attributes = { ...record.attributes, DeadLetterQueueSourceArn: this.arn };
      this.#deadLetters().#admit(id, { ...record, messageId: id, attributes });
    }
    this.#context.changed(this, change);
  }

  /** Hides a received message for another time, of a handler or of a client. @returns true if a message has this receipt handle */
  changeVisibility(receipt: string, ms: number): boolean {
    return (this.#engine?.changeVisibility(receipt, ms) ?? false) || this.stored.hide(receipt, ms);
  }

  /** Deletes a received message, of a handler or of a client. */
  deleteMessage(receipt: string): void {
    if (!this.#engine?.remove(receipt)) this.stored.delete(receipt);
  }

  /** Ends the wait of a message, or of all messages. @returns true if the message exists */
  hurry(id?: string): boolean {
    const delayed = [...this.#delayed.keys()].filter((each) => id === undefined || each === id);
    // Read first: a message that was received often enough leaves the queue immediately.
    const isKnown = delayed.length > 0 || this.#records().some((record) => record.id === id);
    for (const each of delayed) this.#endDelay(each);
    this.#engine?.hurry(id);
    return id === undefined || isKnown;
  }

  /** A message that is moved back is a new message: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-configure-dead-letter-queue-redrive.html. */
  sendBack(id: string): boolean {
    const dead = this.#deadLetters().stored.remove(id);
    if (!dead) return false;
    const { messageId: _, ...record } = dead.record;
    const { DeadLetterQueueSourceArn: __, SequenceNumber: ___, ...attributes } = { ...record.attributes };
    this.send({ ...record, attributes: { ...attributes, ...(this.isFifo && { MessageDeduplicationId: newId() }) } });
    return true;
  }

  holds(id: string): boolean {
    return this.#records().some((record) => record.id === id);
  }

  remove(id: string): void {
    this.stored.remove(id);
  }

  drop(id: string): boolean {
    return this.#deadLetters().stored.remove(id) !== undefined;
  }

  /** Deletes all waiting messages. Messages of a running invocation are processed to their end. */
  purge(): void {
    for (const { cancel } of this.#delayed.values()) cancel();
    this.#delayed.clear();
    this.stored.clear();
    if (!this.#engine) return;
    this.#engine.stop();
    this.#engine = undefined;
    this.serve();
  }

  /** The numbers of visible, in-flight and delayed messages. */
  counts(): { readonly visible: number; readonly hidden: number; readonly delayed: number } {
    const states = this.#records().map(({ state }) => state);
    const visible = states.filter((state) => state === 'waiting').length;
    return { visible, hidden: states.length - visible - this.#delayed.size, delayed: this.#delayed.size };
  }

  stop(): void {
    for (const { cancel } of this.#delayed.values()) cancel();
    this.#engine?.stop();
  }

  view(): SourceView {
    const dead = this.isServed && this.settings.deadLetter !== false ? this.#deadLetters() : undefined;
    return {
      kind: this.kind,
      name: this.name,
      arn: this.arn,
      hasHandler: this.#context.hasHandler(this.kind, this.name),
      maxDeliveries: this.settings.maxReceiveCount ?? DEFAULTS.maxReceiveCount,
      records: this.#records(),
      deadLetters: dead === undefined ? [] : dead.#records(),
      deadLetterName: dead?.name ?? '',
      done: this.#done,
      filtered: this.#filtered.view(),
      settings: { ...this.settings },
    };
  }

  #records(): readonly SourceRecordView[] {
    const { clock, preview } = this.#context;
    const live = (this.#engine?.snapshot().records ?? []).map(({ id, lane, state, deliveries, until, record }) => ({
      id,
      lane: lane.replace(/^group:/, ''),
      state,
      deliveries,
      until: until === undefined ? null : clock.toEpochMs(until),
      preview: preview(record.body ?? '{}'),
    }));
    const stored = this.stored.messages.map((message) => ({
      id: message.id,
      lane: message.group,
      state: this.stored.isVisible(message) ? 'waiting' : 'in-flight',
      deliveries: message.received,
      until: this.stored.isVisible(message) ? null : clock.toEpochMs(message.visibleAt),
      preview: preview(message.record.body ?? '{}'),
    }));
    const delayed = [...this.#delayed.values()].map(({ id, record, until }) => ({
      id,
      lane: record.groupId ?? '',
      state: 'delayed',
      deliveries: 0,
      until: clock.toEpochMs(until),
      preview: preview(record.body ?? '{}'),
    }));
    return [...live, ...stored, ...delayed];
  }
}

/** The ARN of a queue. */
export const queueArn = (name: string): string => toArn('sqs', name);

/** `orders-dlq`, `orders-dlq.fifo`. */
function deadLetterQueue(name: string): string {
  return name.endsWith('.fifo') ? `${name.slice(0, -'.fifo'.length)}-dlq.fifo` : `${name}-dlq`;
}
