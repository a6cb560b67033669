import { type Context, FrameworkError, type MaybePromise, type SecurePrincipal } from '@sallyport/core';
import { nowMs } from '../../http/internal/exchange.js';
import { loadAnswerCheck } from '../../http/internal/lazy.js';
import { INTERNAL_ERROR } from '../../protocol/internal/json-rpc.js';
import { type Era, isLogLevel, type LogLevel, passesLevel, RPC } from '../../protocol/internal/protocol.js';
import type {
  ClientCapabilities,
  ElicitRequest,
  ElicitResult,
  Implementation,
  InputRequest,
  InputRequests,
  InputResponse,
  InputResponses,
  Json,
  JsonObject,
  Root,
  RootsResult,
  SampleRequest,
  SampleResult,
} from '../../protocol/types.js';
import { McpToolError, RpcError } from '../../server/errors.js';
import { INPUT_REQUIRED, type InputRequired, isInputRequired, type McpContext } from '../context.js';
import { askKindOf, isQuestionKey, missingCapability, type Question, toQuestion } from './ask.js';
import {
  MAX_QUESTIONS,
  MAX_RECORDED_BYTES,
  MAX_ROUNDS,
  packMemory,
  type RecordedAnswer,
  type RunMemory,
} from './run-memory.js';
import type { Outcome, RunEvent, RunScope } from './run-scope.js';

/** A run that is stopped waits for ever: its handler is never told, and is collected with its promises. */
const NEVER = new Promise<never>(() => {});
const SAFETY_MS = 1000;
const NO_INPUTS: InputResponses = Object.freeze(Object.create(null) as InputResponses);

/** One run of a handler: its context, what it sends, and how it ends. */
export class Run implements McpContext {
  readonly #scope: RunScope;
  readonly #memory: RunMemory;
  readonly outcome: Promise<Outcome>;
  readonly #settle: (outcome: Outcome) => void;
  #over = false;
  #abort: AbortController | undefined;
  #aborted: { reason: unknown } | undefined;
  #unlink: (() => void) | undefined;
  #stopTimer: (() => void) | undefined;
  #events: RunEvent[] = [];
  #toSkip: number;
  #emitted: number;
  #closes = 0;
  #asked = 0;
  readonly #keys = new Set<string>();
  readonly #questions: Question[] = [];
  readonly #stepsUnderWay = new Map<string, Promise<Json>>();
  /** Steps, and answers that are being checked: a run does not stop while one of them may still be recorded. */
  readonly #busy = new Set<Promise<unknown>>();
  #cancelCheck: Promise<void> | undefined;
  /** Calls of the store that must end before the answer does. */
  readonly #storeCalls = new Set<Promise<unknown>>();
  /** Called whenever an event is there to be taken. */
  onEvent: (() => void) | undefined;

  constructor(scope: RunScope) {
    this.#scope = scope;
    this.#memory = scope.memory;
    this.#toSkip = scope.memory.emitted;
    this.#emitted = scope.memory.emitted;
    let settle: (outcome: Outcome) => void = () => {};
    this.outcome = new Promise((resolve) => {
      settle = resolve;
    });
    this.#settle = settle;
  }

  /** Calls the handler; the end is `outcome`. */
  start(invoke: (ctx: McpContext) => unknown): this {
    const { exchange } = this.#scope;
    const left = exchange.deadline - SAFETY_MS - nowMs(exchange.clock);
    this.#stopTimer = exchange.clock.after(Math.max(left, 0), () => {
      this.#finish({ kind: 'timeout' }, new FrameworkError('app.timeout'));
    });
    this.#invoke(invoke);
    return this;
  }

  async #invoke(invoke: (ctx: McpContext) => unknown): Promise<void> {
    try {
      const value = await invoke(this);
      if (isInputRequired(value)) this.#askAll(value);
      else this.#finish({ kind: 'answer', value });
    } catch (error) {
      this.#finish({ kind: 'failed', error });
    }
  }

  #finish(outcome: Outcome, abortReason?: unknown): void {
    if (this.#over) return;
    this.#over = true;
    this.#stopTimer?.();
    if (abortReason !== undefined) this.#abortWith(abortReason);
    this.#unlink?.();
    const settle = this.#settle;
    // The store must not be used once the answer is out.
    if (this.#storeCalls.size > 0) Promise.allSettled(this.#storeCalls).then(() => settle(outcome));
    else settle(outcome);
  }

  get isOver(): boolean {
    return this.#over;
  }

  /** Keeps the answer back until this call of the store has ended. */
  track<T>(call: Promise<T>): Promise<T> {
    this.#storeCalls.add(call);
    const ended = () => this.#storeCalls.delete(call);
    call.then(ended, ended);
    return call;
  }

  /** Ends the run before it begins: the client lacks what it requires. */
  lack(required: ClientCapabilities): void {
    this.#finish({ kind: 'lacks', required });
  }

  /** Ends the run because the client wants it no more. */
  cancel(): void {
    this.#finish({ kind: 'cancelled' }, new FrameworkError('app.timeout', 'cancelled by the client'));
  }

  /** Looks for a cancellation, unless a look is under way. */
  checkCancelled(): Promise<void> {
    const { isCancelled } = this.#scope;
    if (!isCancelled || this.#over) return Promise.resolve();
    this.#cancelCheck ??= this.track(isCancelled().catch(() => false)).then((cancelled) => {
      this.#cancelCheck = undefined;
      if (cancelled) this.cancel();
    });
    return this.#cancelCheck;
  }

  /** Whether events wait to be taken. */
  get hasEvents(): boolean {
    return this.#events.length > 0;
  }

  /** Takes the events so far, as JSON texts; those below the client's level are left out. */
  async takeEvents(): Promise<string[]> {
    const events = this.#events;
    this.#events = [];
    if (!events.some(({ level }) => level !== undefined)) return events.map(({ json }) => json);
    const least = await this.#scope.logLevel();
    return events
      .filter(({ level }) => level === undefined || (least !== undefined && passesLevel(level, least)))
      .map(({ json }) => json);
  }

  /** What the next run of this call must know, after questions or a close. */
  remember(outcome: Outcome): RunMemory {
    const asked = outcome.kind === 'questions';
    return {
      ...this.#memory,
      given: new Map(),
      inputs: asked ? NO_INPUTS : this.#memory.inputs,
      state: asked ? outcome.state : this.#memory.state,
      emitted: this.#emitted,
      closes: this.#closes,
      round: this.#memory.round + (asked ? 1 : 0),
    };
  }

  // The handler's side.

  get http(): Context {
    return this.#scope.exchange.http;
  }

  get principal(): SecurePrincipal | null {
    return this.#scope.exchange.principal;
  }

  get tenantId(): string {
    return this.#scope.exchange.tenantId;
  }

  get deadline(): number {
    return this.#scope.exchange.deadline;
  }

  get era(): Era {
    return this.#scope.era;
  }

  get protocolVersion(): string {
    return this.#scope.protocolVersion;
  }

  get client(): Implementation | undefined {
    return this.#scope.client;
  }

  get clientCapabilities(): ClientCapabilities {
    return this.#scope.clientCapabilities;
  }

  get inputs(): InputResponses {
    return this.#memory.inputs;
  }

  get state(): Json | undefined {
    return this.#memory.state;
  }

  get signal(): AbortSignal {
    if (!this.#abort) {
      this.#abort = new AbortController();
      if (this.#aborted) this.#abort.abort(this.#aborted.reason);
      else this.#link(this.#scope.exchange.signal);
    }
    return this.#abort.signal;
  }

  #link(outer: AbortSignal): void {
    const abort = () => this.#abortWith(outer.reason);
    if (outer.aborted) abort();
    else if (!this.#over) {
      outer.addEventListener('abort', abort, { once: true });
      this.#unlink = () => outer.removeEventListener('abort', abort);
    }
  }

  #abortWith(reason: unknown): void {
    this.#aborted ??= { reason };
    this.#abort?.abort(reason);
  }

  progress(progress: number, total?: number, message?: string): void {
    const { progressToken } = this.#scope;
    if (progressToken === undefined || !Number.isFinite(progress)) return;
    this.#emit({ json: notification('notifications/progress', { progressToken, progress, total, message }) });
  }

  log(level: LogLevel, data: Json, logger?: string): void {
    if (!isLogLevel(level))
      throw new FrameworkError('app.internal', `framework: mcp: unknown log level "${String(level)}"`);
    this.#emit({ json: notification('notifications/message', { level, logger, data }), level });
  }

  #emit(event: RunEvent): void {
    if (this.#over) return;
    void this.checkCancelled();
    if (this.#toSkip > 0) {
      this.#toSkip -= 1;
      return;
    }
    this.#emitted += 1;
    this.#send(event);
  }

  #send(event: RunEvent): void {
    this.#events.push(event);
    this.onEvent?.();
  }

  /** Sends a message that is no event of the handler's. */
  send(json: string): void {
    if (!this.#over) this.#send({ json });
  }

  async elicit<T = JsonObject>(request: ElicitRequest<T>, key?: string): Promise<ElicitResult<T>> {
    const { contentType: _, ...params } = request;
    return (await this.#ask({ method: 'elicitation/create', params }, key)) as ElicitResult<T>;
  }

  async sample(request: SampleRequest, key?: string): Promise<SampleResult> {
    return (await this.#ask({ method: 'sampling/createMessage', params: request }, key)) as SampleResult;
  }

  async roots(key?: string): Promise<readonly Root[]> {
    return ((await this.#ask({ method: 'roots/list' }, key)) as RootsResult).roots;
  }

  inputRequired(requests: InputRequests, state?: Json): InputRequired {
    return { [INPUT_REQUIRED]: true, requests, state };
  }

  /** Turns what a handler returned into questions. */
  #askAll({ requests, state }: InputRequired): void {
    for (const [key, request] of Object.entries(requests)) {
      if (this.#refuses(request, key)) return;
      this.#questions.push(toQuestion(key, request));
    }
    this.#finishWithQuestions(state, true);
  }

  async #ask(request: InputRequest, key = `q${++this.#asked}`): Promise<InputResponse> {
    void this.checkCancelled();
    if (this.#over || this.#refuses(request, key)) return NEVER;
    const question = toQuestion(key, request);
    const recorded = this.#memory.answers.get(key);
    if (recorded) return this.#replay(question, recorded);
    if (this.#scope.hold && this.#scope.asking === 'hold')
      return this.#replay(question, await this.#scope.hold(question, this));
    const given = this.#memory.given.get(key);
    const answer = given === undefined ? undefined : await this.#underWay(fits(request, given));
    if (answer) {
      this.#memory.answers.set(key, { digest: question.digest, value: given });
      return answer;
    }
    this.#questions.push(question);
    this.#stopSoon(() => this.#finishWithQuestions(this.#memory.state));
    return NEVER;
  }

  async #replay({ digest, request }: Question, recorded: RecordedAnswer): Promise<InputResponse> {
    if (recorded.digest !== digest) return this.#die('a replay asked another question under the same key');
    const answer = recorded.value === undefined ? undefined : await fits(request, recorded.value);
    if (answer) return answer;
    throw new McpToolError(`The client gave no valid answer to ${request.method}.`);
  }

  /** Whether a question may not be asked; the run has ended then. */
  #refuses(request: InputRequest, key: string): boolean {
    const kind = askKindOf(request);
    if (kind === undefined || !this.#scope.asks.has(kind))
      void this.#die('a handler asked for what its "asks" does not name');
    else if (!isQuestionKey(key) || this.#keys.has(key))
      void this.#die(`the key of a question is malformed or used twice`);
    else {
      this.#keys.add(key);
      const missing = missingCapability(this.#scope.clientCapabilities, request);
      if (missing) this.#finish({ kind: 'lacks', required: missing });
      else if (this.#scope.asking === 'no') this.#finish({ kind: 'lacks', required: {} });
      else return false;
    }
    return true;
  }

  #die(why: string): Promise<never> {
    this.#finish({ kind: 'failed', error: new RpcError(RPC.internalError, INTERNAL_ERROR, undefined, 200, why) });
    return NEVER;
  }

  #finishWithQuestions(state: Json | undefined, returned = false): void {
    if (this.#questions.length > MAX_QUESTIONS) void this.#die(`more than ${MAX_QUESTIONS} questions in a round`);
    else if (this.#memory.round >= MAX_ROUNDS) void this.#die(`more than ${MAX_ROUNDS} rounds of questions`);
    else if (this.#recordedBytes(state) > MAX_RECORDED_BYTES) void this.#die('answers, steps and state are too large');
    else this.#finish({ kind: 'questions', questions: this.#questions, state, returned }, STOPPED);
  }

  #recordedBytes(state: Json | undefined): number {
    return Buffer.byteLength(JSON.stringify({ ...packMemory(this.#memory), st: state }), 'utf8');
  }

  /** Ends the run when what the handler does in this turn is done and no step is under way. */
  #stopSoon(stop: () => void): void {
    setImmediate(() => {
      if (this.#busy.size === 0) stop();
      else Promise.allSettled(this.#busy).then(() => this.#stopSoon(stop));
    });
  }

  #underWay<T>(work: Promise<T>): Promise<T> {
    this.#busy.add(work);
    const ended = () => this.#busy.delete(work);
    work.then(ended, ended);
    return work;
  }

  async step<T extends Json>(name: string, run: () => T | Promise<T>): Promise<T> {
    void this.checkCancelled();
    if (this.#over) return NEVER;
    const { steps } = this.#memory;
    if (steps.has(name)) return structuredClone(steps.get(name)) as T;
    const underWay = this.#stepsUnderWay.get(name) ?? this.#runStep(name, run);
    return (await underWay) as T;
  }

  async #runStep(name: string, run: () => MaybePromise<Json>): Promise<Json> {
    const work = this.#underWay((async () => run())());
    this.#stepsUnderWay.set(name, work);
    try {
      const json = JSON.stringify(await work) ?? 'null';
      this.#memory.steps.set(name, JSON.parse(json) as Json);
      return JSON.parse(json) as Json;
    } finally {
      this.#stepsUnderWay.delete(name);
    }
  }

  async closeStream(): Promise<void> {
    if (this.#over) return NEVER;
    if (!this.#scope.canClose) return;
    this.#closes += 1;
    if (this.#closes <= this.#memory.closes) return;
    this.#stopSoon(() => this.#finish({ kind: 'closed' }, STOPPED));
    return NEVER;
  }
}

/** Why the signal of a stopped run aborts. */
const STOPPED = new FrameworkError('app.conflict', 'the run is stopped and will be called again');

function notification(method: string, params: JsonObject): string {
  return JSON.stringify({ jsonrpc: '2.0', method, params });
}

/** A client's answer, if it fits its question. */
async function fits(request: InputRequest, answer: unknown): Promise<InputResponse | undefined> {
  const { checkAnswer } = await loadAnswerCheck();
  return checkAnswer(request, answer);
}
