import type { FrameworkError } from '@sallyport/core';
import { dispatchError } from '../errors.js';
import { type DetectionRow, ROWS, type TriggerExtension, type TriggerRow } from '../rows.js';
import { type CompiledTable, compileTable, detectRow, isNegative } from './compile.js';

/**
 * The fixed rows and the rows of all extensions, in the given order.
 *
 * @throws FrameworkError `dispatch.invalid_extension` for a kind that is fixed, used twice or not served, a row that
 * matches any event, and a sample that is not detected as a kind of its extension
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
  // A row that is malformed in another way matches no event, and so not its sample.
  for (const { rows: own, serves, sample, claims } of extensions) {
    if (claims && own.length === 0) continue;
    const kind = table.kinds[detectRow(sample, table)];
    if (!own.some((row) => row.kind === kind)) throw refused(`sample is not detected as ${serves.join(' or ')}`);
  }
  return table;
}

/** The reason why a row is rejected, or `''`. Each alternative needs a condition that an empty event does not fulfil. */
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
