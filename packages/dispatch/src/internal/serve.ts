import {
  type FrameworkError,
  type InvocationProvenance,
  invocationProvenance,
  type LambdaContext,
  type Logger,
  type TriggerKind,
} from '@sallyport/core';
import { bindInvocation, guardHook, logRefusal, noAdapter } from '@sallyport/core/pipeline';
import { type Explanation, undetected } from '../explain/explain.js';
import { detectRow } from './compile.js';
import { type Plan, surfaceFor } from './plan.js';

/**
 * Serves one invocation: its context is asked before its event. Never throws; what is refused is a rejection.
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
    return Promise.resolve(surface.serve(plan.kinds[row] as TriggerKind, event, { lambdaContext }));
  } catch (error) {
    return Promise.reject(error);
  }
}

/** No row is tried for an agent: the event is what a model wrote, and may look like anything. */
export function rowOf(plan: Plan, event: unknown, provenance: InvocationProvenance, entrypoint?: number): number {
  return provenance === 'agent' ? plan.kinds.length - 1 : (entrypoint ?? detectRow(event, plan.table));
}

/**
 * The kind under which an invocation is served.
 *
 * @throws FrameworkError when it is refused
 */
export function kindOfInvocation(plan: Plan, event: unknown, lambdaContext: LambdaContext | undefined): TriggerKind {
  const provenance = invocationProvenance(lambdaContext);
  const row = rowOf(plan, event, provenance);
  if (surfaceFor(plan, row, provenance)) return plan.kinds[row] as TriggerKind;
  throw refusal(plan, event, row, provenance, lambdaContext);
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
