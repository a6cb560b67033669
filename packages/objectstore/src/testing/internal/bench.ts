import { rejects } from 'node:assert/strict';
import type { ObjectStoreErrorCode } from '../../errors.js';
import type { ObjectRef } from '../../refs/ref.js';
import type { ObjectStore } from '../../store/store.js';

/** The argument of a case. */
export interface Bench {
  readonly store: ObjectStore;
  /** A reference in the bucket of the case. Default: a unique key. */
  ref(key?: string): ObjectRef;
}

export interface CaseDefinition {
  readonly name: string;
  /** Default `off`. */
  readonly versioning?: 'enabled' | 'off';
  run(bench: Bench): Promise<void>;
}

/** True if a call rejects with this code. */
export function rejectsWith(code: ObjectStoreErrorCode, call: Promise<unknown>): Promise<void> {
  return rejects(call, (error: { code?: unknown }) => {
    if (error.code !== code) throw error;
    return true;
  });
}
