import { sha256 } from '@sallyport/core/internal';
import { storeUntil } from '@sallyport/dynamo';
import { controllerIncomplete, MicrovmError } from '../../errors.js';
import { isForbiddenText } from '../../internal/forbidden.js';
import { isUnknownOutcome, mayPass } from '../../provider/internal/errors.js';
import type { MicrovmDescription, RunMicrovmInput } from '../../provider/provider.js';
import type { SessionChanges, SessionKey, SessionRecord, StartSetup } from '../../registry/registry.js';
import type { CallerFacts } from '../caller.js';
import { LIMITS, type NewMicrovmSession, type Settings } from '../options.js';
import { isMicrovmId, type Machine, toMachine } from './provider-calls.js';
import {
  CLOSED_SECONDS,
  type Dependencies,
  expiryAt,
  GRACE_SECONDS,
  isMissing,
  notify,
  nowMs,
  RELEASED_SECONDS,
} from './shared.js';

const TERMINATE_TRIES = 2;
/** Calls to start one machine: the second, with the same client token, if the outcome of the first is unknown. */
const RUN_TRIES = 2;
/** Age of a reservation after which its process is considered lost. */
export const LOST_MS = 60_000;
/** Time after the reservation during which the service recognizes its client token. */
export const REPEATABLE_MS = 15 * 60_000;
/** Milliseconds for storing a started machine, if the end of the invocation is unknown. */
const STORE_MS = 60_000;
/** Milliseconds reserved for terminating a machine that could not be stored. */
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
  throw controllerIncomplete(`runHookPayload must return a string of at most ${LIMITS.payloadBytes} bytes`);
}

/**
 * Finishes the start of a session whose process was lost. It repeats the start with the same client token and input, or abandons it
 * if the service may no longer recognize the token. A start that another instance has finished is returned unchanged.
 *
 * @throws MicrovmError if the outcome of the repeated start is unknown
 */
export async function finishStart(
  deps: Dependencies,
  facts: CallerFacts,
  record: SessionRecord,
): Promise<SessionRecord> {
  if (nowMs(deps) - record.createdAt <= REPEATABLE_MS) return start(deps, facts, record, true);
  const now = nowMs(deps);
  // Its machine may run until its maximum duration: the row proves that it is ours.
  const latestEnd = record.createdAt + REPEATABLE_MS + record.maximumDurationSeconds * 1000;
  const changes: SessionChanges = {
    state: 'failed',
    startOutcome: 'unknown',
    errorCode: 'microvm.provider_unavailable',
    updatedAt: now,
    expiresAt: Math.max(expiryAt(now, CLOSED_SECONDS), expiryAt(latestEnd, GRACE_SECONDS)),
    lastAction: 'sweep',
  };
  const given = await deps.registry.confirm(record, changes);
  return given ?? (await deps.registry.get(record)) ?? record;
}

/**
 * Runs the machine of a reserved session. Its row becomes confirmed or failed, or is unchanged if the outcome is unknown.
 *
 * @param isRepeated true if an earlier process may have started the machine. A rejection may then have a new cause, such as a role
 *   changed by a deployment, so the outcome is unknown.
 */
export async function start(
  deps: Dependencies,
  facts: CallerFacts,
  record: SessionRecord,
  isRepeated = false,
): Promise<SessionRecord> {
  let description: MicrovmDescription;
  try {
    description = await runMachine(deps, facts, record);
  } catch (error) {
    if (isRepeated) throw unknownOutcome(error);
    if (isUnknownOutcome(error as MicrovmError)) throw error;
    await giveUp(deps, record, error as MicrovmError);
    throw error;
  }
  let machine: Machine;
  try {
    machine = toMachine(description, deps.settings.endpointHostSuffixes);
  } catch (error) {
    const { microvmId } = description;
    const isLeft = isMicrovmId(microvmId) && !(await compensate(deps, facts, record, microvmId));
    await giveUp(deps, record, error as MicrovmError, isLeft ? { microvmId } : {});
    throw error;
  }
  return confirm(deps, facts, record, machine);
}

/** Converts the rejection of a repeated start into a retryable failure. */
function unknownOutcome(error: unknown): MicrovmError {
  if (error instanceof MicrovmError && mayPass(error)) return error;
  return new MicrovmError('microvm.provider_unavailable', 'outcome of the start is unknown', { cause: error });
}

async function runMachine(deps: Dependencies, facts: CallerFacts, record: SessionRecord): Promise<MicrovmDescription> {
  const input = toRunInput(deps, record);
  let unknown: unknown;
  for (let tries = 1; ; tries += 1) {
    try {
      return await deps.calls.send('run', facts, (provider, signal) => provider.run(input, signal));
    } catch (error) {
      // After a rejected second call, the machine of the first call may still be running.
      unknown ??= isUnknownOutcome(error as MicrovmError) ? error : undefined;
      if (tries === RUN_TRIES || unknown === undefined) throw unknown ?? error;
    }
  }
}

/** The input of a start, from the row alone, so that a repeated call is equal even after a deployment. */
function toRunInput({ settings }: Dependencies, record: SessionRecord): RunMicrovmInput {
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

/** The token that identifies a repeated call: 64 of the allowed 128 characters. */
function clientTokenOf({ tenantId, namespace, sessionId }: SessionKey, reservationId: string): string {
  return sha256(JSON.stringify(['microvm.run/v1', tenantId, namespace, sessionId, reservationId]));
}

/**
 * Marks the session of a rejected or broken start as failed; its machine never existed or is terminated. If the error is retryable,
 * id and key are free immediately.
 *
 * @param left the machine that could not be terminated; the sweep terminates it, because the failed session's row contains its id
 */
async function giveUp(
  deps: Dependencies,
  record: SessionRecord,
  error: MicrovmError,
  left: { readonly microvmId?: string } = {},
): Promise<void> {
  const { code } = error;
  const now = nowMs(deps);
  const seconds = left.microvmId === undefined ? closedSeconds(error) : record.maximumDurationSeconds + GRACE_SECONDS;
  const changes: SessionChanges = {
    ...left,
    state: 'failed',
    errorCode: code,
    updatedAt: now,
    expiresAt: expiryAt(now, seconds),
  };
  // If this write fails, the sweep finds the row.
  await deps.registry.confirm(record, changes).catch(() => undefined);
}

function closedSeconds(error: MicrovmError): number {
  return mayPass(error) ? RELEASED_SECONDS : CLOSED_SECONDS;
}

/** Stores the machine of a session until the invocation ends; terminates the machine if that fails. */
async function confirm(
  deps: Dependencies,
  facts: CallerFacts,
  record: SessionRecord,
  machine: Machine,
): Promise<SessionRecord> {
  const changes = confirmationOf(deps, machine);
  const { clock, registry } = deps;
  const deadlineMs = nowMs(deps) + Math.min(STORE_MS, facts.remainingMs() - COMPENSATE_MS);
  let failure: unknown;
  try {
    const confirmed = await storeUntil(
      { clock, deadlineMs, timedOut: unavailable, mayPass: isAway },
      async (writeId, signal) => {
        const written = await registry.confirm(record, changes, { writeId, signal });
        if (written !== undefined) return written;
        // A sweep was faster. It has the same machine, because the client token is the same.
        const current = await registry.get(record, { signal });
        return current?.microvmId === machine.microvmId ? current : undefined;
      },
    );
    if (confirmed !== undefined) return confirmed;
    failure = unavailable();
  } catch (error) {
    failure = isAway(error) ? unavailable(error) : error;
  }
  await compensate(deps, facts, record, machine.microvmId);
  throw failure;
}

/** True if the registry is unavailable, so that the same call may succeed later. */
function isAway(error: unknown): boolean {
  return error instanceof MicrovmError && error.code === 'microvm.registry_unavailable';
}

function unavailable(cause?: unknown): MicrovmError {
  return new MicrovmError('microvm.registry_unavailable', 'registry unavailable', { cause });
}

function confirmationOf(deps: Dependencies, machine: Machine): SessionChanges {
  const now = nowMs(deps);
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

/** Terminates a machine without a session. Returns true if it succeeds; otherwise sends an `orphaned` event. */
async function compensate(
  deps: Dependencies,
  facts: CallerFacts,
  record: SessionRecord,
  microvmId: string,
): Promise<boolean> {
  let failure: unknown;
  for (let tries = 0; tries < TERMINATE_TRIES; tries += 1) {
    try {
      await deps.calls.send('terminate', facts, (provider, signal) => provider.terminate(microvmId, signal));
      return true;
    } catch (error) {
      if (isMissing(error)) return true;
      failure = error;
    }
  }
  const report = { operation: 'run', sessionId: record.sessionId, from: 'requested', microvmId } as const;
  notify(deps, facts, 'orphaned', report, failure);
  return false;
}
