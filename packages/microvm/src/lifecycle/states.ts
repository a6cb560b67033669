/** Where a session may be in its life. The last two are closed: nothing follows them. */
export const MICROVM_STATES = [
  'requested',
  'starting',
  'running',
  'suspending',
  'suspended',
  'resuming',
  'terminating',
  'terminated',
  'failed',
] as const;

/** A state of a session. */
export type MicrovmState = (typeof MICROVM_STATES)[number];

/** What the last command wants the session to become. */
export type MicrovmDesiredState = 'running' | 'suspended' | 'terminated';

/** The operations of the controller. There are no aliases. */
export const MICROVM_OPERATIONS = Object.freeze([
  'run',
  'get',
  'list',
  'suspend',
  'resume',
  'terminate',
  'invoke',
  'auth-token',
  'shell-auth-token',
] as const);

/** An operation of the controller. */
export type MicrovmOperation = (typeof MICROVM_OPERATIONS)[number];

/** Which state may follow which. */
export const MICROVM_TRANSITIONS: Readonly<Record<MicrovmState, readonly MicrovmState[]>> = {
  requested: ['starting', 'running', 'failed'],
  starting: ['running', 'suspending', 'suspended', 'terminating', 'terminated', 'failed'],
  running: ['suspending', 'suspended', 'terminating', 'terminated'],
  suspending: ['suspended', 'running', 'terminating', 'terminated'],
  suspended: ['resuming', 'running', 'terminating', 'terminated'],
  resuming: ['running', 'suspended', 'terminating', 'terminated'],
  terminating: ['terminated'],
  terminated: [],
  failed: [],
};

/** States of the service, and what they are here. There is no `ready`: the service does not report it. */
const PROVIDER_STATES: Readonly<Record<string, MicrovmState>> = {
  PENDING: 'starting',
  RUNNING: 'running',
  SUSPENDING: 'suspending',
  SUSPENDED: 'suspended',
  TERMINATING: 'terminating',
  TERMINATED: 'terminated',
};

/** The state that a state of the service stands for; `undefined` for one that is not known. */
export function toMicrovmState(providerState: string): MicrovmState | undefined {
  return Object.hasOwn(PROVIDER_STATES, providerState) ? PROVIDER_STATES[providerState] : undefined;
}

/** True if nothing follows a state. */
export function isClosed(state: MicrovmState): boolean {
  return MICROVM_TRANSITIONS[state].length === 0;
}

/** A command that changes the state of a machine. */
export type MicrovmCommand = 'suspend' | 'resume' | 'terminate';

/** What a command does in each state: it is sent, or there is nothing to do. In every other state it is rejected. */
export const COMMANDS: Readonly<
  Record<
    MicrovmCommand,
    {
      readonly sentIn: readonly MicrovmState[];
      readonly doneIn: readonly MicrovmState[];
      /** The state from the moment of the command on. */
      readonly on: MicrovmState;
      readonly desired: MicrovmDesiredState;
    }
  >
> = {
  suspend: { sentIn: ['running'], doneIn: ['suspending', 'suspended'], on: 'suspending', desired: 'suspended' },
  resume: { sentIn: ['suspended'], doneIn: ['resuming', 'running'], on: 'resuming', desired: 'running' },
  terminate: {
    sentIn: ['starting', 'running', 'suspending', 'suspended', 'resuming'],
    doneIn: ['terminating', 'terminated', 'failed'],
    on: 'terminating',
    desired: 'terminated',
  },
};

/** True if the program in a machine can be reached: running, about to run, or woken by the request. */
export function isReachable(state: MicrovmState, wakesUp: boolean): boolean {
  return state === 'starting' || state === 'running' || state === 'resuming' || (state === 'suspended' && wakesUp);
}

/** For how long after a command the service may still show the state before it. */
const SETTLE_MS = 30_000;

/** What is remembered of a session's last command. */
export interface LastCommand {
  /** The state that is stored. */
  readonly state: MicrovmState;
  /** What the command wants. */
  readonly desired: MicrovmDesiredState;
  /** Milliseconds since the last write. */
  readonly sinceMs: number;
}

/** States that only lag behind a wish that was told to the service a moment ago. */
const LAGS: Readonly<Record<MicrovmDesiredState, readonly MicrovmState[]>> = {
  running: ['suspending', 'suspended'],
  suspended: ['starting', 'running', 'resuming'],
  terminated: ['starting', 'running', 'suspending', 'suspended', 'resuming'],
};

/** The state after an observation of the service, which is eventually consistent: the stored one where it says nothing new. */
export function afterObservation({ state, desired, sinceMs }: LastCommand, observed: MicrovmState): MicrovmState {
  if (isSettling(sinceMs) && LAGS[desired].includes(observed)) return state;
  return MICROVM_TRANSITIONS[state].includes(observed) ? observed : state;
}

/** True if an answer may still be older than the last command. */
export function isSettling(sinceMs: number): boolean {
  return sinceMs < SETTLE_MS;
}
