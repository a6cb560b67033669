import { sha256 } from '@sallyport/core/pipeline';
import { controllerIncomplete, MicrovmError } from '../../errors.js';
import { isUnknownOutcome, mayPass } from '../../provider/internal/errors.js';
import type { MicrovmDescription, RunMicrovmInput } from '../../provider/provider.js';
import type { SessionChanges, SessionKey, SessionRecord } from '../../registry/registry.js';
import type { CallerFacts } from '../caller.js';
import { LIMITS } from '../options.js';
import type { MicrovmSession } from '../types.js';
import { parseRun, type RunRequest } from './input.js';
import {
  CLOSED_SECONDS,
  expiryAt,
  GRACE_SECONDS,
  maySee,
  nowMs,
  type Parts,
  RELEASED_SECONDS,
  sessionAnswer,
  tell,
  tellFailure,
} from './parts.js';
import { isMicrovmId, type Machine, toMachine } from './provider-calls.js';

const CONFIRM_TRIES = 3;
const TERMINATE_TRIES = 2;
/** Calls of the service for one machine, where the first has an unknown outcome. Both have the same client token. */
const RUN_TRIES = 2;

/** Reserves a session, runs its machine, and confirms the session; undoes what cannot be confirmed. */
export async function runSession(parts: Parts, facts: CallerFacts, input: unknown): Promise<MicrovmSession> {
  const request = parseRun(input, parts.settings);
  facts.signal?.throwIfAborted();
  const record = newRecord(parts, facts, request);
  const { sessionId } = record;
  const reservation = await parts.registry.reserve(record, { signal: facts.signal });
  if (!reservation.reserved) {
    const told = { operation: 'run', sessionId, from: reservation.taken?.state ?? null } as const;
    try {
      return replay(parts, facts, request, reservation.taken);
    } catch (error) {
      return tellFailure(parts, facts, told, error);
    }
  }
  // From here on the caller's signal ends nothing: a machine may be running.
  const confirmed = await start(parts, facts, record).catch((error: unknown) => {
    const to = error instanceof MicrovmError && isUnknownOutcome(error) ? 'requested' : 'failed';
    return tellFailure(parts, facts, { operation: 'run', sessionId, from: 'requested', to }, error);
  });
  tell(parts, facts, 'succeeded', { operation: 'run', sessionId, from: 'requested', record: confirmed });
  return sessionAnswer('run', facts, confirmed);
}

function newRecord(parts: Parts, facts: CallerFacts, request: RunRequest): SessionRecord {
  const { settings } = parts;
  const now = nowMs(parts);
  const { tenantId, namespace, identity, requestId } = facts;
  return {
    tenantId,
    namespace,
    sessionId: request.sessionId ?? newSessionId(parts, facts, request),
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
    reservationId: parts.ids.newId(),
    requestHash: request.requestHash,
    createdAt: now,
    updatedAt: now,
    expiresAt: expiryAt(now, request.maximumDurationSeconds + GRACE_SECONDS),
    lastAction: 'run',
    lastRequestId: requestId,
  };
}

function newSessionId({ ids, settings }: Parts, facts: CallerFacts, { idempotencyKey }: RunRequest): string {
  const { tenantId, namespace, identity } = facts;
  const owner = settings.ownership === 'subject' ? [identity] : [];
  const seed =
    idempotencyKey === undefined ? ids.newId() : JSON.stringify([tenantId, namespace, ...owner, idempotencyKey]);
  return `mvm-${sha256(seed).slice(0, 32)}`;
}

function replay(
  parts: Parts,
  facts: CallerFacts,
  { idempotencyKey, requestHash }: RunRequest,
  taken: SessionRecord | undefined,
): MicrovmSession {
  if (idempotencyKey === undefined || taken === undefined || !maySee(parts, facts, taken)) {
    throw new MicrovmError('microvm.session_exists', 'session exists');
  }
  if (taken.requestHash !== requestHash) {
    throw new MicrovmError('microvm.idempotency_mismatch', 'idempotency key was used with another input');
  }
  return { ...sessionAnswer('run', facts, taken), replayed: true };
}

/**
 * Runs the machine of a reserved session. Its row ends as confirmed or failed, or stays as it is where nobody can know.
 *
 * @param isRepeated whether an earlier process may have run the machine: then a refusal for now says nothing of it
 */
export async function start(
  parts: Parts,
  facts: CallerFacts,
  record: SessionRecord,
  isRepeated = false,
): Promise<SessionRecord> {
  let description: MicrovmDescription;
  try {
    description = await runMachine(parts, facts, record);
  } catch (error) {
    if (isUnknownOutcome(error as MicrovmError) || (isRepeated && mayPass(error as MicrovmError))) throw error;
    await giveUp(parts, record, error as MicrovmError);
    throw error;
  }
  let machine: Machine;
  try {
    machine = toMachine(description, parts.settings.endpointHostSuffixes);
  } catch (error) {
    if (isMicrovmId(description.microvmId)) await compensate(parts, facts, record, description.microvmId);
    await giveUp(parts, record, error as MicrovmError);
    throw error;
  }
  return confirm(parts, facts, record, machine);
}

async function runMachine(parts: Parts, facts: CallerFacts, record: SessionRecord): Promise<MicrovmDescription> {
  const input = toRunInput(parts, record);
  let unknown: unknown;
  for (let tries = 1; ; tries += 1) {
    try {
      return await parts.calls.send('run', facts, (provider, signal) => provider.run(input, signal));
    } catch (error) {
      // A refusal of the second call says nothing of the first: its machine may be running.
      unknown ??= isUnknownOutcome(error as MicrovmError) ? error : undefined;
      if (tries === RUN_TRIES || unknown === undefined) throw unknown ?? error;
    }
  }
}

/** The same for a repeated call: everything is in the row, or fixed by the deployment. */
function toRunInput({ settings }: Parts, record: SessionRecord): RunMicrovmInput {
  const { tenantId, namespace, sessionId, lastRequestId: requestId, metadata = {}, reservationId } = record;
  const runHookPayload = settings.runHookPayload({ requestId, tenantId, namespace, sessionId, metadata });
  if (typeof runHookPayload !== 'string' || Buffer.byteLength(runHookPayload) > LIMITS.payloadBytes) {
    throw controllerIncomplete(`runHookPayload must give a text of at most ${LIMITS.payloadBytes} bytes`);
  }
  return {
    imageRef: record.imageRef,
    imageVersion: record.imageVersion,
    ingressConnectors: record.ingressConnectors,
    egressConnectors: record.egressConnectors,
    executionRoleArn: settings.executionRoleArn,
    idlePolicy: record.idlePolicy,
    logging: settings.logging,
    runHookPayload,
    maximumDurationSeconds: record.maximumDurationSeconds,
    clientToken: clientTokenOf(record, reservationId),
  };
}

/** The token by which the service knows a repeated call: 64 of the allowed 128 characters. */
function clientTokenOf({ tenantId, namespace, sessionId }: SessionKey, reservationId: string): string {
  return sha256(JSON.stringify(['microvm.run/v1', tenantId, namespace, sessionId, reservationId]));
}

/**
 * The machine of a refused or broken run never was, or is ended: so is the session. Its id and key are free at once where the
 * client is told to try again.
 */
async function giveUp(parts: Parts, record: SessionRecord, error: MicrovmError): Promise<void> {
  const { code } = error;
  const now = nowMs(parts);
  const expiresAt = expiryAt(now, mayPass(error) ? RELEASED_SECONDS : CLOSED_SECONDS);
  const changes: SessionChanges = { state: 'failed', errorCode: code, updatedAt: now, expiresAt };
  // The sweep finds a row that could not be written.
  await parts.registry.confirm(record, changes).catch(() => undefined);
}

async function confirm(
  parts: Parts,
  facts: CallerFacts,
  record: SessionRecord,
  machine: Machine,
): Promise<SessionRecord> {
  const changes = confirmationOf(parts, machine);
  let failure: unknown = new MicrovmError('microvm.registry_unavailable', 'registry unavailable');
  for (let tries = 0; tries < CONFIRM_TRIES; tries += 1) {
    try {
      const confirmed = await parts.registry.confirm(record, changes);
      if (confirmed !== undefined) return confirmed;
      // A sweep was faster, and has the same machine: the client token is the same.
      const current = await parts.registry.get(record);
      if (current?.microvmId === machine.microvmId) return current;
      break;
    } catch (error) {
      failure = error;
    }
  }
  await compensate(parts, facts, record, machine.microvmId);
  throw failure;
}

function confirmationOf(parts: Parts, machine: Machine): SessionChanges {
  const now = nowMs(parts);
  const found = {
    microvmId: machine.microvmId,
    endpointHost: machine.endpointHost,
    providerState: machine.providerState,
    imageVersion: machine.imageVersion,
    startedAt: machine.startedAt,
    lastObservedAt: now,
    updatedAt: now,
  };
  if (machine.state === 'terminating' || machine.state === 'terminated') {
    const expiresAt = expiryAt(now, CLOSED_SECONDS);
    return { ...found, state: 'failed', terminatedAt: machine.terminatedAt ?? now, expiresAt };
  }
  const expiresAt = expiryAt(machine.startedAt, machine.maximumDurationSeconds + GRACE_SECONDS);
  return { ...found, state: machine.state === 'starting' ? 'starting' : 'running', expiresAt };
}

/** Ends a machine that no session names. */
async function compensate(parts: Parts, facts: CallerFacts, record: SessionRecord, microvmId: string): Promise<void> {
  let failure: unknown;
  for (let tries = 0; tries < TERMINATE_TRIES; tries += 1) {
    try {
      await parts.calls.send('terminate', facts, (provider, signal) => provider.terminate(microvmId, signal));
      return;
    } catch (error) {
      if (error instanceof MicrovmError && error.code === 'microvm.session_not_found') return;
      failure = error;
    }
  }
  const told = { operation: 'run', sessionId: record.sessionId, from: 'requested', microvmId } as const;
  tell(parts, facts, 'orphaned', told, failure);
}
