import type { FullClock } from '@sallyport/core';
import type { Config } from '../config/config.js';
import type { LogLine } from '../journal/journal.js';
import { Environment, type EnvironmentEvents } from './environment.js';
import { InitFailure } from './failures.js';
import type { Guardian } from './guardian.js';
import type { StartOrder } from './spawn.js';

/** The maximum init phase; if it takes longer, it runs again in the first invocation, under the function's timeout. */
const INIT_LIMIT_MS = 10_000;
/** If no event comes after new code is ready, the next standby starts after this time. */
const STANDBY_MS = 250;
/** Time for the first answer to reach its client. */
const ANSWER_MS = 20;
/** An environment beyond the first ends after this time without an event. Lambda does not document its own time. */
const IDLE_MS = 300_000;
/**
 * The maximum init phase of a managed instance, unless the function's timeout is longer. It ends when one worker requests an event.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/lambda-managed-instances-execution-environment.html
 */
const MANAGED_INIT_LIMIT_MS = 130_000;

/** The maximum init phase of a function, in milliseconds. */
export function initLimitMs({ managedInstances, timeoutMs }: Pick<Config, 'managedInstances' | 'timeoutMs'>): number {
  return managedInstances === undefined ? INIT_LIMIT_MS : Math.max(MANAGED_INIT_LIMIT_MS, timeoutMs);
}

/** The runnable output of a build. */
export interface RunnableCode {
  readonly order: Omit<StartOrder, 'variables'>;
  /** Files that a standby loads before it waits. */
  readonly preload: readonly string[];
}

/** Options of a {@link Pool}. */
export interface PoolInit {
  readonly config: Config;
  readonly nodeMajor: number;
  /** Measures how long environments are idle. */
  readonly clock: FullClock;
  readonly guardian: Guardian;
  /** Variables in addition to Lambda's, read when an environment starts. */
  readonly variables: () => Readonly<Record<string, string>>;
  readonly onLog: (environment: Environment, requestId: string, line: LogLine) => void;
  readonly onMessage: (environment: Environment, message: Readonly<Record<string, unknown>>) => void;
  /** Called when an environment waits for an event again. */
  readonly onFree: (environment: Environment, left: readonly string[]) => void;
  /** Called when environments start, end or change. */
  readonly onChange: () => void;
}

/** The environments of the running function, environments that finish an invocation on older code, and one standby. */
export class Pool {
  readonly #init: PoolInit;
  readonly #environments = new Set<Environment>();
  readonly #retired = new Set<Environment>();
  readonly #closing: Promise<void>[] = [];
  #code: RunnableCode | undefined;
  #standby: Promise<Environment> | undefined;
  /** True for the standby of the first build, which has loaded no dependencies. */
  #isStandbyEmpty = false;
  /** Modules of Node that the service has loaded until the first answer. */
  #modules: readonly string[] = [];
  #standbyTimer: NodeJS.Timeout | undefined;
  /** True until the first event after a build has its answer, or the standby starts. */
  #awaitsAnswer = false;
  #starting = 0;
  #made = 0;
  #isClosed = false;
  /** Time of the last poll of each environment for an event, in milliseconds of the clock. */
  readonly #idleSince = new WeakMap<Environment, number>();
  #stopWatching = () => {};

  constructor(init: PoolInit) {
    this.#init = init;
    this.#watchIdle();
  }

  #watchIdle(): void {
    this.#stopWatching = this.#init.clock.after(IDLE_MS / 10, () => {
      this.#endIdle();
      this.#watchIdle();
    });
  }

  /** Ends environments of a burst that has passed. The newest is kept, so that the next event finds a warm one. */
  #endIdle(): void {
    const now = this.#init.clock.monotonicMs();
    const idle = [...this.#environments].filter(({ state, running }) => state === 'idle' && running === 0);
    const kept = idle.length === this.#environments.size ? idle.slice(0, -1) : idle;
    for (const environment of kept)
      if (now - (this.#idleSince.get(environment) ?? now) > IDLE_MS) environment.kill('stopped');
  }

  get all(): readonly Environment[] {
    return [...this.#environments, ...this.#retired];
  }

  isCurrent(environment: Environment): boolean {
    return this.#environments.has(environment);
  }

  /** An environment that can accept an event now; `undefined` if all are busy. */
  findFree(): Environment | undefined {
    for (const environment of this.#environments) {
      if (environment.hasRoom && this.#mayTake(environment)) return environment;
    }
    return undefined;
  }

  /** As `findFree`, with the place reserved for the caller. */
  takeFree(): Environment | undefined {
    const free = this.findFree();
    free?.reserve();
    return free;
  }

  /** True if an environment is about to be free, so that no other has to start. */
  get isFinishing(): boolean {
    return [...this.#environments].some((environment) => environment.isFinishing);
  }

  /** True if an init phase that exceeds its limit runs again in the first invocation. */
  get repeatsInit(): boolean {
    return this.#init.config.managedInstances === undefined;
  }

  /** True if a call for which no environment is free fails; an account of AWS has 1,000 environments, not 10. */
  get isThrottled(): boolean {
    return this.#init.config.isThrottled;
  }

  /** True if another environment can be started. */
  get hasPlace(): boolean {
    const { inspect, managedInstances, concurrency } = this.#init.config;
    const most = inspect !== undefined || managedInstances !== undefined ? 1 : concurrency;
    return !this.#isClosed && this.#code !== undefined && this.#environments.size + this.#starting < most;
  }

  /**
   * Starts an environment and resolves when it is ready.
   *
   * @param isTaken true if its place is reserved for the caller
   * @param limitMs maximum duration of the init phase
   * @throws InitFailure
   */
  async start(isTaken: boolean, limitMs = initLimitMs(this.#init.config)): Promise<Environment> {
    const code = this.#code;
    if (!code) throw new Error('there is no build');
    this.#starting += 1;
    let environment: Environment;
    try {
      environment = await this.#create(code);
    } finally {
      this.#starting -= 1;
    }
    if (isTaken) environment.reserve();
    // The code has changed while the process started.
    if (code !== this.#code) this.#retired.add(environment);
    else this.#environments.add(environment);
    this.#init.onChange();
    await withLimit(environment, this.#init.config.inspect === undefined ? limitMs : undefined);
    if (this.#retired.has(environment) && !isTaken) environment.kill('stopped');
    return environment;
  }

  /** Uses new code: no environment starts on the old code, and running invocations finish. */
  use(code: RunnableCode | undefined): void {
    const preload = this.#code?.preload.join() ?? '';
    for (const environment of this.#environments) {
      this.#environments.delete(environment);
      this.#retired.add(environment);
      if (environment.running === 0) environment.kill('stopped');
    }
    this.#code = code;
    if (code && code.preload.join() !== preload && !this.#isStandbyEmpty) this.#dropStandby();
    this.#init.onChange();
  }

  /**
   * Starts the standby of the next build when the first event has its answer, because the start of a process would take time from that
   * event; or soon, if no event comes.
   */
  prepareStandby(): void {
    this.#awaitsAnswer = true;
    this.#startStandbyIn(STANDBY_MS);
  }

  /** An event has its answer. */
  onAnswer(): void {
    // Only the first one: constant traffic must not delay the standby.
    if (!this.#awaitsAnswer) return;
    this.#awaitsAnswer = false;
    this.#startStandbyIn(ANSWER_MS);
  }

  /** Starts a process while the first build is being made. It loads only the runtime client. */
  prepareFirst(): void {
    const { inspect, managedInstances } = this.#init.config;
    if (inspect !== undefined || managedInstances !== undefined || this.#code || this.#standby) return;
    this.#isStandbyEmpty = true;
    this.#standby = this.#make([], undefined);
    this.#standby.catch(() => {});
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#stopWatching();
    clearTimeout(this.#standbyTimer);
    this.#dropStandby();
    for (const environment of this.all) environment.kill('stopped');
    await Promise.all([...this.all.map(({ ended }) => ended), ...this.#closing]);
  }

  #startStandbyIn(ms: number): void {
    clearTimeout(this.#standbyTimer);
    this.#standbyTimer = setTimeout(() => {
      this.#awaitsAnswer = false;
      this.#startStandby();
    }, ms);
  }

  /** Loads the dependencies of the code in a process that waits for the next build. */
  #startStandby(): void {
    const { inspect, managedInstances, bundle, hasStandby } = this.#init.config;
    const code = this.#code;
    const isWanted = inspect === undefined && managedInstances === undefined && !bundle && hasStandby;
    if (!isWanted || !code || this.#standby || this.#isClosed) return;
    this.#standby = this.#make(code.preload, undefined);
    this.#standby.catch(() => {});
  }

  #mayTake(environment: Environment): boolean {
    const { managedInstances, concurrency } = this.#init.config;
    return environment.running < (managedInstances === undefined ? 1 : concurrency);
  }

  async #create({ order, preload }: RunnableCode): Promise<Environment> {
    const variables = { ...this.#init.variables(), _HANDLER: `index.${order.handler}`, LAMBDA_TASK_ROOT: order.folder };
    // The standby saves the wait after a save; additional environments start cold, as on Lambda.
    const standby = this.#environments.size === 0 ? this.#standby : undefined;
    const isEmpty = this.#isStandbyEmpty;
    if (standby) this.#standby = undefined;
    this.#isStandbyEmpty = false;
    const waiting = await standby?.catch(() => undefined);
    if (waiting && !waiting.isDead) {
      waiting.begin({ ...order, variables });
      // It loads the dependencies now, as a cold start does.
      waiting.fromStandby = !isEmpty;
      return waiting;
    }
    return this.#make(preload, { ...order, variables });
  }

  #make(preload: readonly string[], order: StartOrder | undefined): Promise<Environment> {
    const { config, nodeMajor, guardian, variables } = this.#init;
    this.#made += 1;
    const id = `${process.pid.toString(36)}-${this.#made}`;
    return Environment.start({
      id,
      config,
      nodeMajor,
      guardian,
      variables: variables(),
      preload,
      modules: this.#modules,
      ...(order ? { order } : {}),
      events: this.#eventsOf(),
    });
  }

  #eventsOf(): EnvironmentEvents {
    const { onLog, onMessage, onFree, onChange } = this.#init;
    return {
      onFree: (environment, left) => {
        this.#idleSince.set(environment, this.#init.clock.monotonicMs());
        if (this.#retired.has(environment) && environment.running === 0) environment.kill('stopped');
        onFree(environment, left);
      },
      onEnd: (environment) => {
        this.#environments.delete(environment);
        this.#retired.delete(environment);
        onChange();
      },
      onLog,
      onMessage: (environment, message) => {
        if (message.type === 'loaded') this.#modules = message.names as readonly string[];
        else onMessage(environment, message);
      },
    };
  }

  #dropStandby(): void {
    const standby = this.#standby;
    this.#standby = undefined;
    const gone = standby?.then(async (environment) => {
      environment.kill('stopped');
      await environment.ended;
    });
    if (gone) this.#closing.push(gone.catch(() => {}));
  }
}

/** Waits until the function is loaded, at most `limitMs`. */
async function withLimit(environment: Environment, limitMs: number | undefined): Promise<void> {
  const limit =
    limitMs === undefined ? undefined : environment.startLimit(limitMs, '', () => environment.kill('timeout'));
  limit?.wait.includeOthers();
  try {
    await environment.ready;
  } catch (error) {
    // The process is exiting; no call must use it.
    await environment.ended;
    throw error instanceof InitFailure
      ? error
      : new InitFailure('init', { errorType: 'Runtime.Unknown', errorMessage: String(error) });
  } finally {
    limit?.timer.cancel();
  }
}
