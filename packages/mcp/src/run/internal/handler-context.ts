import {
  type Context,
  FrameworkError,
  type MaybePromise,
  type SecurePrincipal,
  type SpanAttributes,
  type SpanScope,
  type StandardSchema,
} from '@sallyport/core';
import { guardHook, isObject, membersOf } from '@sallyport/core/internal';
import { isStandardSchema } from '@sallyport/core/options';
import { digestOf } from '../../internal/crypto.js';
import { isLogLevel, passesLevel } from '../../protocol/internal/protocol.js';
import type {
  ClientCapabilities,
  ElicitAnswer,
  ElicitParams,
  ElicitRequest,
  ElicitResult,
  Era,
  FormSchema,
  Implementation,
  InputRequest,
  InputRequests,
  InputResponse,
  InputResponses,
  Json,
  JsonObject,
  LogLevel,
  RequestId,
  RequestMeta,
  Root,
  RootsResult,
  SampleRequest,
  SampleResult,
} from '../../protocol/types.js';
import { McpToolError } from '../../server/errors.js';
import { loadSchemaCheck } from '../../server/internal/server-data.js';
import { INPUT_REQUIRED, type InputRequired, type McpAskingContext, type McpContext } from '../context.js';
import { invokeInSpan, type StartedCall } from './call-span.js';
import {
  askKindOf,
  type Given,
  isQuestionKey,
  MAX_QUESTIONS,
  missingCapability,
  type Question,
  type RecordedAnswer,
} from './record.js';
import { HandlerRun, never, type RunScope } from './run.js';
import { Steps } from './steps.js';

/** Starts the handler of a call; its result is the run's `outcome`. */
export function startRun(run: HandlerRun, call: StartedCall): HandlerRun {
  run.start();
  void runHandler(run, call);
  return run;
}

async function runHandler(run: HandlerRun, call: StartedCall): Promise<void> {
  try {
    let isAgain = true;
    while (isAgain) {
      const context = new HandlerContext(run);
      const value = await invokeInSpan(run, call, context);
      isAgain = isInputRequired(value) && (await context.askAll(value));
      if (!isInputRequired(value)) run.finish({ kind: 'answer', value });
    }
  } catch (error) {
    run.finish({ kind: 'failed', error });
  }
}

export function isInputRequired(value: unknown): value is InputRequired {
  return typeof value === 'object' && value !== null && INPUT_REQUIRED in value;
}

/** The context of a hook outside a run, such as `listFilter`. */
export function contextOf(scope: RunScope): McpContext {
  return new HandlerContext(new HandlerRun(scope));
}

/** The run of a handler's context. */
export function runOf(context: McpContext): HandlerRun {
  return HandlerContext.runOf(context as HandlerContext);
}

const NO_META: RequestMeta = Object.freeze({});
const TRACE_MEMBERS = ['traceparent', 'tracestate', 'baggage'];

/** Members of the trace context that are not strings are left out. */
function toMeta(meta: unknown): RequestMeta {
  if (!isObject(meta)) return NO_META;
  const kept = Object.entries(meta).filter(
    ([name, value]) => !TRACE_MEMBERS.includes(name) || typeof value === 'string',
  );
  return Object.fromEntries(kept);
}

/** The context of a handler: the caller, and methods for events, questions and steps. */
class HandlerContext implements McpAskingContext {
  readonly #run: HandlerRun;
  /** Keys of the questions of this run. */
  readonly #keys = new Set<string>();
  readonly #questions: Question[] = [];
  #steps: Steps | undefined;
  #asked = 0;

  constructor(run: HandlerRun) {
    this.#run = run;
  }

  static runOf(context: HandlerContext): HandlerRun {
    return context.#run;
  }

  get http(): Context {
    return this.#run.scope.http.context;
  }

  get principal(): SecurePrincipal | null {
    return this.#run.scope.http.principal;
  }

  get tenantId(): string {
    return this.#run.scope.http.tenantId;
  }

  get deadline(): number {
    return this.#run.scope.http.deadline;
  }

  get requestId(): RequestId {
    return this.#run.scope.requestId;
  }

  get meta(): RequestMeta {
    return toMeta(this.#run.scope.meta);
  }

  get sessionId(): string | undefined {
    return this.#run.scope.sessionId;
  }

  get era(): Era {
    return this.#run.scope.era;
  }

  get protocolVersion(): string {
    return this.#run.scope.protocolVersion;
  }

  get client(): Implementation | undefined {
    return this.#run.scope.client;
  }

  get clientCapabilities(): ClientCapabilities {
    return this.#run.scope.clientCapabilities;
  }

  get inputs(): InputResponses {
    return this.#run.memory.inputs;
  }

  get state(): Json | undefined {
    return this.#run.memory.state;
  }

  get signal(): AbortSignal {
    return this.#run.signal;
  }

  span<T>(name: string, run: (span: SpanScope) => T, attributes?: SpanAttributes): T {
    return this.http.span(name, run, attributes);
  }

  progress(progress: number, total?: number, message?: string): void {
    const { progressToken } = this.#run.scope;
    if (progressToken === undefined || !Number.isFinite(progress)) return;
    this.#emit('notifications/progress', { progressToken, progress, total, message });
  }

  log(level: LogLevel, data: Json, logger?: string): void {
    if (!isLogLevel(level))
      throw new FrameworkError('app.internal', `framework: mcp: unknown log level "${String(level)}"`);
    // If the level is in the store, it is compared with the event when events are sent.
    const least = this.#run.scope.logLevel();
    if (typeof least !== 'object' && (least === undefined || !passesLevel(level, least))) return;
    this.#emit('notifications/message', { level, logger, data }, level);
  }

  #emit(method: string, params: JsonObject, level?: LogLevel): void {
    if (this.#run.isOver) return;
    void this.#run.checkCancelled();
    const content = JSON.stringify({ jsonrpc: '2.0', method, params });
    const trace = this.#run.trace?.();
    const json = trace ? JSON.stringify({ jsonrpc: '2.0', method, params: { ...params, _meta: trace } }) : content;
    const event = level === undefined ? { json } : { json, level };
    // A recorded step does not run again, so its events are not emitted again.
    if (this.#run.scope.keepsEvents && !this.#steps?.isInside) this.#run.emit(event, content);
    else this.#run.send(event);
  }

  async elicit<T = JsonObject>(request: ElicitRequest<T>, key?: string): Promise<ElicitAnswer<T>> {
    const { contentType: _, requestedSchema: form, ...rest } = request;
    const validator = isStandardSchema(form) ? form : undefined;
    const requestedSchema = isStandardSchema(form) ? formSchemaOf(form) : form;
    if (validator && !requestedSchema) {
      this.#run.fail('the validator of a form has no JSON Schema of an object');
      return never();
    }
    const params: ElicitParams = requestedSchema ? { ...rest, requestedSchema } : rest;
    const answer = (await this.#ask({ method: 'elicitation/create', params }, key)) as ElicitResult<T>;
    if (answer.action !== 'accept') return { ...answer, action: answer.action, content: undefined };
    const content: unknown = answer.content ?? {};
    if (!validator) return { ...answer, action: 'accept', content: content as T };
    const checked = await validator['~standard'].validate(content);
    if (checked.issues) throw new McpToolError('The client gave no valid answer to elicitation/create.');
    return { ...answer, action: 'accept', content: checked.value as T };
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

  /** Converts the handler's return value to questions. Returns `true` if they are answered and the handler runs again. */
  async askAll({ requests, state }: InputRequired): Promise<boolean> {
    const run = this.#run;
    for (const [key, request] of Object.entries(requests)) {
      if (this.#refuses(request, key)) return false;
      this.#questions.push({ key, request: withTraceMeta(request, run.trace?.()), digest: digestOf(request) });
    }
    const { hold } = run;
    if (!hold || this.#questions.length > MAX_QUESTIONS) {
      return run.pauseForAnswers(this.#questions, state, true);
    }
    const inputs: [string, InputResponse][] = [];
    const open = await Promise.all(
      this.#questions.map(async (question) => {
        const held = await hold(question, true);
        if (!held) return [question];
        run.memory.answers.set(question.key, held);
        const input = held.value === undefined ? undefined : await fits(question.request, held.value);
        if (input) inputs.push([question.key, input]);
        return [];
      }),
    );
    return run.pauseForAnswers(open.flat(), state, true, Object.fromEntries(inputs));
  }

  async #ask(request: InputRequest, named: string | undefined): Promise<InputResponse> {
    const run = this.#run;
    const { hold, asking } = run.scope;
    const { memory } = run;
    void run.checkCancelled();
    const digest = digestOf(request);
    const key = named ?? this.#keyFor(digest);
    if (run.isOver || this.#refuses(request, key)) return never();
    const asked: Question = { key, digest, request: withTraceMeta(request, run.trace?.()) };
    const recorded = memory.answers.get(key);
    if (recorded) return this.#replay(asked, recorded);
    if (hold && asking === 'hold') return this.#replay(asked, await hold(asked, run));
    const given = memory.given && givenTo(asked, memory.given);
    const bytes = given === undefined ? 0 : Buffer.byteLength(JSON.stringify(given));
    if (bytes > run.scope.maxKeptBytes) {
      guardHook(() => run.scope.http.log.warn('mcp.too_large', { ...run.scope.facts, what: 'answer', bytes }));
      memory.answers.set(key, { digest: asked.digest, large: true });
      throw tooLargeAnswer(request);
    }
    const answer = given === undefined ? undefined : await run.underWay(fits(request, given));
    if (answer) {
      memory.answers.set(key, { digest: asked.digest, value: given });
      return answer;
    }
    const held = await run.hold?.(asked);
    if (run.isOver) return never();
    if (held) {
      memory.answers.set(key, held);
      return this.#replay(asked, held);
    }
    this.#questions.push(asked);
    run.whenIdle(() => run.pauseForAnswers(this.#questions, memory.state, false));
    return never();
  }

  /**
   * The key of a question without a key: the key of the same question in an earlier run, else the next number. The order of
   * questions in parallel branches of a handler can differ between runs.
   */
  #keyFor(digest: string): string {
    const { answers, given } = this.#run.memory;
    const earlier = [...[...answers].map(([key, answer]) => [key, answer.digest] as const), ...(given?.asked ?? [])];
    const same = earlier.find(([key, asked]) => asked === digest && AUTOMATIC.test(key) && !this.#keys.has(key));
    if (same) return same[0];
    do this.#asked += 1;
    while (this.#keys.has(`q${this.#asked}`));
    return `q${this.#asked}`;
  }

  async #replay({ digest, request }: Question, recorded: RecordedAnswer): Promise<InputResponse> {
    if (recorded.digest !== digest) {
      this.#run.fail('a replay has another question with the same key');
      return never();
    }
    if (recorded.large) throw tooLargeAnswer(request);
    const answer = recorded.value === undefined ? undefined : await fits(request, recorded.value);
    if (answer) return answer;
    throw new McpToolError(`The client gave no valid answer to ${request.method}.`);
  }

  /** True if a question is not allowed. In that case the run has ended. */
  #refuses(request: InputRequest, key: string): boolean {
    const run = this.#run;
    const { asks, asking, clientCapabilities, maxKeptBytes } = run.scope;
    const kind = askKindOf(request);
    if (kind === undefined || !asks.has(kind))
      run.fail('the kind of a question is missing in the option "asks" of its handler');
    else if (this.#steps?.isInside)
      run.fail('a question to the client inside a step; move it before or after the step');
    else if (!isQuestionKey(key) || this.#keys.has(key)) run.fail('the key of a question is malformed or used twice');
    else {
      this.#keys.add(key);
      const missing = missingCapability(clientCapabilities, request);
      const bytes = Buffer.byteLength(JSON.stringify(request));
      if (bytes > maxKeptBytes) run.failTooLarge('question', bytes);
      else if (missing) run.lack(missing);
      else if (asking === 'no') run.lack({});
      else return false;
    }
    return true;
  }

  async step<T extends Json>(name: string, work: () => MaybePromise<T>): Promise<T> {
    void this.#run.checkCancelled();
    this.#steps ??= new Steps(this.#run);
    return (await this.#steps.run(name, work)) as T;
  }

  async closeStream(): Promise<void> {
    const run = this.#run;
    if (run.isOver) return never();
    if (run.scope.canClose && run.pauseForReader()) return never();
  }
}

/** A question with the trace in its `_meta`; its own members are kept. */
function withTraceMeta(request: InputRequest, trace: JsonObject | undefined): InputRequest {
  if (!trace) return request;
  const { _meta, ...params } = membersOf(request.params);
  return { ...request, params: { ...params, _meta: { ...trace, ...membersOf(_meta) } } } as InputRequest;
}

function tooLargeAnswer({ method }: InputRequest): McpToolError {
  return new McpToolError(`The client's answer to ${method} is too large.`);
}

/** Keys of questions without an explicit key. */
const AUTOMATIC = /^q\d+$/;

/** The client's answer to a question; `undefined` when it answers another question. */
function givenTo({ key, digest }: Question, { answers, asked }: Given): unknown {
  return asked === undefined || asked.get(key) === digest ? answers.get(key) : undefined;
}

/** A client's answer, if it matches its question. */
async function fits(request: InputRequest, answer: unknown): Promise<InputResponse | undefined> {
  const { checkAnswer } = await loadSchemaCheck();
  return checkAnswer(request, answer);
}

/** The form schema of a validator, without keywords that forms do not support; `undefined` if it provides none. */
function formSchemaOf(schema: StandardSchema): FormSchema | undefined {
  const given = schema['~standard'].jsonSchema?.input({ target: 'draft-2020-12' });
  if (given?.type !== 'object' || !isObject(given.properties)) return undefined;
  const { properties, required } = given;
  return { type: 'object', properties, ...(Array.isArray(required) ? { required } : {}) } as FormSchema;
}
