import type { ListenerPolicy } from './policies.js';

/** The parts of a request target. */
export interface Target {
  /** Still encoded, without the query; begins with `/`. */
  readonly path: string;
  /** The query with its `?`, still encoded; `''` if absent. */
  readonly search: string;
  /** The host of an absolute target; `undefined` for a target that is a path. */
  readonly authority: string | undefined;
}

/** A rejected request. */
export interface Refusal {
  readonly status: 400 | 403 | 421;
  readonly message: string;
}

/** The parts of a request that the guard reads, for HTTP/1.1 and HTTP/2. */
export interface GuardedRequest {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly rawHeaders?: readonly string[];
}

/** The address of a listener. */
export interface Own {
  readonly port: number;
  /** Names of `--allow-host`. */
  readonly allowHosts: readonly string[];
}

const LOOPBACK = /^(?:localhost|127\.0\.0\.1|\[::1\])$/i;

/**
 * Checks the sender of a request, before any listener reads more of it. A page of another site can send requests to a loopback port under
 * its own host name (DNS rebinding), but it cannot choose `Host`, `Origin`, `Referer` and the `Sec-Fetch-` headers.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-15.5.20 (421)
 * @see https://www.w3.org/TR/fetch-metadata/
 */
export function checkRequest(request: GuardedRequest, policy: ListenerPolicy, own: Own): Target | Refusal {
  const target = readTarget(request.url);
  if (!target) return { status: 400, message: 'the target of the request is not a path' };
  const hosts = hostsOf(request, target);
  if (hosts === undefined) return { status: 400, message: 'a request must have exactly one Host header' };
  const foreign = hosts.find((host) => !isOwn(host, policy, own));
  if (foreign !== undefined) return { status: 421, message: hostMessage(foreign, policy, own) };
  return pageRefusal(request, policy, own) ?? target;
}

/** All names that a request contains for its server; `undefined` without a name, and for contradicting `Host` headers. */
function hostsOf({ headers, rawHeaders = [] }: GuardedRequest, { authority }: Target): readonly string[] | undefined {
  const sent = rawHeaders.filter((_, index) => index % 2 === 0 && rawHeaders[index]?.toLowerCase() === 'host');
  const names = [headers.host, headers[':authority'], authority].filter((name) => name !== undefined);
  return sent.length > 1 || names.length === 0 ? undefined : names.map(String);
}

function isOwn(host: string, { hosts }: ListenerPolicy, { port, allowHosts }: Own): boolean {
  if (hosts === 'address') return host === `127.0.0.1:${port}`;
  if (hosts === 'port') return isLoopback(host) && host.endsWith(`:${port}`);
  return isOwnHost(host, allowHosts);
}

/** True if a host, with or without a port, is this machine or an allowed name. */
export function isOwnHost(host: string, allowed: readonly string[] = []): boolean {
  const name = nameOf(host);
  return LOOPBACK.test(name) || allowed.some((other) => other.toLowerCase() === name.toLowerCase());
}

const isLoopback = (host: string) => LOOPBACK.test(nameOf(host));
const nameOf = (host: string) => host.replace(/:\d+$/, '');

function pageRefusal({ method, headers }: GuardedRequest, policy: ListenerPolicy, own: Own): Refusal | undefined {
  if (policy.pages === 'none') {
    const fromPage = Object.keys(headers).some((name) => /^(?:origin|referer|sec-fetch-.*)$/.test(name));
    return fromPage ? { status: 403, message: `${policy.name} rejects requests of pages` } : undefined;
  }
  const { origin, referer, 'sec-fetch-site': site = 'none' } = headers;
  if (origin !== undefined) return isOwnPage(origin, policy, own) ? undefined : foreignPage(origin, policy);
  // Without an origin: a request for an image or a script, or a link that a user follows, which changes nothing.
  if (site === 'none' || site === 'same-origin' || isLink(method, headers)) return undefined;
  return referer !== undefined && isOwnPage(referer, policy, own) ? undefined : foreignPage(referer, policy);
}

function isLink(method: string | undefined, headers: GuardedRequest['headers']): boolean {
  const isSafe = method === 'GET' || method === 'HEAD';
  return isSafe && headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document';
}

function isOwnPage(page: string | readonly string[], { pages }: ListenerPolicy, { port, allowHosts }: Own): boolean {
  const [, scheme, host] = /^(https?):\/\/([^/?#]*)/.exec(String(page)) ?? [];
  if (host === undefined) return false;
  if (pages === 'own') return scheme === 'http' && isLoopback(host) && host.endsWith(`:${port}`);
  return isOwnHost(host, allowHosts);
}

function hostMessage(host: string, { name, hosts, remedy }: ListenerPolicy, { port }: Own): string {
  const expected = hosts === 'address' ? `127.0.0.1:${port}` : 'localhost and 127.0.0.1';
  return `${name} answers to ${expected} only${advice(remedy, host)}`;
}

function foreignPage(page: string | readonly string[] | undefined, { name, remedy }: ListenerPolicy): Refusal {
  const [, host = ''] = /^https?:\/\/([^/?#]*)/.exec(String(page ?? '')) ?? [];
  return { status: 403, message: `${name} rejects requests of pages of other sites${advice(remedy, host)}` };
}

function advice(remedy: string | undefined, host: string): string {
  if (remedy === undefined) return '';
  const name = nameOf(host).replaceAll(/[^\w.-]/g, '');
  return `; ${remedy.replace('{host}', name === '' ? '<name>' : name)}`;
}

/**
 * Splits a request target. A path is not parsed as a URL, in which `//host` and `/\host` would name another host.
 *
 * @returns `undefined` for a target that is not a path or an absolute URL
 * @see https://www.rfc-editor.org/rfc/rfc9112#section-3.2
 */
export function readTarget(url: string | undefined): Target | undefined {
  const [, authority, rest = ''] = /^(?:[a-z][a-z\d+.-]*:\/\/([^/?#\\]*))?(.*)$/is.exec(url ?? '') ?? [];
  const text = authority !== undefined && !rest.startsWith('/') ? `/${rest}` : rest;
  if (!text.startsWith('/')) return undefined;
  const question = text.indexOf('?');
  const [path, search] = question < 0 ? [text, ''] : [text.slice(0, question), text.slice(question)];
  return { path, search, authority };
}
