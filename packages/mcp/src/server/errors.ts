import { FrameworkError } from '@sallyport/core';
import { brandError } from '@sallyport/core/internal';
import { RPC } from '../protocol/internal/protocol.js';
import type { Era } from '../protocol/types.js';
import type { Kept } from '../store/internal/row-text.js';

/** The codes of this package's errors, with their causes. */
export type McpErrorCode =
  /** A tool threw {@link McpToolError}: its message is the tool's answer, with `isError: true`. */
  | 'mcp.tool_error'
  /** The work of a `ctx.step` threw, in this run or in an earlier run of the call. */
  | 'mcp.step_failed'
  /** The definition of a tool, prompt or resource is invalid. */
  | 'mcp.invalid_registration'
  /** A tool, prompt or resource was registered after the first request. */
  | 'mcp.closed'
  /** `publish` requires the option `changes`. */
  | 'mcp.changes_off'
  /** A remote server did not return its tools at registration. */
  | 'mcp.proxy_unavailable'
  /** A task could not be passed to the function that runs it. */
  | 'mcp.task_not_started'
  /** A call of an agent gateway has no tool name, or is for another target. */
  | 'mcp.invalid_agent_call'
  /** A path, identifier or endpoint is invalid in `@sallyport/mcp/routes`, which throws a `TypeError` with this code. */
  | 'mcp.invalid_route'
  /** An authorization server rejects a request: `OAuthError`, whose `error` is the error code of the protocol. @status 400 */
  | 'mcp.oauth_refused'
  /** The identity provider of a sign-in failed; the log line `mcp.identity_provider_failed` has the reason. @status 503 */
  | 'mcp.identity_provider'
  /** The secret of the server was not read before the end of the invocation, or its service is not available. @status 503 */
  | 'mcp.secret_unavailable'
  /** The store failed. @status 503 */
  | 'mcp.store';

/**
 * The only error whose message a tool sends to the client, as a result with `isError: true`. Every other exception is answered
 * with a fixed message.
 *
 * @example throw new McpToolError('There is no note 7.');
 */
export class McpToolError extends FrameworkError {
  static {
    brandError(McpToolError, 'sallyport.McpToolError');
  }

  override readonly name: string = 'McpToolError';

  constructor(text: string, init: { readonly cause?: unknown } = {}) {
    super('mcp.tool_error', text, init);
    Object.freeze(this);
  }
}

/**
 * The error of a failed `ctx.step`. It is the same in the first run and in every replay, so that a handler makes the same decision in
 * both. An {@link McpToolError} remains an {@link McpToolError}.
 *
 * @example if (error instanceof McpStepError && error.reason.name === 'CardDeclined') return 'Declined.';
 */
export class McpStepError extends FrameworkError {
  static {
    brandError(McpStepError, 'sallyport.McpStepError');
  }

  override readonly name: string = 'McpStepError';
  /** Name of the step. */
  readonly step: string;
  /** Name and message of the thrown error, cut to 100 and 1,000 characters. */
  readonly reason: { readonly name: string; readonly message: string };

  constructor(
    step: string,
    reason: { readonly name: string; readonly message: string },
    init: { readonly cause?: unknown } = {},
  ) {
    super('mcp.step_failed', `framework: mcp: step "${step}" failed: ${reason.name}: ${reason.message}`, init);
    this.step = step;
    this.reason = Object.freeze({ ...reason });
    Object.freeze(this);
  }
}

/** The error for a rejected registration. */
export function invalidRegistration(what: string): FrameworkError {
  return new FrameworkError('mcp.invalid_registration', `framework: mcp: ${what}`);
}

/** A JSON-RPC error that is sent to the client. Thrown inside the engine, never by handlers. */
export class RpcError extends Error {
  readonly code: number;
  readonly data: unknown;
  /** HTTP status in the stateless era, if it is not 200. */
  readonly status: number;
  /** Only logged, never sent. */
  readonly why: string | undefined;

  constructor(code: number, message: string, data?: unknown, status = 200, why?: string) {
    super(message);
    this.code = code;
    this.data = data;
    this.status = status;
    this.why = why;
  }
}

/**
 * -32603 with the code `mcp.too_large`: a value that the call must store is too large. `data` contains its kind and its limit.
 */
export function tooLarge(what: Kept, bytes: number, limit: number): RpcError {
  const data = { code: 'mcp.too_large', what, bytes, limit };
  return new RpcError(RPC.internalError, `Too large to keep: ${what}`, data);
}

/** The error for a remote server that does not return its tools. */
export function proxyUnavailable(cause: unknown): FrameworkError {
  return new FrameworkError('mcp.proxy_unavailable', 'framework: mcp: the remote server did not return its tools', {
    cause,
  });
}

/** `instanceof` for any thrown value. It is false for a revoked proxy, where the operator would throw. */
export function isInstance<T>(value: unknown, type: abstract new (...args: never[]) => T): value is T {
  try {
    return value instanceof type;
  } catch {
    return false;
  }
}

/** -32602: the parameters of a request are wrong. */
export function invalidParams(message: string, data?: unknown): RpcError {
  return new RpcError(RPC.invalidParams, message, data);
}

/** The error for an unknown URI: -32002 in the session era, -32602 in the stateless era. */
export function unknownResource(era: Era, uri: string): RpcError {
  return new RpcError(era === 'session' ? RPC.resourceNotFound : RPC.invalidParams, 'Resource not found', { uri });
}
