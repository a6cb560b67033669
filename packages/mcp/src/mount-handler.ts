import { assertKnownOptions, type Context, type Handler, type SecurePrincipal } from '@sallyport/core';
import { OutgoingResponse } from '@sallyport/core/pipeline';
import { assertPosture, type MountTarget } from './mount.js';

/** Who calls, in the form that handlers of the official SDK take. */
export interface AuthInfo {
  /** The bearer token as it came, `''` when the caller was known otherwise. */
  token: string;
  clientId: string;
  scopes: string[];
  /** Unix seconds. */
  expiresAt?: number;
  extra: Record<string, unknown>;
}

/** A handler of web-standard requests, such as the official server package makes. */
export interface WebHandler {
  fetch(request: Request, options?: { authInfo?: AuthInfo }): Response | Promise<Response>;
}

export interface MountHandlerOptions<Posture> {
  readonly posture: Posture;
  /** Default POST, GET, DELETE. */
  readonly methods?: readonly string[];
}

/**
 * Puts a web-standard handler behind the container's gate. It streams where the door does.
 *
 * @throws FrameworkError without a posture
 *
 * @example mountHandler(app, '/sdk', { fetch }, { posture: Authenticated() });
 */
export function mountHandler<Posture>(
  app: MountTarget<Posture>,
  path: string,
  target: WebHandler,
  options: MountHandlerOptions<Posture>,
): void {
  assertKnownOptions(options, ['posture', 'methods']);
  const { posture, methods = ['POST', 'GET', 'DELETE'] } = options;
  assertPosture(posture);
  const handler: Handler = async (ctx) => {
    const authInfo = toAuthInfo(ctx);
    return toOutgoing(await target.fetch(toWebRequest(ctx), authInfo && { authInfo }));
  };
  for (const method of methods) app.handle(method, path, handler, posture, { streaming: true });
}

function toWebRequest(ctx: Context): Request {
  const { method, rawPath, headers, query } = ctx.request;
  const sent = new Headers();
  for (const [name, values] of Object.entries(headers)) for (const value of values) sent.append(name, value);
  const url = new URL(rawPath.replace(/^\/+/, '/'), originOf(ctx));
  for (const [name, values] of Object.entries(query)) for (const value of values) url.searchParams.append(name, value);
  const hasBody = method !== 'GET' && method !== 'HEAD';
  return new Request(url, {
    method,
    headers: sent,
    signal: ctx.signal,
    ...(hasBody ? { body: ctx.request.body as Uint8Array<ArrayBuffer> } : {}),
  });
}

const HOST = /^(\[[0-9a-f:.]+\]|[a-z0-9.-]+)(:\d{1,5})?$/i;

/** The host is the caller's word; the path never becomes part of it. */
function originOf(ctx: Context): string {
  const host = ctx.header('host').trim();
  return `https://${HOST.test(host) ? host : 'localhost'}`;
}

function toAuthInfo(ctx: Context): AuthInfo | undefined {
  const principal = ctx.securePrincipal();
  if (!principal) return undefined;
  const { identity, scopes = [], claims = {}, kind, tenantId } = principal;
  const { exp } = claims;
  return {
    token: /^Bearer +(\S+)$/i.exec(ctx.header('authorization').trim())?.[1] ?? '',
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

function toOutgoing(response: Response): OutgoingResponse {
  const headers: Record<string, string[]> = Object.create(null);
  for (const [name, value] of response.headers) if (name !== 'set-cookie') headers[name] = [value];
  const outgoing = new OutgoingResponse(response.status, headers, '', response.headers.getSetCookie());
  if (response.body) outgoing.bodyStream = response.body;
  return outgoing;
}
