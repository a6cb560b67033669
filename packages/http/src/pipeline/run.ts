import type {
  BodyStream,
  Context,
  FrameworkError,
  Handler,
  MaybePromise,
  Middleware,
  Next,
  Response,
} from '@sallyport/core';
import {
  type ContextState,
  canonicalizeResponse,
  closeStream,
  type DoorTraits,
  DURABLE_MARK,
  type EncodedBody,
  internalError,
  isFailure,
  isOutgoingResponse,
  isPromise,
  logFailure,
  type Marked,
  type OutgoingResponse,
  RequestContext,
  stateOf,
  toResponse,
  writesErrors,
} from '@sallyport/core/internal';
import { bytesOverCap, encodeBody } from '../doors/internal/event.js';
import type { Registration, Run } from '../routing/registration.js';
import { INTERNAL_ERROR, isResponseTooLarge, responseTooLarge, toFrameworkError } from './error-body.js';
import { collectStream, limitStream, startStream, watchStream } from './internal/body-stream.js';

export type { DoorTraits } from '@sallyport/core/internal';

/** One run through the pipeline: the state of the invocation, its context, and the results of the stages. */
export class Exchange {
  /** State of the invocation that the context reads from. */
  declare readonly state: ContextState;
  /** The context for middlewares and the handler. */
  declare readonly ctx: RequestContext;
  /** The limits and features of the front door. */
  declare readonly door: DoorTraits;
  /** The operation that the route stage found; `undefined` before it. */
  declare registration: Registration | undefined;
  /** The error from which the answer was made, if any. */
  declare error: FrameworkError | undefined;
  /** The thrown value, for logs. */
  declare cause: unknown;
  /** True if the failure was logged. */
  declare reported: boolean;
  /** The body as text. Set when the answer is final, at doors that answer with a JSON document. */
  declare encoded: EncodedBody | undefined;
  /** Start in monotonic milliseconds; 0 when no hook needs durations. */
  declare startedMs: number;
  /** True if the body was sent as a stream. */
  declare streamed: boolean;

  constructor(state: ContextState, door: DoorTraits) {
    this.state = state;
    this.ctx = new RequestContext(state);
    this.door = door;
    this.registration = undefined;
    this.error = undefined;
    this.cause = undefined;
    this.reported = false;
    this.encoded = undefined;
    this.startedMs = 0;
    this.streamed = false;
  }
}

/**
 * One stage on the way in. After a response no further stage runs; after `undefined` the next stage runs; a thrown error becomes
 * an error answer.
 */
export type Stage = (exchange: Exchange) => MaybePromise<OutgoingResponse | undefined>;

/** Creates the answer of an error, in the format of a surface. */
export type RenderError = (exchange: Exchange, error: FrameworkError) => OutgoingResponse;

/**
 * Calls the application's hooks for an answer to the thrown value; `undefined` if they return no answer. Never throws or rejects. Logs the failure
 * when the application answers.
 */
export type AskHook = (exchange: Exchange, thrown: unknown) => MaybePromise<OutgoingResponse | undefined>;

/** One stage on the way out, for answers and errors. Must not throw. */
export type Decorate = (exchange: Exchange, response: OutgoingResponse) => void;

/** Called once, after the last byte was sent; `bytes` returns the size of the body. */
export type Observe = (exchange: Exchange, response: OutgoingResponse, bytes: () => number) => void;

/** The parts of a pipeline; `createPipeline` in `order.ts` creates them. */
export interface PipelineParts {
  /** Run in this order until one answers. */
  readonly wayIn: readonly Stage[];
  /** Run in this order on every answer. */
  readonly wayOut: readonly Decorate[];
  /** Creates the answer of an error. */
  readonly renderError: RenderError;
  /** Called for the answer of an error before `renderError`. */
  readonly askOnError: AskHook | undefined;
  /** Most bytes of an answer's body; 0 for no limit. */
  readonly maxResponseBytes: number;
  /** Called when a request has ended. */
  readonly observe: Observe | undefined;
  /** True if the surface itself calls `end` of the invocation, after the answer is complete. */
  readonly endsLater: boolean;
}

/**
 * Runs the stages for an exchange, and completes its answer. Runs synchronously until a stage returns a promise. Never throws and
 * never rejects.
 */
export class Pipeline {
  readonly #parts: PipelineParts;

  constructor(parts: PipelineParts) {
    this.#parts = parts;
  }

  /** Runs the stages from index `from` (default 0) on, and returns the final answer. */
  run(exchange: Exchange, from = 0): MaybePromise<OutgoingResponse> {
    const { wayIn } = this.#parts;
    try {
      for (let index = from; index < wayIn.length; index += 1) {
        const result = (wayIn[index] as Stage)(exchange);
        if (result === undefined) continue;
        if (isOutgoingResponse(result)) return this.#finish(exchange, result);
        return this.#awaitStage(exchange, result, index + 1);
      }
      throw internalError('no stage of the pipeline answered');
    } catch (error) {
      return this.fail(exchange, error);
    }
  }

  /** The answer to a failure that occurs after the run. */
  fail(exchange: Exchange, error: unknown): MaybePromise<OutgoingResponse> {
    const answer = this.#recover(exchange, error);
    if (isPromise(answer)) return answer.then((settled) => this.#complete(exchange, settled));
    return this.#complete(exchange, answer);
  }

  async #awaitStage(
    exchange: Exchange,
    pending: Promise<OutgoingResponse | undefined>,
    next: number,
  ): Promise<OutgoingResponse> {
    let response: OutgoingResponse | undefined;
    try {
      response = await pending;
    } catch (error) {
      return this.fail(exchange, error);
    }
    return response ? this.#finish(exchange, response) : this.run(exchange, next);
  }

  /** The answer to a failure: the application's answer, else the default. */
  #recover(exchange: Exchange, thrown: unknown): MaybePromise<OutgoingResponse> {
    const { askOnError } = this.#parts;
    if (askOnError === undefined) return this.#render(exchange, thrown);
    exchange.cause = thrown;
    exchange.error = toFrameworkError(thrown);
    const answer = askOnError(exchange, thrown);
    if (isPromise(answer)) return answer.then((given) => given ?? this.#render(exchange, thrown));
    return answer ?? this.#render(exchange, thrown);
  }

  /** Creates the default answer to a failure, and logs the failure. */
  #render(exchange: Exchange, thrown: unknown): OutgoingResponse {
    const { method } = exchange.state.request;
    const error = toFrameworkError(thrown);
    exchange.cause = thrown;
    exchange.error = error;
    reportFailure(exchange, thrown);
    try {
      return canonicalizeResponse(this.#parts.renderError(exchange, error), method);
    } catch (cause) {
      // The headers of the error are invalid.
      reportFailure(exchange, cause);
      exchange.error = INTERNAL_ERROR;
      return canonicalizeResponse(this.#parts.renderError(exchange, INTERNAL_ERROR), method);
    }
  }

  #finish(exchange: Exchange, response: OutgoingResponse): MaybePromise<OutgoingResponse> {
    const { maxResponseBytes } = this.#parts;
    try {
      canonicalizeResponse(response, exchange.state.request.method);
      if (response.bodyStream) return this.#finishStream(exchange, response, response.bodyStream);
      // An error answer of a stage is not measured, because it could only be replaced by another error answer.
      if (maxResponseBytes > 0 && exchange.error === undefined) assertSize(response, maxResponseBytes);
    } catch (error) {
      return this.fail(exchange, error);
    }
    return this.#complete(exchange, response);
  }

  /** A stream is limited while it is sent. At a door that cannot stream, it is collected first. */
  #finishStream(exchange: Exchange, response: OutgoingResponse, stream: BodyStream): MaybePromise<OutgoingResponse> {
    const { streams, maxAnswerBytes } = exchange.door;
    const { maxResponseBytes } = this.#parts;
    if (streams === 'refuse') {
      void closeStream(stream);
      throw internalError('this front door cannot send a stream');
    }
    if (streams === 'collect') {
      return this.#collect(exchange, response, stream, Math.min(maxResponseBytes || maxAnswerBytes, maxAnswerBytes));
    }
    if (maxResponseBytes > 0) assertSize(response, maxResponseBytes);
    const prefix = contentBytes(response.content);
    if (maxResponseBytes > 0) response.bodyStream = limitStream(stream, maxResponseBytes - prefix);
    if (streams === 'commit' && prefix === 0) return this.#commit(exchange, response, response.bodyStream ?? stream);
    return this.#completeStream(exchange, response);
  }

  async #collect(
    exchange: Exchange,
    response: OutgoingResponse,
    stream: BodyStream,
    maxBytes: number,
  ): Promise<OutgoingResponse> {
    response.bodyStream = null;
    try {
      const prefix = contentBytes(response.content);
      const rest = await collectStream(stream, maxBytes - prefix);
      response.body = prefix === 0 ? rest : Buffer.concat([response.body, rest]);
    } catch (error) {
      // A stream that fails here is answered with `app.internal`; its message is only logged.
      reportFailure(exchange, error, STREAM_FAILED);
      const failed = await this.#recover(exchange, INTERNAL_ERROR);
      exchange.cause = error;
      return this.#complete(exchange, failed);
    }
    return this.#complete(exchange, response);
  }

  /** Waits for the first chunk: before it, a failure or the deadline can still become an error answer. */
  async #commit(exchange: Exchange, response: OutgoingResponse, stream: BodyStream): Promise<OutgoingResponse> {
    try {
      response.bodyStream = (await startStream(stream, exchange.state.signal)) ?? null;
    } catch (error) {
      return this.fail(exchange, error);
    }
    return response.bodyStream ? this.#completeStream(exchange, response) : this.#complete(exchange, response);
  }

  /** Runs the way out, encodes the answer for the door, and finishes the invocation. */
  #complete(exchange: Exchange, answer: OutgoingResponse): MaybePromise<OutgoingResponse> {
    const { wayOut, observe } = this.#parts;
    const { state, door } = exchange;
    let response = answer;
    for (const decorate of wayOut) decorate(exchange, response);
    if (door.measure) {
      exchange.encoded = encodeBody(response);
      const bytes = bytesOverCap(door, response, exchange.encoded, state.event);
      if (bytes > 0) {
        // The application's hooks are not called, because its answer may be too large as well.
        response = this.#render(exchange, responseTooLarge(bytes, door.maxAnswerBytes));
        for (const decorate of wayOut) decorate(exchange, response);
        exchange.encoded = encodeBody(response);
      }
    }
    observe?.(exchange, response, () => contentBytes(response.content));
    state.end(this.#parts.endsLater ? undefined : hasFailed(exchange, response));
    // Waits for work that hooks and logs have started, such as a notification, before the instance freezes.
    const deliveries = state.kept && state.settleDeliveries();
    return deliveries ? deliveries.then(() => response) : response;
  }

  #completeStream(exchange: Exchange, response: OutgoingResponse): OutgoingResponse {
    for (const decorate of this.#parts.wayOut) decorate(exchange, response);
    const { bodyStream } = response;
    if (!bodyStream) return response;
    exchange.streamed = true;
    response.bodyStream = watchStream(bodyStream, (bytes, error) => {
      if (error !== undefined) {
        exchange.error = toFrameworkError(error);
        exchange.cause = error;
        reportFailure(exchange, error, STREAM_FAILED);
      }
      this.#parts.observe?.(exchange, response, () => bytes);
      exchange.state.end(hasFailed(exchange, response));
    });
    return response;
  }
}

/**
 * Composes middlewares and handler into one function, the first middleware outermost. The state of the invocation stores the
 * current step, so that a second `next()` is detected. Each call of a middleware receives its own `next`: a shared one could not
 * distinguish two invocations that are at the same step.
 */
export function composeChain(middlewares: readonly Middleware[], handler: Handler): Run {
  let run: Run = (ctx) => {
    const result = handler(ctx);
    return isOutgoingResponse(result) ? result : settle(result);
  };
  const { [DURABLE_MARK]: mark } = handler as Marked;
  for (let index = middlewares.length - 1; index >= 0; index -= 1) {
    const middleware = middlewares[index] as Middleware;
    run = wrap(mark?.around(middleware) ?? middleware, index, run);
  }
  return run;
}

function wrap(middleware: Middleware, index: number, inner: Run): Run {
  const enter = (own: ContextState, ctx: Context): Promise<Response> => {
    try {
      if (ctx === undefined) throw internalError('next() was called without the context; return next(ctx)');
      if (stateOf(ctx) !== own) throw internalError('next() was given the context of another invocation');
      if (own.depth !== index) throw internalError('a middleware called next() more than once');
      own.depth = index + 1;
      return Promise.resolve(inner(ctx));
    } catch (error) {
      return Promise.reject(error);
    }
  };
  return (ctx: Context) => {
    const own = stateOf(ctx);
    const next: Next = (given) => enter(own, given);
    return settle(middleware(ctx, next));
  };
}

function settle(result: unknown): OutgoingResponse | Promise<OutgoingResponse> {
  return isPromise(result) ? result.then(toResponse) : toResponse(result);
}

function assertSize({ content }: OutgoingResponse, maxBytes: number): void {
  const bytes = contentBytes(content);
  if (bytes > maxBytes) throw responseTooLarge(bytes, maxBytes);
}

function contentBytes(content: string | Uint8Array): number {
  return typeof content === 'string' ? Buffer.byteLength(content) : content.byteLength;
}

/** True for an answer of 500 or more, a stream that failed, and a timeout, which is answered with 408. */
export function hasFailed({ error }: Exchange, { status }: OutgoingResponse): boolean {
  return status >= 500 || (error !== undefined && (error.status >= 500 || error.code === 'app.timeout'));
}

const REQUEST_FAILED = 'framework: request failed';
/** Message of the log line for a stream that failed after its first byte. */
export const STREAM_FAILED = 'framework: response stream failed';

/**
 * Writes one `error` line for an exchange that failed. An error that the client caused (a FrameworkError below 500) is not a
 * failure. An answer that is too large is a failure, although its status is 413.
 */
export function reportFailure(exchange: Exchange, thrown: unknown, message = REQUEST_FAILED): void {
  const isExpected = message === REQUEST_FAILED && !isFailure(thrown) && !isResponseTooLarge(thrown);
  if (exchange.reported || isExpected) return;
  exchange.reported = true;
  if (!writesErrors(exchange.state.runtime.log)) return;
  logFailure(() => exchange.ctx.log, message, thrown);
}
