import { type FrameworkError, TRIGGER_KINDS, type TriggerKind } from '@sallyport/core';
import { dispatchError, NOT_AN_OBJECT_TEXT, UNKNOWN_EVENT_TEXT } from './errors.js';
import { explainRows } from './explain/explain.js';
import { NOT_AN_OBJECT } from './internal/classify.js';
import type { CompiledRow } from './internal/compile.js';
import { detectRow } from './internal/detect-row.js';

/**
 * The kind of an event by the fixed table alone, told by its shape; the first row that matches decides.
 *
 * @throws FrameworkError `dispatch.not_an_object` for anything but an object or a batch of resolver events;
 * `dispatch.unknown_event` when no row matches, with an {@link Explanation} as `details`
 * @example detect({ requestContext: { http: { method: 'GET' } }, routeKey: '$default' }); // 'gateway-v2'
 */
export function detect(event: unknown): TriggerKind {
  const row = detectRow(event, NO_ROWS);
  const kind = TRIGGER_KINDS[row];
  if (kind === undefined) throw undetected(event, row, NO_ROWS);
  return kind;
}

const NO_ROWS: readonly CompiledRow[] = [];

/** The error for an event that no row takes. What is no object is explained only where it is recognised. */
export function undetected(event: unknown, row: number, extensions: readonly CompiledRow[]): FrameworkError {
  const details = explainRows(event, row, extensions);
  if (row !== NOT_AN_OBJECT) return dispatchError('dispatch.unknown_event', UNKNOWN_EVENT_TEXT, details);
  return dispatchError('dispatch.not_an_object', NOT_AN_OBJECT_TEXT, details.nearest ? details : undefined);
}
