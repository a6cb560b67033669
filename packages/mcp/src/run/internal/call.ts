import type { Logger, MaybePromise } from '@sallyport/core';
import { guardHook, logFailure } from '@sallyport/core/pipeline';
import type { Accepted, McpRequest } from '../../http/internal/exchange.js';
import { INTERNAL_ERROR } from '../../protocol/internal/json-rpc.js';
import { RPC } from '../../protocol/internal/protocol.js';
import type { ClientCapabilities, Era, JsonObject } from '../../protocol/types.js';
import type { CacheHint } from '../../server/definitions.js';
import { isInstance, McpToolError, RpcError } from '../../server/errors.js';
import type { Registered } from '../../server/internal/registry.js';
import type { McpAskingContext } from '../context.js';
import type { Outcome, Run } from './run.js';

/** The request that a fixed error text names, and where the real one is logged. */
export interface Report {
  readonly requestId: string;
  readonly log: Logger;
}

/** A request that runs a handler of the application. */
export interface Call {
  readonly target: Registered;
  /** Name, or URI. */
  readonly name: string;
  /** Arguments, for digests. */
  readonly args: unknown;
  invoke(ctx: McpAskingContext): unknown;
  /** The full result of what the handler returned. */
  complete(answer: unknown, report: Report): MaybePromise<JsonObject>;
  /** Set where results carry caching hints; `undefined` inside means the server's own. */
  readonly cache?: { readonly hint: Required<CacheHint> | undefined };
}

/** What ends an answer. */
export interface Ending {
  /** The response, or questions; empty when there is no response. */
  readonly messages: readonly string[];
  /** HTTP status when the stream has not begun. */
  readonly status: number;
  /** `json`: whenever nothing was sent before. `sse`: needs a stream. */
  readonly form: 'json' | 'any' | 'sse';
  /** Frames behind the messages. */
  readonly trailer?: string;
}

/** Turns messages into frames, and stores them where the client can come back for them. */
export interface Sink {
  /** Frames before everything else, when the handler is still running. */
  open(): Promise<string>;
  /** `live`: the handler is still running. */
  write(messages: readonly string[], live: boolean): Promise<string>;
  /** All frames of a stream that is complete; called after `end`. */
  whole(messages: readonly string[]): Promise<string>;
  /** Saves the state at the end. `unsent` contains events that were not written. */
  end(outcome: Outcome, unsent: readonly string[]): Promise<Ending>;
  /** Whether a client that is gone may come back for the rest. */
  readonly resumable: boolean;
}

/** A run on its way to the client. */
export interface Delivery {
  readonly http: McpRequest;
  readonly accepted: Accepted;
  readonly run: Run;
  readonly sink: Sink;
  /** Stream at once: a replay comes first. */
  readonly atOnce?: boolean;
}

/** Outcomes that end a call for good. */
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

/** What an exception becomes: only a tool's {@link McpToolError} shows its text. */
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
    name === undefined ? 'This client cannot be asked for input here.' : `This needs a client that supports ${name}.`;
  if (era === 'stateless') return missingCapabilityError(required);
  return isTool ? toolError(text) : new RpcError(RPC.invalidParams, text);
}

/** A tool's failure, in words for the model. */
export function toolError(text: string): JsonObject {
  return { content: [{ type: 'text', text }], isError: true };
}

/** Stateless era: what the client would have to declare. */
export function missingCapabilityError(requiredCapabilities: ClientCapabilities): RpcError {
  return new RpcError(RPC.missingCapability, 'Missing required client capability', { requiredCapabilities }, 400);
}
