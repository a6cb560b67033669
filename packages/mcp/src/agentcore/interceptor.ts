import {
  type Context,
  FrameworkError,
  type Invocation,
  type InvocationProvenance,
  isFrameworkError,
  type LambdaContext,
  type MaybePromise,
  type Surface,
  type SurfaceHost,
  type Target,
  type TriggerRecord,
} from '@sallyport/core';
import { createSurfaceContext, handlerName, logFailure, remainingMs } from '@sallyport/core/internal';
import { defineOptions, func, invalidOption } from '@sallyport/core/options';
import {
  type InterceptedRequest,
  type InterceptedResponse,
  type Interception,
  reject,
  VERDICT,
} from './interception.js';
import { FORMS, type InterceptorEvent, pathOf, readInterceptorEvent } from './internal/interceptor-event.js';

/** Intercepts a request. Any result except a result of `pass`, `rewrite` or `reject` rejects the request. */
export type RequestInterceptor = (ctx: Context, request: InterceptedRequest) => MaybePromise<Interception>;

/** Intercepts an answer. Any result except a result of `pass`, `rewrite` or `reject` rejects the answer. */
export type ResponseInterceptor = (
  ctx: Context,
  response: InterceptedResponse,
  request: InterceptedRequest,
) => MaybePromise<Interception>;

/** Options of {@link agentCoreInterceptor}; at least one is required. An unknown key is rejected. */
export interface AgentCoreInterceptorOptions {
  /** Called before the target. Default: requests are rejected. */
  readonly request?: RequestInterceptor;
  /** Called with the answer of the target. Default: answers are rejected. */
  readonly response?: ResponseInterceptor;
}

/** Validators and defaults for {@link AgentCoreInterceptorOptions}. */
export const AGENT_CORE_INTERCEPTOR_OPTIONS = /* @__PURE__ */ defineOptions<AgentCoreInterceptorOptions>()({
  request: func<RequestInterceptor>(),
  response: func<ResponseInterceptor>(),
});

/** A surface of a container for the interceptor of a gateway. */
export interface AgentCoreInterceptor extends Surface {
  /** Recognizes its events. */
  readonly rows: readonly {
    readonly kind: string;
    readonly anyOf: readonly (readonly { readonly path: string; readonly test: 'text' | 'object' }[])[];
  }[];
  /** An example event. */
  readonly sample: unknown;
}

const KIND = 'agentcore-interceptor';
const TEXT = { path: 'interceptorInputVersion', test: 'text' } as const;
/** The event version of both forms. */
const VERSION = '1.0';
/** Milliseconds that the answer needs before the end of the invocation. */
const MARGIN_MS = 500;

/**
 * Creates the surface for the interceptors of a gateway of Amazon Bedrock AgentCore: code that runs before and after each call of a
 * target. A handler that throws, times out or returns another value rejects the call: a `FrameworkError` below 500 with its status and
 * message, any other error with 500 and a fixed message.
 *
 * @throws FrameworkError `app.invalid_configuration` without an interceptor, or for an unknown option
 * @see https://docs.aws.amazon.com/bedrock-agentcore/latest/devguide/gateway-interceptors-types.html
 * @example
 * const app = new SecureApp({
 *   surfaces: [agentCoreInterceptor({ request: (ctx, { headers }) => (headers['x-team'] ? pass() : reject(403, 'no team')) })],
 * });
 */
export function agentCoreInterceptor(options: AgentCoreInterceptorOptions): AgentCoreInterceptor {
  const parsed = AGENT_CORE_INTERCEPTOR_OPTIONS.parse(options);
  if (!parsed.request && !parsed.response) throw invalidOption('request', 'set, or "response"');
  return new InterceptorSurface(parsed.request, parsed.response);
}

class InterceptorSurface implements AgentCoreInterceptor {
  readonly serves = [KIND];
  /** It is not documented if the gateway sends a client context; arguments of a tool never reach this surface. */
  readonly accepts: readonly InvocationProvenance[] = ['provider', 'direct'];
  readonly rows = [
    {
      kind: KIND,
      anyOf: [
        [TEXT, { path: 'mcp.gatewayRequest', test: 'object' }],
        [TEXT, { path: 'http.gatewayRequest', test: 'object' }],
      ],
    },
  ] as const;
  readonly sample = { interceptorInputVersion: VERSION, mcp: { gatewayRequest: { body: {} } } };
  readonly #request: RequestInterceptor | undefined;
  readonly #response: ResponseInterceptor | undefined;
  #host: SurfaceHost | undefined;

  constructor(request: RequestInterceptor | undefined, response: ResponseInterceptor | undefined) {
    this.#request = request;
    this.#response = response;
  }

  attach(host: SurfaceHost): void {
    this.#host = host;
  }

  /** Never rejects an event of its row: an error becomes an answer that rejects the call. */
  async serve(_kind: string, event: unknown, { lambdaContext }: Invocation): Promise<unknown> {
    const host = this.#host;
    if (!host) throw new Error('framework: mcp: pass agentCoreInterceptor() in the option "surfaces" of a container');
    const intercepted = readInterceptorEvent(event);
    const { headers } = intercepted.request;
    const path = pathOf(intercepted);
    const { context, abort, end } = createSurfaceContext(host, { kind: KIND, event, lambdaContext, path, headers });
    let verdict: Interception;
    try {
      verdict = await beforeEnd(host, lambdaContext, this.#ask(context, intercepted));
    } catch (thrown) {
      logFailure(() => context.log, 'mcp.interceptor_failed', thrown);
      verdict = rejectionOf(thrown);
      abort(thrown);
    } finally {
      await end();
    }
    return FORMS[intercepted.form].write(intercepted, verdict);
  }

  async #ask(context: Context, { version, request, response }: InterceptorEvent): Promise<Interception> {
    if (version !== VERSION) throw new TypeError(`framework: mcp: interceptor: version ${VERSION} is expected`);
    const verdict = response
      ? await present(this.#response, 'response')(context, response, request)
      : await present(this.#request, 'request')(context, request);
    if (VERDICT in Object(verdict)) return verdict as Interception;
    throw new TypeError('framework: mcp: an interceptor must return pass(), rewrite() or reject()');
  }

  explainTarget(): Target {
    const handler = this.#request ?? this.#response;
    return {
      ...{ handler: handler ? handlerName(handler) : null, posture: null, outcome: 'handled' },
      projection: 'interceptor answer',
    };
  }

  triggers(): readonly TriggerRecord[] {
    const points = [...(this.#request ? ['request'] : []), ...(this.#response ? ['response'] : [])];
    return [{ kind: KIND, options: { points } }];
  }
}

function present<H>(handler: H | undefined, point: string): H {
  if (handler) return handler;
  throw new TypeError(`framework: mcp: interceptor: the gateway calls it for a ${point}, and it has no "${point}"`);
}

/** @throws FrameworkError `app.timeout` if the invocation ends before the answer */
async function beforeEnd<T>(
  host: SurfaceHost,
  lambdaContext: LambdaContext | undefined,
  pending: Promise<T>,
): Promise<T> {
  if (typeof lambdaContext?.getRemainingTimeInMillis !== 'function') return pending;
  const margin = Math.max(host.deadlineMarginMs, MARGIN_MS);
  let stop = () => {};
  const late = new Promise<never>((_, fail) => {
    const left = Math.max(remainingMs(lambdaContext) - margin, 0);
    stop = host.clock.after(left, () => fail(new FrameworkError('app.timeout')));
  });
  return Promise.race([pending, late]).finally(stop);
}

/** A rejection for an error. It contains only messages that the application wrote for clients. */
function rejectionOf(thrown: unknown): Interception {
  if (!isFrameworkError(thrown)) return reject(500, 'Internal error');
  const { status, message } = thrown;
  return status < 500 ? reject(status, message) : reject(status, 'Internal error');
}
