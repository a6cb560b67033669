import type { IConstruct } from 'constructs';
import type { DoorRoute, IHttpDoor } from '../../http/door.js';
import { belowPath } from '../../http/internal/pattern.js';
import { misuse } from '../../internal/misuse.js';
import type { InventoryDeployment, InventoryRoute } from '../inventory.js';

/**
 * The routes of a door: the registered routes, `HEAD` for each `GET` with `autoHead`, and `OPTIONS` for each path with `cors`. Routes with `Public()` and
 * preflights have no authorizer.
 */
export function doorRoutes(
  routes: readonly InventoryRoute[],
  { cors = false, autoHead = false }: InventoryDeployment,
  streamingRoutes: readonly string[],
): readonly DoorRoute[] {
  const own = routes.map(
    ({ method = '', path = '', streaming, posture }): DoorRoute => ({
      method,
      path,
      streaming: streaming === true || streamingRoutes.includes(`${method} ${path}`),
      withoutAuthorizer: posture === 'public',
    }),
  );
  const has = new Set(own.map(({ method, path }) => `${method} ${path}`));
  const isNew = ({ method, path }: DoorRoute) => !has.has(`${method} ${path}`) && has.add(`${method} ${path}`);
  const heads = autoHead ? own.filter(({ method }) => method === 'GET').map((get) => ({ ...get, method: 'HEAD' })) : [];
  const preflights = cors ? own.map(({ path }) => preflight(path)) : [];
  return [...own, ...[...heads, ...preflights].filter(isNew)];
}

function preflight(path: string): DoorRoute {
  return { method: 'OPTIONS', path, streaming: false, withoutAuthorizer: true, isPreflight: true };
}

/**
 * The routes that a catch-all with an authorizer needs next to it: the routes without an authorizer, and the other methods of their paths, because a REST API
 * answers 403 for a method that a resource does not have.
 */
export function openRoutes(
  routes: readonly DoorRoute[],
  { cors = false }: InventoryDeployment = {},
  only: readonly string[] = ['/'],
): readonly DoorRoute[] {
  const own = routes.filter(({ method }) => !(cors && method === 'OPTIONS'));
  const paths = new Set(own.filter(({ withoutAuthorizer }) => withoutAuthorizer).map(({ path }) => path));
  const open = own.filter(({ path }) => paths.has(path));
  return cors ? [...open, ...only.flatMap(belowPath).map(preflight)] : open;
}

/** @throws ConstructError `constructs.invalid_prop` for `only` where it would limit nothing, and for a path that is not one */
export function checkOnly(
  wiring: IConstruct,
  door: IHttpDoor,
  { catchAll, only }: { readonly catchAll: boolean; readonly only: readonly string[] | undefined },
): void {
  if (only === undefined) return;
  if (!door.hasRoutes) {
    throw misuse(wiring, {
      what: `only with ${door.node.path}, which passes every path to the function`,
      expected: 'an API, or no only',
    });
  }
  const wrong = only.find((path) => !/^\/(?:$|.*[^/*]$)/.test(path));
  if (wrong !== undefined || only.length === 0) {
    const expected = 'paths without a slash or * at the end, such as ["/reports"]: they include the paths below';
    throw misuse(wiring, { what: 'only', got: wrong ?? only, expected });
  }
  if (catchAll && only.includes('/')) {
    throw misuse(wiring, { what: 'only ["/"] with catchAll', expected: 'catchAll without only: it has every path' });
  }
}

/**
 * Compares the door with the principal resolver of the application.
 *
 * @throws ConstructError `constructs.invalid_prop` for a door without the authorizer that the resolver reads, and for routes with `Optional()`, whose anonymous
 *   callers the authorizer would reject
 */
export function checkAuthorizer(
  wiring: IConstruct,
  door: IHttpDoor,
  routes: readonly InventoryRoute[],
  { authorizers }: InventoryDeployment = {},
): void {
  if (authorizers === undefined) return;
  const own = 'a principal resolver that reads the token itself, jwtPrincipalResolver of @sallyport/secure/jwt';
  const optional = routes.find(({ posture }) => posture === 'optional');
  if (optional) {
    throw misuse(wiring, {
      what: `${optional.method} ${optional.path} is Optional(), and the principal resolver reads an authorizer of AWS (${authorizers.join(', ')}), which rejects anonymous callers`,
      expected: own,
    });
  }
  const closed = routes.find(({ posture }) => posture !== 'public');
  if (closed === undefined || (door.authorizer !== undefined && authorizers.includes(door.authorizer))) return;
  throw misuse(wiring, {
    what: `the principal resolver reads an authorizer of AWS (${authorizers.join(', ')}), and ${door.node.path} has ${door.authorizer ?? 'none'}: ${closed.method} ${closed.path} would answer 401 to every caller`,
    expected: `${REMEDIES[authorizers[0] ?? ''] ?? 'a door with this authorizer'}; or ${own}`,
  });
}

const REMEDIES: Readonly<Record<string, string>> = {
  jwt: 'an HttpApi with authorization: ApiAuthorization.jwt(issuer, audience)',
  lambda: 'an API with authorization: ApiAuthorization.request(…) or token(…)',
  iam: 'a door with authorization: ApiAuthorization.IAM or auth: FunctionUrlAuth.IAM',
  cognito: 'a REST API of the CDK with a Cognito authorizer, in "external"',
};
