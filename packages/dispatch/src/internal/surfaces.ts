import type { InvocationProvenance, Surface } from '@sallyport/core';
import { dispatchError } from '../errors.js';
import { isExtension } from '../extension.js';
import { isText } from './compile.js';

const MAX_SURFACES = 32;
const PROVENANCES: readonly unknown[] = ['provider', 'direct', 'agent'] satisfies InvocationProvenance[];

/**
 * The surfaces as they are.
 *
 * @throws FrameworkError `dispatch.invalid_surface`, `dispatch.duplicate_surface`, `dispatch.invalid_extension`, by name
 */
export function assertSurfaces(surfaces: readonly Surface[]): readonly Surface[] {
  if (surfaces.length > MAX_SURFACES) {
    throw dispatchError('dispatch.invalid_surface', `framework: more than ${MAX_SURFACES} surfaces`);
  }
  for (const surface of surfaces) assertMembers(surface);
  const agents = surfaces.filter(({ accepts }) => accepts?.includes('agent'));
  if (agents.length > 1) {
    const names = agents.map(({ serves }) => serves.join(', ')).join(' and ');
    throw dispatchError('dispatch.duplicate_surface', `framework: two surfaces accept agent invocations: ${names}`);
  }
  return surfaces;
}

function assertMembers(surface: Surface): void {
  if (typeof surface?.serve !== 'function' || !Array.isArray(surface.serves)) {
    throw dispatchError('dispatch.invalid_surface', 'framework: surface must have serves and serve()');
  }
  const name = surface.serves.join(', ');
  const { accepts } = surface;
  const known = accepts === undefined || (Array.isArray(accepts) && accepts.every((one) => PROVENANCES.includes(one)));
  if (!known) {
    const text = `framework: the surface of ${name}: accepts must be a list of provider, direct and agent`;
    throw dispatchError('dispatch.invalid_surface', text);
  }
  for (const method of ['attach', 'triggers'] as const) {
    if (surface[method] === undefined || typeof surface[method] === 'function') continue;
    throw dispatchError('dispatch.invalid_surface', `framework: the surface of ${name}: ${method} is not a function`);
  }
  if (isExtension(surface) && !isRowList(surface.rows)) {
    throw dispatchError('dispatch.invalid_extension', `framework: trigger extension: ${name} has a malformed row`);
  }
}

function isRowList(rows: unknown): boolean {
  return (
    Array.isArray(rows) &&
    rows.every(
      (row) =>
        isText(row?.kind) &&
        Array.isArray(row.anyOf) &&
        row.anyOf.every((all: unknown) => Array.isArray(all) && all.every((condition) => isText(condition?.path))),
    )
  );
}
