import type { Context, SecurePrincipal, SpanAttributes, SpanScope } from '@sallyport/core';
import type {
  AskKind,
  ClientCapabilities,
  ElicitAnswer,
  ElicitRequest,
  Era,
  Implementation,
  InputRequests,
  InputResponses,
  Json,
  JsonObject,
  LogLevel,
  RequestId,
  RequestMeta,
  Root,
  SampleRequest,
  SampleResult,
} from '../protocol/types.js';

/** The result of {@link McpContext.inputRequired}, which a handler returns. */
export interface InputRequired {
  readonly [INPUT_REQUIRED]: true;
  /** The questions, by key. */
  readonly requests: InputRequests;
  /** A value that is returned with the answers. */
  readonly state: Json | undefined;
}

export const INPUT_REQUIRED: unique symbol = Symbol.for('sallyport.mcp.input-required/1') as never;

/**
 * The context of a handler. A run stops at a question to the client. After the answer the handler is called again from its beginning,
 * on any instance, with the recorded data. Use {@link McpContext.step} for work that must not run twice.
 */
export interface McpContext {
  /** The HTTP request: parameters, headers, clock. */
  readonly http: Context;
  /** The caller; `null` for an anonymous caller. */
  readonly principal: SecurePrincipal | null;
  /** `''` if absent. */
  readonly tenantId: string;
  /** Epoch milliseconds; 15 minutes from now if the platform does not report a deadline. */
  readonly deadline: number;
  /** Aborts at the deadline, when the client cancels, or when the front door reports that it has disconnected. */
  readonly signal: AbortSignal;
  /** The id of the JSON-RPC request. */
  readonly requestId: RequestId;
  /** The `_meta` of the request: data of the client in addition to the parameters, for example its trace context. */
  readonly meta: RequestMeta;
  /**
   * A name for the session, the same in all its requests and on all instances. It is not the session id. `undefined` without
   * a stored session.
   */
  readonly sessionId: string | undefined;
  /** `session` or `stateless`: the protocol era of the client. */
  readonly era: Era;
  /** The protocol revision of this request: `2025-11-25`. */
  readonly protocolVersion: string;
  /** Name and version of the client; `undefined` if it sends none. */
  readonly client: Implementation | undefined;
  /** The declared capabilities of the client. Empty without sessions. */
  readonly clientCapabilities: ClientCapabilities;
  /** Valid answers to the last `inputRequired`: answers that match the schema of their question. */
  readonly inputs: InputResponses;
  /** The state of the last `inputRequired`. */
  readonly state: Json | undefined;
  /** Runs work inside a span that ends with it. Without the option `observability.span`, only calls the work. */
  span<T>(name: string, run: (span: SpanScope) => T, attributes?: SpanAttributes): T;
  /** Sends progress, if the client sent a progress token. */
  progress(progress: number, total?: number, message?: string): void;
  /** Sends a log message, if its level is at or above the client's level. */
  log(level: LogLevel, data: Json, logger?: string): void;
  /**
   * Runs work once, and records its result as JSON. A replay returns the recorded value. The name must be unique within the handler.
   */
  step<T extends Json>(name: string, run: () => T | Promise<T>): Promise<T>;
  /** Creates a return value with several questions, which the client receives together. `state` is returned with the answers. */
  inputRequired(requests: InputRequests, state?: Json): InputRequired;
  /** Ends the response here; the client polls for the rest. Does nothing if the client cannot resume. */
  closeStream(): Promise<void>;
}

/** Questions to the user. */
interface Elicits {
  /**
   * Sends a question to the user. The key identifies the question across replays; the default is `q1`, `q2`, … in order.
   *
   * @throws McpToolError if the client sends no valid answer
   *
   * @example
   * const answer = await ctx.elicit({ message: 'Which day?', requestedSchema: z.object({ day: z.string() }) });
   * if (answer.action !== 'accept') return 'Nothing was booked.';
   */
  elicit<T = JsonObject>(request: ElicitRequest<T>, key?: string): Promise<ElicitAnswer<T>>;
}

/** Questions to the client's model. */
interface Samples {
  /**
   * Sends a request to the client's model. Deprecated in the protocol from revision 2026-07-28 on, and served in all revisions.
   *
   * @throws McpToolError if the client sends no valid answer
   */
  sample(request: SampleRequest, key?: string): Promise<SampleResult>;
}

/** Questions for the client's directories. */
interface AsksForRoots {
  /**
   * Requests the directories that the client works in. Deprecated in the protocol from revision 2026-07-28 on, and served in
   * all revisions.
   *
   * @throws McpToolError if the client sends no valid answer
   */
  roots(key?: string): Promise<readonly Root[]>;
}

interface Questions {
  readonly elicitation: Elicits;
  readonly sampling: Samples;
  readonly roots: AsksForRoots;
}

type All<U> = (U extends unknown ? (member: U) => void : never) extends (all: infer I) => void ? I : never;

/** The context of a handler with questions to the client. It has a method for each kind in `asks` and `requires`. */
export type McpAskingContext<Asks extends AskKind = AskKind> = McpContext & All<Questions[Asks]>;
