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

/** What the operations of one controller share. */
export interface Parts {
  readonly settings: Settings;
  readonly registry: MicrovmRegistry;
  readonly calls: ProviderCalls;
  readonly tokens: TokenCache;
  readonly clock: FullClock;
  readonly ids: IdGenerator;
}

/** Seconds for which a session that has ended can still be seen. */
export const CLOSED_SECONDS = 3600;
/** The expiry of a row whose id is free again: long enough ago for the clocks of all instances. */
export const RELEASED_SECONDS = -60;
/** Seconds that a row outlives the latest end of its machine. */
export const GRACE_SECONDS = 900;

/** Milliseconds since the epoch. */
export function nowMs({ clock }: Pick<Parts, 'clock'>): number {
  return clock.now().getTime();
}

/** The time at which a row expires, in epoch seconds, rounded up. */
export function expiryAt(ms: number, seconds: number): number {
  return Math.ceil(ms / 1000) + seconds;
}

/** @throws MicrovmError `microvm.session_not_found` when it is absent, or of somebody else */
export async function readSession(parts: Parts, facts: CallerFacts, sessionId: string): Promise<SessionRecord> {
  facts.signal?.throwIfAborted();
  const key: SessionKey = { tenantId: facts.tenantId, namespace: facts.namespace, sessionId };
  const record = await parts.registry.get(key, { signal: facts.signal });
  if (record === undefined || !maySee(parts, facts, record)) throw sessionNotFound();
  return record;
}

/** True if a session exists for this caller. */
export function maySee({ settings }: Parts, { identity }: CallerFacts, record: SessionRecord): boolean {
  return settings.ownership === 'tenant' || record.authSubject === identity;
}

/** What an observation of the service changes; `undefined` when nothing. */
function observationOf(parts: Parts, record: SessionRecord, machine: Machine): SessionChanges | undefined {
  const now = nowMs(parts);
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

/** What is written of a session that has ended. */
export function endOf(state: MicrovmState, now: number, terminatedAt: number | undefined): SessionChanges {
  if (!isClosed(state)) return terminatedAt === undefined ? {} : { terminatedAt };
  return { terminatedAt: terminatedAt ?? now, expiresAt: expiryAt(now, CLOSED_SECONDS) };
}

/** The machine of a session as the service shows it now; `undefined` if the service has no such machine. */
async function machineOf(parts: Parts, facts: CallerFacts, microvmId: string): Promise<Machine | undefined> {
  try {
    const description = await parts.calls.send('get', facts, (provider, signal) => provider.get(microvmId, signal));
    return toMachine(description, parts.settings.endpointHostSuffixes);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** True if the service may not show the machine of a session yet, because it was started a moment ago. */
function maySoonShow(parts: Parts, { desiredState, updatedAt }: SessionRecord): boolean {
  return desiredState === 'running' && isSettling(nowMs(parts) - updatedAt);
}

/** Keeps what is new in an observation. A write that another instance won is ignored. */
async function keepObservation(parts: Parts, record: SessionRecord, machine: Machine): Promise<SessionRecord> {
  const changes = observationOf(parts, record, machine);
  return changes === undefined ? record : ((await parts.registry.change(record, changes)) ?? record);
}

/** The session with the state that the service shows now, which is stored. @throws MicrovmError `microvm.session_not_found` */
export async function observe(parts: Parts, facts: CallerFacts, record: SessionRecord): Promise<SessionRecord> {
  const { microvmId } = record;
  if (microvmId === undefined || isClosed(record.state)) return record;
  const machine = await machineOf(parts, facts, microvmId);
  if (machine !== undefined) return keepObservation(parts, record, machine);
  if (maySoonShow(parts, record)) return record;
  await writeEnd(parts, record);
  throw sessionNotFound();
}

/** As {@link observe}, and never a session as running whose machine the service does not show. */
export async function observeStrictly(parts: Parts, facts: CallerFacts, record: SessionRecord): Promise<SessionRecord> {
  const { microvmId } = record;
  if (microvmId === undefined || isClosed(record.state)) return record;
  const machine = await machineOf(parts, facts, microvmId);
  if (machine !== undefined) return keepObservation(parts, record, machine);
  if (maySoonShow(parts, record)) throw new MicrovmError('microvm.provider_unavailable', 'machine not shown yet');
  return writeEnd(parts, record);
}

/** True if the service knows no such machine. */
export function isMissing(error: unknown): boolean {
  return error instanceof MicrovmError && error.code === 'microvm.session_not_found';
}

/** The machine of a session is gone: its row says so from now on. */
export async function writeEnd(parts: Parts, record: SessionRecord): Promise<SessionRecord> {
  const { microvmId = '' } = record;
  parts.tokens.drop(microvmId);
  const now = nowMs(parts);
  const changes = { state: 'terminated', updatedAt: now, ...endOf('terminated', now, record.terminatedAt) } as const;
  return (await parts.registry.change(record, changes)) ?? record;
}

/** What is told of an operation on a session. */
export interface Told {
  readonly operation: MicrovmOperation;
  readonly sessionId: string;
  readonly from: MicrovmState | null;
  /** The state after, where there is no row to show it. Default: as before. */
  readonly to?: MicrovmState;
  readonly record?: SessionRecord | undefined;
  readonly tokenId?: string;
  readonly microvmId?: string | undefined;
}

/** Tells the hooks what became of an operation. */
export function tell(parts: Parts, facts: CallerFacts, outcome: MicrovmOutcome, told: Told, error?: unknown): void {
  const { operation, sessionId, from, record, tokenId, to = from } = told;
  const microvmId = told.microvmId ?? record?.microvmId;
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
    at: parts.clock.now().toISOString(),
  };
  emitLifecycle(event, parts.settings.onLifecycleEvent, facts.observability);
}

/** Codes by which the controller itself rejects an operation. */
const REFUSALS = new Set([
  'microvm.session_exists',
  'microvm.idempotency_mismatch',
  'microvm.invalid_state',
  'microvm.shell_not_enabled',
]);

/** Tells the hooks of a failure, and throws it. */
export function tellFailure(parts: Parts, facts: CallerFacts, told: Told, error: unknown): never {
  const isRefusal = isFrameworkError(error) && REFUSALS.has(error.code);
  tell(parts, facts, isRefusal ? 'rejected' : 'failed', told, error);
  throw error;
}

/** The answer of an operation. */
export function answer(command: MicrovmOperation, { requestId, tenantId, namespace }: CallerFacts): MicrovmAnswer {
  return { command, requestId, tenantId, namespace };
}

/** The answer of an operation on one session. */
export function sessionAnswer(command: MicrovmOperation, facts: CallerFacts, record: SessionRecord): MicrovmSession {
  return withheldIfLeaking({ ...answer(command, facts), ...toView(record) });
}

/** @throws MicrovmError `microvm.leak_blocked` */
export function withheldIfLeaking<T>(value: T): T {
  assertNoLeak(value, 'an answer');
  return value;
}
