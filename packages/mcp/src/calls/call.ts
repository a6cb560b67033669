import type { MaybePromise, SecurePrincipal } from '@sallyport/core';
import type { McpContext } from '../run/context.js';

/** One call of a handler, for hooks. */
export interface McpCall {
  /** A call of a resource template has the kind `resource`. */
  readonly kind: 'tool' | 'resource' | 'prompt';
  /** Name of the tool or prompt, or URI of the resource. */
  readonly name: string;
  /** The registration: the name of the tool or prompt, the URI of the resource, the URI template. */
  readonly target: string;
  /** The method of the protocol: `tools/call`. */
  readonly method: string;
  /** The caller; `null` for an anonymous caller. */
  readonly principal: SecurePrincipal | null;
  /** `''` if absent. */
  readonly tenantId: string;
  /** A digest of the arguments; `''` for a resource, which has no arguments. */
  readonly argsDigest: string;
  /** Number of answered rounds of questions: the handler is called again after each round. */
  readonly round: number;
  /** The context of the handler. */
  readonly ctx: McpContext;
}

/**
 * The outcome of a call. `ok`: a result. `tool_error`: a result with `isError`. `asked`: it stopped at a question and is called again.
 * `closed`: its stream was closed and it is called again. `cancelled`: by the client. `timeout`: at the deadline. `failed`: an error of
 * the protocol, or an exception.
 */
export type CallOutcome = 'ok' | 'tool_error' | 'asked' | 'closed' | 'cancelled' | 'timeout' | 'failed';

/** The end of a call. */
export interface CallEnd {
  /** Outcome of the call. */
  readonly outcome: CallOutcome;
  /** Milliseconds since the first hook was called. */
  readonly durationMs: number;
  /** The error of the handler, or of an inner hook. Never sent. */
  readonly error?: unknown;
}

/**
 * A hook around every call of a tool, a resource or a prompt. `next` runs the inner hooks and the handler, once, and resolves to
 * the outcome; it does not reject. The answer waits for the hook. A hook that throws ends the call. For a tool, the message of an
 * {@link McpToolError} is sent; any other error is answered with a fixed message. A hook must call `next` or throw.
 */
export type OnCall = (call: McpCall, next: () => Promise<CallEnd>) => MaybePromise<unknown>;
