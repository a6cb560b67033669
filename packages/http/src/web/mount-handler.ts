import { type Context, FrameworkError, type Handler, type SecurePrincipal } from '@sallyport/core';
import { bearerOf, stateOf } from '@sallyport/core/internal';
import { defineOptions, kind, list, text } from '@sallyport/core/options';

/** A container on which a handler can be mounted: `SecureApp`, or an object with the same `handle`. */
export interface MountTarget<Posture> {
  /** Registers a handler for one method and one path pattern. `streaming`: true if the response can be a stream. */
  handle(
    method: string,
    pattern: string,
    handler: Handler,
    posture: Posture,
    options?: { readonly streaming?: boolean; readonly trailingSlash?: boolean },
  ): unknown;
  /** The operations so far. */
  routes?(): readonly { readonly method: string; readonly path: string }[];
}

/**
 * The caller, in the form that handlers of the official MCP server package expect. Other applications read it from the second
 * argument of `fetch`.
 */
export interface AuthInfo {
  /**
   * The bearer token from which the principal was resolved: by `jwtPrincipalResolver`, or by a resolver that uses `withBearer`.
   * `''` for callers who were identified in another way, even if the request has an `authorization` header.
   */
  token: string;
  /** The claim `client_id` (RFC 9068), else `azp` (OpenID Connect), else the identity of the principal. */
  clientId: string;
  /** Scopes of the principal; empty if it has no scopes. */
  scopes: string[];
  /** Unix seconds. */
  expiresAt?: number;
  /** `identity`, `kind`, `tenantId` and `claims` of the principal. */
  extra: Record<string, unknown>;
}

/** A handler of web-standard requests: an application of Hono, h3 or itty-router, or your own handler. */
export interface WebHandler {
  /** Answers one request. `authInfo` is absent when the caller is anonymous. */
  fetch(request: Request, options?: { authInfo?: AuthInfo }): Response | Promise<Response>;
}

/** Options of {@link mountHandler}; an unknown key is rejected. */
export interface MountHandlerOptions<Posture> {
  /** The access rule of the mounted handler; required. */
  readonly posture: Posture;
  /** Methods that are routed to the handler. Default GET, POST, PUT, PATCH, DELETE, HEAD and OPTIONS. */
  readonly methods?: readonly string[];
  /**
   * The access rule of `OPTIONS`, for a handler that answers preflights itself: a preflight has no credentials (Fetch standard,
   * section 3.3). Default: `posture`. With the option `cors` the container answers preflights before the handler.
   */
  readonly optionsPosture?: Posture;
}

const POSTURE = /* @__PURE__ */ kind<object>(
  'a posture: Authenticated(), InternalOnly(), Optional() or Public()',
  (value) => typeof value === 'object' && value !== null,
);

/** Validators and defaults for {@link MountHandlerOptions}. */
export const MOUNT_HANDLER_OPTIONS = defineOptions<MountHandlerOptions<object>>()({
  // The container checks the posture.
  posture: POSTURE.required(),
  methods: list(text('an HTTP method')).default(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']),
  optionsPosture: POSTURE,
});

/**
 * Mounts a web-standard handler after the container's gate. It streams if the front door supports streaming.
 *
 * The path of its request is the routed path: not decoded, without stage and base path. A path that a URL would change
 * (`..` and `.` as segments in any spelling, a backslash, a control character) is answered with 400, because the handler would
 * read a different path than the gate.
 *
 * The path `/{rest+}` includes `/`, except for methods that the container already serves there.
 *
 * @throws FrameworkError without a posture, or for a path that is already registered
 *
 * @example mountHandler(app, '/{rest+}', { fetch: (request) => hono.fetch(request) }, { posture: Authenticated() });
 */
export function mountHandler<Posture>(
  app: MountTarget<Posture>,
  path: string,
  target: WebHandler,
  options: MountHandlerOptions<Posture>,
): void {
  const {
    posture,
    methods,
    optionsPosture = posture,
  } = MOUNT_HANDLER_OPTIONS.parse(options as MountHandlerOptions<object>);
  const handler: Handler = (ctx) => {
    const authInfo = toAuthInfo(ctx);
    return target.fetch(toWebRequest(ctx), authInfo && { authInfo });
  };
  const hasRoot = IS_WHOLE.test(path);
  const served = new Set(hasRoot ? app.routes?.().flatMap((one) => (one.path === '/' ? [one.method] : [])) : []);
  for (const method of methods) {
    const verb = method.trim().toUpperCase();
    const rule = (verb === 'OPTIONS' ? optionsPosture : posture) as Posture;
    app.handle(method, path, handler, rule, { streaming: true });
    if (hasRoot && !served.has(verb)) app.handle(method, '/', handler, rule, { streaming: true });
  }
}

/** A catch-all of the whole application: it does not match `/`. */
const IS_WHOLE = /^\/?(?:\{[^{}/]+\+\}|:[^/]+\+)$/;

function toWebRequest(ctx: Context): Request {
  const { method, headers, query } = ctx.request;
  const sent = new Headers();
  for (const [name, values] of Object.entries(headers)) for (const value of values) sent.append(name, value);
  const url = toUrl(ctx);
  for (const [name, values] of Object.entries(query)) for (const value of values) url.searchParams.append(name, value);
  const hasBody = method !== 'GET' && method !== 'HEAD';
  return new Request(url, {
    method,
    headers: sent,
    signal: ctx.signal,
    ...(hasBody ? { body: ctx.request.body as Uint8Array<ArrayBuffer> } : {}),
  });
}

/**
 * Characters that end a path, or that the URL parser would escape in it (https://url.spec.whatwg.org/#path-percent-encode-set).
 */
const ESCAPED = /[?# "<>^`{}]/g;

/** @throws FrameworkError `app.bad_request` for a path that the URL parser would change */
function toUrl(ctx: Context): URL {
  const path = ctx.request.path.replace(ESCAPED, encodeURIComponent);
  const url = new URL(originOf(ctx) + path);
  if (url.pathname !== path) throw new FrameworkError('app.bad_request', 'invalid path');
  return url;
}

const HOST = /^(\[[0-9a-f:.]+\]|[a-z0-9.-]+)(:\d{1,5})?$/i;

/** The host comes from the caller; the path never becomes part of it. */
function originOf(ctx: Context): string {
  const host = (ctx.header('host') ?? '').trim();
  return `https://${HOST.test(host) ? host : 'localhost'}`;
}

function toAuthInfo(ctx: Context): AuthInfo | undefined {
  const principal = ctx.securePrincipal();
  const { principal: resolved } = stateOf(ctx);
  if (!principal || !resolved) return undefined;
  const { identity, scopes = [], claims = {}, kind, tenantId } = principal;
  const { exp } = claims;
  return {
    token: bearerOf(resolved) ?? '',
    clientId: clientOf(principal),
    scopes: [...scopes],
    ...(typeof exp === 'number' ? { expiresAt: exp } : {}),
    extra: { identity, kind, tenantId, claims },
  };
}

/** RFC 9068 names the client `client_id`, OpenID Connect `azp`. */
function clientOf({ claims = {}, identity }: SecurePrincipal): string {
  const named = [claims.client_id, claims.azp].find((claim) => typeof claim === 'string');
  return typeof named === 'string' ? named : identity;
}
