import { sha256 } from '@sallyport/core/internal';
import { MicrovmError } from '../../errors.js';
import { isUnknownOutcome } from '../../provider/internal/errors.js';
import type { SessionRecord } from '../../registry/registry.js';
import type { CallerFacts } from '../caller.js';
import type { MicrovmSession } from '../types.js';
import { parseRun, type RunRequest } from './input.js';
import {
  type Dependencies,
  expiryAt,
  GRACE_SECONDS,
  maySee,
  notify,
  notifyFailure,
  nowMs,
  observeStrictly,
  sessionAnswer,
} from './shared.js';
import { finishStart, LOST_MS, setupOf, start } from './start.js';

/** Reserves a session, runs its machine, and confirms the session; terminates the machine if the session cannot be confirmed. */
export async function runSession(deps: Dependencies, facts: CallerFacts, input: unknown): Promise<MicrovmSession> {
  const request = parseRun(input, deps.settings);
  facts.signal?.throwIfAborted();
  const record = newRecord(deps, facts, request);
  const { sessionId } = record;
  const reservation = await deps.registry.reserve(record, { signal: facts.signal });
  if (!reservation.reserved) {
    const report = { operation: 'run', sessionId, from: reservation.taken?.state ?? null } as const;
    try {
      return await replay(deps, facts, request, reservation.taken);
    } catch (error) {
      return notifyFailure(deps, facts, report, error);
    }
  }
  // From here on the caller's signal ends nothing: a machine may be running.
  const confirmed = await start(deps, facts, record).catch((error: unknown) => {
    const to = error instanceof MicrovmError && isUnknownOutcome(error) ? 'requested' : 'failed';
    return notifyFailure(deps, facts, { operation: 'run', sessionId, from: 'requested', to }, error);
  });
  notify(deps, facts, 'succeeded', { operation: 'run', sessionId, from: 'requested', record: confirmed });
  return sessionAnswer('run', facts, confirmed);
}

function newRecord(deps: Dependencies, facts: CallerFacts, request: RunRequest): SessionRecord {
  const { settings } = deps;
  const now = nowMs(deps);
  const { tenantId, namespace, identity, requestId } = facts;
  const sessionId = request.sessionId ?? newSessionId(deps, facts, request);
  return {
    tenantId,
    namespace,
    sessionId,
    version: 1,
    state: 'requested',
    desiredState: 'running',
    authSubject: identity,
    imageRef: request.image.ref,
    imageVersion: request.image.version,
    maximumDurationSeconds: request.maximumDurationSeconds,
    idlePolicy: request.idlePolicy,
    metadata: request.metadata,
    ingressConnectors: settings.ingressConnectors,
    egressConnectors: settings.egressConnectors,
    reservationId: deps.ids.newId(),
    requestHash: request.requestHash,
    createdAt: now,
    updatedAt: now,
    expiresAt: expiryAt(now, request.maximumDurationSeconds + GRACE_SECONDS),
    lastAction: 'run',
    lastRequestId: requestId,
    startSetup: setupOf(settings, { requestId, tenantId, namespace, sessionId, metadata: request.metadata ?? {} }),
  };
}

function newSessionId({ ids, settings }: Dependencies, facts: CallerFacts, { idempotencyKey }: RunRequest): string {
  const { tenantId, namespace, identity } = facts;
  const owner = settings.ownership === 'subject' ? [identity] : [];
  const seed =
    idempotencyKey === undefined ? ids.newId() : JSON.stringify([tenantId, namespace, ...owner, idempotencyKey]);
  return `mvm-${sha256(seed).slice(0, 32)}`;
}

/** The session of an earlier call with the same key, with the state that its machine has now. */
async function replay(
  deps: Dependencies,
  facts: CallerFacts,
  { idempotencyKey, requestHash }: RunRequest,
  taken: SessionRecord | undefined,
): Promise<MicrovmSession> {
  if (idempotencyKey === undefined || taken === undefined || !maySee(deps, facts, taken)) {
    throw new MicrovmError('microvm.session_exists', 'session exists');
  }
  if (taken.requestHash !== requestHash) {
    throw new MicrovmError('microvm.idempotency_mismatch', 'idempotency key was used with another input');
  }
  return { ...sessionAnswer('run', facts, await current(deps, facts, taken)), replayed: true };
}

/** A young reservation has a process that finishes it. */
function current(deps: Dependencies, facts: CallerFacts, record: SessionRecord): Promise<SessionRecord> {
  if (record.state !== 'requested') return observeStrictly(deps, facts, record);
  return nowMs(deps) - record.createdAt > LOST_MS ? finishStart(deps, facts, record) : Promise.resolve(record);
}
