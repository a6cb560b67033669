import {
  type InvocationProvenance,
  invocationProvenance,
  type LambdaContext,
  type Target,
  TRIGGER_KINDS,
  type TriggerKind,
} from '@sallyport/core';
import { AGENT_INVOCATIONS, noAdapter } from '@sallyport/core/pipeline';
import { NOT_AN_OBJECT_TEXT, UNKNOWN_EVENT_TEXT } from '../errors.js';
import { NOT_AN_OBJECT } from '../internal/classify.js';
import { type CompiledRow, compileRow } from '../internal/compile.js';
import { detectRow } from '../internal/detect-row.js';
import { nearestRow } from '../internal/hints.js';
import { DETECTION_TABLE } from '../rows.js';
import { checkRow } from './row-check.js';

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
  /** Of the row of origin `invocation`: `agent` or `direct`. */
  readonly kind: TriggerKind;
  /** `invocation`: what the Lambda context says, asked before the table; only where a context was given. */
  readonly origin: 'invocation' | 'table' | 'extension';
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
 * @param lambdaContext with one, the first row says what the invocation itself decides
 * @example explain({ httpMethod: '' }).nearest; // null, and every row says what it missed
 */
export function explain(event: unknown, lambdaContext?: LambdaContext): Explanation {
  const provenance = invocationProvenance(lambdaContext);
  const isAgent = provenance === 'agent';
  const row = isAgent ? TRIGGER_KINDS.length : detectRow(event, []);
  const explanation = explainRows(event, row, [], lambdaContext && provenance);
  return isAgent ? { ...explanation, error: noAdapter(AGENT_INVOCATIONS).message } : explanation;
}

/**
 * The explanation under a decision already made.
 *
 * @param decided index of the deciding row; below 0 when there is none, past the last row when the invocation decided
 * @param provenance of the invocation, where there is a Lambda context
 */
export function explainRows(
  event: unknown,
  decided: number,
  extensions: readonly CompiledRow[],
  provenance?: InvocationProvenance,
): Explanation {
  const checks = [...DETECTION_TABLE.map(compileRow), ...extensions].map((row) => checkRow(row, event));
  const rows = checks.map(({ row, misses }, index) => {
    const origin = index < TRIGGER_KINDS.length ? 'table' : 'extension';
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
    nearest: decided < 0 ? nearestRow(event, checks, extensions.length) : null,
    entrypoint: ENTRYPOINTS[decided] ?? null,
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
