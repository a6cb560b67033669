import type { Logger, MaybePromise } from '@sallyport/core';
import type { Accepted, McpRequest } from '../../http/internal/transport.js';
import type { JsonObject } from '../../protocol/types.js';
import type { CacheHint } from '../../server/definitions.js';
import type { Registered } from '../../server/internal/registry.js';
import type { McpAskingContext } from '../context.js';
import type { HandlerRun, Outcome } from './run.js';

/** The request id for the fixed error message, and the log for the real error. */
export interface Report {
  readonly requestId: string;
  readonly log: Logger;
}

/** A request that runs a handler of the application. */
export interface Call {
  /** The method of the request. */
  readonly method: string;
  readonly target: Registered;
  /** Name or URI. */
  readonly name: string;
  /** The arguments, for digests. */
  readonly args: unknown;
  invoke(ctx: McpAskingContext): unknown;
  /** Converts the handler's return value to a full result. */
  complete(answer: unknown, report: Report): MaybePromise<JsonObject>;
  /** Set if results contain caching hints; `undefined` means the hints of the server. */
  readonly cache?: { readonly hint: Required<CacheHint> | undefined };
}

/** The end of an answer. */
export interface Ending {
  /** The response, or questions; empty when there is no response. */
  readonly messages: readonly string[];
  /** HTTP status, used if the stream has not begun. */
  readonly status: number;
  /** `json`: possible if nothing was sent before. `sse`: needs a stream. */
  readonly form: 'json' | 'any' | 'sse';
  /** Frames after the messages. */
  readonly trailer?: string;
}

/** Converts messages to frames, and stores them if the client can resume. */
export interface Sink {
  /** The first frames, if the handler is still running. */
  open(): Promise<string>;
  /** `isRunning`: the handler may send more. */
  write(messages: readonly string[], isRunning: boolean): Promise<string>;
  /** All frames of a stream that is complete; called after `end`. */
  whole(messages: readonly string[]): Promise<string>;
  /** Saves the state at the end. `unsent` contains the events that were not written. */
  end(outcome: Outcome, unsent: readonly string[]): Promise<Ending>;
  /** True if a client that has disconnected may resume. */
  readonly resumable: boolean;
}

/** A run whose output is sent to the client. */
export interface Delivery {
  readonly http: McpRequest;
  readonly accepted: Accepted;
  readonly run: HandlerRun;
  readonly sink: Sink;
  /** Starts the stream immediately, because replayed events precede the output of the run. */
  readonly atOnce?: boolean;
}
