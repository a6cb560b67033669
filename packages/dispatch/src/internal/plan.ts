import {
  type FrameworkError,
  type InvocationProvenance,
  type Logger,
  type Surface,
  TRIGGER_KINDS,
  type TriggerKind,
} from '@sallyport/core';
import { AGENT_INVOCATIONS, parseLog } from '@sallyport/core/pipeline';
import { dispatchError } from '../errors.js';
import { compileExtensions, isExtension } from '../extension.js';
import type { CompiledRow } from './compile.js';

/** Everything that a dispatcher looks up, worked out once at construction. */
export interface Plan {
  /** Of the fixed table, then of the extensions; the last one is for agent invocations. */
  readonly kinds: readonly TriggerKind[];
  /** The extensions' rows. */
  readonly rows: readonly CompiledRow[];
  /** Which surface serves the kind at the same index. */
  readonly byRow: readonly (Surface | undefined)[];
  readonly log: Logger;
  /** The error for direct invocations that no surface accepts; without it they are served as if from a trigger. */
  readonly refuseDirect: (() => FrameworkError) | undefined;
}

/** @throws FrameworkError for surfaces that do not fit, by name */
export function createPlan(
  surfaces: readonly Surface[],
  log: Logger = parseLog(undefined, process.env),
  refuseDirect?: () => FrameworkError,
): Plan {
  const served = indexSurfaces(surfaces);
  const rows = compileExtensions(surfaces.filter(isExtension));
  const agent = surfaces.find(({ accepts }) => accepts?.includes('agent'));
  const kinds = [...TRIGGER_KINDS, ...rows.map((row) => row.kind), agent?.serves[0] ?? AGENT_INVOCATIONS];
  for (const kind of served.keys()) {
    // It would never be served.
    if (!kinds.includes(kind)) throw dispatchError('dispatch.invalid_surface', `framework: no row detects ${kind}`);
  }
  return { kinds, rows, byRow: kinds.map((kind) => served.get(kind)), log, refuseDirect };
}

/** Which surface serves which kind. */
function indexSurfaces(surfaces: readonly Surface[]): ReadonlyMap<TriggerKind, Surface> {
  const served = new Map<TriggerKind, Surface>();
  for (const surface of surfaces) {
    if (typeof surface?.serve !== 'function' || !Array.isArray(surface.serves)) {
      throw dispatchError('dispatch.invalid_surface', 'framework: surface must have serves and serve()');
    }
    for (const kind of surface.serves) {
      if (served.has(kind)) throw dispatchError('dispatch.duplicate_surface', `framework: two surfaces serve ${kind}`);
      served.set(kind, surface);
    }
  }
  return served;
}

const PROVIDER: readonly InvocationProvenance[] = ['provider'];

/** The surface at a row, if it takes invocations of this provenance. */
export function surfaceFor(plan: Plan, row: number, provenance: InvocationProvenance): Surface | undefined {
  const surface = plan.byRow[row];
  const accepted = surface?.accepts ?? PROVIDER;
  const served = provenance === 'direct' && !plan.refuseDirect && accepted.includes('provider');
  return served || accepted.includes(provenance) ? surface : undefined;
}
