import { sha256 } from '@sallyport/core/pipeline';
import { StoreTimeout, storeUntil } from '@sallyport/dynamo';
import { controllerIncomplete, MicrovmError } from '../../errors.js';
import { isForbiddenText } from '../../internal/forbidden.js';
import { isUnknownOutcome, mayPass } from '../../provider/internal/errors.js';
import type { MicrovmDescription, RunMicrovmInput } from '../../provider/provider.js';
import type { SessionChanges, SessionKey, SessionRecord, StartSetup } from '../../registry/registry.js';
import type { CallerFacts } from '../caller.js';
import { LIMITS, type NewMicrovmSession, type Settings } from '../options.js';
import {
  CLOSED_SECONDS,
  expiryAt,
  GRACE_SECONDS,
  isMissing,
  nowMs,
  type Parts,
  RELEASED_SECONDS,
  tell,
} from './parts.js';
import { isMicrovmId, type Machine, toMachine } from './provider-calls.js';

const TERMINATE_TRIES = 2;
/** Calls of the service for one machine, where the first has an unknown outcome. Both have the same client token. */
const RUN_TRIES = 2;
/** A reservation that is older than this has lost the process that made it. */
export const LOST_MS = 60_000;
/** For so long after the reservation the service knows its client token. */
export const REPEATABLE_MS = 15 * 60_000;
/** Milliseconds for storing a started machine, if the end of the invocation is not known. */
const STORE_MS = 60_000;
/** Milliseconds that are kept for terminating a machine that could not be stored. */
const COMPENSATE_MS = 2000;

/** The input of a start that is stored with the reservation. @throws MicrovmError `microvm.controller_incomplete` */
export function setupOf(settings: Settings, session: NewMicrovmSession): StartSetup {
  const { executionRoleArn, logging } = settings;
  const runHookPayload = payloadOf(settings, session);
  const isStored = !isForbiddenText(runHookPayload);
  return { ...(executionRoleArn !== undefined && { executionRoleArn }), logging, ...(isStored && { runHookPayload }) };
}

function payloadOf(settings: Settings, session: NewMicrovmSession): string {
  const payload: unknown = settings.runHookPayload(session);
  if (typeof payload === 'string' && Buffer.byteLength(payload) <= LIMITS.payloadBytes) return payload;
  throw controllerIncomplete(`runHookPayload must give a text of at most ${LIMITS.payloadBytes} bytes`);
}

/**
 * Finishes the start of a session whose process was lost: repeats it with the same client token and input, or gives it up when
 * the service may have forgotten the token. A start that another instance finished meanwhile is returned as it is.
 *
 * @throws MicrovmError when the outcome of the repeated start is unknown
 */
export async function finishStart(parts: Parts, facts: CallerFacts, record: SessionRecord): Promise<SessionRecord> {
  if (nowMs(parts) - record.createdAt <= REPEATABLE_MS) return start(parts, facts, record, true);
  const now = nowMs(parts);
  // Its machine may be running for as long as it was allowed to: the row is the evidence that it is ours.
  const latestEnd = record.createdAt + REPEATABLE_MS + record.maximumDurationSeconds * 1000;
  const changes: SessionChanges = {
    state: 'failed',
    startOutcome: 'unknown',
    errorCode: 'microvm.provider_unavailable',
    updatedAt: now,
    expiresAt: Math.max(expiryAt(now, CLOSED_SECONDS), expiryAt(latestEnd, GRACE_SECONDS)),
    lastAction: 'sweep',
  };
  const given = await parts.registry.confirm(record, changes);
  return given ?? (await parts.registry.get(record)) ?? record;
}

/**
 * Runs the machine of a reserved session. Its row ends as confirmed or failed, or is unchanged where the outcome is unknown.
 *
 * @param isRepeated whether an earlier process may have started the machine: then a rejection says nothing about that machine.
 *   It may have another cause than the input, such as a role that a deployment changed.
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
    if (isRepeated) throw unknownOutcome(error);
    if (isUnknownOutcome(error as MicrovmError)) throw error;
    await giveUp(parts, record, error as MicrovmError);
    throw error;
  }
  let machine: Machine;
  try {
    machine = toMachine(description, parts.settings.endpointHostSuffixes);
  } catch (error) {
    const { microvmId } = description;
    const isLeft = isMicrovmId(microvmId) && !(await compensate(parts, facts, record, microvmId));
    await giveUp(parts, record, error as MicrovmError, isLeft ? { microvmId } : {});
    throw error;
  }
  return confirm(parts, facts, record, machine);
}

/** A rejection of a repeated start, as a failure that a later repetition may not have. */
function unknownOutcome(error: unknown): MicrovmError {
  if (error instanceof MicrovmError && mayPass(error)) return error;
  return new MicrovmError('microvm.provider_unavailable', 'outcome of the start is unknown', { cause: error });
}

async function runMachine(parts: Parts, facts: CallerFacts, record: SessionRecord): Promise<MicrovmDescription> {
  const input = toRunInput(parts, record);
  let unknown: unknown;
  for (let tries = 1; ; tries += 1) {
    try {
      return await parts.calls.send('run', facts, (provider, signal) => provider.run(input, signal));
    } catch (error) {
      // A rejection of the second call says nothing of the first: its machine may be running.
      unknown ??= isUnknownOutcome(error as MicrovmError) ? error : undefined;
      if (tries === RUN_TRIES || unknown === undefined) throw unknown ?? error;
    }
  }
}

/** Everything is in the row, so that a repeated call is the same call even after a deployment. */
function toRunInput({ settings }: Parts, record: SessionRecord): RunMicrovmInput {
  const { tenantId, namespace, sessionId, lastRequestId: requestId, metadata = {}, reservationId } = record;
  const session = { requestId, tenantId, namespace, sessionId, metadata };
  const setup = record.startSetup ?? setupOf(settings, session);
  return {
    imageRef: record.imageRef,
    imageVersion: record.imageVersion,
    ingressConnectors: record.ingressConnectors,
    egressConnectors: record.egressConnectors,
    executionRoleArn: setup.executionRoleArn,
    idlePolicy: record.idlePolicy,
    logging: setup.logging,
    runHookPayload: setup.runHookPayload ?? payloadOf(settings, session),
    maximumDurationSeconds: record.maximumDurationSeconds,
    clientToken: clientTokenOf(record, reservationId),
  };
}

/** The token by which the service knows a repeated call: 64 of the allowed 128 characters. */
function clientTokenOf({ tenantId, namespace, sessionId }: SessionKey, reservationId: string): string {
  return sha256(JSON.stringify(['microvm.run/v1', tenantId, namespace, sessionId, reservationId]));
}

/**
 * The machine of a rejected or broken start never existed, or is terminated: the session has failed. Its id and key are free
 * immediately if the client is asked to retry.
 *
 * @param left the machine that could not be terminated: the sweep terminates it, because the row of a failed session names it
 */
async function giveUp(
  parts: Parts,
  record: SessionRecord,
  error: MicrovmError,
  left: { readonly microvmId?: string } = {},
): Promise<void> {
  const { code } = error;
  const now = nowMs(parts);
  const seconds = left.microvmId === undefined ? closedSeconds(error) : record.maximumDurationSeconds + GRACE_SECONDS;
  const changes: SessionChanges = {
    ...left,
    state: 'failed',
    errorCode: code,
    updatedAt: now,
    expiresAt: expiryAt(now, seconds),
  };
  // The sweep finds a row that could not be written.
  await parts.registry.confirm(record, changes).catch(() => undefined);
}

function closedSeconds(error: MicrovmError): number {
  return mayPass(error) ? RELEASED_SECONDS : CLOSED_SECONDS;
}

/** Stores the machine of a session until the invocation ends; terminates the machine if that fails. */
async function confirm(
  parts: Parts,
  facts: CallerFacts,
  record: SessionRecord,
  machine: Machine,
): Promise<SessionRecord> {
  const changes = confirmationOf(parts, machine);
  const { clock, registry } = parts;
  const deadlineMs = nowMs(parts) + Math.min(STORE_MS, facts.remainingMs() - COMPENSATE_MS);
  let failure: unknown;
  try {
    const confirmed = await storeUntil({ clock, deadlineMs, mayPass: isAway }, async (writeId, signal) => {
      const written = await registry.confirm(record, changes, { writeId, signal });
      if (written !== undefined) return written;
      // A sweep was faster, and has the same machine: the client token is the same.
      const current = await registry.get(record, { signal });
      return current?.microvmId === machine.microvmId ? current : undefined;
    });
    if (confirmed !== undefined) return confirmed;
    failure = new MicrovmError('microvm.registry_unavailable', 'registry unavailable');
  } catch (error) {
    failure = isAway(error)
      ? new MicrovmError('microvm.registry_unavailable', 'registry unavailable', { cause: error })
      : error;
  }
  await compensate(parts, facts, record, machine.microvmId);
  throw failure;
}

/** True if the registry may answer the same call later. */
function isAway(error: unknown): boolean {
  return (
    error instanceof StoreTimeout || (error instanceof MicrovmError && error.code === 'microvm.registry_unavailable')
  );
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

/** Terminates a machine that no session names. Returns whether it has ended; if not, an `orphaned` event names it. */
async function compensate(
  parts: Parts,
  facts: CallerFacts,
  record: SessionRecord,
  microvmId: string,
): Promise<boolean> {
  let failure: unknown;
  for (let tries = 0; tries < TERMINATE_TRIES; tries += 1) {
    try {
      await parts.calls.send('terminate', facts, (provider, signal) => provider.terminate(microvmId, signal));
      return true;
    } catch (error) {
      if (isMissing(error)) return true;
      failure = error;
    }
  }
  const told = { operation: 'run', sessionId: record.sessionId, from: 'requested', microvmId } as const;
  tell(parts, facts, 'orphaned', told, failure);
  return false;
}
