import { FrameworkError } from '@sallyport/core';
import {
  buildEventBusEvent,
  buildTopicEvent,
  type EventBusEvent,
  type EventBusOptions,
  type KinesisRecordOptions,
  type QueueRecordOptions,
  type TableStreamRecordOptions,
  type TopicRecordOptions,
} from '@sallyport/testkit/events';
import type { SourcesConfig } from '../config/config.js';
import type { FunctionAccess, Part, RunBase } from '../host/host.js';
import type { Inspection, TriggerView } from '../inspect/inspection.js';
import type { State } from '../state/state.js';
import { type AsyncInit, LocalAsync } from './async.js';
import { arnOf, deadLetterName } from './names.js';
import { LocalQueue } from './queue.js';
import { isSelected, ruleFilter, type Selector } from './rule-filter.js';
import { LocalSchedule } from './schedule.js';
import { readSourceSettings } from './settings.js';
import { actOn, type LocalSource } from './source-action.js';
import type { SourceAction, SourceKind, SourceSend, Sources, SourceView } from './sources.js';
import { createSourceContext, newId, type SourceContext } from './sources-context.js';
import { createSpeedClock, type SpeedClock } from './speed-clock.js';
import { LocalStream } from './stream.js';
import { TableReader } from './table-reader.js';
import { topicFilter } from './topic-filter.js';

/** The default bus of every account. */
export const DEFAULT_BUS = 'default';
/** Kinds whose registrations have the name of a source. */
const NAMED: readonly string[] = ['queue', 'stream', 'table-stream', 'topic', 's3'];

/** The parts of a run that its sources use. */
export interface SourcesHost extends RunBase, FunctionAccess {
  readonly state: Pick<State, 'dynamodb'>;
}

/** All sources of a run, by kind and name. A source is created when its registration is first read, and is kept. */
export class LocalSources implements Sources, Part {
  readonly name = 'sources';
  readonly #host: SourcesHost;
  readonly #clock: SpeedClock;
  readonly #context: SourceContext;
  readonly #settings: SourcesConfig;
  readonly #sources = new Map<string, LocalSource>();
  readonly #schedules = new Map<string, LocalSchedule>();
  readonly #readers = new Map<string, TableReader>();
  #unsubscribe = () => {};
  #isRunning = false;

  constructor(host: SourcesHost) {
    this.#host = host;
    this.#clock = createSpeedClock(host.clock, host.config.speed);
    this.#context = createSourceContext(host, this.#clock, (kind, name) => this.#hasHandler(kind, name));
    this.#settings = readSourceSettings(host.config);
  }

  async start(): Promise<void> {
    this.#isRunning = true;
    const { queues, streams, tableStreams, topics, buses, schedules } = this.#settings;
    for (const name of Object.keys(queues)) this.queue(name);
    for (const name of Object.keys(streams)) this.stream(name);
    for (const name of Object.keys(tableStreams)) this.#stream('table-stream', name);
    for (const name of Object.keys(topics)) this.async('topic', name);
    for (const name of Object.keys(buses)) this.async('event-bus', name);
    for (const name of Object.keys(schedules)) this.#schedule(name);
    this.#unsubscribe = this.#host.onInspection((inspection) => this.#serve(inspection));
    this.#serve(this.#host.inspection());
  }

  async stop(): Promise<void> {
    this.#isRunning = false;
    this.#unsubscribe();
    for (const schedule of this.#schedules.values()) schedule.stop();
    for (const source of this.#sources.values()) source.stop();
    await Promise.all([...this.#readers.values()].map((reader) => reader.stop()));
  }

  /** Creates the sources that the function registers. Sources that it no longer registers are kept, as their mappings would be on AWS. */
  #serve(inspection: Inspection): void {
    for (const trigger of inspection.triggers) this.#serveTrigger(trigger);
    // The registrations of other frameworks are unknown: all configured sources deliver.
    if (inspection.isOurs) return;
    for (const source of this.#sources.values()) {
      if (source instanceof LocalQueue && !this.#isDeadLetterQueue(source)) source.serve();
      else if (source instanceof LocalStream) this.#serveStream(source);
    }
  }

  #serveTrigger({ kind, name, selector }: TriggerView): void {
    if (kind === 'queue') this.queue(name).serve();
    else if (kind === 'stream') this.stream(name).serve();
    else if (kind === 'table-stream') this.#serveStream(this.#stream('table-stream', name));
    else if (NAMED.includes(kind)) this.async(kind as SourceKind, name);
    else if (kind === 'event-bus') this.#serveSelector(selector ?? {});
  }

  #serveSelector(selector: Readonly<Record<string, string>>): void {
    const schedule = selector.scheduleName ?? selector.ruleName;
    if (schedule !== undefined) this.#schedule(schedule);
    else this.async('event-bus', DEFAULT_BUS);
  }

  #serveStream(source: LocalStream): void {
    source.serve(source.arn);
    if (source.kind !== 'table-stream' || this.#readers.has(source.name)) return;
    const reader = new TableReader({
      clock: this.#host.clock,
      endpoint: () => this.#host.state.dynamodb(),
      table: source.name,
      onStream: (arn) => source.serve(arn),
      onRecords: (records) => source.send(records),
    });
    this.#readers.set(source.name, reader);
    if (this.#isRunning) reader.start();
  }

  #isDeadLetterQueue({ name }: LocalQueue): boolean {
    return [...this.#sources.values()].some(
      ({ kind, name: other }) => kind === 'queue' && deadLetterName(kind, other) === name,
    );
  }

  #hasHandler(kind: SourceKind, name: string): boolean {
    const { isOurs, triggers } = this.#host.inspection();
    if (!isOurs || kind === 'invoke') return true;
    if (kind === 'event-bus') return triggers.some((trigger) => trigger.kind === 'event-bus');
    if (kind !== 'schedule') return triggers.some((trigger) => trigger.kind === kind && trigger.name === name);
    return triggers.some(({ selector }) => selector?.ruleName === name || selector?.scheduleName === name);
  }

  /** The queue of a name; created if it does not exist. */
  queue(name: string): LocalQueue {
    const settings = Object.hasOwn(this.#settings.queues, name) ? this.#settings.queues[name] : {};
    return this.#get('queue', name, () => {
      const deadLetters = () => this.queue(deadLetterName('queue', name));
      return new LocalQueue(name, settings ?? {}, this.#context, deadLetters);
    });
  }

  /** The data stream of a name; created if it does not exist. */
  stream(name: string): LocalStream {
    return this.#stream('stream', name);
  }

  #stream(kind: LocalStream['kind'], name: string): LocalStream {
    const all = kind === 'stream' ? this.#settings.streams : this.#settings.tableStreams;
    const settings = Object.hasOwn(all, name) ? all[name] : {};
    return this.#get(kind, name, () => new LocalStream(kind, name, settings ?? {}, this.#context));
  }

  /** The topic, bus, bucket or schedule of a name; created if it does not exist. */
  async(kind: SourceKind, name: string): LocalAsync {
    return this.#get(kind, name, () => new LocalAsync(kind, name, this.#asyncInit(kind, name), this.#context));
  }

  #asyncInit(kind: SourceKind, name: string): AsyncInit {
    const { topics, buses } = this.#settings;
    if (kind === 'topic') {
      const settings = (Object.hasOwn(topics, name) && topics[name]) || {};
      return { settings, takes: topicFilter(name, settings) };
    }
    if (kind !== 'event-bus') return { settings: {} };
    const settings = (Object.hasOwn(buses, name) && buses[name]) || {};
    const filter = ruleFilter(name, settings.rules);
    return { settings, takes: (event: EventBusEvent) => filter(event, this.#handlersOf(event)) };
  }

  /** The selectors that match an event of a bus. */
  #handlersOf(event: EventBusEvent): readonly Selector[] {
    const { triggers } = this.#host.inspection();
    const selectors = triggers.filter(({ kind }) => kind === 'event-bus').map(({ selector = {} }) => selector);
    return selectors.filter((selector) => isSelected(selector, event));
  }

  #schedule(name: string): LocalSchedule {
    const found = this.#schedules.get(name);
    if (found) return found;
    const config = Object.hasOwn(this.#settings.schedules, name) ? this.#settings.schedules[name] : undefined;
    const inspection = () => this.#host.inspection();
    const source = this.async('schedule', name);
    const schedule = new LocalSchedule(source, config ?? { expression: '' }, this.#clock, inspection);
    this.#schedules.set(name, schedule);
    schedule.start();
    return schedule;
  }

  #get<S extends LocalSource>(kind: SourceKind, name: string, make: () => S): S {
    const key = `${kind} ${name}`;
    const found = this.#sources.get(key) as S | undefined;
    if (found) return found;
    const made = make();
    this.#sources.set(key, made);
    return made;
  }

  /** Names of the sources of a kind. */
  namesOf(kind: SourceKind): readonly string[] {
    return [...this.#sources.values()].filter((source) => source.kind === kind).map(({ name }) => name);
  }

  has(kind: SourceKind, name: string): boolean {
    return this.#sources.has(`${kind} ${name}`);
  }

  list(): readonly SourceView[] {
    const isShown = (source: LocalSource) =>
      !(source instanceof LocalQueue) || source.isServed || !this.#isDeadLetterQueue(source);
    return [...this.#sources.values()].filter(isShown).map((source) => source.view());
  }

  send({ kind, name, records, traceId }: SourceSend): readonly string[] {
    switch (kind) {
      case 'queue':
        return records.map((record) => this.queue(name).send(withTrace(record as QueueRecordOptions, traceId)).id);
      case 'stream':
        return this.stream(name).send(records as readonly KinesisRecordOptions[]);
      case 'table-stream':
        return this.#sendChanges(name, records as readonly TableStreamRecordOptions[]);
      case 'topic':
        return records.map((record) => this.publish(name, record as TopicRecordOptions, traceId));
      case 'event-bus':
        return records.map((record) => this.putEvent(name, record as EventBusOptions, traceId));
      case 'schedule':
        return records.map(({ detail }) => this.#schedule(name).fire(detail));
      default:
        throw unknownSource(kind, name);
    }
  }

  /** Sends made-up changes of a table: the function receives them as if they were in the table's stream. */
  #sendChanges(name: string, records: readonly TableStreamRecordOptions[]): readonly string[] {
    const source = this.#stream('table-stream', name);
    source.serve();
    return source.send(records.map((record) => ({ eventID: newId(), time: this.#clock.now(), ...record })));
  }

  /** Publishes a message to a topic. @returns its id */
  publish(topic: string, record: TopicRecordOptions, traceId?: string): string {
    const source = this.async('topic', topic);
    const messageId = record.messageId ?? newId();
    const event = buildTopicEvent(source.arn, [{ time: this.#clock.now(), ...record, messageId }]);
    return this.#sendTo(source, messageId, event, traceId, 'no handler');
  }

  /** Puts an event on a bus. An event that no selector matches is listed and not delivered. @returns its id */
  putEvent(bus: string, options: EventBusOptions, traceId?: string): string {
    const source = this.async('event-bus', bus);
    const id = options.id ?? newId();
    const time = new Date(Math.floor(this.#clock.now().getTime() / 1000) * 1000);
    const event = buildEventBusEvent({ time, ...options, id });
    if (this.#host.inspection().isOurs && this.#handlersOf(event).length === 0) {
      source.refuse(id, event, 'no selector');
      this.#context.notice(`no selector matches the event ${event.source}, ${event['detail-type']} of the bus ${bus}`);
      return id;
    }
    return source.send(id, event, traceId);
  }

  /** Notifies the function of a change in a bucket, if it has a handler for the bucket. */
  notifyBucket(bucket: string, event: object, traceId?: string): void {
    if (this.#hasHandler('s3', bucket)) this.async('s3', bucket).send(newId(), event, traceId);
  }

  /** Invokes the function with any event, asynchronously. @returns the id of the event */
  invokeLater(event: unknown, traceId?: string): string {
    return this.async('invoke', this.#host.config.name).send(newId(), event, traceId);
  }

  #sendTo(source: LocalAsync, id: string, event: unknown, traceId: string | undefined, refusal: string): string {
    if (this.#hasHandler(source.kind, source.name)) return source.send(id, event, traceId);
    source.refuse(id, event, refusal);
    this.#context.notice(`no handler is registered for the ${source.kind} ${source.name}`);
    return id;
  }

  act(kind: SourceKind, name: string, action: SourceAction, recordId?: string): void {
    const source = this.#sources.get(`${kind} ${name}`);
    if (!source) throw unknownSource(kind, name);
    if (action === 'fire') {
      if (kind !== 'schedule') throw unknownSource('schedule', name);
      this.#schedule(name).fire();
    } else if (!actOn(source, action, recordId, () => this.queue(deadLetterName(kind, name)))) {
      throw new FrameworkError(
        'local.unknown_record',
        `framework: the ${kind} ${name} has no record ${recordId ?? ''}`,
      );
    }
    this.#host.journal.note({
      at: this.#host.clock.now().getTime(),
      topic: 'sources',
      text: `${kind} ${name}: ${action}`,
    });
  }

  emptyQueues(): void {
    for (const source of this.#sources.values()) if (source instanceof LocalQueue) source.purge();
    this.#host.journal.note({ at: this.#host.clock.now().getTime(), topic: 'sources', text: 'the queues are empty' });
  }

  speed(): number {
    return this.#clock.speed;
  }

  setSpeed(speed: number): void {
    if (!Number.isFinite(speed) || speed <= 0) {
      throw new FrameworkError('local.usage', 'framework: the speed must be a number greater than 0');
    }
    this.#clock.setSpeed(speed);
  }

  async settle(): Promise<void> {
    const busy = () => [...this.#sources.values()].filter((source) => !source.isIdle);
    for (let sources = busy(); sources.length > 0 && this.#isRunning; sources = busy()) {
      await Promise.all(sources.map((source) => source.settle()));
      await new Promise(setImmediate);
    }
  }
}

function withTrace(record: QueueRecordOptions, traceId: string | undefined): QueueRecordOptions {
  if (traceId === undefined) return record;
  return { ...record, attributes: { AWSTraceHeader: traceId, ...record.attributes } };
}

function unknownSource(kind: SourceKind, name: string): FrameworkError {
  return new FrameworkError(
    'local.unknown_source',
    `framework: the ${kind} ${name} does not exist (${arnOf(kind, name)})`,
  );
}
