import type { IConstruct } from 'constructs';
import type { DoorRoute, IHttpDoor } from '../../http/door.js';
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
  return { method: 'OPTIONS', path, streaming: false, withoutAuthorizer: true };
}

/** The routes that a catch-all with an authorizer needs next to it. */
export function openRoutes(
  routes: readonly DoorRoute[],
  { cors = false }: InventoryDeployment = {},
): readonly DoorRoute[] {
  const open = routes.filter(({ method, withoutAuthorizer }) => withoutAuthorizer && !(cors && method === 'OPTIONS'));
  return cors ? [...open, preflight('/'), preflight('/{path+}')] : open;
}

/** @throws ConstructError `constructs.invalid_prop` for `only` where it would limit nothing */
export function checkOnly(
  wiring: IConstruct,
  door: IHttpDoor,
  { catchAll, only }: { readonly catchAll: boolean; readonly only: readonly string[] | undefined },
): void {
  if (only === undefined || (!catchAll && door.hasRoutes)) return;
  throw misuse(wiring, {
    what: `only with ${catchAll ? 'catchAll' : door.node.path}, which passes every path to the function`,
    expected: 'an API without catchAll, or no only',
  });
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
