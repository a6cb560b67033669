import {
  type FrameworkError,
  type InvocationProvenance,
  invocationProvenance,
  type LambdaContext,
  type Target,
  type TriggerKind,
} from '@sallyport/core';
import { AGENT_INVOCATIONS, noAdapter } from '@sallyport/core/pipeline';
import { dispatchError, NOT_AN_OBJECT_TEXT, UNKNOWN_EVENT_TEXT } from '../errors.js';
import { type CompiledTable, compileTable, detectRow, NOT_AN_OBJECT } from '../internal/compile.js';
import { ROWS } from '../rows.js';
import { checkRow, type Miss, type Nearest, nearestRow } from './row-check.js';

let fixed: CompiledTable | undefined;
/** The fixed table alone, compiled when it is first needed. */
const fixedTable = (): CompiledTable => (fixed ??= compileTable(ROWS));

/**
 * The kind of an event by the fixed table alone, told by its shape; the first row that matches decides.
 *
 * @throws FrameworkError `dispatch.not_an_object` for anything but an object or a batch of resolver events;
 * `dispatch.unknown_event` when no row matches, with an {@link Explanation} as `details`
 * @example detect({ requestContext: { http: { method: 'GET' } }, routeKey: '$default' }); // 'gateway-v2'
 */
export function detect(event: unknown): TriggerKind {
  return kindOf(event, fixedTable());
}

/** `detect` by any table. */
export function kindOf(event: unknown, table: CompiledTable): TriggerKind {
  const row = detectRow(event, table);
  const kind = table.kinds[row];
  if (kind === undefined) throw undetected(event, row, table);
  return kind;
}

/** The error for an event that no row takes. A value that is not an object has `details` only where it is recognised. */
export function undetected(event: unknown, row: number, table: CompiledTable): FrameworkError {
  const details = explainRows(event, row, table);
  if (row !== NOT_AN_OBJECT) return dispatchError('dispatch.unknown_event', UNKNOWN_EVENT_TEXT, details);
  return dispatchError('dispatch.not_an_object', NOT_AN_OBJECT_TEXT, details.nearest ? details : undefined);
}

/** What became of one row. `shadowed`: it would match, an earlier row won. */
export interface RowExplanation {
  /** Of the row of origin `invocation`: `agent` or `direct`. */
  readonly kind: TriggerKind;
  /** `invocation`: what the Lambda context says, asked before the table; only where a context was given. */
  readonly origin: 'invocation' | 'table' | 'extension';
  /** `shadowed`: the row matches, but an earlier one won. */
  readonly outcome: 'matched' | 'missed' | 'shadowed';
  /** Of every alternative of the row, each once. Empty unless missed. */
  readonly misses: readonly Miss[];
}

/** Why an event is of its kind, or of none. */
export interface Explanation {
  /** What `detect` decides; of an agent invocation the kind of the surface that accepts it, or `null`. */
  readonly kind: TriggerKind | null;
  /** The exact text that `handleLambda` would throw before any handler runs. */
  readonly error: string | null;
  /** Every row in order. */
  readonly rows: readonly RowExplanation[];
  /** The row with most conditions held, the earlier of equals; only if `kind` is `null` and something was recognised. */
  readonly nearest: Nearest | null;
  /** The method of the containers that serves the kind directly; `null` for an extension's. */
  readonly entrypoint: string | null;
  /** What the surface of a dispatcher says it would do; `null` without one. */
  readonly target: Target | null;
}

/**
 * Why an event is of its kind, or of none. Pure and total: runs nothing of the application and never throws, whatever the
 * event.
 *
 * @param lambdaContext with one, the first row says what the invocation itself decides
 * @example explain({ httpMethod: '' }).nearest; // null, and every row says what it missed
 */
export function explain(event: unknown, lambdaContext?: LambdaContext): Explanation {
  const provenance = invocationProvenance(lambdaContext);
  const isAgent = provenance === 'agent';
  const table = fixedTable();
  const row = isAgent ? table.kinds.length : detectRow(event, table);
  const explanation = explainRows(event, row, table, lambdaContext && provenance);
  return isAgent ? { ...explanation, error: noAdapter(AGENT_INVOCATIONS).message } : explanation;
}

/**
 * The explanation under a decision already made.
 *
 * @param decided index of the deciding row; below 0 if absent, past the last row when the invocation decided
 * @param provenance of the invocation, where there is a Lambda context
 */
export function explainRows(
  event: unknown,
  decided: number,
  table: CompiledTable,
  provenance?: InvocationProvenance,
): Explanation {
  const checks = table.rows.map((row) => checkRow(row, event));
  const rows = checks.map(({ row, misses }, index) => {
    const origin = index < table.fixed.length ? 'table' : 'extension';
    return toRow(row.kind, origin, index === decided ? [] : misses, index === decided ? 'matched' : 'shadowed');
  });
  if (provenance) {
    const isProvider = provenance === 'provider';
    rows.unshift(
      toRow(isProvider ? 'direct' : provenance, 'invocation', isProvider ? NO_CLIENT_CONTEXT : [], 'matched'),
    );
  }
  return {
    kind: checks[decided]?.row.kind ?? null,
    error: decided >= 0 ? null : decided === NOT_AN_OBJECT ? NOT_AN_OBJECT_TEXT : UNKNOWN_EVENT_TEXT,
    rows,
    nearest: decided < 0 ? nearestRow(event, checks, table.kinds.length - table.fixed.length) : null,
    entrypoint: table.fixed[decided]?.entrypoint ?? null,
    target: null,
  };
}

const NO_CLIENT_CONTEXT: readonly Miss[] = [{ path: 'clientContext', expected: 'present', found: 'absent' }];

/** @param held what a row is that misses nothing */
function toRow(
  kind: TriggerKind,
  origin: RowExplanation['origin'],
  misses: readonly Miss[],
  held: 'matched' | 'shadowed',
): RowExplanation {
  return { kind, origin, outcome: misses.length > 0 ? 'missed' : held, misses };
}
