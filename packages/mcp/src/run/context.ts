import type { Context, SecurePrincipal } from '@sallyport/core';
import type {
  ClientCapabilities,
  ElicitRequest,
  ElicitResult,
  Era,
  Implementation,
  InputRequests,
  InputResponses,
  Json,
  JsonObject,
  LogLevel,
  Root,
  SampleRequest,
  SampleResult,
} from '../protocol/types.js';

/** What {@link McpContext.inputRequired} makes and a handler returns. */
export interface InputRequired {
  readonly [INPUT_REQUIRED]: true;
  /** The questions, by key. */
  readonly requests: InputRequests;
  /** What comes back with the answers; `undefined` for nothing. */
  readonly state: Json | undefined;
}

export const INPUT_REQUIRED: unique symbol = Symbol('sallyport.mcp.inputRequired');

export function isInputRequired(value: unknown): value is InputRequired {
  return typeof value === 'object' && value !== null && INPUT_REQUIRED in value;
}

/**
 * What a handler gets. When it asks the client something, its run may stop there for good: the handler is called again
 * from its beginning, on any instance, with what was recorded. Only {@link McpContext.step} keeps work from running twice.
 */
export interface McpContext {
  /** The HTTP request: parameters, headers, clock. */
  readonly http: Context;
  /** Who calls; `null` for an anonymous caller. */
  readonly principal: SecurePrincipal | null;
  /** `''` when there is none. */
  readonly tenantId: string;
  /** Epoch milliseconds; 15 minutes from now when the platform does not say. */
  readonly deadline: number;
  /** Aborts at the deadline, when the client cancels, or when it is gone and the door sees it. */
  readonly signal: AbortSignal;
  /** `session` or `stateless`: how the client speaks. */
  readonly era: Era;
  /** The protocol revision of this request: `2025-11-25`. */
  readonly protocolVersion: string;
  /** Name and version that the client gives of itself; `undefined` when it gives none. */
  readonly client: Implementation | undefined;
  /** What the client declares that it can do. Empty where sessions are off. */
  readonly clientCapabilities: ClientCapabilities;
  /** Answers to the last `inputRequired`, without those that do not fit their question. */
  readonly inputs: InputResponses;
  /** The state of the last `inputRequired`. */
  readonly state: Json | undefined;
  /** Sends nothing unless the client gave a progress token. */
  progress(progress: number, total?: number, message?: string): void;
  /** Sends nothing below the level that the client asked for. */
  log(level: LogLevel, data: Json, logger?: string): void;
  /** Asks the person. The key names the question across replays; without one it is `q1`, `q2`, … in order. */
  elicit<T = JsonObject>(request: ElicitRequest<T>, key?: string): Promise<ElicitResult<T>>;
  /** Asks the client's model. */
  sample(request: SampleRequest, key?: string): Promise<SampleResult>;
  /** Asks for the directories that the client works in. */
  roots(key?: string): Promise<readonly Root[]>;
  /** Runs once and is recorded, as JSON: a replay gets the recorded value. Names are unique within a handler. */
  step<T extends Json>(name: string, run: () => T | Promise<T>): Promise<T>;
  /** Several questions at once, as a value that the handler returns. `state` comes back with the answers. */
  inputRequired(requests: InputRequests, state?: Json): InputRequired;
  /** Ends the response here; the client polls for the rest. Does nothing where it cannot come back. */
  closeStream(): Promise<void>;
}
