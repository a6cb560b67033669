import { TRIGGER_KINDS } from '@sallyport/core';
import { classify, UNKNOWN_EVENT } from './classify.js';
import { type CompiledRow, rowHolds } from './compile.js';

/**
 * The index of the row that takes the event: of the fixed table, then of the extensions. Below 0 when there is none; an
 * event that cannot be read is an unknown one.
 */
export function detectRow(event: unknown, extensions: readonly CompiledRow[]): number {
  try {
    const row = classify(event);
    return row === UNKNOWN_EVENT && extensions.length > 0 ? extensionRow(event, extensions) : row;
  } catch {
    return UNKNOWN_EVENT;
  }
}

/** A row whose first key the event has not is passed over at the cost of one look. */
function extensionRow(event: unknown, extensions: readonly CompiledRow[]): number {
  for (let index = 0; index < extensions.length; index += 1) {
    const row = extensions[index] as CompiledRow;
    for (const key of row.firstKeys) {
      if (Object.hasOwn(event as object, key) && rowHolds(row, event)) return TRIGGER_KINDS.length + index;
    }
  }
  return UNKNOWN_EVENT;
}
