import { buildDocument } from './document.js';
import { toCanonicalJson } from './json.js';
import { type OpenApiDocument, type OpenApiSpec, openApiError } from './spec.js';

/**
 * The OpenAPI 3.1 document of routes that have no access posture. A secure application describes itself: without its
 * postures a document would promise open doors.
 *
 * @throws FrameworkError `framework: openapi …` for a specification that cannot be written down, or a secure application
 * @example
 * generateOpenAPI({ title: 'Notes', version: '1', routes: [
 *   { method: 'GET', path: '/notes/{id}', operationId: 'getNote', contract: getNote.contract },
 * ] });
 */
export function generateOpenAPI(spec: OpenApiSpec): OpenApiDocument {
  refuseSecure(spec);
  return buildDocument(spec);
}

/** The same as compact JSON, the keys of every object in the order of their code points. */
export function generateOpenAPIJSON(spec: OpenApiSpec): string {
  return toCanonicalJson(generateOpenAPI(spec));
}

/** A secure application, its inventory, or a specification made of its inventory. */
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
