import { isStringMap } from '@sallyport/core/internal';
import { defineOptions, integer, kind } from '@sallyport/core/options';

/** A request on its way to a target. */
export interface InterceptedRequest {
  /** `mcp`: a message of MCP. `http`: a request for another target. */
  readonly form: 'mcp' | 'http';
  /** `POST` */
  readonly method: string;
  /** The path that the gateway received. */
  readonly path: string;
  /** Values by lower-case name. Empty unless the gateway passes headers on: `passRequestHeaders`. */
  readonly headers: Readonly<Record<string, string>>;
  /** The message as parsed JSON (`mcp`), or the bytes (`http`). `null`: the gateway left it out. */
  readonly body: unknown;
}

/** An answer to the gateway's client. */
export interface InterceptedResponse {
  /** The HTTP status. */
  readonly status: number;
  /** Values by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** The message as parsed JSON (`mcp`), or the bytes (`http`). `null`: the gateway left it out. */
  readonly body: unknown;
  /** True if it is one event of a stream; from the second event on, only the body can be changed. */
  readonly streaming: boolean;
}

/** The decision of an interceptor: the result of {@link pass}, {@link rewrite} or {@link reject}. */
export type Interception = { readonly [VERDICT]: 'pass' } | RewriteVerdict | RejectVerdict;

interface RewriteVerdict {
  readonly [VERDICT]: 'rewrite';
  readonly headers: Readonly<Record<string, string>> | undefined;
  readonly body: unknown;
  readonly status: number | undefined;
}

interface RejectVerdict {
  readonly [VERDICT]: 'reject';
  readonly status: number;
  readonly text: string;
}

/** Marks results of the three functions: JSON of a model or a client has no symbols. The same in every copy of this package. */
export const VERDICT: unique symbol = Symbol.for('sallyport.mcp.interception/1') as never;

/** Changes of {@link rewrite}. An unknown key is rejected. */
export interface Rewrite {
  /** Header values by name. Default: the headers of the message. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The new body: JSON (`mcp`), or text or bytes (`http`). Default: the body of the message. */
  readonly body?: unknown;
  /** The new status of an answer. Default: the status of the answer. */
  readonly status?: number;
}

const HEADERS = /* @__PURE__ */ kind<Readonly<Record<string, string>>>('an object of strings', isStringMap);

/** Validators and defaults for {@link Rewrite}. */
export const REWRITE_OPTIONS = /* @__PURE__ */ defineOptions<Rewrite>()({
  headers: HEADERS,
  body: kind<unknown>('a body', () => true),
  status: integer(100, 599),
});

/**
 * Passes a message on unchanged.
 *
 * @example agentCoreInterceptor({ response: () => pass() });
 */
export function pass(): Interception {
  return { [VERDICT]: 'pass' };
}

/**
 * Passes a message on with other headers or another body.
 *
 * @throws FrameworkError `app.invalid_configuration` for an unknown option or a wrong type
 * @example rewrite({ headers: { ...request.headers, 'x-tenant': tenant } });
 */
export function rewrite(changes: Rewrite): Interception {
  return { [VERDICT]: 'rewrite', ...REWRITE_OPTIONS.parse(changes) };
}

/**
 * Answers instead of the target: a JSON-RPC error (`mcp`), or the text (`http`).
 *
 * @param status the HTTP status, 400 to 599
 * @param text the message for the client
 * @throws FrameworkError `app.invalid_configuration` for another status, or no text
 * @example reject(403, 'This team has no tools.');
 */
export function reject(status: number, text: string): Interception {
  return { [VERDICT]: 'reject', ...REJECT.parse({ status, text }) };
}

const REJECT = /* @__PURE__ */ defineOptions<{ readonly status: number; readonly text: string }>()({
  status: integer(400, 599).required(),
  text: kind<string>('a string', (value) => typeof value === 'string').required(),
});
