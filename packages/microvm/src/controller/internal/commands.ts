import { MicrovmError } from '../../errors.js';
import { COMMANDS, isSettling, type MicrovmCommand } from '../../lifecycle/states.js';
import { isUnknownOutcome } from '../../provider/internal/errors.js';
import type { SessionChanges, SessionRecord } from '../../registry/registry.js';
import type { CallerFacts } from '../caller.js';
import type { MicrovmSession } from '../types.js';
import { toMachine } from './provider-calls.js';
import {
  type Dependencies,
  endOf,
  isMissing,
  notify,
  notifyFailure,
  nowMs,
  observe,
  readSession,
  sessionAnswer,
  writeEnd,
} from './shared.js';

/** Reads by a command while other calls change the session. */
const TRIES = 3;
const REQUESTED_RETRY_SECONDS = 5;

/** The row before the command, and the row with its intent. */
interface Intent {
  readonly before: SessionRecord;
  readonly record: SessionRecord;
}

/** Suspends, resumes or terminates: writes the intent, calls the service, and writes the state that the service reports. */
export async function command(
  deps: Dependencies,
  facts: CallerFacts,
  operation: MicrovmCommand,
  sessionId: string,
): Promise<MicrovmSession> {
  const intended = await intend(deps, facts, operation, sessionId);
  if (!('before' in intended)) return sessionAnswer(operation, facts, intended);
  const { before, record } = intended;
  const report = { operation, sessionId, from: before.state };
  try {
    const after = await carryOut(deps, facts, operation, intended);
    notify(deps, facts, 'succeeded', { ...report, record: after });
    return sessionAnswer(operation, facts, after);
  } catch (error) {
    return notifyFailure(deps, facts, { ...report, microvmId: record.microvmId }, error);
  }
}

/** Writes the intent; returns the unchanged row if there is nothing to do. */
async function intend(
  deps: Dependencies,
  facts: CallerFacts,
  operation: MicrovmCommand,
  sessionId: string,
): Promise<Intent | SessionRecord> {
  const { on, desired } = COMMANDS[operation];
  for (let tries = 0; tries < TRIES; tries += 1) {
    const before = await readSession(deps, facts, sessionId);
    if (isDone(deps, operation, before)) return before;
    try {
      assertSendable(operation, before);
    } catch (error) {
      notifyFailure(deps, facts, { operation, sessionId, from: before.state }, error);
    }
    const record = await deps.registry.change(before, {
      state: on,
      desiredState: desired,
      lastAction: operation,
      lastRequestId: facts.requestId,
      updatedAt: nowMs(deps),
    });
    if (record !== undefined) return { before, record };
  }
  throw new MicrovmError('microvm.conflict', 'conflict with another change');
}

/** States of the service that show that a command took effect. */
const TAKEN: Readonly<Record<MicrovmCommand, readonly string[]>> = {
  suspend: ['SUSPENDING', 'SUSPENDED'],
  resume: ['PENDING', 'RUNNING'],
  terminate: ['TERMINATING', 'TERMINATED'],
};

/**
 * True if a command has nothing to do. A command that was stored some time ago, but has no visible effect at the service, may
 * have been lost: it is sent again.
 */
function isDone(deps: Dependencies, operation: MicrovmCommand, record: SessionRecord): boolean {
  const { on, doneIn } = COMMANDS[operation];
  const { state, updatedAt, providerState = '' } = record;
  const isLost = state === on && !TAKEN[operation].includes(providerState) && !isSettling(nowMs(deps) - updatedAt);
  return doneIn.includes(state) && !isLost;
}

function assertSendable(operation: MicrovmCommand, { state, microvmId }: SessionRecord): void {
  const { sentIn, doneIn } = COMMANDS[operation];
  if ((sentIn.includes(state) || doneIn.includes(state)) && microvmId !== undefined) return;
  throw invalidState(state);
}

/** @param state state of the session; a reservation soon changes */
export function invalidState(state: SessionRecord['state']): MicrovmError {
  const init = state === 'requested' ? { retryAfterSeconds: REQUESTED_RETRY_SECONDS } : {};
  return new MicrovmError('microvm.invalid_state', `not allowed while the session is ${state}`, init);
}

async function carryOut(
  deps: Dependencies,
  facts: CallerFacts,
  operation: MicrovmCommand,
  { before, record }: Intent,
): Promise<SessionRecord> {
  const { microvmId = '' } = record;
  if (operation !== 'resume') deps.tokens.drop(microvmId);
  try {
    await deps.calls.send(operation, facts, (provider, signal) => provider[operation](microvmId, signal));
  } catch (error) {
    if (isMissing(error)) {
      const ended = await writeEnd(deps, record);
      if (operation === 'terminate') return ended;
      throw error;
    }
    // The outcome is unknown until the machine is read again.
    if (isUnknownOutcome(error as MicrovmError)) throw error;
    return afterRefusal(deps, facts, operation, { before, record }, error);
  }
  // The service accepted the command; a failed read only makes the response older.
  return observe(deps, facts, record).catch(() => record);
}

/** Writes the state that the service reports after it rejected a command. The target state counts as success. */
async function afterRefusal(
  deps: Dependencies,
  facts: CallerFacts,
  operation: MicrovmCommand,
  { before, record }: Intent,
  refusal: unknown,
): Promise<SessionRecord> {
  const { microvmId = '' } = record;
  const machine = await deps.calls
    .send('get', facts, (provider, signal) => provider.get(microvmId, signal))
    .then((description) => toMachine(description, deps.settings.endpointHostSuffixes))
    .catch(() => undefined);
  const now = nowMs(deps);
  const state = machine?.state ?? before.state;
  const isDone = COMMANDS[operation].doneIn.includes(state);
  const changes: SessionChanges = {
    state,
    desiredState: isDone ? record.desiredState : before.desiredState,
    providerState: machine?.providerState,
    updatedAt: now,
    ...endOf(state, now, machine?.terminatedAt),
  };
  const written = (await deps.registry.change(record, changes).catch(() => undefined)) ?? record;
  if (isDone && machine !== undefined) return written;
  throw refusal;
}
