import { Components } from './internal/components.js';
import { operationOf } from './internal/operation.js';
import { type ParsedRoute, parseOpenApiSpec } from './parse.js';
import { compareCodePoints, type OpenApiDocument, type OpenApiSpec, openApiError, toCanonicalJson } from './spec.js';

/** Additions of a generator that has more information than the routes. */
export interface DocumentExtensions {
  /** Members of the root whose names begin `x-`. */
  readonly root?: Readonly<Record<`x-${string}`, unknown>>;
  /** Further members of `components`, in addition to `schemas` and `responses`. */
  readonly components?: Readonly<Record<string, unknown>>;
  /** Further members of one operation. */
  readonly operation?: (route: ParsedRoute) => Readonly<Record<string, unknown>>;
}

/** In the order of OpenAPI 3.1 section 4.8.9.1. */
const METHODS: readonly string[] = ['GET', 'PUT', 'POST', 'DELETE', 'OPTIONS', 'HEAD', 'PATCH', 'TRACE'];

/**
 * The OpenAPI 3.1 document of a specification: paths by code point, then methods in OpenAPI's own order.
 *
 * @throws FrameworkError `framework: openapi …`
 */
export function buildDocument(spec: OpenApiSpec, extensions: DocumentExtensions = {}): OpenApiDocument {
  const routes = [...parseOpenApiSpec(spec)].sort(
    (a, b) =>
      compareCodePoints(a.path.emitted, b.path.emitted) || METHODS.indexOf(a.method) - METHODS.indexOf(b.method),
  );
  const components = new Components(spec.httpErrorFormat ?? 'nested');
  const paths = new Map<string, Record<string, unknown>>();
  for (const route of routes) {
    const item = paths.get(route.path.emitted) ?? {};
    item[route.method.toLowerCase()] = { ...operationOf(route, components), ...extensions.operation?.(route) };
    paths.set(route.path.emitted, item);
  }
  return {
    openapi: '3.1.0',
    info: { title: spec.title, version: spec.version },
    ...extensions.root,
    paths: Object.fromEntries(paths),
    components: components.toObject(extensions.components),
  };
}

/**
 * The OpenAPI 3.1 document of routes that have no access posture. A secure application has its own method: without its
 * postures the document would describe all routes as public.
 *
 * @throws FrameworkError `framework: openapi …` for an invalid specification, or a secure application
 * @example
 * generateOpenAPI({ title: 'Notes', version: '1', routes: [
 *   { method: 'GET', path: '/notes/{id}', operationId: 'getNote', contract: getNote.contract },
 * ] });
 */
export function generateOpenAPI(spec: OpenApiSpec): OpenApiDocument {
  refuseSecure(spec);
  return buildDocument(spec);
}

/** The same document as compact JSON, with the keys of every object sorted by code point. */
export function generateOpenAPIJSON(spec: OpenApiSpec): string {
  return toCanonicalJson(generateOpenAPI(spec));
}

/** A secure application, its inventory, or a specification with its inventory. */
function refuseSecure(spec: unknown): void {
  if (typeof spec !== 'object' || spec === null) return;
  const { generateOpenAPI: own, routes } = spec as { generateOpenAPI?: unknown; routes?: unknown };
  const records: unknown = Array.isArray(spec) ? spec : routes;
  const secure = typeof own === 'function' || (Array.isArray(records) && records.some(hasPosture));
  if (secure) throw openApiError('cannot describe a secure application: use its own generateOpenAPI');
}

function hasPosture(record: unknown): boolean {
  return typeof record === 'object' && record !== null && 'posture' in record;
}
