import type { FrameworkError, Surface } from '@sallyport/core';
import { dispatchError } from './errors.js';
import { type CompiledTable, compileTable, detectRow, isNegative } from './internal/compile.js';
import { type DetectionRow, ROWS, type TriggerRow } from './rows.js';

/** A surface for a trigger outside the fixed table. It brings the rows that tell its events; they can never change what the table decides. */
export interface TriggerExtension extends Surface {
  /** Tried after the fixed table and after the rows of earlier extensions. */
  readonly rows: readonly DetectionRow[];
  /** An event of this trigger; it must be detected as one of these rows' kinds. */
  readonly sample: unknown;
}

export function isExtension(surface: Surface): surface is TriggerExtension {
  return 'rows' in surface;
}

/**
 * The fixed rows and those of all extensions, in the order given.
 *
 * @throws FrameworkError `dispatch.invalid_extension` for a kind that is fixed, used twice or not served, a row that could
 * hold for anything, and a sample that is not detected as its extension's own
 */
export function compileExtensions(
  extensions: readonly TriggerExtension[],
  fixed: readonly TriggerRow[] = ROWS,
): CompiledTable {
  const rows: DetectionRow[] = [];
  for (const { rows: own, serves } of extensions) {
    for (const row of own) {
      const why = refusal(row, serves, fixed, rows);
      if (why !== '') throw refused(`${row.kind} ${why}`);
      rows.push(row);
    }
  }
  const table = compileTable(fixed, rows);
  // A row that is malformed in any other way takes nothing, so not its sample either.
  for (const { rows: own, serves, sample } of extensions) {
    const kind = table.rows[detectRow(sample, table)]?.kind;
    if (!own.some((row) => row.kind === kind)) throw refused(`sample is not detected as ${serves.join(' or ')}`);
  }
  return table;
}

/** Why a row cannot be taken, or `''`. Each alternative needs a condition that an empty event does not fulfil. */
function refusal(
  { kind, anyOf }: DetectionRow,
  serves: readonly string[],
  fixed: readonly DetectionRow[],
  earlier: readonly DetectionRow[],
): string {
  if (fixed.some((row) => row.kind === kind)) return 'is a fixed kind';
  if (earlier.some((row) => row.kind === kind)) return 'has two rows';
  if (!serves.includes(kind)) return 'is not served';
  const isPositive = anyOf.every((all) => !all.every(isNegative));
  return isPositive ? '' : 'would match anything';
}

function refused(why: string): FrameworkError {
  return dispatchError('dispatch.invalid_extension', `framework: trigger extension: ${why}`);
}
