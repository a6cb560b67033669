import {
  assertKnownOptions,
  type FrameworkError,
  invalidOption,
  isFrameworkError,
  type LambdaContext,
  type Logger,
  type Surface,
  TRIGGER_KINDS,
  type TriggerKind,
} from '@sallyport/core';
import { undetected } from './detect.js';
import { dispatchError, noAdapterText } from './errors.js';
import { type Explanation, explainRows } from './explain.js';
import { compileExtensions, isExtension } from './extension.js';
import type { CompiledRow } from './internal/conditions.js';
import { detectRow } from './internal/detect-row.js';
import { reportUnknown } from './internal/report.js';

/** All members are bound: they work taken out of the object. */
export interface Dispatcher {
  /**
   * Classifies an event and resolves to what its surface answers.
   *
   * Rejects with a FrameworkError `dispatch.not_an_object`, `dispatch.unknown_event` (logged once) or `dispatch.no_adapter`,
   * else with what the surface rejects with. Never throws synchronously.
   */
  readonly handleLambda: (event: unknown, lambdaContext?: LambdaContext) => Promise<unknown>;
  /** The kind by the fixed table and the extensions' rows; throws as the package's `detect` does. */
  readonly detect: (event: unknown) => TriggerKind;
  /** Like the package's `explain`, with the extensions' rows and what the surface would do. */
  readonly explain: (event: unknown) => Explanation;
}

export interface DispatcherOptions {
  /** Gets one `error` line for an unknown event. Without one a JSON line goes to standard output. */
  readonly log?: Logger | undefined;
}

/**
 * The one entrypoint for everything that some surfaces serve.
 *
 * @throws FrameworkError at construction: `dispatch.duplicate_surface`, `dispatch.invalid_surface`, `dispatch.invalid_extension`
 * @example export const handler = createDispatcher(events, s3Trigger({ bucket: 'uploads', handler })).handleLambda;
 */
export function createDispatcher(...surfaces: readonly Surface[]): Dispatcher {
  return createDispatcherWith({}, ...surfaces);
}

/** {@link createDispatcher} with options. */
export function createDispatcherWith(options: DispatcherOptions, ...surfaces: readonly Surface[]): Dispatcher {
  const log = logOf(options);
  const served = indexSurfaces(surfaces);
  const rows = compileExtensions(surfaces.filter(isExtension));
  const kinds: readonly TriggerKind[] = [...TRIGGER_KINDS, ...rows.map((row) => row.kind)];
  const byRow = kinds.map((kind) => served.get(kind));
  const setup = { kinds, rows, log };
  assertReachable(served, kinds);

  return {
    handleLambda(event, lambdaContext) {
      try {
        const row = detectRow(event, rows);
        const surface = byRow[row];
        const kind = kinds[row];
        if (surface === undefined || kind === undefined) throw refusal(event, row, setup, lambdaContext);
        return Promise.resolve(surface.serve(kind, event, { lambdaContext }));
      } catch (error) {
        return Promise.reject(error);
      }
    },
    detect(event) {
      const row = detectRow(event, rows);
      const kind = kinds[row];
      if (kind === undefined) throw undetected(event, row, rows);
      return kind;
    },
    explain(event) {
      const row = detectRow(event, rows);
      const explanation = explainRows(event, row, rows);
      const { kind } = explanation;
      if (kind === null) return explanation;
      const surface = byRow[row];
      if (surface === undefined) return { ...explanation, error: noAdapterText(kind) };
      return { ...explanation, ...targetOf(surface, kind, event) };
    },
  };
}

function logOf(options: DispatcherOptions): Logger | undefined {
  if (typeof options !== 'object' || options === null) throw invalidOption('options', 'an object');
  assertKnownOptions(options, ['log']);
  const { log } = options;
  if (log !== undefined && typeof log?.error !== 'function') throw invalidOption('log', 'a logger');
  return log;
}

/** Which surface serves which kind, looked up once for every row of the table. */
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

/** A kind that no row detects would never be served. */
function assertReachable(served: ReadonlyMap<TriggerKind, Surface>, kinds: readonly TriggerKind[]): void {
  for (const kind of served.keys()) {
    if (!kinds.includes(kind)) throw dispatchError('dispatch.invalid_surface', `framework: no row detects ${kind}`);
  }
}

/** The error for an event that has no row or no surface; an unknown event is logged first. */
function refusal(
  event: unknown,
  row: number,
  { kinds, rows, log }: { kinds: readonly TriggerKind[]; rows: readonly CompiledRow[]; log: Logger | undefined },
  lambdaContext: LambdaContext | undefined,
): FrameworkError {
  const kind = kinds[row];
  if (kind !== undefined) return dispatchError('dispatch.no_adapter', noAdapterText(kind));
  const error = undetected(event, row, rows);
  if (error.code === 'dispatch.unknown_event') reportUnknown(error, log, lambdaContext);
  return error;
}

/** What the surface would do, or the text with which it would reject the event before it runs anything. */
function targetOf(surface: Surface, kind: TriggerKind, event: unknown): Pick<Explanation, 'error' | 'target'> {
  try {
    return { error: null, target: surface.explainTarget?.(kind, event) ?? null };
  } catch (error) {
    return { error: isFrameworkError(error) ? error.message : null, target: null };
  }
}
