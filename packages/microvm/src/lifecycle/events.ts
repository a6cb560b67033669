import type { LogRecord, MetricRecord, Observability } from '@sallyport/core';
import { guardHook } from '@sallyport/core/internal';
import { assertNoLeak } from '../internal/forbidden.js';
import type { MicrovmOperation, MicrovmState } from './states.js';

/** Outcome of an operation. `rejected`: the controller rejected it. `orphaned`: a machine runs without a session. */
export type MicrovmOutcome = 'succeeded' | 'failed' | 'rejected' | 'orphaned';

/** An event of a session. Frozen; it contains no credential, no endpoint and no message of the service. */
export interface MicrovmLifecycleEvent {
  /** Constant. */
  readonly type: 'microvm.lifecycle';
  /** The operation. */
  readonly operation: MicrovmOperation | 'sweep';
  /** Outcome of the operation. */
  readonly outcome: MicrovmOutcome;
  /** The state before; `null` if there was no session. */
  readonly from: MicrovmState | null;
  /** The state after; `null` if there is no session. */
  readonly to: MicrovmState | null;
  /** The code of the error, if any. */
  readonly error_code?: string;
  /** The request. */
  readonly request_id: string;
  /** The tenant. */
  readonly tenant_id: string;
  /** The caller's namespace. */
  readonly namespace: string;
  /** The session. */
  readonly session_id: string;
  /** The machine, if known. */
  readonly provider_microvm_id?: string;
  /** The version of the row, if known. */
  readonly registry_version?: number;
  /** Id of the token, for `auth-token` and `shell-auth-token`. */
  readonly token_id?: string;
  /** ISO 8601. */
  readonly at: string;
}

/** Receives every lifecycle event. Its errors are ignored. */
export type MicrovmLifecycleHook = (event: MicrovmLifecycleEvent) => unknown;

const LEVELS: Readonly<Record<MicrovmOutcome, LogRecord['level']>> = {
  succeeded: 'info',
  rejected: 'info',
  failed: 'warn',
  orphaned: 'error',
};

/** Passes an event to the hooks. An event that contains a credential is dropped. */
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
