import type { Inspection } from '../inspect/inspection.js';
import type { DoorRequest } from './request.js';

/** True if no authorizer applies to a request: it is a preflight, or its route is public. */
export function isPublic(inspection: Inspection, request: DoorRequest): boolean {
  if (isPreflight(request)) return true;
  const matching = matchingRoutes(inspection, request);
  return matching.length > 0 && matching.every(({ posture }) => posture === 'public');
}

/** True if the service itself has a route for a request. */
export function hasRoute(inspection: Inspection, request: DoorRequest): boolean {
  return matchingRoutes(inspection, request).length > 0;
}

/** True for a preflight request of CORS. */
export function isPreflight({ method, headers }: DoorRequest): boolean {
  const has = (wanted: string) => headers.some(([name]) => name.toLowerCase() === wanted);
  return method === 'OPTIONS' && has('origin') && has('access-control-request-method');
}

function matchingRoutes({ routes }: Inspection, { method, path }: DoorRequest): Inspection['routes'] {
  const asked = method === 'HEAD' ? ['HEAD', 'GET'] : [method];
  return routes.filter(
    ({ surface, method: own = '', pattern = '' }) =>
      surface === 'http' && asked.includes(own) && matches(pattern, path),
  );
}

/** True if a path matches a pattern; `{name}` is one segment, `{name*}` and `*` are the rest. */
function matches(pattern: string, target: string): boolean {
  const [wanted, given] = [pattern, target.split('?', 1)[0] ?? ''].map((text) => text.split('/'));
  for (const [index, part] of (wanted ?? []).entries()) {
    if (part === '*' || /^\{\w+[*+]\}$/.test(part)) return true;
    const value = given?.[index];
    if (value === undefined || (value === '' && part !== '')) return false;
    if (!/^\{\w+\}$/.test(part) && part !== value) return false;
  }
  return wanted?.length === given?.length;
}
