import type { FrameworkError, FullClock, Logger, Observability } from '@sallyport/core';
import { callHook, guardHook, withDeadline } from '@sallyport/core/internal';
import { type Fetched, notFound, type Source, toParametersError } from './source.js';

/** The wait after the first failure, which doubles with each further one; and the least time between two refreshes. */
const RETRY_MS = 1000;

/** Settings of a store. */
export interface StoreSettings {
  readonly clock: FullClock;
  readonly log: Logger;
  readonly observability: Observability;
  readonly ttlMs: number;
  readonly maxAgeMs: number;
  readonly timeoutMs: number;
}

/** One cached value. */
export interface Entry<T> {
  /** The name in its service. @throws FrameworkError for a variable that is not set */
  readonly name: () => string;
  readonly source: Source;
  /** The value for the application. @throws ParametersError for a value that it rejects */
  readonly parse: (fetched: Fetched, signal: AbortSignal) => Promise<T>;
  good: { readonly value: T; readonly version: string; at: number } | undefined;
  /** The last failure, until the next success. */
  error: FrameworkError | undefined;
  failures: number;
  /** The next call, in Unix milliseconds. */
  nextAt: number;
  startedAt: number;
  load: Load | undefined;
}

/** A call for several entries, and the number of its waiting readers. */
interface Load {
  readonly done: Promise<void>;
  readonly stop: AbortController;
  waiting: number;
}

/** A cache of values. Entries of one source that are due are read together. */
export class ParameterStore {
  readonly #settings: StoreSettings;
  readonly entries: Entry<unknown>[] = [];

  constructor(settings: StoreSettings) {
    this.#settings = settings;
  }

  add<T>(source: Source, name: () => string, parse: Entry<T>['parse']): Entry<T> {
    const startedAt = Number.NEGATIVE_INFINITY;
    const entry = { source, name, parse, failures: 0, nextAt: startedAt, startedAt } as Entry<T>;
    this.entries.push(entry as Entry<unknown>);
    return entry;
  }

  /**
   * The cached value. After the TTL it is returned too, and a call in the background reads the next one. The call is awaited if there
   * is no value, or if it is older than the maximum age.
   */
  async read<T>(entry: Entry<T>, signal: AbortSignal | undefined, isForced = false): Promise<T> {
    signal?.throwIfAborted();
    const { clock, maxAgeMs } = this.#settings;
    const now = clock.now().getTime();
    if (isForced && now - entry.startedAt >= (entry.source.pauseMs ?? RETRY_MS)) entry.nextAt = now;
    if (isDue(entry, now)) this.#loadDue(entry, now);
    const { good, load } = entry;
    const isFresh = good !== undefined && now - good.at < maxAgeMs && !isForced;
    if (load && !isFresh) await this.#wait(load, signal);
    if (entry.good) return entry.good.value;
    throw entry.error ?? notFound(entry.name());
  }

  /** Waits for a call. If all its readers leave, it is stopped. */
  async #wait(load: Load, signal: AbortSignal | undefined): Promise<void> {
    load.waiting += 1;
    let leave = () => {};
    const left = new Promise<never>((_, reject) => {
      leave = () => reject(signal?.reason);
      signal?.addEventListener('abort', leave, { once: true });
    });
    try {
      await Promise.race([load.done, left]);
    } finally {
      signal?.removeEventListener('abort', leave);
      load.waiting -= 1;
      if (load.waiting === 0) load.stop.abort();
    }
  }

  #loadDue({ source, load }: Entry<never> | Entry<unknown>, now: number): void {
    if (isActive(load)) return;
    const due = this.entries.filter((one) => one.source === source && !isActive(one.load) && isDue(one, now));
    for (let at = 0; at < due.length; at += source.most) {
      const chunk = due.slice(at, at + source.most);
      const stop = new AbortController();
      const next: Load = { stop, waiting: 0, done: this.#run(chunk, stop.signal).then(() => release(chunk, next)) };
      for (const entry of chunk) Object.assign(entry, { load: next, startedAt: now });
    }
  }

  async #run(chunk: readonly Entry<unknown>[], stopped: AbortSignal): Promise<void> {
    const { clock, timeoutMs: ms } = this.#settings;
    const pending = new Set(chunk);
    try {
      await withDeadline({ ms, clock, signal: stopped }, (signal) => this.#fetch(chunk, signal, pending));
    } catch (error) {
      if (!stopped.aborted) for (const entry of pending) this.#fail(entry, error);
    }
  }

  /**
   * Settles each entry, and removes it from `pending`.
   *
   * @throws the failure of the whole call, if the same call may succeed later
   */
  async #fetch(chunk: readonly Entry<unknown>[], signal: AbortSignal, pending: Set<Entry<unknown>>): Promise<void> {
    const named = chunk.flatMap((entry) => {
      try {
        return [{ entry, name: entry.name() }];
      } catch (error) {
        pending.delete(entry);
        this.#fail(entry, error);
        return [];
      }
    });
    const names = [...new Set(named.map(({ name }) => name))];
    const [{ entry: first } = {}] = named;
    if (!first) return;
    const answers = await first.source.fetch(names, signal).catch((error: unknown) => {
      if (names.length < 2 || toParametersError(error, '').status === 503) throw error;
    });
    const settle = async ({ entry, name }: (typeof named)[number]) => {
      try {
        // One name without permission fails a call for several: each is then read alone.
        if (!answers) return await this.#fetch([entry], signal, pending);
        const answer = answers.get(name);
        if (!answer || answer instanceof Error) throw answer ?? notFound(name);
        await this.#succeed(entry, answer, signal);
      } catch (error) {
        if (!signal.aborted) this.#fail(entry, error);
      }
      if (!signal.aborted) pending.delete(entry);
    };
    await Promise.all(named.map(settle));
  }

  async #succeed(entry: Entry<unknown>, fetched: Fetched, signal: AbortSignal): Promise<void> {
    const { clock, log, ttlMs } = this.#settings;
    const { version } = fetched;
    const old = entry.good;
    const value = old?.version === version ? old.value : await entry.parse(fetched, signal);
    if (signal.aborted) return;
    const at = clock.now().getTime();
    const nextAt = at + Math.max(ttlMs, entry.source.pauseMs ?? 0);
    Object.assign(entry, { good: { value, version, at }, error: undefined, failures: 0, nextAt });
    if (old && old.version !== version) {
      guardHook(() => log.info('framework: a parameter has a new version', { parameter: entry.name() }));
    }
  }

  #fail(entry: Entry<unknown>, thrown: unknown): void {
    const { clock, log, observability, ttlMs } = this.#settings;
    const error = toParametersError(thrown, nameOf(entry));
    const now = clock.now().getTime();
    const nextAt = now + Math.min(ttlMs, RETRY_MS * 2 ** entry.failures);
    const { good, source } = entry;
    const isReported = entry.error?.code === error.code;
    Object.assign(entry, { error, nextAt, failures: Math.min(entry.failures + 1, 20) });
    const tags = { source: source.service, error_code: error.code, outcome: good ? 'last_good' : 'no_value' };
    callHook(observability, 'metric', { name: 'ParameterFailures', value: 1, unit: 'Count', tags });
    // Without an earlier value the reader receives the error, and its container logs it.
    if (!good || isReported) return;
    const fields = { parameter: nameOf(entry), age_ms: now - good.at, error };
    guardHook(() => log.error('framework: a parameter was not refreshed, its last good value is used', fields));
  }
}

/** A clock that was set back must not postpone a call. */
function isDue({ nextAt, startedAt }: Entry<never> | Entry<unknown>, now: number): boolean {
  return now >= nextAt || now < startedAt;
}

function isActive(load: Load | undefined): boolean {
  return load !== undefined && !load.stop.signal.aborted;
}

function release(chunk: readonly Entry<unknown>[], load: Load): void {
  for (const entry of chunk) if (entry.load === load) entry.load = undefined;
}

/** The name for log lines; `''` for a variable that is not set. */
function nameOf({ name }: Entry<unknown>): string {
  try {
    return name();
  } catch {
    return '';
  }
}
