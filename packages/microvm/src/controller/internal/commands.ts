import { MicrovmError } from '../../errors.js';
import { COMMANDS, isSettling, type MicrovmCommand } from '../../lifecycle/states.js';
import { isUnknownOutcome } from '../../provider/internal/errors.js';
import type { SessionChanges, SessionRecord } from '../../registry/registry.js';
import type { CallerFacts } from '../caller.js';
import type { MicrovmSession } from '../types.js';
import {
  endOf,
  isMissing,
  nowMs,
  observe,
  type Parts,
  readSession,
  sessionAnswer,
  tell,
  tellFailure,
  writeEnd,
} from './parts.js';
import { toMachine } from './provider-calls.js';

/** Reads that a command makes when others change the session at the same time. */
const TRIES = 3;
const REQUESTED_RETRY_SECONDS = 5;

/** The row before the command, and the row with its intent. */
interface Intent {
  readonly before: SessionRecord;
  readonly record: SessionRecord;
}

/** Suspends, resumes or terminates: writes the wish, tells the service, and writes what the service says of it. */
export async function command(
  parts: Parts,
  facts: CallerFacts,
  operation: MicrovmCommand,
  sessionId: string,
): Promise<MicrovmSession> {
  const intended = await intend(parts, facts, operation, sessionId);
  if (!('before' in intended)) return sessionAnswer(operation, facts, intended);
  const { before, record } = intended;
  const told = { operation, sessionId, from: before.state };
  try {
    const after = await carryOut(parts, facts, operation, intended);
    tell(parts, facts, 'succeeded', { ...told, record: after });
    return sessionAnswer(operation, facts, after);
  } catch (error) {
    return tellFailure(parts, facts, { ...told, microvmId: record.microvmId }, error);
  }
}

/** The wish in the row; or the row as it is, when there is nothing to do. */
async function intend(
  parts: Parts,
  facts: CallerFacts,
  operation: MicrovmCommand,
  sessionId: string,
): Promise<Intent | SessionRecord> {
  const { on, desired } = COMMANDS[operation];
  for (let tries = 0; tries < TRIES; tries += 1) {
    const before = await readSession(parts, facts, sessionId);
    if (isDone(parts, operation, before)) return before;
    try {
      assertSendable(operation, before);
    } catch (error) {
      tellFailure(parts, facts, { operation, sessionId, from: before.state }, error);
    }
    const record = await parts.registry.change(before, {
      state: on,
      desiredState: desired,
      lastAction: operation,
      lastRequestId: facts.requestId,
      updatedAt: nowMs(parts),
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
 * True if a command has nothing to do. A command that was written some time ago, and that the service does not show, may have
 * been lost on its way: it is sent again.
 */
function isDone(parts: Parts, operation: MicrovmCommand, record: SessionRecord): boolean {
  const { on, doneIn } = COMMANDS[operation];
  const { state, updatedAt, providerState = '' } = record;
  const isLost = state === on && !TAKEN[operation].includes(providerState) && !isSettling(nowMs(parts) - updatedAt);
  return doneIn.includes(state) && !isLost;
}

function assertSendable(operation: MicrovmCommand, { state, microvmId }: SessionRecord): void {
  const { sentIn, doneIn } = COMMANDS[operation];
  if ((sentIn.includes(state) || doneIn.includes(state)) && microvmId !== undefined) return;
  throw invalidState(state);
}

/** @param state what the session is in; a reservation is soon something else */
export function invalidState(state: SessionRecord['state']): MicrovmError {
  const init = state === 'requested' ? { retryAfterSeconds: REQUESTED_RETRY_SECONDS } : {};
  return new MicrovmError('microvm.invalid_state', `not allowed while the session is ${state}`, init);
}

async function carryOut(
  parts: Parts,
  facts: CallerFacts,
  operation: MicrovmCommand,
  { before, record }: Intent,
): Promise<SessionRecord> {
  const { microvmId = '' } = record;
  if (operation !== 'resume') parts.tokens.drop(microvmId);
  try {
    await parts.calls.send(operation, facts, (provider, signal) => provider[operation](microvmId, signal));
  } catch (error) {
    if (isMissing(error)) {
      const ended = await writeEnd(parts, record);
      if (operation === 'terminate') return ended;
      throw error;
    }
    // Nobody knows whether it was done; a later look at the machine tells.
    if (isUnknownOutcome(error as MicrovmError)) throw error;
    return afterRefusal(parts, facts, operation, { before, record }, error);
  }
  // The service took the command: what follows only makes the answer newer.
  return observe(parts, facts, record).catch(() => record);
}

/** Writes the state that the service shows after it rejected a command. Where it is the wanted one, all is well. */
async function afterRefusal(
  parts: Parts,
  facts: CallerFacts,
  operation: MicrovmCommand,
  { before, record }: Intent,
  refusal: unknown,
): Promise<SessionRecord> {
  const { microvmId = '' } = record;
  const machine = await parts.calls
    .send('get', facts, (provider, signal) => provider.get(microvmId, signal))
    .then((description) => toMachine(description, parts.settings.endpointHostSuffixes))
    .catch(() => undefined);
  const now = nowMs(parts);
  const state = machine?.state ?? before.state;
  const isDone = COMMANDS[operation].doneIn.includes(state);
  const changes: SessionChanges = {
    state,
    desiredState: isDone ? record.desiredState : before.desiredState,
    providerState: machine?.providerState,
    updatedAt: now,
    ...endOf(state, now, machine?.terminatedAt),
  };
  const written = (await parts.registry.change(record, changes).catch(() => undefined)) ?? record;
  if (isDone && machine !== undefined) return written;
  throw refusal;
}
