import type { FrameworkError, InvocationProvenance, Logger, Surface, TriggerKind } from '@sallyport/core';
import { AGENT_INVOCATIONS, type DoorGuard, isText } from '@sallyport/core/internal';
import { compileExtensions } from '#extensions';
import { dispatchError } from '../errors.js';
import type { TriggerExtension, TriggerRow } from '../rows.js';
import type { CompiledTable } from './compile.js';

/** The data of a dispatcher, computed once at construction. */
export interface Plan {
  /** The kinds of the fixed table, then of the extensions; the last is for agent invocations. */
  readonly kinds: readonly TriggerKind[];
  /** The rows that events are tested against. */
  readonly table: CompiledTable;
  /** The surface that serves the kind at the same index. */
  readonly byRow: readonly (Surface | undefined)[];
  readonly log: Logger;
  /** The error for direct invocations that no surface accepts; without it they are served as if from a trigger. */
  readonly refuseDirect: (() => FrameworkError) | undefined;
  /** The front doors, if they are named. */
  readonly doors: DoorGuard | undefined;
  /** Surfaces that claim invocations. Most applications have no such surface. */
  readonly claimers: readonly Surface[];
}

/** The settings of a plan, without its surfaces. */
export type PlanInit = Pick<Plan, 'log'> & Partial<Pick<Plan, 'refuseDirect' | 'doors'>>;

/** @throws FrameworkError for invalid surfaces; it names the surface */
export function createPlan(
  surfaces: readonly Surface[],
  { log, refuseDirect, doors }: PlanInit,
  fixed?: readonly TriggerRow[],
): Plan {
  const served = indexSurfaces(surfaces);
  const table = compileExtensions(surfaces.filter(isExtension), fixed);
  const agent = surfaces.find(({ accepts }) => accepts?.includes('agent'));
  const claimers = surfaces.filter(({ claims }) => claims !== undefined);
  const claimed = claimers.map(({ serves }) => serves[0] as TriggerKind).filter((kind) => !table.kinds.includes(kind));
  const kinds = [...table.kinds, ...claimed, agent?.serves[0] ?? AGENT_INVOCATIONS];
  for (const kind of served.keys()) {
    // No event could reach this surface.
    if (!kinds.includes(kind)) throw dispatchError('dispatch.invalid_surface', `framework: no row detects ${kind}`);
  }
  return { kinds, table, byRow: kinds.map((kind) => served.get(kind)), claimers, log, refuseDirect, doors };
}

/** The surfaces by kind. */
function indexSurfaces(surfaces: readonly Surface[]): ReadonlyMap<TriggerKind, Surface> {
  const served = new Map<TriggerKind, Surface>();
  for (const surface of surfaces) {
    assertSurface(surface);
    for (const kind of surface.serves) {
      if (served.has(kind)) {
        const remedy = 'register all its handlers with one surface';
        throw dispatchError('dispatch.duplicate_surface', `framework: two surfaces serve ${kind}: ${remedy}`);
      }
      served.set(kind, surface);
    }
  }
  return served;
}

/** The handling of invocations whose Lambda context shows that they are not from a trigger. */
export type DirectInvocations = 'refuse' | 'serve';

/**
 * Creates the error for direct invocations; `undefined` if the plan serves them, the default.
 */
export function refusalOf(directInvocations: DirectInvocations | undefined): (() => FrameworkError) | undefined {
  if (directInvocations !== 'refuse') return undefined;
  return () => dispatchError('dispatch.direct_refused', 'framework: direct invocation refused');
}

const MAX_SURFACES = 64;
const PROVENANCES: readonly unknown[] = ['provider', 'direct', 'agent'] satisfies InvocationProvenance[];

/**
 * Checks the surfaces and returns them.
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

function assertSurface(surface: Surface): void {
  if (typeof surface?.serve !== 'function' || !Array.isArray(surface.serves)) {
    const remedy = typeof surface === 'function' ? ': call the function that makes it' : '';
    throw dispatchError('dispatch.invalid_surface', `framework: surface must have serves and serve()${remedy}`);
  }
}

function assertMembers(surface: Surface): void {
  assertSurface(surface);
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

function isExtension(surface: Surface): surface is TriggerExtension {
  return 'rows' in surface;
}
