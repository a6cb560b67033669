import {
  type FrameworkError,
  type InvocationProvenance,
  invocationProvenance,
  isFrameworkError,
  type LambdaContext,
  type Logger,
  type Surface,
  type TriggerKind,
} from '@sallyport/core';
import { defineOptions, oneOf, parsed } from '@sallyport/core/options';
import {
  bindInvocation,
  guardHook,
  LOG_WANTED,
  logRefusal,
  noAdapter,
  parseLog,
  registerCopy,
} from '@sallyport/core/pipeline';
import { type Explanation, explainRows, kindOf, undetected } from './explain/explain.js';
import { detectRow } from './internal/compile.js';
import { assertSurfaces, createPlan, type DirectInvocations, type Plan, refusalOf } from './internal/plan.js';
import { VERSION } from './internal/version.js';

registerCopy('@sallyport/dispatch', VERSION, new Error());

export type { DirectInvocations } from './internal/plan.js';

/** All members are bound: they can be taken out of the object. */
export interface Dispatcher {
  /**
   * Asks the Lambda context who invoked, then classifies the event, and resolves to what its surface answers.
   *
   * Rejects with a FrameworkError `dispatch.not_an_object`, `dispatch.unknown_event`, `dispatch.no_adapter`,
   * `dispatch.direct_refused` or `dispatch.foreign_door`, each of them logged once, else with what the surface rejects with. Never throws synchronously.
   */
  readonly handleLambda: (event: unknown, lambdaContext?: LambdaContext) => Promise<unknown>;
  /** The kind by the fixed table and the extensions' rows; throws as the package's `detect` does. */
  readonly detect: (event: unknown) => TriggerKind;
  /** Like the package's `explain`, with the extensions' rows and what the surface would do. */
  readonly explain: (event: unknown, lambdaContext?: LambdaContext) => Explanation;
}

/** Options of `createDispatcherWith`. An unknown key is rejected at construction. */
export interface DispatcherOptions {
  /** Gets one `error` line for each invocation that is rejected; `false` for silence. Default: a JSON line on standard output. */
  readonly log?: Logger | false | undefined;
  /**
   * What becomes of direct invocations that no surface accepts by its `accepts`: `serve` them as if they came from a trigger,
   * or `refuse` them. Default `serve`.
   */
  readonly directInvocations?: DirectInvocations | undefined;
}

/** Validators and defaults for {@link DispatcherOptions}. */
export const DISPATCHER_OPTIONS = /* @__PURE__ */ defineOptions<DispatcherOptions>()({
  log: /* @__PURE__ */ parsed<Logger | false>(LOG_WANTED, (log) => parseLog(log, process.env)),
  directInvocations: /* @__PURE__ */ oneOf('refuse', 'serve'),
});

/**
 * The one entrypoint for everything that some surfaces serve. Only a container attaches surfaces to itself: one that needs
 * `attach` belongs into `surfaces` of `createApp` or `SecureApp`.
 *
 * @throws FrameworkError at construction: `dispatch.duplicate_surface`, `dispatch.invalid_surface`, `dispatch.invalid_extension`
 * @example export const handler = createDispatcher(events, s3Trigger({ bucket: 'uploads', handler })).handleLambda;
 */
export function createDispatcher(...surfaces: readonly Surface[]): Dispatcher {
  return toDispatcher(createPlan(surfaces, { log: parseLog(undefined, process.env) }));
}

/**
 * {@link createDispatcher} with options; surfaces are checked more closely, as the containers do.
 *
 * @throws FrameworkError `app.invalid_configuration` for an unknown or unfit option
 */
export function createDispatcherWith(options: DispatcherOptions, ...surfaces: readonly Surface[]): Dispatcher {
  const { log, directInvocations } = DISPATCHER_OPTIONS.parse(options);
  const init = { log: parseLog(log, process.env), refuseDirect: refusalOf(directInvocations) };
  return toDispatcher(createPlan(assertSurfaces(surfaces), init));
}

/** The public side of a plan. */
export function toDispatcher(plan: Plan, inventory?: Inventory): Dispatcher {
  const explain: Dispatcher['explain'] = (event, lambdaContext) => explainPlan(plan, event, lambdaContext);
  const handleLambda: Dispatcher['handleLambda'] = (event, lambdaContext) =>
    serveInvocation(plan, event, lambdaContext);
  return {
    handleLambda: inspectable(handleLambda, { ...(inventory ?? inventoryOf(plan)), explain }),
    detect: (event) => kindOf(event, plan.table),
    explain,
  };
}

/** What is registered, for tools that run a function on a developer's machine. */
export interface Inventory {
  /** HTTP, GraphQL and WebSocket operations, as `app.routes()` lists them. */
  readonly routes: () => readonly object[];
  /** Event registrations, as `app.triggers()` lists them. */
  readonly triggers: () => readonly object[];
  /** The OpenAPI document of the HTTP operations; `null` where none can be written. */
  readonly openapi: () => unknown;
}

/** Shared by name with `@sallyport/local` and with the streaming handlers of `@sallyport/http`. */
const INSPECT = Symbol.for('framework.inspect');

function inspectable<H extends object>(handler: H, inspection: Inventory & Pick<Dispatcher, 'explain'>): H {
  return Object.defineProperty(handler, INSPECT, { value: Object.freeze(inspection) });
}

function inventoryOf({ byRow }: Plan): Inventory {
  const surfaces = [...new Set(byRow)];
  return {
    routes: () => [],
    triggers: () => surfaces.flatMap((surface) => surface?.triggers?.() ?? []),
    openapi: () => null,
  };
}

function explainPlan(plan: Plan, event: unknown, lambdaContext: LambdaContext | undefined): Explanation {
  const provenance = invocationProvenance(lambdaContext);
  const row = rowOf(plan, event, provenance);
  const explanation = explainRows(event, row, plan.table, lambdaContext && provenance);
  const surface = surfaceFor(plan, row, provenance);
  const kind = plan.kinds[row];
  const foreign = surface && kind !== undefined && lambdaContext && plan.doors?.refusalOf(kind, event, lambdaContext);
  if (foreign) return { ...explanation, kind, error: foreign.message };
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

/**
 * Serves one invocation: its context is asked before its event. Never throws; what is rejected is a rejection.
 *
 * @param entrypoint the row of a direct entrypoint, which takes the event as of its kind
 */
export function serveInvocation(
  plan: Plan,
  event: unknown,
  lambdaContext: LambdaContext | undefined,
  entrypoint?: number,
): Promise<unknown> {
  try {
    const provenance = invocationProvenance(lambdaContext);
    const row = rowOf(plan, event, provenance, entrypoint);
    const surface = surfaceFor(plan, row, provenance);
    if (surface === undefined) throw refusal(plan, event, row, provenance, lambdaContext);
    const kind = plan.kinds[row] as TriggerKind;
    plan.doors?.assert(kind, event, lambdaContext);
    return Promise.resolve(surface.serve(kind, event, { lambdaContext }));
  } catch (error) {
    return Promise.reject(error);
  }
}

/** No row is tried for an agent: the event is what a model wrote, and may look like anything. */
function rowOf(plan: Plan, event: unknown, provenance: InvocationProvenance, entrypoint?: number): number {
  return provenance === 'agent' ? plan.kinds.length - 1 : (entrypoint ?? detectRow(event, plan.table));
}

/**
 * The kind under which an invocation is served.
 *
 * @throws FrameworkError when it is rejected
 */
export function kindOfInvocation(plan: Plan, event: unknown, lambdaContext: LambdaContext | undefined): TriggerKind {
  const provenance = invocationProvenance(lambdaContext);
  const row = rowOf(plan, event, provenance);
  if (!surfaceFor(plan, row, provenance)) throw refusal(plan, event, row, provenance, lambdaContext);
  const kind = plan.kinds[row] as TriggerKind;
  plan.doors?.assert(kind, event, lambdaContext);
  return kind;
}

/** The error for an invocation that has no row or no surface, once it is in the log. */
function refusal(
  plan: Plan,
  event: unknown,
  row: number,
  provenance: InvocationProvenance,
  lambdaContext: LambdaContext | undefined,
): FrameworkError {
  const { kinds, log, refuseDirect } = plan;
  const kind = kinds[row];
  let error: FrameworkError;
  if (provenance === 'direct' && refuseDirect) error = refuseDirect();
  else error = kind === undefined ? undetected(event, row, plan.table) : noAdapter(kind);
  if (kind === undefined && error.details) reportUnknown(error, log, lambdaContext);
  else logRefusal(log, error, lambdaContext, provenance === 'agent' ? '' : kind);
  return error;
}

/** One `error` line with the row that came closest. A logger that throws changes nothing. */
function reportUnknown(error: FrameworkError, log: Logger, lambdaContext: LambdaContext | undefined): void {
  const { nearest } = error.details as Explanation;
  guardHook(() => bindInvocation(log, lambdaContext, '').error(error.message, { event: error.code, nearest }));
}

/** The entrypoints of the fixed rows by name, bound. Each asks the Lambda context first, and takes the event as of its kind. */
export function bindEntrypoints(plan: Plan): Readonly<Record<string, Entrypoint>> {
  return Object.fromEntries(
    plan.table.fixed.map(({ entrypoint }, row) => [
      entrypoint,
      (event: unknown, lambdaContext?: LambdaContext) => serveInvocation(plan, event, lambdaContext, row),
    ]),
  );
}

type Entrypoint = (event: unknown, lambdaContext?: LambdaContext) => Promise<unknown>;

const PROVIDER: readonly InvocationProvenance[] = ['provider'];

/** The surface at a row, if it takes invocations of this provenance. */
function surfaceFor(plan: Plan, row: number, provenance: InvocationProvenance): Surface | undefined {
  const surface = plan.byRow[row];
  const accepted = surface?.accepts ?? PROVIDER;
  const served = provenance === 'direct' && !plan.refuseDirect && accepted.includes('provider');
  return served || accepted.includes(provenance) ? surface : undefined;
}
