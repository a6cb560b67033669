import type { Explanation } from '../../explain/explain.js';
import { explainRows } from '../../explain/internal/explain-rows.js';
import type { CompiledTable } from '../compile.js';

export { explainRows };

/** The details of the error for an event that no row matches. */
export function detailsOf(event: unknown, row: number, table: CompiledTable): Explanation | undefined {
  return explainRows(event, row, table);
}
