import { FrameworkError } from '@sallyport/core';
import { didYouMean } from '@sallyport/core/internal';
import type { SourcesConfig } from '../config/config.js';
import type { Part, RunBase } from '../host/base.js';
import type { FunctionAccess } from '../host/host.js';
import type { Inspection } from '../inspect/inspection.js';
import type { State } from '../state/state.js';
import type { FailureQueues } from './failures.js';
import { createReceivers } from './receivers.js';
import { readSourceSettings } from './settings.js';
import type { LocalSource, SourceRun, SourceType } from './source.js';
import { findType, SOURCE_TYPES } from './source-types.js';
import type { SourceAction, SourceSend, Sources, SourceView } from './sources.js';
import { createSourceContext } from './sources-context.js';
import { createSpeedClock, type SpeedClock } from './speed-clock.js';

/** The parts of a run that its sources use. */
export interface SourcesHost extends RunBase, FunctionAccess {
  readonly state: Pick<State, 'get'>;
}

/** All sources of a run, by kind and name. A source is created when its registration is first read, and is kept. */
export class LocalSources implements Sources, Part {
  readonly name = 'sources';
  /** The run, as sources and services use it. */
  readonly run: SourceRun;
  readonly #host: SourcesHost;
  readonly #clock: SpeedClock;
  readonly #settings: SourcesConfig;
  readonly #sources = new Map<string, LocalSource>();
  readonly #unused = new Set<string>();
  #unsubscribe = () => {};

  constructor(host: SourcesHost) {
    this.#host = host;
    this.#clock = createSpeedClock(host.clock, host.config.speed);
    this.#settings = readSourceSettings(host.config);
    this.run = {
      ...createSourceContext(
        host,
        this.#clock,
        (kind, name) => this.#hasHandler(kind, name),
        this.#failureQueues(),
        createReceivers(host.config, this.#settings),
      ),
      realClock: host.clock,
      state: host.state,
      get: (type, name) => this.get(type, name),
      namesOf: ({ kind }) => this.#all(kind).map(({ name }) => name),
      inspection: () => host.inspection(),
    };
  }

  async start(): Promise<void> {
    for (const type of SOURCE_TYPES) {
      const named = type.config ? this.#settings[type.config.member] : undefined;
      for (const name of Object.keys(named ?? {})) this.get(type, name);
    }
    this.#unsubscribe = this.#host.onInspection((inspection) => this.#serve(inspection));
    this.#serve(this.#host.inspection());
  }

  async stop(): Promise<void> {
    this.#unsubscribe();
    await Promise.all([...this.#sources.values()].map((source) => source.stop()));
  }

  /** Creates the sources that the function registers. Sources that it no longer registers are kept, as their mappings would be on AWS. */
  #serve({ isOurs, triggers }: Inspection): void {
    for (const trigger of triggers) {
      const type = findType(trigger.kind);
      if (type?.register) type.register(this.run, trigger);
      else if (type) this.get(type, trigger.name).serve?.();
    }
    if (isOurs) this.#noteUnused();
    // The registrations of other frameworks are unknown: all configured sources deliver.
    if (isOurs) return;
    for (const source of this.#sources.values()) if (!this.#isDeadLetterSource(source)) source.serve?.();
  }

  /** Reports, once, settings of sources that the function does not handle. */
  #noteUnused(): void {
    for (const { kind, config } of SOURCE_TYPES) {
      if (!config || kind === 'schedule') continue;
      for (const name of Object.keys(this.#host.config.sources[config.member] ?? {})) {
        const source = this.#sources.get(`${kind} ${name}`);
        const isUsed = this.#hasHandler(kind, name) || (source !== undefined && this.#isDeadLetterSource(source));
        if (isUsed || this.#unused.has(`${kind} ${name}`)) continue;
        this.#unused.add(`${kind} ${name}`);
        this.#host.notice(`sallyport.json: ${config.member}.${name}: ${this.#noHandler(kind, name)}`);
      }
    }
  }

  /** `no handler for the queue "nosuch"; registered are orders`. */
  #noHandler(kind: string, name: string): string {
    const known = this.#host.inspection().triggers.filter((trigger) => trigger.kind === kind && trigger.name !== '');
    const names = known.map((trigger) => trigger.name);
    const registered = names.length === 0 ? `the service registers no ${kind}` : `registered are ${names.join(', ')}`;
    return `no handler for the ${kind} "${name}"${didYouMean(name, names)}; ${registered}`;
  }

  /** The failure queues are queues of SQS, so that clients receive and delete their messages. */
  #failureQueues(): FailureQueues {
    const queueOf = (name: string): LocalSource | undefined => this.#sources.get(`queue ${name}`);
    return {
      add: (name, body) => findType('queue')?.send?.(this.run, name, [{ body: JSON.stringify(body) }])[0] ?? '',
      has: (name, id) => queueOf(name)?.holds?.(id) ?? false,
      remove: (name, id) => queueOf(name)?.remove?.(id),
    };
  }

  #isDeadLetterSource({ kind, name }: LocalSource): boolean {
    if (this.#all(kind).some(({ deadLetterSource }) => deadLetterSource === name)) return true;
    return kind === 'queue' && [...this.#sources.values()].some(({ failureQueues }) => failureQueues?.includes(name));
  }

  #hasHandler(kind: string, name: string): boolean {
    const { isOurs, triggers } = this.#host.inspection();
    if (!isOurs) return true;
    const type = findType(kind);
    if (type?.hasHandler) return type.hasHandler(name, triggers);
    return triggers.some((trigger) => trigger.kind === kind && trigger.name === name);
  }

  /** The source of a name; created if it does not exist. */
  get<S extends LocalSource>(type: SourceType<S>, name: string): S {
    const key = `${type.kind} ${name}`;
    // A key has the kind of its type, so its source is of the class that the type creates.
    const found = this.#sources.get(key) as S | undefined;
    if (found) return found;
    const named = type.config ? this.#settings[type.config.member] : undefined;
    const settings = named && Object.hasOwn(named, name) ? named[name] : undefined;
    const created = type.create(this.run, name, settings ?? {});
    this.#sources.set(key, created);
    return created;
  }

  #all(kind: string): readonly LocalSource[] {
    return [...this.#sources.values()].filter((source) => source.kind === kind);
  }

  list(): readonly SourceView[] {
    const isShown = (source: LocalSource) => source.isServed || !this.#isDeadLetterSource(source);
    return [...this.#sources.values()].filter(isShown).map((source) => source.view());
  }

  send({ kind, name, records, traceId }: SourceSend): readonly string[] {
    const type = findType(kind);
    if (!type?.send) throw unknownSource(kind, name);
    const ids = type.send(this.run, name, records, traceId);
    // The registrations of another framework are unknown: the developer names a source of its mappings.
    if (!this.#host.inspection().isOurs) this.#sources.get(`${kind} ${name}`)?.serve?.();
    return ids;
  }

  assertHandled(kind: string, name: string): void {
    if (this.#hasHandler(kind, name)) return;
    throw new FrameworkError('local.unknown_source', `framework: ${this.#noHandler(kind, name)}`);
  }

  act(kind: string, name: string, action: SourceAction, recordId?: string, fn?: string): void {
    const source = this.#sources.get(`${kind} ${name}`);
    if (!source) throw unknownSource(kind, name);
    if (action === 'fire') {
      if (!source.fire) throw unknownSource('schedule', name);
      source.fire();
    } else if (!actOn(source, action, { id: recordId, fn })) {
      throw new FrameworkError(
        'local.unknown_record',
        `framework: the ${kind} ${name} has no record ${recordId ?? ''}`,
      );
    }
    this.#note(`${kind} ${name}: ${action}`);
  }

  emptyQueues(): void {
    for (const source of this.#sources.values()) source.purge?.();
    this.#note('the queues are empty');
  }

  #note(text: string): void {
    this.#host.journal.note({ at: this.#host.clock.now().getTime(), topic: 'sources', text });
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
}

/** Applies a developer's action to a record of a source. @returns true if the record existed */
function actOn(
  source: LocalSource,
  action: Exclude<SourceAction, 'fire'>,
  { id, fn }: { readonly id: string | undefined; readonly fn: string | undefined },
): boolean {
  if (action === 'now') return source.hurry(id, fn);
  if (id === undefined) return false;
  return action === 'delete' ? source.drop(id, fn) : source.sendBack(id, fn);
}

function unknownSource(kind: string, name: string): FrameworkError {
  const type = findType(kind);
  return new FrameworkError(
    'local.unknown_source',
    `framework: the ${kind} ${name} does not exist${type ? ` (${type.arn(name)})` : ''}`,
  );
}
