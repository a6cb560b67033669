import type { AliasClaim, InvocationProvenance, TriggerKind } from '@sallyport/core';
import { NOT_AN_OBJECT_TEXT, UNKNOWN_EVENT_TEXT } from '../../errors.js';
import { type CompiledTable, NOT_AN_OBJECT } from '../../internal/compile.js';
import { type Explanation, fixedTable, type RowExplanation } from '../explain.js';
import { checkRow, type Miss, nearestRow } from '../row-check.js';

/**
 * The explanation for a given decision.
 *
 * @param decided index of the deciding row; below 0 if absent, past the last row when the invocation decided
 * @param provenance of the invocation, if there is a Lambda context
 * @param aliases kinds that the alias of an invocation selects, each with its failed condition
 */
export function explainRows(
  event: unknown,
  decided: number,
  table: CompiledTable,
  provenance?: InvocationProvenance,
  aliases: readonly AliasClaim[] = [],
): Explanation {
  const checks = (table.rows ?? fixedTable().rows).map((row) => checkRow(row, event));
  const rows = checks.map(({ row, misses }, index) => {
    const origin = index < table.fixed.length ? 'table' : 'extension';
    return toRow(row.kind, origin, index === decided ? [] : misses, index === decided ? 'matched' : 'shadowed');
  });
  rows.unshift(...aliases.map(([kind, misses]) => toRow(kind, 'invocation', misses, 'matched')));
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

/** @param held the outcome of a row without failed conditions */
function toRow(
  kind: TriggerKind,
  origin: RowExplanation['origin'],
  misses: readonly Miss[],
  held: 'matched' | 'shadowed',
): RowExplanation {
  return { kind, origin, outcome: misses.length > 0 ? 'missed' : held, misses };
}
