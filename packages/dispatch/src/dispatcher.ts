import {
  invocationProvenance,
  isFrameworkError,
  type LambdaContext,
  type Logger,
  type Surface,
  type TriggerKind,
} from '@sallyport/core';
import { defineOptions, oneOf, parsed } from '@sallyport/core/options';
import { LOG_WANTED, noAdapter, parseLog } from '@sallyport/core/pipeline';
import { type Explanation, explainRows, kindOf } from './explain/explain.js';
import {
  assertSurfaces,
  createPlan,
  type DirectInvocations,
  type Plan,
  refusalOf,
  surfaceFor,
} from './internal/plan.js';
import { rowOf, serveInvocation } from './internal/serve.js';

export type { DirectInvocations } from './internal/plan.js';

/** All members are bound: they can be taken out of the object. */
export interface Dispatcher {
  /**
   * Asks the Lambda context who invoked, then classifies the event, and resolves to what its surface answers.
   *
   * Rejects with a FrameworkError `dispatch.not_an_object`, `dispatch.unknown_event`, `dispatch.no_adapter` or
   * `dispatch.direct_refused`, each of them logged once, else with what the surface rejects with. Never throws synchronously.
   */
  readonly handleLambda: (event: unknown, lambdaContext?: LambdaContext) => Promise<unknown>;
  /** The kind by the fixed table and the extensions' rows; throws as the package's `detect` does. */
  readonly detect: (event: unknown) => TriggerKind;
  /** Like the package's `explain`, with the extensions' rows and what the surface would do. */
  readonly explain: (event: unknown, lambdaContext?: LambdaContext) => Explanation;
}

/** Options of `createDispatcherWith`. An unknown key is rejected at construction. */
export interface DispatcherOptions {
  /** Gets one `error` line for each invocation that is refused; `false` for silence. Default: a JSON line on standard output. */
  readonly log?: Logger | false | undefined;
  /**
   * What becomes of direct invocations that no surface accepts by its `accepts`: `serve` them as if they came from a trigger,
   * or `refuse` them. Default `serve`.
   */
  readonly directInvocations?: DirectInvocations | undefined;
}

/** What {@link DispatcherOptions} may be. */
export const DISPATCHER_OPTIONS = /* @__PURE__ */ defineOptions<DispatcherOptions>()({
  log: parsed<Logger | false>(LOG_WANTED, (log) => parseLog(log, process.env)),
  directInvocations: oneOf('refuse', 'serve'),
});

/**
 * The one entrypoint for everything that some surfaces serve. Only a container attaches surfaces to itself: one that needs
 * `attach` belongs into `surfaces` of `createApp` or `SecureApp`.
 *
 * @throws FrameworkError at construction: `dispatch.duplicate_surface`, `dispatch.invalid_surface`, `dispatch.invalid_extension`
 * @example export const handler = createDispatcher(events, s3Trigger({ bucket: 'uploads', handler })).handleLambda;
 */
export function createDispatcher(...surfaces: readonly Surface[]): Dispatcher {
  return toDispatcher(createPlan(surfaces));
}

/**
 * {@link createDispatcher} with options; surfaces are checked more closely, as the containers do.
 *
 * @throws FrameworkError `app.invalid_configuration` for an unknown or unfit option
 */
export function createDispatcherWith(options: DispatcherOptions, ...surfaces: readonly Surface[]): Dispatcher {
  const { log, directInvocations } = DISPATCHER_OPTIONS.parse(options);
  return toDispatcher(createPlan(assertSurfaces(surfaces), parseLog(log, process.env), refusalOf(directInvocations)));
}

/** The public side of a plan. */
export function toDispatcher(plan: Plan): Dispatcher {
  return {
    handleLambda: (event, lambdaContext) => serveInvocation(plan, event, lambdaContext),
    detect: (event) => kindOf(event, plan.table),
    explain: (event, lambdaContext) => explainPlan(plan, event, lambdaContext),
  };
}

function explainPlan(plan: Plan, event: unknown, lambdaContext: LambdaContext | undefined): Explanation {
  const provenance = invocationProvenance(lambdaContext);
  const row = rowOf(plan, event, provenance);
  const explanation = explainRows(event, row, plan.table, lambdaContext && provenance);
  const surface = surfaceFor(plan, row, provenance);
  const kind = plan.kinds[row];
  if (surface && kind !== undefined) return { ...explanation, kind, ...targetOf(surface, kind, event) };
  if (provenance === 'direct' && plan.refuseDirect) return { ...explanation, error: plan.refuseDirect().message };
  return kind === undefined ? explanation : { ...explanation, error: noAdapter(kind).message };
}

/** What the surface would do, or the text with which it would reject the event before it runs anything. */
function targetOf(surface: Surface, kind: TriggerKind, event: unknown): Pick<Explanation, 'error' | 'target'> {
  try {
    return { error: null, target: surface.explainTarget?.(kind, event) ?? null };
  } catch (error) {
    return { error: isFrameworkError(error) ? error.message : null, target: null };
  }
}
