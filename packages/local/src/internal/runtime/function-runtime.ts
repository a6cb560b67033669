import { randomUUID } from 'node:crypto';
import { type Explanation, explain } from '@sallyport/dispatch';
import type { Config } from '../config/config.js';
import type { Inspection } from '../inspect/inspection.js';
import { NOTHING_KNOWN, toInspection } from '../inspect/to-inspection.js';
import type { GateDecision, Journal, LogLine, SpanRecord } from '../journal/journal.js';
import { startTrace } from '../journal/trace.js';
import { type Environment, InitFailure, type RunResult } from './environment.js';
import { type Guardian, startGuardian } from './guardian.js';
import type {
  BuildProblem,
  CodeState,
  EnvironmentView,
  FailureReason,
  FunctionError,
  InvokeOptions,
  InvokeOutcome,
  Invoker,
} from './invoker.js';
import { Pool, type RunnableCode } from './pool.js';
import { functionArn } from './variables.js';

const MAX_EVENT_BYTES = 6_291_456;
/** How long an environment that has answered may take to ask for its next event, before another one is started. */
const FINISHING_MS = 200;
const MAX_ASYNC_EVENT_BYTES = 1_048_576;

/** What the runtime needs of the run. */
export interface FunctionRuntimeInit {
  readonly config: Config;
  readonly nodeMajor: number;
  readonly journal: Journal;
  readonly now: () => number;
  /** Variables of the other parts and of the developer. */
  readonly variables: () => Readonly<Record<string, string>>;
  /** The function that runs now has said what it is. */
  readonly onInspection: (inspection: Inspection) => void;
  readonly notice: (text: string) => void;
}

interface Call {
  readonly id: number;
  readonly requestId: string;
  readonly text: string;
  readonly header: string;
  readonly options: InvokeOptions;
}

/** Runs the function as Lambda does: one event at a time in each environment, new ones when all are busy. */
export class FunctionRuntime implements Invoker {
  readonly #init: FunctionRuntimeInit;
  readonly #guardian: Guardian = startGuardian();
  readonly #pool: Pool;
  /** Calls that may wait, oldest first. */
  #waiting: (() => void)[] = [];
  /** Lines that were written before there was an invocation, by environment. */
  readonly #early = new Map<string, LogLine[]>();
  #code: CodeState = { state: 'starting' };
  #inspection: Inspection = NOTHING_KNOWN;
  #isStopped = false;

  constructor(init: FunctionRuntimeInit) {
    this.#init = init;
    this.#pool = new Pool({
      config: init.config,
      nodeMajor: init.nodeMajor,
      guardian: this.#guardian,
      variables: init.variables,
      onLog: (environment, requestId, line) => this.#onLog(environment, requestId, line),
      onMessage: (environment, message) => this.#onMessage(environment, message),
      onFree: (environment, left) => this.#onFree(environment, left),
      onChange: () => {
        this.#wake();
        init.journal.note({ at: init.now(), topic: 'environments', text: '' });
      },
    });
  }

  code(): CodeState {
    return this.#code;
  }

  inspection(): Inspection {
    return this.#inspection;
  }

  /** For other processes of the run: they end with it too. */
  get guardian(): Guardian {
    return this.#guardian;
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

  /** A build that compiled. Loads it at once, so that the next event finds it warm. */
  async use(code: RunnableCode, buildMs: number): Promise<void> {
    this.#pool.use(code);
    this.#code = { state: 'ready', builtAt: this.#init.now(), buildMs };
    if (this.#pool.hasPlace) await this.#warmUp();
    this.#wake();
    this.#pool.prepareStandby();
  }

  /** A build that did not compile: nothing runs on old code. */
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
    const text = JSON.stringify(event) ?? 'null';
    const outcome = await this.#serve({ id, requestId, text, header, options });
    if (outcome.ok) journal.update(id, { status: 'ok', answer: outcome.answer, summary: summaryOf(outcome.answer) });
    else journal.update(id, { status: 'failed', error: outcome.error, summary: outcome.error.errorType });
    return outcome;
  }

  /** The reply of the function's own `explain`; for a handler that is not ours, of the fixed table. */
  async explain(event: unknown, lambdaContext?: object): Promise<unknown> {
    const own = this.#inspection.isOurs ? await this.#ask('explain', { event, context: lambdaContext }) : undefined;
    return own ?? explain(event, lambdaContext);
  }

  /**
   * Starts one environment and ends it.
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
    this.#isStopped = true;
    this.#wake();
    await this.#pool.close();
  }

  async #ask(question: 'explain' | 'openapi', more?: object): Promise<unknown> {
    const environment = this.#pool.findFree() ?? this.#pool.all.find(({ isDead }) => !isDead);
    return environment?.ask(question, more);
  }

  async #warmUp(): Promise<void> {
    try {
      const environment = await this.#pool.start(false);
      if (environment.running === 0) environment.freeze();
    } catch (error) {
      if (error instanceof InitFailure && error.reason !== 'stopped') {
        const { errorType, errorMessage } = error.error;
        this.#init.notice(`the service does not load: ${errorType}: ${errorMessage}`);
      }
    }
  }

  async #serve(call: Call): Promise<InvokeOutcome> {
    const { options, text } = call;
    const most = options.asynchronous ? MAX_ASYNC_EVENT_BYTES : MAX_EVENT_BYTES;
    if (Buffer.byteLength(text) > most) return failed(call, 'size', tooLarge(most));
    const found = await this.#environmentFor(call);
    if ('reason' in found) return failed(call, found.reason, found.error);
    return this.#run(found.environment, call, found.spentMs);
  }

  async #environmentFor(call: Call): Promise<Found> {
    const mayWait = call.options.whenBusy === 'wait';
    let isPatient = true;
    for (;;) {
      if (this.#isStopped || call.options.signal?.aborted) return { reason: 'stopped', error: STOPPED };
      if (this.#code.state === 'broken' && !mayWait)
        return { reason: 'build', error: brokenError(this.#code.problems) };
      const free = this.#code.state === 'ready' ? this.#pool.takeFree() : undefined;
      if (free) return { environment: free, spentMs: 0 };
      if (isPatient && this.#pool.isFinishing) {
        isPatient = false;
        await this.#turn(AbortSignal.timeout(FINISHING_MS));
        continue;
      }
      if (this.#pool.hasPlace && this.#code.state === 'ready') return this.#startFor(call);
      if (!mayWait && this.#code.state === 'ready') return { reason: 'throttled', error: THROTTLED };
      await this.#turn(call.options.signal);
    }
  }

  /** A cold start; an init that takes too long happens again, under the function's timeout. */
  async #startFor({ requestId }: Call): Promise<Found> {
    const { timeoutMs } = this.#init.config;
    const begin = this.#init.now();
    try {
      return { environment: await this.#pool.start(true), spentMs: 0 };
    } catch (error) {
      if (!(error instanceof InitFailure)) throw error;
      if (error.reason === 'stopped') return { reason: 'stopped', error: error.error };
      if (error.reason === 'init') return { reason: 'init', error: error.error };
    }
    const again = this.#init.now();
    try {
      const environment = await this.#pool.start(true, timeoutMs);
      return { environment, spentMs: this.#init.now() - again };
    } catch {
      const seconds = (timeoutMs / 1000).toFixed(2);
      const waited = ((this.#init.now() - begin) / 1000).toFixed(1);
      const errorMessage = `RequestId: ${requestId} Error: Task timed out after ${seconds} seconds (in its init phase; ${waited} s in all)`;
      return { reason: 'timeout', error: { errorType: 'Sandbox.Timedout', errorMessage } };
    }
  }

  /** Until an environment is free or a build is there. */
  #turn(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      signal?.addEventListener('abort', () => resolve(), { once: true });
    });
  }

  async #run(environment: Environment, call: Call, spentMs: number): Promise<InvokeOutcome> {
    const { journal, config, now } = this.#init;
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
      headers: headersOf(call, config.name),
      timeoutMs: Math.max(1, config.timeoutMs - spentMs),
      sink: options.stream,
    });
    // It asks for its next event when it has taken one, not when it has answered: a full one gets room here.
    if (config.managedInstances !== undefined) this.#wake();
    journal.update(id, { ms: now() - startedAt, maxMemoryMb: environment.peakMb });
    // The event of an authorizer looks like a request, and is none.
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
    this.#wake();
    // Whoever waits takes it in a later turn; frozen only when nobody did.
    setImmediate(() => {
      if (environment.running === 0 && environment.state === 'idle') environment.freeze();
    });
  }

  /** Whoever waits looks again, in the order in which they came. */
  #wake(): void {
    for (const go of this.#waiting.splice(0)) go();
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
    if (id === undefined) return;
    if (message.type === 'span') journal.append(id, 'spans', message.span as SpanRecord);
    if (message.type === 'gate') journal.append(id, 'gate', message.decision as GateDecision);
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
    });
    this.#init.onInspection(this.#inspection);
  }
}

/** What `gate.mjs` says of a service. */
export interface RawInspection {
  readonly isOurs: boolean;
  readonly streaming: boolean;
  readonly routes: readonly Readonly<Record<string, unknown>>[];
  readonly triggers: readonly Readonly<Record<string, unknown>>[];
}

type Found =
  | { readonly environment: Environment; readonly spentMs: number }
  | { readonly reason: FailureReason; readonly error: FunctionError };

const STOPPED: FunctionError = { errorType: 'Runtime.Stopped', errorMessage: 'the run has ended' };
const THROTTLED: FunctionError = {
  errorType: 'TooManyRequestsException',
  errorMessage: 'Rate Exceeded: all environments are busy; --concurrency allows more',
};

function tooLarge(most: number): FunctionError {
  return {
    errorType: 'RequestEntityTooLargeException',
    errorMessage: `Request must be smaller than ${most} bytes for the InvokeFunction operation`,
  };
}

function brokenError(problems: readonly BuildProblem[]): FunctionError {
  return { errorType: 'local.build_failed', errorMessage: problems.map(toText).join('\n') };
}

/** `src/app.ts:12:5: Could not resolve "x"`. */
export function toText({ text, file, line, column }: BuildProblem): string {
  return file === undefined ? text : `${file}:${line}:${column}: ${text}`;
}

function failed({ id, requestId }: Call, reason: FailureReason, error: FunctionError): InvokeOutcome {
  return { ok: false, id, requestId, reason, error };
}

function toOutcome(call: Call, result: RunResult): InvokeOutcome {
  const { id, requestId } = call;
  if (result.kind === 'failed') return failed(call, result.reason, result.error);
  const { streamed, text } = result;
  return { ok: true, id, requestId, streamed, answer: streamed ? undefined : parseAnswer(text) };
}

/** A handler that streams writes what it likes; a door that wants JSON then gets a text. */
function parseAnswer(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** What goes with the event; header values are the bytes of UTF-8, one character each. */
function headersOf({ requestId, header, options }: Call, name: string): Record<string, string> {
  const { clientContext, tenantId } = options;
  const toBytes = (text: string) => Buffer.from(text, 'utf8').toString('latin1');
  return {
    'lambda-runtime-aws-request-id': requestId,
    'lambda-runtime-invoked-function-arn': functionArn(name),
    'lambda-runtime-trace-id': header,
    ...(clientContext === undefined ? {} : { 'lambda-runtime-client-context': toBytes(JSON.stringify(clientContext)) }),
    ...(tenantId === undefined ? {} : { 'lambda-runtime-aws-tenant-id': toBytes(tenantId) }),
  };
}

/** `201`, `1 of 2 failed`, `ok`. */
function summaryOf(answer: unknown): string {
  const { statusCode, batchItemFailures } = (answer ?? {}) as { statusCode?: unknown; batchItemFailures?: unknown };
  if (typeof statusCode === 'number') return String(statusCode);
  if (Array.isArray(batchItemFailures) && batchItemFailures.length > 0) return `${batchItemFailures.length} failed`;
  return 'ok';
}
