import { type FrameworkError, type Surface, TRIGGER_KINDS } from '@sallyport/core';
import { dispatchError } from './errors.js';
import { type CompiledRow, compileRow, isNegative } from './internal/compile.js';
import { detectRow } from './internal/detect-row.js';
import type { DetectionRow } from './rows.js';

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
 * The rows of all extensions, in the order given.
 *
 * @throws FrameworkError `dispatch.invalid_extension` for a kind that is fixed, used twice or not served, a row that could
 * hold for anything, and a sample that is not detected as its extension's own
 */
export function compileExtensions(extensions: readonly TriggerExtension[]): readonly CompiledRow[] {
  const rows: CompiledRow[] = [];
  for (const { rows: own, serves } of extensions) {
    for (const row of own) {
      const why = refusal(row, serves, rows);
      if (why !== '') throw refused(`${row.kind} ${why}`);
      rows.push(compileRow(row));
    }
  }
  for (const extension of extensions) assertSample(extension, rows);
  return rows;
}

/** Why a row cannot be taken, or `''`. Detection is positive only: each alternative needs something to be there. */
function refusal({ kind, anyOf }: DetectionRow, serves: readonly string[], earlier: readonly CompiledRow[]): string {
  if ((TRIGGER_KINDS as readonly string[]).includes(kind)) return 'is a fixed kind';
  if (earlier.some((row) => row.kind === kind)) return 'has two rows';
  if (!serves.includes(kind)) return 'is not served';
  return anyOf.some((all) => all.every(isNegative)) ? 'would match anything' : '';
}

/** A row that is malformed in any other way takes nothing, so not its sample either. */
function assertSample({ rows: own, serves, sample }: TriggerExtension, rows: readonly CompiledRow[]): void {
  const kind = rows[detectRow(sample, rows) - TRIGGER_KINDS.length]?.kind;
  if (!own.some((row) => row.kind === kind)) throw refused(`sample is not detected as ${serves.join(' or ')}`);
}

function refused(why: string): FrameworkError {
  return dispatchError('dispatch.invalid_extension', `framework: trigger extension: ${why}`);
}
