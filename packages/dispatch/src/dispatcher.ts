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
import {
  bindInvocation,
  guardHook,
  LOG_WANTED,
  logRefusal,
  noAdapter,
  parseLog,
  registerCopy,
} from '@sallyport/core/internal';
import { defineOptions, oneOf, parsed } from '@sallyport/core/options';
import { explainRows } from '#explain';
import { type Explanation, kindOf, undetected } from './explain/explain.js';
import { detectRow } from './internal/compile.js';
import { assertSurfaces, createPlan, type DirectInvocations, type Plan, refusalOf } from './internal/plan.js';
import { VERSION } from './internal/version.js';

registerCopy('@sallyport/dispatch', VERSION, new Error());

export type { DirectInvocations } from './internal/plan.js';

/** All members are bound: they can be used without the object. */
export interface Dispatcher {
  /**
   * Checks the Lambda context, classifies the event, and resolves to the result of its surface.
   *
   * Rejects with a FrameworkError `dispatch.not_an_object`, `dispatch.unknown_event`, `dispatch.no_adapter`,
   * `dispatch.direct_refused` or `dispatch.foreign_door`, each of them logged once, or with the error of the surface. Never throws synchronously.
   */
  readonly handleLambda: (event: unknown, lambdaContext?: LambdaContext) => Promise<unknown>;
  /** The kind by the fixed table and the extensions' rows; throws like the package's `detect`. */
  readonly detect: (event: unknown) => TriggerKind;
  /** Like the package's `explain`, with the extensions' rows and the handler that the surface would run. */
  readonly explain: (event: unknown, lambdaContext?: LambdaContext) => Explanation;
}

/** Options of `createDispatcherWith`. An unknown key is rejected at construction. */
export interface DispatcherOptions {
  /** Receives one `error` line for each rejected invocation; `false` to turn off logging. Default: a JSON line on standard output. */
  readonly log?: Logger | false | undefined;
  /**
   * The handling of direct invocations that no surface accepts: `serve` them as if they came from a trigger,
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
 * Creates the Lambda handler for the given surfaces, for example an event router. If a surface has `attach`, such as the surfaces of
 * `@sallyport/triggers`, pass it in the option `surfaces` of `SecureApp` instead.
 *
 * @throws FrameworkError `dispatch.duplicate_surface`, `dispatch.invalid_surface` or `dispatch.invalid_extension`
 * @example
 * const events = createEventRouter();
 * events.queue('orders', (ctx, message) => fulfil(JSON.parse(message.body)));
 * export const handler = createDispatcher(events).handleLambda;
 */
export function createDispatcher(...surfaces: readonly Surface[]): Dispatcher {
  return toDispatcher(createPlan(surfaces, { log: parseLog(undefined, process.env) }));
}

/**
 * {@link createDispatcher} with options; surfaces are checked as strictly as in the containers.
 *
 * @throws FrameworkError `app.invalid_configuration` for an unknown or wrong option
 */
export function createDispatcherWith(options: DispatcherOptions, ...surfaces: readonly Surface[]): Dispatcher {
  const { log, directInvocations } = DISPATCHER_OPTIONS.parse(options);
  const init = { log: parseLog(log, process.env), refuseDirect: refusalOf(directInvocations) };
  return toDispatcher(createPlan(assertSurfaces(surfaces), init));
}

/** The public side of a plan. */
export function toDispatcher(plan: Plan, inventory?: Inventory): Dispatcher {
  const explain: Dispatcher['explain'] = (event, lambdaContext) => explainPlan(plan, event, lambdaContext);
  return {
    handleLambda: inspectable(createHandler(plan), { ...(inventory ?? inventoryOf(plan)), explain }),
    detect: (event) => kindOf(event, plan.table),
    explain,
  };
}

/** The registrations, for tools that run a function on a developer's machine. */
export interface Inventory {
  /** HTTP, GraphQL and WebSocket operations, as `app.routes()` lists them. */
  readonly routes: () => readonly object[];
  /** Event registrations, as `app.triggers()` lists them. */
  readonly triggers: () => readonly object[];
  /** The OpenAPI document of the HTTP operations; `null` if it cannot be generated. */
  readonly openapi: () => unknown;
  /** The schemas of messages to WebSocket clients, by type. */
  readonly sends?: object | undefined;
  /** The facts about the WebSocket API. */
  readonly socket?: object | undefined;
  /** The optional parts that a container uses: the names of its options, and `events`, `graphql` and `websocket` if they are registered. */
  readonly uses?: () => readonly string[];
  /** Further facts for a deployment; absent without a container. */
  readonly deployment?: DeploymentFacts;
}

/** The parts of a container's options that determine the doors of a deployment. */
export interface DeploymentFacts {
  /** True if the container answers preflights of other origins. */
  readonly cors?: boolean;
  /** True if `HEAD` runs the route of `GET`. */
  readonly autoHead?: boolean;
  /** The authorizers from which the principal resolver reads the caller, if it has no other source. */
  readonly authorizers?: readonly string[] | undefined;
  /** The namespace and the dimension `service` of the metrics that the sink of `createEmfSink` writes. */
  readonly metrics?:
    | {
        readonly namespace: string;
        readonly service?: string;
        /** The dimension sets of each kind of metric, and the number of metrics. */
        readonly series?: readonly object[];
      }
    | undefined;
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
  const row = rowOf(plan, event, lambdaContext, provenance);
  const explanation = explainRows(
    event,
    row,
    plan.table,
    lambdaContext && provenance,
    plan.claimers.flatMap((surface) => surface.explainClaim?.(lambdaContext) ?? []),
  );
  const surface = surfaceFor(plan, row, provenance);
  const kind = plan.kinds[row];
  const foreign = surface && kind !== undefined && lambdaContext && plan.doors?.refusalOf(kind, event, lambdaContext);
  if (foreign) return { ...explanation, kind, error: foreign.message };
  if (surface && kind !== undefined) return { ...explanation, kind, ...targetOf(surface, kind, event, lambdaContext) };
  if (provenance === 'direct' && plan.refuseDirect) return { ...explanation, error: plan.refuseDirect().message };
  return kind === undefined ? explanation : { ...explanation, error: noAdapter(kind).message };
}

/** The handler that the surface would run, or the message with which it would reject the event before it runs user code. */
function targetOf(
  surface: Surface,
  kind: TriggerKind,
  event: unknown,
  lambdaContext: LambdaContext | undefined,
): Pick<Explanation, 'error' | 'target'> {
  try {
    return { error: null, target: surface.explainTarget?.(kind, event, lambdaContext) ?? null };
  } catch (error) {
    return { error: isFrameworkError(error) ? error.message : null, target: null };
  }
}

/**
 * Creates the function that serves invocations: their context is checked before their event. It never throws; errors are rejections.
 *
 * @param entrypoint the row of a direct entrypoint, which does not check the kind of the event
 */
export function createHandler(plan: Plan, entrypoint?: number): Dispatcher['handleLambda'] {
  return (event, lambdaContext) => {
    try {
      const provenance = invocationProvenance(lambdaContext);
      const row = rowOf(plan, event, lambdaContext, provenance, entrypoint);
      const surface = surfaceFor(plan, row, provenance);
      if (surface === undefined) throw refusal(plan, event, row, provenance, lambdaContext);
      const kind = plan.kinds[row] as TriggerKind;
      plan.doors?.assert(kind, event, lambdaContext);
      return Promise.resolve(surface.serve(kind, event, { lambdaContext }));
    } catch (error) {
      return Promise.reject(error);
    }
  };
}

/** No row is tried for an agent: a model wrote the event, and it can have any shape. */
function rowOf(
  { kinds, table, claimers }: Plan,
  event: unknown,
  lambdaContext: LambdaContext | undefined,
  provenance: InvocationProvenance,
  entrypoint?: number,
): number {
  if (provenance === 'agent') return kinds.length - 1;
  const row = entrypoint ?? detectRow(event, table);
  for (const surface of claimers) {
    if (surface.claims?.(kinds[row], event, lambdaContext)) return kinds.indexOf(surface.serves[0] as TriggerKind);
  }
  return row;
}

/**
 * The kind under which an invocation is served.
 *
 * @throws FrameworkError if the invocation is rejected
 */
export function kindOfInvocation(plan: Plan, event: unknown, lambdaContext: LambdaContext | undefined): TriggerKind {
  const provenance = invocationProvenance(lambdaContext);
  const row = rowOf(plan, event, lambdaContext, provenance);
  if (!surfaceFor(plan, row, provenance)) throw refusal(plan, event, row, provenance, lambdaContext);
  const kind = plan.kinds[row] as TriggerKind;
  plan.doors?.assert(kind, event, lambdaContext);
  return kind;
}

/** The error for an invocation that has no row or no surface, after it was logged. */
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

/** One `error` line with the nearest row. Errors of the logger are ignored. */
function reportUnknown(error: FrameworkError, log: Logger, lambdaContext: LambdaContext | undefined): void {
  const { nearest } = error.details as Explanation;
  guardHook(() => bindInvocation(log, lambdaContext, '').error(error.message, { event: error.code, nearest }));
}

/** The entrypoints of the fixed rows by name, bound. Each checks the Lambda context first, and does not check the kind of the event. */
export function bindEntrypoints(plan: Plan): Readonly<Record<string, Dispatcher['handleLambda']>> {
  return Object.fromEntries(plan.table.fixed.map(({ entrypoint }, row) => [entrypoint, createHandler(plan, row)]));
}

const PROVIDER: readonly InvocationProvenance[] = ['provider'];

/** The surface at a row, if it accepts invocations of this provenance. */
function surfaceFor(plan: Plan, row: number, provenance: InvocationProvenance): Surface | undefined {
  const surface = plan.byRow[row];
  const accepted = surface?.accepts ?? PROVIDER;
  const served = provenance === 'direct' && !plan.refuseDirect && accepted.includes('provider');
  return served || accepted.includes(provenance) ? surface : undefined;
}
