import type { BodyStream, FrameworkError, MaybePromise } from '@sallyport/core';
import { canonicalizeResponse, closeStream, OutgoingResponse } from '@sallyport/core/pipeline';
import { exceedsCap } from '../doors/internal/answer-size.js';
import { collectStream, limitStream, startStream, watchStream } from './internal/body-stream.js';
import { encodeBody } from '../doors/internal/encoding.js';
import { INTERNAL_ERROR, RESPONSE_TOO_LARGE, toFrameworkError } from './error-body.js';
import type { Exchange } from './exchange.js';
import { reportFailure, STREAM_FAILED } from './failure.js';
import { refused } from '../internal/refused.js';

/** One step on the way in. A response ends the way in; nothing lets the next stage run; a throw is recovered. */
export type Stage = (exchange: Exchange) => MaybePromise<OutgoingResponse | undefined>;

/** How a surface words an error. */
export type RenderError = (exchange: Exchange, error: FrameworkError) => OutgoingResponse;

/** One step on the way out, on answers and errors alike. Must not throw. */
export type Decorate = (exchange: Exchange, response: OutgoingResponse) => void;

/** Called once, when the last byte is out. */
export type Observe = (exchange: Exchange, response: OutgoingResponse, bytes: () => number) => void;

export interface PipelineParts {
  readonly stages: readonly Stage[];
  readonly decorate: readonly Decorate[];
  readonly renderError: RenderError;
  /** 0: none. */
  readonly maxResponseBytes: number;
  /** Whether durations are wanted. */
  readonly timed: boolean;
  readonly observe: Observe | undefined;
}

/**
 * Runs an exchange through the stages and brings its answer into final form. Everything is synchronous until a stage
 * is not. Never throws and never rejects.
 */
export class Pipeline {
  readonly #parts: PipelineParts;

  constructor(parts: PipelineParts) {
    this.#parts = parts;
  }

  run(exchange: Exchange): MaybePromise<OutgoingResponse> {
    if (this.#parts.timed) exchange.startedMs = exchange.state.runtime.clock.monotonicMs();
    return this.#resume(exchange, 0);
  }

  /** The answer of a failure that shows only after the run. */
  fail(exchange: Exchange, error: unknown): MaybePromise<OutgoingResponse> {
    return this.#complete(exchange, this.#recover(exchange, error));
  }

  #resume(exchange: Exchange, from: number): MaybePromise<OutgoingResponse> {
    const { stages } = this.#parts;
    try {
      for (let index = from; index < stages.length; index += 1) {
        const result = (stages[index] as Stage)(exchange);
        if (result === undefined) continue;
        if (result instanceof OutgoingResponse) return this.#finish(exchange, result);
        return this.#awaitStage(exchange, result, index + 1);
      }
      throw refused('no stage of the pipeline answered');
    } catch (error) {
      return this.#complete(exchange, this.#recover(exchange, error));
    }
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
      return this.#complete(exchange, this.#recover(exchange, error));
    }
    return response ? this.#finish(exchange, response) : this.#resume(exchange, next);
  }

  #recover(exchange: Exchange, thrown: unknown): OutgoingResponse {
    const { method } = exchange.state.request;
    exchange.cause = thrown;
    exchange.error = toFrameworkError(thrown);
    reportFailure(exchange, thrown);
    try {
      return canonicalizeResponse(this.#parts.renderError(exchange, exchange.error), method);
    } catch (cause) {
      // The error's own headers were no headers.
      reportFailure(exchange, cause);
      exchange.error = INTERNAL_ERROR;
      return canonicalizeResponse(this.#parts.renderError(exchange, INTERNAL_ERROR), method);
    }
  }

  #finish(exchange: Exchange, answer: OutgoingResponse): MaybePromise<OutgoingResponse> {
    let response = answer;
    try {
      canonicalizeResponse(response, exchange.state.request.method);
      if (response.bodyStream) return this.#finishStream(exchange, response, response.bodyStream);
      // An error answer that a stage gave is no larger for a limit on answers.
      if (exchange.error === undefined) this.#limit(response);
    } catch (error) {
      response = this.#recover(exchange, error);
    }
    return this.#complete(exchange, response);
  }

  /** A stream passes on under its limit, or is collected first where the door cannot stream. */
  #finishStream(exchange: Exchange, response: OutgoingResponse, stream: BodyStream): MaybePromise<OutgoingResponse> {
    const { streams, maxAnswerBytes } = exchange.door;
    const { maxResponseBytes } = this.#parts;
    if (streams === 'refuse') {
      void closeStream(stream);
      throw refused('this front door cannot send a stream');
    }
    if (streams === 'collect') {
      return this.#collect(exchange, response, stream, Math.min(maxResponseBytes || maxAnswerBytes, maxAnswerBytes));
    }
    this.#limit(response);
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
      // A stream that breaks here is `app.internal`, whatever it says; its own words stay for the log.
      reportFailure(exchange, error, STREAM_FAILED);
      const failed = this.#recover(exchange, INTERNAL_ERROR);
      exchange.cause = error;
      return this.#complete(exchange, failed);
    }
    return this.#complete(exchange, response);
  }

  /** Waits for the first chunk: until it is there, a failure or the deadline can still be answered. */
  async #commit(exchange: Exchange, response: OutgoingResponse, stream: BodyStream): Promise<OutgoingResponse> {
    try {
      response.bodyStream = (await startStream(stream, exchange.state.signal)) ?? null;
    } catch (error) {
      return this.#complete(exchange, this.#recover(exchange, error));
    }
    return response.bodyStream ? this.#completeStream(exchange, response) : this.#complete(exchange, response);
  }

  #limit(response: OutgoingResponse): void {
    const { maxResponseBytes } = this.#parts;
    if (maxResponseBytes > 0 && contentBytes(response.content) > maxResponseBytes) throw RESPONSE_TOO_LARGE;
  }

  /** Headers of ours, encoding at the door, and the end of the invocation. */
  #complete(exchange: Exchange, answer: OutgoingResponse): MaybePromise<OutgoingResponse> {
    let response = this.#decorate(exchange, answer);
    if (exchange.door.measure) {
      exchange.encoded = encodeBody(response);
      if (exceedsCap(exchange, response, exchange.encoded)) {
        response = this.#decorate(exchange, this.#recover(exchange, RESPONSE_TOO_LARGE));
        exchange.encoded = encodeBody(response);
      }
    }
    this.#parts.observe?.(exchange, response, () => contentBytes(response.content));
    exchange.state.end();
    // What hooks and logs have started (a notification, say) may need a moment before the instance freezes.
    const deliveries = exchange.state.settleDeliveries();
    return deliveries ? deliveries.then(() => response) : response;
  }

  #completeStream(exchange: Exchange, answer: OutgoingResponse): OutgoingResponse {
    const response = this.#decorate(exchange, answer);
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
      exchange.state.end();
    });
    return response;
  }

  #decorate(exchange: Exchange, response: OutgoingResponse): OutgoingResponse {
    for (const decorate of this.#parts.decorate) decorate(exchange, response);
    return response;
  }
}

function contentBytes(content: string | Uint8Array): number {
  return typeof content === 'string' ? Buffer.byteLength(content) : content.byteLength;
}
