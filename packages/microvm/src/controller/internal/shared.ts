import type { FullClock, IdGenerator } from '@sallyport/core';
import { isFrameworkError } from '@sallyport/core';
import { MicrovmError, sessionNotFound } from '../../errors.js';
import { toView } from '../../internal/codec.js';
import { assertNoLeak } from '../../internal/forbidden.js';
import { emitLifecycle, type MicrovmLifecycleEvent, type MicrovmOutcome } from '../../lifecycle/events.js';
import {
  afterObservation,
  isClosed,
  isSettling,
  type MicrovmOperation,
  type MicrovmState,
} from '../../lifecycle/states.js';
import type { MicrovmRegistry, SessionChanges, SessionKey, SessionRecord } from '../../registry/registry.js';
import type { CallerFacts } from '../caller.js';
import type { Settings } from '../options.js';
import type { MicrovmAnswer, MicrovmSession } from '../types.js';
import { type Machine, type ProviderCalls, toMachine } from './provider-calls.js';
import type { TokenCache } from './token-cache.js';

/** Objects shared by the operations of one controller. */
export interface Dependencies {
  readonly settings: Settings;
  readonly registry: MicrovmRegistry;
  readonly calls: ProviderCalls;
  readonly tokens: TokenCache;
  readonly clock: FullClock;
  readonly ids: IdGenerator;
}

/** Seconds for which a terminated session remains visible. */
export const CLOSED_SECONDS = 3600;
/** The expiry of a row whose id is free again: far enough in the past for the clocks of all instances. */
export const RELEASED_SECONDS = -60;
/** Seconds that a row outlives the latest end of its machine. */
export const GRACE_SECONDS = 900;

/** Milliseconds since the epoch. */
export function nowMs({ clock }: Pick<Dependencies, 'clock'>): number {
  return clock.now().getTime();
}

/** The time at which a row expires, in epoch seconds, rounded up. */
export function expiryAt(ms: number, seconds: number): number {
  return Math.ceil(ms / 1000) + seconds;
}

/** @throws MicrovmError `microvm.session_not_found` if it is absent, or belongs to another caller */
export async function readSession(deps: Dependencies, facts: CallerFacts, sessionId: string): Promise<SessionRecord> {
  facts.signal?.throwIfAborted();
  const key: SessionKey = { tenantId: facts.tenantId, namespace: facts.namespace, sessionId };
  const record = await deps.registry.get(key, { signal: facts.signal });
  if (record === undefined || !maySee(deps, facts, record)) throw sessionNotFound();
  return record;
}

/** True if a session exists for this caller. */
export function maySee({ settings }: Dependencies, { identity }: CallerFacts, record: SessionRecord): boolean {
  return settings.ownership === 'tenant' || record.authSubject === identity;
}

/** Changes to a session after a read of the service; `undefined` if unchanged. */
function observationOf(deps: Dependencies, record: SessionRecord, machine: Machine): SessionChanges | undefined {
  const now = nowMs(deps);
  const since = { state: record.state, desired: record.desiredState, sinceMs: now - record.updatedAt };
  const state = afterObservation(since, machine.state);
  const isSame = state === record.state && machine.providerState === record.providerState;
  if (isSame && machine.terminatedAt === record.terminatedAt) return undefined;
  return {
    state,
    providerState: machine.providerState,
    lastObservedAt: now,
    updatedAt: now,
    ...endOf(state, now, machine.terminatedAt),
  };
}

/** Changes to a session in a final state. */
export function endOf(state: MicrovmState, now: number, terminatedAt: number | undefined): SessionChanges {
  if (!isClosed(state)) return terminatedAt === undefined ? {} : { terminatedAt };
  return { terminatedAt: terminatedAt ?? now, expiresAt: expiryAt(now, CLOSED_SECONDS) };
}

/** Reads the machine of a session from the service; `undefined` if it does not exist. */
async function machineOf(deps: Dependencies, facts: CallerFacts, microvmId: string): Promise<Machine | undefined> {
  try {
    const description = await deps.calls.send('get', facts, (provider, signal) => provider.get(microvmId, signal));
    return toMachine(description, deps.settings.endpointHostSuffixes);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** True if the machine of a session was started so recently that the service may not show it yet. */
function maySoonShow(deps: Dependencies, { desiredState, updatedAt }: SessionRecord): boolean {
  return desiredState === 'running' && isSettling(nowMs(deps) - updatedAt);
}

/** Stores a new state. If another instance changed the row first, the write is skipped. */
async function keepObservation(deps: Dependencies, record: SessionRecord, machine: Machine): Promise<SessionRecord> {
  const changes = observationOf(deps, record, machine);
  return changes === undefined ? record : ((await deps.registry.change(record, changes)) ?? record);
}

/** The session with the state that its machine has now, stored; `undefined` if the service does not show the machine. */
async function observed(
  deps: Dependencies,
  facts: CallerFacts,
  record: SessionRecord,
): Promise<SessionRecord | undefined> {
  const { microvmId } = record;
  if (microvmId === undefined || isClosed(record.state)) return record;
  const machine = await machineOf(deps, facts, microvmId);
  return machine && keepObservation(deps, record, machine);
}

/** Reads the current state from the service, stores it, and returns the session. @throws MicrovmError `microvm.session_not_found` */
export async function observe(deps: Dependencies, facts: CallerFacts, record: SessionRecord): Promise<SessionRecord> {
  const current = await observed(deps, facts, record);
  if (current !== undefined) return current;
  if (maySoonShow(deps, record)) return record;
  await writeEnd(deps, record);
  throw sessionNotFound();
}

/** As {@link observe}, but throws if the service does not show the machine yet. */
export async function observeStrictly(
  deps: Dependencies,
  facts: CallerFacts,
  record: SessionRecord,
): Promise<SessionRecord> {
  const current = await observed(deps, facts, record);
  if (current !== undefined) return current;
  if (maySoonShow(deps, record))
    throw new MicrovmError('microvm.provider_unavailable', 'the machine is not visible yet');
  return writeEnd(deps, record);
}

/** True if the machine does not exist at the service. */
export function isMissing(error: unknown): boolean {
  return error instanceof MicrovmError && error.code === 'microvm.session_not_found';
}

/** Stores that the machine of a session no longer exists. */
export async function writeEnd(deps: Dependencies, record: SessionRecord): Promise<SessionRecord> {
  const { microvmId = '' } = record;
  deps.tokens.drop(microvmId);
  const now = nowMs(deps);
  const changes = { state: 'terminated', updatedAt: now, ...endOf('terminated', now, record.terminatedAt) } as const;
  return (await deps.registry.change(record, changes)) ?? record;
}

/** Data of a lifecycle event for an operation on a session. */
export interface OperationReport {
  readonly operation: MicrovmOperation;
  readonly sessionId: string;
  readonly from: MicrovmState | null;
  /** The state after the operation, if there is no row. Default: `from`. */
  readonly to?: MicrovmState;
  readonly record?: SessionRecord | undefined;
  readonly tokenId?: string;
  readonly microvmId?: string | undefined;
}

/** Sends the outcome of an operation to the hooks. */
export function notify(
  deps: Dependencies,
  facts: CallerFacts,
  outcome: MicrovmOutcome,
  report: OperationReport,
  error?: unknown,
): void {
  const { operation, sessionId, from, record, tokenId, to = from } = report;
  const microvmId = report.microvmId ?? record?.microvmId;
  const event: MicrovmLifecycleEvent = {
    type: 'microvm.lifecycle',
    operation,
    outcome,
    from,
    to: record?.state ?? to,
    ...(error !== undefined && { error_code: isFrameworkError(error) ? error.code : 'app.internal' }),
    request_id: facts.requestId,
    tenant_id: facts.tenantId,
    namespace: facts.namespace,
    session_id: sessionId,
    ...(microvmId !== undefined && { provider_microvm_id: microvmId }),
    ...(record !== undefined && { registry_version: record.version }),
    ...(tokenId !== undefined && { token_id: tokenId }),
    at: deps.clock.now().toISOString(),
  };
  emitLifecycle(event, deps.settings.onLifecycleEvent, facts.observability);
}

/** Codes for operations that the controller rejects. */
const REFUSALS = new Set([
  'microvm.session_exists',
  'microvm.idempotency_mismatch',
  'microvm.invalid_state',
  'microvm.shell_not_enabled',
]);

/** Sends a failure to the hooks, and throws it. */
export function notifyFailure(deps: Dependencies, facts: CallerFacts, report: OperationReport, error: unknown): never {
  const isRefusal = isFrameworkError(error) && REFUSALS.has(error.code);
  notify(deps, facts, isRefusal ? 'rejected' : 'failed', report, error);
  throw error;
}

/** The response of an operation. */
export function answer(command: MicrovmOperation, { requestId, tenantId, namespace }: CallerFacts): MicrovmAnswer {
  return { command, requestId, tenantId, namespace };
}

/** The response of an operation on one session. */
export function sessionAnswer(command: MicrovmOperation, facts: CallerFacts, record: SessionRecord): MicrovmSession {
  return withheldIfLeaking({ ...answer(command, facts), ...toView(record) });
}

/** @throws MicrovmError `microvm.leak_blocked` */
export function withheldIfLeaking<T>(value: T): T {
  assertNoLeak(value, 'an answer');
  return value;
}
