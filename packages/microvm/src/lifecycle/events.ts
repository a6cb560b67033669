import type { LogRecord, MetricRecord, Observability } from '@sallyport/core';
import { guardHook } from '@sallyport/core/pipeline';
import { assertNoLeak } from '../internal/forbidden.js';
import type { MicrovmOperation, MicrovmState } from './states.js';

/** What became of an operation. `rejected`: the controller rejected it. `orphaned`: a machine runs that no session names. */
export type MicrovmOutcome = 'succeeded' | 'failed' | 'rejected' | 'orphaned';

/** What happened to a session. Frozen; it holds no credential, no endpoint and no text of the service. */
export interface MicrovmLifecycleEvent {
  /** Always the same. */
  readonly type: 'microvm.lifecycle';
  /** What was asked for. */
  readonly operation: MicrovmOperation | 'sweep';
  /** What became of it. */
  readonly outcome: MicrovmOutcome;
  /** The state before; `null` where there was no session. */
  readonly from: MicrovmState | null;
  /** The state after; `null` where there is no session. */
  readonly to: MicrovmState | null;
  /** The code of the error, when there was one. */
  readonly error_code?: string;
  /** The request. */
  readonly request_id: string;
  /** The tenant. */
  readonly tenant_id: string;
  /** The caller's namespace. */
  readonly namespace: string;
  /** The session. */
  readonly session_id: string;
  /** The machine, when it is known. */
  readonly provider_microvm_id?: string;
  /** The version of the row, when it is known. */
  readonly registry_version?: number;
  /** The token, of the two operations that make one. */
  readonly token_id?: string;
  /** ISO 8601. */
  readonly at: string;
}

/** Told of every lifecycle event. What it throws changes nothing. */
export type MicrovmLifecycleHook = (event: MicrovmLifecycleEvent) => unknown;

const LEVELS: Readonly<Record<MicrovmOutcome, LogRecord['level']>> = {
  succeeded: 'info',
  rejected: 'info',
  failed: 'warn',
  orphaned: 'error',
};

/** Hands an event to the hooks. One that would hold a credential is told to nobody. */
export function emitLifecycle(
  event: MicrovmLifecycleEvent,
  hook: MicrovmLifecycleHook | undefined,
  observability: Observability | undefined,
): void {
  guardHook(() => {
    const frozen = Object.freeze({ ...event });
    assertNoLeak(frozen, 'an event');
    guardHook(hook, frozen);
    guardHook(observability?.log, toLogRecord(frozen));
    guardHook(observability?.metric, toMetric(frozen));
  });
}

function toLogRecord({ type, ...fields }: MicrovmLifecycleEvent): LogRecord {
  return Object.freeze({ level: LEVELS[fields.outcome], event: type, ...fields });
}

function toMetric({ operation, outcome, request_id, tenant_id }: MicrovmLifecycleEvent): MetricRecord {
  return {
    name: 'framework.microvm',
    value: 1,
    tags: { operation, outcome },
    properties: { request_id, tenant_id },
  };
}
