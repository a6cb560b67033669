import { TRIGGER_KINDS } from '@sallyport/core';
import { classify, UNKNOWN_EVENT } from './classify.js';
import { type CompiledRow, rowHolds } from './conditions.js';

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

function extensionRow(event: unknown, extensions: readonly CompiledRow[]): number {
  const index = extensions.findIndex((row) => rowHolds(row, event));
  return index < 0 ? UNKNOWN_EVENT : TRIGGER_KINDS.length + index;
}
