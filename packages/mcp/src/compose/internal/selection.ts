import type { Handler } from '@sallyport/core';
import { didYouMean, isObject } from '@sallyport/core/internal';
import { invalidConfiguration } from '@sallyport/core/options';
import type { BoundHandler, Contract } from '@sallyport/http';
import type { HttpSurface, Registration } from '@sallyport/http/internal';
import type { SecureRouteRecord } from '@sallyport/secure';
import type { RouteTag } from '../route-options.js';

/** A route of the inventory, and its registration. */
export interface SelectedRoute {
  readonly record: SecureRouteRecord;
  readonly registration: Registration;
}

/** The router of an application. */
type Router = Pick<HttpSurface, 'match'>;

/** Methods whose routes can be tools. A `HEAD` or `OPTIONS` response has no content. */
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/**
 * The selected routes, in the order of their registration, each once.
 *
 * @throws FrameworkError `app.invalid_configuration` that names the entry of `include` and the reason
 */
export function selectRoutes(
  records: readonly SecureRouteRecord[],
  router: Router,
  include: readonly (string | RouteTag)[],
): readonly SelectedRoute[] {
  const routes = records.flatMap((record): SelectedRoute[] => {
    const registration = record.surface === 'http' ? registrationOf(record, router) : undefined;
    return registration ? [{ record, registration }] : [];
  });
  const selected = new Set<SelectedRoute>();
  for (const entry of include) for (const route of selectedBy(entry, routes)) selected.add(route);
  return routes.filter((route) => selected.has(route));
}

function selectedBy(entry: unknown, routes: readonly SelectedRoute[]): readonly SelectedRoute[] {
  if (typeof entry === 'string') {
    return entry.trim().endsWith('*') ? byPrefix(entry.trim(), routes) : [byName(entry, routes)];
  }
  if (!isObject(entry) || typeof entry.tag !== 'string' || Object.keys(entry).length !== 1) {
    throw invalidInclude('each entry must be a string or { tag: "orders" }');
  }
  const { tag } = entry;
  const found = routes.filter((route) => isSafe(route) && route.record.tags?.includes(tag));
  if (found.length === 0) throw invalidInclude(`the tag "${tag}" selects no ${HOW}`);
  return found;
}

function byName(entry: string, routes: readonly SelectedRoute[]): SelectedRoute {
  const wanted = routeNameOf(entry);
  const route = routes.find(({ record: { method, path } }) => wanted === `${method} ${path}`);
  if (route === undefined) {
    const known = routes.map(({ record: { method, path } }) => `${method} ${path}`);
    throw invalidInclude(
      `no route "${wanted}" is registered${didYouMean(wanted, known)}; register routes before their tools`,
    );
  }
  const { method } = route.record;
  if (!METHODS.includes(method)) throw invalidInclude(`"${wanted}": a ${method} route cannot be a tool`);
  if (contractOf(route.registration.handler) === undefined) {
    throw invalidInclude(`"${wanted}": its handler has no schemas; create it with bind()`);
  }
  return route;
}

function byPrefix(entry: string, routes: readonly SelectedRoute[]): readonly SelectedRoute[] {
  const [method, prefix = ''] = routeNameOf(entry).split(' ');
  if (!/^\/([^*]*\/)?\*$/.test(prefix)) {
    throw invalidInclude(`"${entry}" must be a method and a path that ends with /*`);
  }
  if (method !== 'GET') throw invalidInclude(`"${entry}": select ${method} routes by their full names, without *`);
  const base = prefix.slice(0, -2);
  const isUnder = ({ record: { path } }: SelectedRoute) => path === (base || '/') || path.startsWith(`${base}/`);
  const found = routes.filter((route) => isSafe(route) && isUnder(route));
  if (found.length === 0) throw invalidInclude(`"${entry}" selects no ${HOW}`);
  return found;
}

const HOW = 'GET route with a handler of bind(); select Public() routes by their full names';

/** True if a pattern or a tag can select a route. */
function isSafe({ record: { method, posture }, registration }: SelectedRoute): boolean {
  return method === 'GET' && posture !== 'public' && contractOf(registration.handler) !== undefined;
}

/** The schemas of a handler of `bind`; `undefined` for any other handler. */
export function contractOf(handler: Handler): Contract | undefined {
  return (handler as Partial<BoundHandler>).contract;
}

/** Method in upper case, one space, and path. */
function routeNameOf(entry: string): string {
  const [method = '', ...path] = entry.trim().split(/\s+/);
  return `${method.toUpperCase()} ${path.join(' ')}`;
}

/**
 * The registration of a route, which the router finds at its own pattern. For a catch-all, another route can match short paths.
 * `undefined` for a route that other routes hide completely.
 */
function registrationOf({ method, path }: SecureRouteRecord, router: Router): Registration | undefined {
  for (let segments = 1; segments <= 32; segments += 1) {
    const probe = path.replace(/\{[^/]+\+\}$/, Array(segments).fill('~').join('/'));
    const registration = router.match(method, probe)?.registration;
    if (registration?.route.pattern === path && registration.route.method === method) return registration;
    if (probe === path) return undefined;
  }
  return undefined;
}

/** The id of an operation in the inventory: `getOrdersId` for `GET /orders/{id}`. */
export function operationIdOf(method: string, path: string): string {
  const words = path.replaceAll(/[^A-Za-z0-9]+(.)?/g, (_, next: string = '') => next.toUpperCase());
  return `${method.toLowerCase()}${words}`;
}

/** The error for a route that cannot be a tool. */
export function invalidInclude(problem: string): Error {
  return invalidConfiguration(`option "include": ${problem}`);
}
