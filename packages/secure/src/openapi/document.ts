import { FrameworkError } from '@sallyport/core';
import { canonicalMethod, isPlainObject } from '@sallyport/core/internal';
import { INVALID_CONFIGURATION } from '@sallyport/core/options';
import type { HttpErrorFormat } from '@sallyport/http';
import { type Registration, addressOf as registeredAt } from '@sallyport/http/internal';
import {
  buildDocument,
  type OpenApiDocument,
  type OpenApiRoute,
  type OpenApiSpec,
  type ParsedRoute,
  toOpenApiPath,
} from '@sallyport/http/openapi';
import { POSTURES } from '../postures/internal/kinds.js';
import type { Posture } from '../postures/posture.js';

/** The specification for the document of the closed container. */
export interface SecureOpenApiSpec extends Omit<OpenApiSpec, 'httpErrorFormat' | 'routes'> {
  /** The operations with their descriptions. Default: all registrations, with ids of method and path. */
  readonly routes?: readonly OpenApiRoute[];
  /** Security Scheme Objects (OpenAPI 3.1 section 4.8.27) by name. */
  readonly securitySchemes: Readonly<Record<string, unknown>>;
  /** The schemes that identify any known caller, and the schemes that identify internal callers. */
  readonly authSchemes: { readonly authenticated: readonly string[]; readonly internalOnly: readonly string[] };
}

/** The part of a registration that a document shows. */
export type DocumentedRegistration = Pick<Registration, 'route' | 'handler' | 'posture' | 'tags'>;

/** The specification of operations without a description: their paths, contracts and postures. */
export function toInventorySpec(): SecureOpenApiSpec {
  return {
    title: 'Operations',
    version: '0',
    securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
    authSchemes: { authenticated: ['bearer'], internalOnly: ['bearer'] },
  };
}

/** Operations without a description: their paths, and ids of method and path. */
export function routesOf(registrations: readonly DocumentedRegistration[]): readonly OpenApiRoute[] {
  const ids = new Map<string, number>();
  return registrations
    .map(registeredAt)
    .filter(({ surface }) => surface === 'http')
    .map(({ method, path }) => {
      const words = `${method.toLowerCase()}${path.replaceAll(/[^A-Za-z0-9]+(.)?/g, (_, next: string = '') => next.toUpperCase())}`;
      const times = (ids.get(words) ?? 0) + 1;
      ids.set(words, times);
      return { method, path, operationId: times === 1 ? words : `${words}${times}` };
    });
}

/** The contract that the document keeps: every operation states its posture. */
const CONTRACT_MODE = 'secure-v1';

/** The document of a container's HTTP operations; GraphQL and WebSocket operations are not included. */
export function buildSecureDocument(
  spec: SecureOpenApiSpec,
  registrations: readonly DocumentedRegistration[],
  httpErrorFormat: HttpErrorFormat,
): OpenApiDocument {
  const { title, version, routes, securitySchemes, authSchemes, ...unknown } = parseSpec(spec);
  const [stray] = Object.keys(unknown);
  if (stray !== undefined) throw secureOpenApiError(`specification has the unknown key "${stray}"`);
  const joined = join(routes ?? routesOf(registrations), registrations);
  const schemes = parseSchemes(securitySchemes, authSchemes);
  assertRoutes(joined, schemes);
  const bound = new Map(joined.map((entry) => [entry.key, entry]));
  return buildDocument(
    { title, version, routes: joined.map(withRegistered), httpErrorFormat },
    {
      root: { 'x-framework-contract-mode': CONTRACT_MODE },
      components: { securitySchemes: schemes.components },
      operation: (parsed) => extensionsOf(parsed, (bound.get(parsed.key) as Joined).posture, schemes),
    },
  );
}

/** A described route and its registration. */
interface Joined {
  readonly key: string;
  readonly emitted: string;
  readonly route: OpenApiRoute;
  readonly registration: DocumentedRegistration;
  readonly posture: Posture;
}

/** The members that every specification has. A single missing member has its own error; several are reported together. */
const MEMBERS = ['title', 'version', 'securitySchemes', 'authSchemes'] as const;

function parseSpec(spec: SecureOpenApiSpec): SecureOpenApiSpec {
  if (typeof spec !== 'object' || spec === null) throw secureOpenApiError('specification must be an object');
  const missing = MEMBERS.filter((name) => spec[name] === undefined);
  if (missing.length > 1) throw secureOpenApiError(`specification lacks ${missing.join(', ')}`);
  if (spec.routes !== undefined && !Array.isArray(spec.routes)) throw secureOpenApiError('routes must be a list');
  return spec;
}

/** Pairs descriptions and registrations by method and canonical pattern; each needs its counterpart. */
function join(routes: readonly OpenApiRoute[], registrations: readonly DocumentedRegistration[]): readonly Joined[] {
  const described = new Map<string, { route: OpenApiRoute; emitted: string }>();
  for (const route of routes) {
    const { key, emitted } = addressOf(route);
    if (described.has(key)) throw secureOpenApiError(`route ${key} is duplicated`);
    described.set(key, { route, emitted });
  }
  const registered = new Map<string, DocumentedRegistration>();
  for (const registration of registrations) {
    const { surface, method, pattern } = registration.route;
    if (surface === 'http') registered.set(`${method} ${pattern}`, registration);
  }
  const missing = [...registered.keys()].filter((key) => !described.has(key));
  if (missing.length > 0) throw secureOpenApiError(`missing route ${missing.join(', ')}`);
  return [...described].map(([key, { route, emitted }]) => {
    const registration = registered.get(key);
    if (!registration) throw secureOpenApiError(`extra route ${key}`);
    return { key, emitted, route, registration, posture: registration.posture as Posture };
  });
}

function addressOf(route: OpenApiRoute): { key: string; emitted: string } {
  const { method, path } = (route ?? {}) as Partial<OpenApiRoute>;
  const verb = typeof method === 'string' ? canonicalMethod(method) : '';
  const { canonical, emitted } = toOpenApiPath(path as string);
  return { key: `${verb} ${canonical}`, emitted: `${verb} ${emitted}` };
}

function assertRoutes(joined: readonly Joined[], schemes: SecuritySchemes): void {
  const emitted = new Set<string>();
  for (const route of joined) {
    if (emitted.has(route.emitted)) throw secureOpenApiError(`emitted route ${route.emitted} collides`);
    emitted.add(route.emitted);
    schemesOf(route.posture, schemes);
  }
}

/** Adds the contract of a bound handler and the tags of its group, unless the description contains them. */
function withRegistered({ route, registration }: Joined): OpenApiRoute {
  const described = withContract(route, registration);
  return described.tags === undefined && registration.tags.length > 0
    ? { ...described, tags: registration.tags }
    : described;
}

function withContract(route: OpenApiRoute, registration: DocumentedRegistration): OpenApiRoute {
  const { contract } = registration.handler as { contract?: NonNullable<OpenApiRoute['contract']> };
  const described = route.contract ?? route.request ?? route.response?.fields;
  return contract === undefined || described !== undefined ? route : { ...route, contract };
}

function extensionsOf({ path }: ParsedRoute, posture: Posture, schemes: SecuritySchemes): Record<string, unknown> {
  const { kind, scopes } = posture;
  return {
    security: POSTURES[kind].security(schemesOf(posture, schemes), scopes),
    'x-framework-auth-posture': kind,
    ...(scopes.length > 0 && { 'x-framework-required-scopes': [...scopes] }),
    ...(path.catchAll && { 'x-framework-proxy': true }),
  };
}

/** Security schemes that have passed every check, and their use. */
interface SecuritySchemes {
  /** Copies of the given schemes by trimmed name. */
  readonly components: Readonly<Record<string, unknown>>;
  readonly authenticated: readonly string[];
  readonly internalOnly: readonly string[];
}

/** @throws FrameworkError `framework: secure openapi …` */
function parseSchemes(securitySchemes: unknown, authSchemes: unknown): SecuritySchemes {
  const components = parseComponents(securitySchemes);
  if (!isPlainObject(authSchemes)) throw secureOpenApiError('authSchemes must be an object');
  const { authenticated, internalOnly, ...unknown } = authSchemes;
  const [stray] = Object.keys(unknown);
  if (stray !== undefined) throw secureOpenApiError(`authSchemes has the unknown key "${stray}"`);
  return {
    components: Object.fromEntries(components),
    authenticated: parseNames('authenticated', authenticated, components),
    internalOnly: parseNames('internalOnly', internalOnly, components),
  };
}

/**
 * The names of the schemes that prove a caller of this posture.
 *
 * @throws FrameworkError if the posture needs schemes, but `authSchemes` has no entry
 */
function schemesOf({ kind }: Posture, schemes: SecuritySchemes): readonly string[] {
  const list = POSTURES[kind].schemes;
  if (list === null) return [];
  if (schemes[list].length > 0) return schemes[list];
  throw secureOpenApiError(`${list === 'internalOnly' ? 'internal' : list} scheme binding is required`);
}

function parseComponents(securitySchemes: unknown): ReadonlyMap<string, unknown> {
  if (!isPlainObject(securitySchemes)) throw secureOpenApiError('securitySchemes must be an object');
  const components = new Map<string, unknown>();
  for (const [key, scheme] of Object.entries(securitySchemes)) {
    const name = key.trim();
    if (name === '') throw secureOpenApiError('security scheme name is required');
    if (components.has(name)) throw secureOpenApiError(`security scheme ${name} is duplicated`);
    if (!isPlainObject(scheme)) throw secureOpenApiError(`security scheme ${name} must be an object`);
    components.set(name, copyScheme(name, scheme, []));
  }
  return components;
}

/** `null`, booleans, strings, lists and plain objects are the allowed parts of a scheme. */
function copyScheme(name: string, value: unknown, above: readonly unknown[]): unknown {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return value;
  if (above.includes(value)) throw secureOpenApiError(`security scheme ${name} contains itself`);
  const inside = [...above, value];
  if (Array.isArray(value)) return value.map((entry) => copyScheme(name, entry, inside));
  if (!isPlainObject(value)) throw secureOpenApiError(`security scheme ${name} has a ${typeof value}`);
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, copyScheme(name, member, inside)]));
}

function parseNames(what: string, names: unknown, components: ReadonlyMap<string, unknown>): readonly string[] {
  if (names === undefined) return [];
  if (!Array.isArray(names)) throw secureOpenApiError(`authSchemes.${what} must be a list`);
  const trimmed = (names as readonly unknown[]).map((name) => (typeof name === 'string' ? name.trim() : String(name)));
  const unknown = trimmed.find((name) => !components.has(name));
  if (unknown !== undefined) throw secureOpenApiError(`auth scheme ${unknown} is not defined`);
  return [...new Set(trimmed)];
}

/** The error for a specification that does not match the application. */
function secureOpenApiError(what: string): FrameworkError {
  return new FrameworkError(INVALID_CONFIGURATION, `framework: secure openapi ${what}`);
}
