/** States of a session. The last two are final. */
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

/** The target state of the last command. */
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

/** Allowed next states of each state. */
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

/** Maps states of the service to session states. There is no `ready`: the service does not report it. */
const PROVIDER_STATES: Readonly<Record<string, MicrovmState>> = {
  PENDING: 'starting',
  RUNNING: 'running',
  SUSPENDING: 'suspending',
  SUSPENDED: 'suspended',
  TERMINATING: 'terminating',
  TERMINATED: 'terminated',
};

/** Maps a state of the service to a session state; `undefined` if unknown. */
export function toMicrovmState(providerState: string): MicrovmState | undefined {
  return Object.hasOwn(PROVIDER_STATES, providerState) ? PROVIDER_STATES[providerState] : undefined;
}

/** True if a state is final. */
export function isClosed(state: MicrovmState): boolean {
  return MICROVM_TRANSITIONS[state].length === 0;
}

/** A command that changes the state of a machine. */
export type MicrovmCommand = 'suspend' | 'resume' | 'terminate';

/** Effect of a command in each state: it is sent, or there is nothing to do. In every other state it is rejected. */
export const COMMANDS: Readonly<
  Record<
    MicrovmCommand,
    {
      readonly sentIn: readonly MicrovmState[];
      readonly doneIn: readonly MicrovmState[];
      /** The state after the command is sent. */
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

/** Time after a command during which the service may still report the previous state. */
const SETTLE_MS = 30_000;

/** The stored effect of a session's last command. */
export interface LastCommand {
  /** The state that is stored. */
  readonly state: MicrovmState;
  /** The target state of the command. */
  readonly desired: MicrovmDesiredState;
  /** Milliseconds since the last write. */
  readonly sinceMs: number;
}

/** States that the service may still report shortly after a command, by target state. */
const LAGS: Readonly<Record<MicrovmDesiredState, readonly MicrovmState[]>> = {
  running: ['suspending', 'suspended'],
  suspended: ['starting', 'running', 'resuming'],
  terminated: ['starting', 'running', 'suspending', 'suspended', 'resuming'],
};

/** The state after a read of the service, which is eventually consistent: the stored state if the service lags. */
export function afterObservation({ state, desired, sinceMs }: LastCommand, observed: MicrovmState): MicrovmState {
  if (isSettling(sinceMs) && LAGS[desired].includes(observed)) return state;
  return MICROVM_TRANSITIONS[state].includes(observed) ? observed : state;
}

/** True if a response of the service may be older than the last command. */
export function isSettling(sinceMs: number): boolean {
  return sinceMs < SETTLE_MS;
}
