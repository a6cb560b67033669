import type { Logger, MaybePromise } from '@sallyport/core';
import { guardHook, logFailure } from '@sallyport/core/internal';
import type { Accepted, McpRequest } from '../../http/internal/exchange.js';
import { INTERNAL_ERROR } from '../../protocol/internal/json-rpc.js';
import { RPC } from '../../protocol/internal/protocol.js';
import type { ClientCapabilities, Era, JsonObject } from '../../protocol/types.js';
import type { CacheHint } from '../../server/definitions.js';
import { isInstance, McpToolError, RpcError } from '../../server/errors.js';
import type { Registered } from '../../server/internal/registry.js';
import type { McpAskingContext } from '../context.js';
import type { Outcome, Run } from './run.js';

/** The request id for the fixed error message, and the log for the real error. */
export interface Report {
  readonly requestId: string;
  readonly log: Logger;
}

/** A request that runs a handler of the application. */
export interface Call {
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
  /** `live`: the handler is still running. */
  write(messages: readonly string[], live: boolean): Promise<string>;
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
  readonly run: Run;
  readonly sink: Sink;
  /** Starts the stream immediately, because replayed events precede the output of the run. */
  readonly atOnce?: boolean;
}

/** Outcomes after which a call does not continue. */
export type FinalOutcome = Exclude<Outcome, { kind: 'questions' } | { kind: 'closed' } | { kind: 'cancelled' }>;

/** The result of a call, or the error that answers it. */
export async function toResult(
  call: Pick<Call, 'target' | 'complete'>,
  era: Era,
  outcome: FinalOutcome,
  report: Report,
): Promise<JsonObject | RpcError> {
  const isTool = call.target.kind === 'tool';
  switch (outcome.kind) {
    case 'answer':
      try {
        return await call.complete(outcome.value, report);
      } catch (error) {
        return failed(error, isTool, report);
      }
    case 'failed':
      return failed(outcome.error, isTool, report);
    case 'lacks':
      return lacking(outcome.required, era, isTool);
    case 'timeout':
      guardHook(() => report.log.error('mcp.timeout', { target: call.target.name }));
      return isTool
        ? toolError(`Tool timed out (request ${report.requestId})`)
        : new RpcError(RPC.internalError, 'Timed out');
  }
}

/** Converts an exception to an answer. Only the message of an {@link McpToolError} of a tool is sent. */
function failed(error: unknown, isTool: boolean, report: Report): JsonObject | RpcError {
  const { log, requestId } = report;
  if (isInstance(error, RpcError)) {
    const { why } = error;
    if (why !== undefined) guardHook(() => log.error('mcp.call_ended', { why }));
    return error;
  }
  if (isTool && isInstance(error, McpToolError)) return toolError(error.message);
  logFailure(() => log, 'mcp.handler_failed', error);
  return isTool ? toolError(`Tool failed (request ${requestId})`) : new RpcError(RPC.internalError, INTERNAL_ERROR);
}

function lacking(required: ClientCapabilities, era: Era, isTool: boolean): JsonObject | RpcError {
  const [name] = Object.keys(required);
  const text =
    name === undefined
      ? 'This client does not support input requests here.'
      : `This needs a client that supports ${name}.`;
  if (era === 'stateless') return missingCapabilityError(required);
  return isTool ? toolError(text) : new RpcError(RPC.invalidParams, text);
}

/** A tool's failure as text for the model. */
export function toolError(text: string): JsonObject {
  return { content: [{ type: 'text', text }], isError: true };
}

/** Stateless era: the capabilities that the client does not declare. */
export function missingCapabilityError(requiredCapabilities: ClientCapabilities): RpcError {
  return new RpcError(RPC.missingCapability, 'Missing required client capability', { requiredCapabilities }, 400);
}
