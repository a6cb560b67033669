import { randomUUID } from 'node:crypto';
import { relative } from 'node:path';
import type { DescribedService } from '@sallyport/contract/service';
import type { FullClock } from '@sallyport/core';
import { isObject, LAMBDA_MAX_EVENT_BYTES } from '@sallyport/core/internal';
import { type Explanation, explain } from '@sallyport/dispatch';
import type { Config } from '../config/config.js';
import { recordWrite } from '../differences/record-write.js';
import type { Inspection } from '../inspect/inspection.js';
import { NOTHING_KNOWN, type RawInspection, toInspection } from '../inspect/to-inspection.js';
import type { GateDecision, InvocationRecord, Journal, LogLine, SpanRecord } from '../journal/journal.js';
import { startTrace } from '../journal/trace.js';
import { type Call, failed, headersOf, summaryOf, toOutcome } from './call.js';
import type { Environment } from './environment.js';
import { InitFailure, tooLarge } from './failures.js';
import type { Guardian } from './guardian.js';
import type {
  BuildProblem,
  CodeState,
  EnvironmentView,
  FunctionError,
  InvokeOptions,
  InvokeOutcome,
  Invoker,
} from './invoker.js';
import { Placement } from './placement.js';
import { Pool, type RunnableCode } from './pool.js';
import type { Question } from './process.js';

const MAX_ASYNC_EVENT_BYTES = 1_048_576;

/** Options of a {@link FunctionRuntime}. */
export interface FunctionRuntimeInit {
  readonly config: Config;
  readonly nodeMajor: number;
  readonly journal: Journal;
  readonly guardian: Guardian;
  readonly clock: FullClock;
  readonly now: () => number;
  /** Variables of the other parts and of the developer. */
  readonly variables: () => Readonly<Record<string, string>>;
  /** Receives the inspection of the running function. */
  readonly onInspection: (inspection: Inspection) => void;
  readonly notice: (text: string) => void;
}

/** Runs the function as Lambda does: each environment runs one event at a time, and new environments start if all are busy. */
export class FunctionRuntime implements Invoker {
  readonly #init: FunctionRuntimeInit;
  readonly #pool: Pool;
  readonly #placement: Placement;
  /** Lines that were written before the first invocation, by environment. */
  readonly #early = new Map<string, LogLine[]>();
  #code: CodeState = { state: 'starting' };
  #inspection: Inspection = NOTHING_KNOWN;

  constructor(init: FunctionRuntimeInit) {
    this.#init = init;
    this.#pool = new Pool({
      config: init.config,
      nodeMajor: init.nodeMajor,
      guardian: init.guardian,
      clock: init.clock,
      variables: init.variables,
      onLog: (environment, requestId, line) => this.#onLog(environment, requestId, line),
      onMessage: (environment, message) => this.#onMessage(environment, message),
      onFree: (environment, left) => this.#onFree(environment, left),
      onChange: () => {
        this.#placement.wake();
        init.journal.note({ at: init.now(), topic: 'environments', text: '' });
      },
    });
    this.#placement = new Placement({
      pool: this.#pool,
      timeoutMs: init.config.timeoutMs,
      now: init.now,
      code: () => this.#code,
    });
  }

  code(): CodeState {
    return this.#code;
  }

  inspection(): Inspection {
    return this.#inspection;
  }

  environments(): readonly EnvironmentView[] {
    return this.#pool.all.map(({ id, state, pid, invocations, memoryMb }) => ({
      id,
      state: state === 'dead' ? 'idle' : state,
      pid,
      invocations,
      memoryMb,
    }));
  }

  /** Starts the process that the first build will run in, while it is being made. */
  prepare(): void {
    this.#pool.prepareFirst();
  }

  /** Uses a successful build. Loads it immediately, so that the next event finds a warm environment. */
  async use(code: RunnableCode, buildMs: number): Promise<void> {
    this.#pool.use(code);
    this.#code = { state: 'ready', builtAt: this.#init.now(), buildMs };
    if (this.#pool.hasPlace) await this.#warmUp();
    this.#placement.wake();
    this.#pool.prepareStandby();
  }

  /** Reports a failed build: no event runs on old code. */
  break(problems: readonly BuildProblem[]): void {
    this.#code = { state: 'broken', problems };
    this.#pool.use(undefined);
  }

  async invoke(event: unknown, options: InvokeOptions): Promise<InvokeOutcome> {
    const { journal, now } = this.#init;
    const requestId = randomUUID();
    const trace = startTrace(options.traceId, now());
    const { root: traceId, segment, parent, header } = trace;
    const id = journal.open({ requestId, traceId, segment, parent, origin: options.origin, event });
    options.onOpen?.(id);
    const text = JSON.stringify(event) ?? 'null';
    const outcome = await this.#serve({ id, requestId, text, header, options });
    if (outcome.ok) journal.update(id, { status: 'ok', answer: outcome.answer, summary: summaryOf(outcome.answer) });
    else journal.update(id, { status: 'failed', error: outcome.error, summary: outcome.error.errorType });
    return outcome;
  }

  /** The result of the function's own `explain`; for a handler that is not a Sallyport handler, of the built-in table. */
  async explain(event: unknown, lambdaContext?: object): Promise<unknown> {
    const own = this.#inspection.isOurs ? await this.#ask('explain', { event, context: lambdaContext }) : undefined;
    return own ?? explain(event, lambdaContext);
  }

  /**
   * Starts one environment and stops it.
   *
   * @returns the milliseconds of its init phase
   * @throws InitFailure
   */
  async coldStart(): Promise<number> {
    const environment = await this.#pool.start(true);
    environment.kill('stopped');
    await environment.ended;
    return environment.initMs;
  }

  async stop(): Promise<void> {
    this.#placement.stop();
    await this.#pool.close();
  }

  async #ask(question: Question, more?: object): Promise<unknown> {
    const environment = this.#pool.findFree() ?? this.#pool.all.find(({ isDead }) => !isDead);
    return environment?.ask(question, more);
  }

  /** The registrations with their schemas; an empty list if the function does not describe itself. */
  async #describe(): Promise<readonly DescribedService[]> {
    const described = await this.#ask('contract');
    if (!isObject(described)) return [];
    const { folder, entry } = this.#init.config;
    return [{ ...(described as unknown as DescribedService), function: relative(folder, entry).replaceAll('\\', '/') }];
  }

  async #warmUp(): Promise<void> {
    try {
      const environment = await this.#pool.start(false);
      if (environment.running === 0) environment.freeze();
    } catch (error) {
      if (error instanceof InitFailure && error.reason !== 'stopped') {
        const problem = loadProblem(error.error, this.#init.config);
        if (this.#code.state === 'ready') this.#code = { ...this.#code, problem };
        this.#init.notice(`the service does not load: ${problem}`);
      }
    }
  }

  async #serve(call: Call): Promise<InvokeOutcome> {
    const { options, text } = call;
    const most = options.asynchronous ? MAX_ASYNC_EVENT_BYTES : LAMBDA_MAX_EVENT_BYTES;
    if (Buffer.byteLength(text) > most) return failed(call, 'size', tooLarge(most));
    const found = await this.#placement.find(call);
    if ('reason' in found) return failed(call, found.reason, found.error);
    return this.#run(found.environment, call, found.spentMs);
  }

  async #run(environment: Environment, call: Call, spentMs: number): Promise<InvokeOutcome> {
    const { journal, config, now, variables } = this.#init;
    const { id, requestId, text, options } = call;
    const startedAt = now();
    const isFirst = environment.invocations === 0;
    const start = !isFirst ? 'warm' : environment.fromStandby ? 'warm start' : 'cold';
    journal.update(id, {
      status: 'running',
      environment: { id: environment.id, start, initMs: isFirst ? environment.initMs : 0 },
    });
    for (const line of this.#early.get(environment.id)?.splice(0) ?? []) journal.append(id, 'logs', line);
    const result = await environment.run({
      requestId,
      event: text,
      headers: headersOf(call, config.name, variables()),
      timeoutMs: Math.max(1, config.timeoutMs - spentMs),
      sink: options.stream,
    });
    this.#pool.onAnswer();
    // A managed instance requests its next event after it accepts an event, not after the response: a full environment has room here.
    if (config.managedInstances !== undefined) this.#placement.wake();
    journal.update(id, { ms: now() - startedAt, maxMemoryMb: environment.peakMb || null });
    // The event of an authorizer resembles a request, but is not a request.
    if (!this.#inspection.isOurs && options.origin.kind !== 'authorizer') this.#explainForeign(id, call);
    return toOutcome(call, result);
  }

  #explainForeign(id: number, { text }: Call): void {
    const explanation = explain(JSON.parse(text));
    this.#init.journal.update(id, { explain: explanation, kind: explanation.kind });
  }

  #onFree(environment: Environment, left: readonly string[]): void {
    const id = this.#init.journal.idOf(environment.lastRequest);
    if (id !== undefined) for (const name of left) this.#init.journal.append(id, 'leftovers', name);
    this.#placement.wake();
    // A waiting call uses the environment in a later turn; it is frozen only if no call does.
    setImmediate(() => {
      if (environment.running === 0 && environment.state === 'idle') environment.freeze();
    });
  }

  #onLog(environment: Environment, requestId: string, line: LogLine): void {
    const id = this.#init.journal.idOf(requestId);
    if (id !== undefined) {
      this.#init.journal.append(id, 'logs', line);
      return;
    }
    const early = this.#early.get(environment.id) ?? [];
    if (early.length < 200) early.push(line);
    this.#early.set(environment.id, early);
  }

  #onMessage(environment: Environment, message: Readonly<Record<string, unknown>>): void {
    const { journal } = this.#init;
    if (message.type === 'inspection') this.#onInspection(environment, message.inspection);
    const id = journal.idOf(String(message.id));
    if (message.type === 'wrote') recordWrite(this.#init, id, String(message.path));
    if (id === undefined) return;
    if (message.type === 'span') journal.append(id, 'spans', message.span as SpanRecord);
    if (message.type === 'gate') journal.append(id, 'gate', message.decision as GateDecision);
    if (message.type === 'thrown') journal.update(id, { thrown: message.errors as InvocationRecord['thrown'] });
    if (message.type === 'explained') {
      const { kind } = message.explain as Explanation;
      journal.update(id, { explain: message.explain, kind });
    }
  }

  #onInspection(environment: Environment, raw: unknown): void {
    if (!this.#pool.isCurrent(environment)) return;
    this.#inspection = toInspection(raw as RawInspection, {
      explain: (event, context) => this.explain(event, context),
      openapi: async () => (await this.#ask('openapi')) ?? null,
      contract: () => this.#describe(),
    });
    this.#init.onInspection(this.#inspection);
  }
}

/** The error of an init phase for the developer. AWS's client names the file of this package that it loads. */
function loadProblem({ errorType, errorMessage }: FunctionError, { folder, entry, handler }: Config): string {
  if (errorType !== 'Runtime.HandlerNotFound') return `${errorType}: ${errorMessage}`;
  const file = relative(folder, entry);
  return `${errorType}: ${file} exports no function "${handler}": export it, or name another export with --handler`;
}
