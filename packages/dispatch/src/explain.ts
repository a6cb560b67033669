import { type Target, TRIGGER_KINDS, type TriggerKind } from '@sallyport/core';
import { NOT_AN_OBJECT_TEXT, UNKNOWN_EVENT_TEXT } from './errors.js';
import { NOT_AN_OBJECT } from './internal/classify.js';
import { type CompiledRow, compileRow } from './internal/conditions.js';
import { detectRow } from './internal/detect-row.js';
import { nearestRow } from './internal/hints.js';
import { checkRow, type RowCheck } from './internal/row-check.js';
import { DETECTION_TABLE } from './table.js';

/** One thing that kept a row from matching. Holds no value of the payload but for the tag fields. */
export interface Miss {
  /** Where the way ended: the condition's path, or the part of it that was not there. */
  readonly path: string;
  readonly expected: string;
  /** `absent`, `null`, `blank string`, `number`, `empty array`, …; of a tag field the tag itself. */
  readonly found: string;
}

/** What became of one row. `shadowed`: it would match, an earlier row won. */
export interface RowExplanation {
  readonly kind: TriggerKind;
  readonly origin: 'table' | 'extension';
  readonly outcome: 'matched' | 'missed' | 'shadowed';
  /** Of every alternative of the row, each once. Empty unless missed. */
  readonly misses: readonly Miss[];
}

/** The row that came closest, and what to do about it. */
export interface Nearest {
  readonly kind: TriggerKind;
  readonly misses: readonly Miss[];
  readonly hint: string;
}

export interface Explanation {
  /** What `detect` decides. */
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

/** The containers' direct entrypoints, in the table's order. */
const ENTRYPOINTS = [
  'serveQueueEvent',
  'serveTableStream',
  'serveStreamEvent',
  'serveTopicEvent',
  'serveEventBus',
  'serveAppSync',
  'serveWebSocket',
  'serveGatewayV2',
  'serveLambdaFunctionURL',
  'serveLoadBalancer',
  'serveGatewayProxy',
];

/**
 * Why an event is of its kind, or of none. Pure and total: runs nothing of the application and never throws, whatever the
 * event.
 *
 * @example explain({ httpMethod: '' }).nearest; // null, and every row says what it missed
 */
export function explain(event: unknown): Explanation {
  return explainRows(event, detectRow(event, []), []);
}

/** The explanation under a decision already made: the index of the deciding row, or below 0. */
export function explainRows(event: unknown, decided: number, extensions: readonly CompiledRow[]): Explanation {
  const checks = [...DETECTION_TABLE.map(compileRow), ...extensions].map((row) => checkRow(row, event));
  const kind = checks[decided]?.row.kind ?? null;
  return {
    kind,
    error: kind !== null ? null : decided === NOT_AN_OBJECT ? NOT_AN_OBJECT_TEXT : UNKNOWN_EVENT_TEXT,
    rows: checks.map((check, index) => toExplanation(check, index, decided)),
    nearest: kind === null ? nearestRow(event, checks, extensions.length) : null,
    entrypoint: ENTRYPOINTS[decided] ?? null,
    target: null,
  };
}

function toExplanation({ row, misses }: RowCheck, index: number, decided: number): RowExplanation {
  const origin = index < TRIGGER_KINDS.length ? 'table' : 'extension';
  if (index === decided) return { kind: row.kind, origin, outcome: 'matched', misses: [] };
  return { kind: row.kind, origin, outcome: misses.length > 0 ? 'missed' : 'shadowed', misses };
}
