import type { MaybePromise } from '@sallyport/core';
import type { StoreCallOptions } from '../store/store.js';

/** Settings for calls that become tasks (extension `io.modelcontextprotocol/tasks`). */
export interface McpTasks {
  /**
   * Sends an event to this function, asynchronously: `invokeSelf()`, or your own queue. The function must pass the event to
   * the surface of `mcpTasks(server)`. Resolves when the event is accepted. The signal of the second argument aborts shortly before the
   * invocation ends.
   */
  readonly start: (event: McpTaskEvent, options?: StoreCallOptions) => MaybePromise<unknown>;
  /** Milliseconds for which a task and its result are kept, 60,000 to 7 days. Default 1 hour. */
  readonly ttlMs?: number;
  /** Milliseconds that clients should wait between polls, at least 100. Default 1,000. */
  readonly pollIntervalMs?: number;
}

/** The event that runs a task. It contains only the encrypted id of the task. */
export interface McpTaskEvent {
  /** Marks the event of a task. */
  readonly sallyport: 'mcp.task';
  /** The encrypted id; only the secret of the server decrypts it. */
  readonly token: string;
}

/** Rules for calls of one tool that become tasks. */
export interface ToolTask {
  /** Rejects clients without support for tasks. Default `false`: they get a normal result. */
  readonly required?: boolean;
  /**
   * The time at which a call becomes a task: `start`, before the handler runs, or `closeStream`, when the handler calls
   * `ctx.closeStream()`, possibly after questions. Default `start`.
   */
  readonly at?: 'start' | 'closeStream';
}
