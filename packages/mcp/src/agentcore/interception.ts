import { defineOptions, integer, kind } from '@sallyport/core/options';

/** A request on its way to a target. */
export interface InterceptedRequest {
  /** `mcp`: a message of MCP. `http`: a request for another target. */
  readonly form: 'mcp' | 'http';
  /** `POST` */
  readonly method: string;
  /** As the gateway received it. */
  readonly path: string;
  /** Values by lower-case name. Empty unless the gateway passes headers on: `passRequestHeaders`. */
  readonly headers: Readonly<Record<string, string>>;
  /** The message as parsed JSON (`mcp`), or the bytes (`http`). `null`: the gateway left it out. */
  readonly body: unknown;
}

/** An answer on its way back. */
export interface InterceptedResponse {
  /** The HTTP status. */
  readonly status: number;
  /** Values by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** The message as parsed JSON (`mcp`), or the bytes (`http`). `null`: the gateway left it out. */
  readonly body: unknown;
  /** True if it is one event of a stream; from the second on only the body can be changed. */
  readonly streaming: boolean;
}

/** What an interceptor decides; {@link pass}, {@link rewrite} and {@link reject} make it. */
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

/** Marks what the three functions made: JSON that a model or a client wrote has no symbols. The same in every copy of this package. */
export const VERDICT: unique symbol = Symbol.for('sallyport.mcp.interception/1') as never;

/** What {@link rewrite} changes. An unknown key is rejected. */
export interface Rewrite {
  /** Header values by name. Default: those of the message. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The new body: JSON (`mcp`), or text or bytes (`http`). Default: that of the message. */
  readonly body?: unknown;
  /** The new status of an answer. Default: that of the answer. */
  readonly status?: number;
}

const HEADERS = /* @__PURE__ */ kind<Readonly<Record<string, string>>>(
  'an object of texts',
  (value) =>
    typeof value === 'object' && value !== null && Object.values(value).every((text) => typeof text === 'string'),
);

/** Validators and defaults for {@link Rewrite}. */
export const REWRITE_OPTIONS = /* @__PURE__ */ defineOptions<Rewrite>()({
  headers: HEADERS,
  body: kind<unknown>('a body', () => true),
  status: integer(100, 599),
});

/**
 * Lets a message through as it is.
 *
 * @example agentCoreInterceptor({ response: () => pass() });
 */
export function pass(): Interception {
  return { [VERDICT]: 'pass' };
}

/**
 * Lets a message through with other headers or another body.
 *
 * @throws FrameworkError `app.invalid_configuration` for an unknown option or a wrong type
 * @example rewrite({ headers: { ...request.headers, 'x-tenant': tenant } });
 */
export function rewrite(changes: Rewrite): Interception {
  return { [VERDICT]: 'rewrite', ...REWRITE_OPTIONS.parse(changes) };
}

/**
 * Answers in the place of the target: a JSON-RPC error (`mcp`), or the text (`http`).
 *
 * @param status the HTTP status, 400 to 599
 * @param text for the client
 * @throws FrameworkError `app.invalid_configuration` for another status, or no text
 * @example reject(403, 'This team has no tools.');
 */
export function reject(status: number, text: string): Interception {
  return { [VERDICT]: 'reject', ...REJECT.parse({ status, text }) };
}

const REJECT = /* @__PURE__ */ defineOptions<{ readonly status: number; readonly text: string }>()({
  status: integer(400, 599).required(),
  text: kind<string>('a text', (value) => typeof value === 'string').required(),
});
