import {
  type FrameworkError,
  invocationProvenance,
  type LambdaContext,
  type Target,
  type TriggerKind,
} from '@sallyport/core';
import { AGENT_INVOCATIONS, noAdapter } from '@sallyport/core/internal';
import { detailsOf, explainRows } from '#explain';
import { dispatchError, NOT_AN_OBJECT_TEXT, UNKNOWN_EVENT_TEXT } from '../errors.js';
import { type CompiledTable, compileTable, detectRow, type FullTable, NOT_AN_OBJECT } from '../internal/compile.js';
import { ROWS } from '../rows.js';
import type { Miss, Nearest } from './row-check.js';

let fixed: FullTable | undefined;
/** The fixed table, compiled at first use. */
export const fixedTable = (): FullTable => (fixed ??= compileTable(ROWS));

/**
 * Detects the kind of an event from its shape, with the fixed table; the first matching row is used.
 *
 * @throws FrameworkError `dispatch.not_an_object` for anything but an object or a batch of resolver events;
 * `dispatch.unknown_event` when no row matches, with an {@link Explanation} as `details`
 * @example detect({ requestContext: { http: { method: 'GET' } }, routeKey: '$default' }); // 'gateway-v2'
 */
export function detect(event: unknown): TriggerKind {
  return kindOf(event, fixedTable());
}

/** `detect` with any table. */
export function kindOf(event: unknown, table: CompiledTable): TriggerKind {
  const row = detectRow(event, table);
  const kind = table.kinds[row];
  if (kind === undefined) throw undetected(event, row, table);
  return kind;
}

/** The error for an event that no row matches. A value that is not an object has `details` only if it is recognized. */
export function undetected(event: unknown, row: number, table: CompiledTable): FrameworkError {
  const details = detailsOf(event, row, table);
  if (row !== NOT_AN_OBJECT) return dispatchError('dispatch.unknown_event', UNKNOWN_EVENT_TEXT, details);
  return dispatchError('dispatch.not_an_object', NOT_AN_OBJECT_TEXT, details?.nearest ? details : undefined);
}

/** The outcome of one row. */
export interface RowExplanation {
  /** The kind of the row; for the origin `invocation`: `agent`, `direct`, or a kind that an alias selects. */
  readonly kind: TriggerKind;
  /** `invocation`: the provenance or the alias in the Lambda context, checked before the table; provenance only if a context was passed. */
  readonly origin: 'invocation' | 'table' | 'extension';
  /** `shadowed`: the row matches, but an earlier row also matched. */
  readonly outcome: 'matched' | 'missed' | 'shadowed';
  /** The failed conditions of every alternative, each once. Empty unless missed. */
  readonly misses: readonly Miss[];
}

/** The reasons for the kind of an event. */
export interface Explanation {
  /** The result of `detect`; for an agent invocation, the kind of the surface that accepts it; `null` if unknown. */
  readonly kind: TriggerKind | null;
  /** The exact message of the error that `handleLambda` would throw before any handler runs. */
  readonly error: string | null;
  /** Every row in order. */
  readonly rows: readonly RowExplanation[];
  /** The row with the most fulfilled conditions, or the first of equals; only if `kind` is `null` and the event has a recognized part. */
  readonly nearest: Nearest | null;
  /** The method of the containers that serves the kind directly; `null` for kinds of extensions. */
  readonly entrypoint: string | null;
  /** The handler that the surface of a dispatcher would run; `null` without a dispatcher. */
  readonly target: Target | null;
}

/**
 * Explains the kind of an event. Pure and total: runs no application code and never throws, for any
 * event.
 *
 * @param lambdaContext if present, the first row shows the provenance of the invocation
 * @example explain({ httpMethod: '' }).nearest; // null, and every row lists its failed conditions
 */
export function explain(event: unknown, lambdaContext?: LambdaContext): Explanation {
  const provenance = invocationProvenance(lambdaContext);
  const isAgent = provenance === 'agent';
  const table = fixedTable();
  const row = isAgent ? table.kinds.length : detectRow(event, table);
  const explanation = explainRows(event, row, table, lambdaContext && provenance);
  return isAgent ? { ...explanation, error: noAdapter(AGENT_INVOCATIONS).message } : explanation;
}
