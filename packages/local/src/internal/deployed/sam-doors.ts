import { type Members, membersOf, stringOf } from '@sallyport/core/internal';
import type { DeployedDoor, DeployedJwt } from './deployed.js';
import type { Sam, SamFunction } from './sam-template.js';

/** The doors of a function of a template, each with all its routes. */
export function samDoors(sam: Sam, one: SamFunction): readonly DeployedDoor[] {
  const doors: DeployedDoor[] = [];
  const http = one.events.filter(({ type }) => type === 'HttpApi').map(({ properties }) => properties);
  if (http.length > 0) doors.push(httpApi(sam, http));
  const rest = one.events.filter(({ type }) => type === 'Api').map(({ properties }) => properties);
  if (rest.length > 0) doors.push(restApi(sam, rest));
  if (one.properties.FunctionUrlConfig !== undefined) doors.push({ kind: 'function-url', routes: [] });
  return doors;
}

/** https://docs.aws.amazon.com/serverless-application-model/latest/developerguide/sam-property-function-httpapi.html */
function httpApi(sam: Sam, events: readonly Members[]): DeployedDoor {
  const { globals, values } = sam;
  const api = { ...membersOf(globals.HttpApi), ...apiOf(sam, events[0]?.ApiId) };
  const stage = values.literal(api.StageName);
  const jwt = jwtOf(sam, membersOf(api.Auth), events);
  const routes = events.map((event) => httpRoute(sam, event));
  return { kind: 'http-api', routes, ...(typeof stage === 'string' && { stage }), ...(jwt && { jwt }) };
}

/** https://docs.aws.amazon.com/serverless-application-model/latest/developerguide/sam-resource-api.html */
function restApi(sam: Sam, events: readonly Members[]): DeployedDoor {
  const { globals, values } = sam;
  const api = { ...membersOf(globals.Api), ...apiOf(sam, events[0]?.RestApiId) };
  const stage = values.literal(api.StageName) ?? (events[0]?.RestApiId === undefined ? 'Prod' : undefined);
  const types = values.literal(api.BinaryMediaTypes);
  const binaryMediaTypes = Array.isArray(types) ? types.map((type) => String(type).replaceAll('~1', '/')) : [];
  const routes = events.map(({ Path, Method }) => routeKey(values.literal(Method), stringOf(values.literal(Path))));
  return { kind: 'rest-api', routes, binaryMediaTypes, ...(typeof stage === 'string' && { stage }) };
}

function httpRoute({ values }: Sam, { Path, Method }: Members): string {
  const path = values.literal(Path);
  return typeof path === 'string' ? routeKey(values.literal(Method), path) : '$default';
}

function routeKey(method: unknown, path: string): string {
  return `${(typeof method === 'string' ? method : 'ANY').toUpperCase()} ${path}`;
}

function apiOf({ resources, values }: Sam, reference: unknown): Members {
  return membersOf(membersOf(resources[values.resource(reference) ?? '']).Properties);
}

/** The JWT authorizers by route. https://docs.aws.amazon.com/serverless-application-model/latest/developerguide/sam-property-httpapi-httpapiauth.html */
function jwtOf(sam: Sam, { Authorizers, DefaultAuthorizer }: Members, events: readonly Members[]) {
  const { literal } = sam.values;
  const found = events.flatMap((event): [string, DeployedJwt][] => {
    const own = membersOf(event.Auth);
    const authorizer = membersOf(membersOf(Authorizers)[stringOf(literal(own.Authorizer ?? DefaultAuthorizer))]);
    const { issuer, audience } = membersOf(authorizer.JwtConfiguration);
    if (issuer === undefined && audience === undefined) return [];
    const [url, names] = [literal(issuer), literal(audience)];
    const scopes = literal(own.AuthorizationScopes ?? authorizer.AuthorizationScopes);
    const jwt = {
      ...(typeof url === 'string' && { issuer: url }),
      audience: stringsIn(names),
      scopes: stringsIn(scopes),
    };
    return [[httpRoute(sam, event), jwt]];
  });
  return found.length === 0 ? undefined : Object.fromEntries(found);
}

const stringsIn = (value: unknown) => (Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []);
