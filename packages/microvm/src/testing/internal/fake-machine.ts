import type { MicrovmDescription, RunMicrovmInput } from '../../provider/provider.js';

/** Automatic transitions of states. */
const NEXT: Readonly<Record<string, string>> = {
  PENDING: 'RUNNING',
  SUSPENDING: 'SUSPENDED',
  TERMINATING: 'TERMINATED',
};

/** One machine of the fake; its state depends on the time. */
export class FakeMachine {
  readonly microvmId: string;
  readonly input: RunMicrovmInput;
  readonly #startedAt: number;
  readonly #settleMs: number;
  #state = 'PENDING';
  #since: number;
  #terminatedAt: number | undefined;

  constructor(microvmId: string, input: RunMicrovmInput, now: number, settleMs: number) {
    this.microvmId = microvmId;
    this.input = input;
    this.#startedAt = now;
    this.#since = now;
    this.#settleMs = settleMs;
  }

  /** The host of its endpoint. */
  get host(): string {
    return `${this.microvmId}.lambda-microvm.eu-west-1.on.aws`;
  }

  set(state: string, now: number): void {
    this.#state = state;
    this.#since = now;
    if (state === 'TERMINATED' || state === 'TERMINATING') this.#terminatedAt ??= now;
  }

  /** The state now. */
  look(now: number): string {
    const ends = this.#startedAt + this.input.maximumDurationSeconds * 1000;
    if (now >= ends && this.#state !== 'TERMINATED') this.set('TERMINATED', now);
    const next = NEXT[this.#state];
    if (next !== undefined && now - this.#since >= this.#settleMs) this.set(next, now);
    return this.#state;
  }

  /** True if a request reaches the program; it resumes a suspended machine if the policy allows it. */
  wake(now: number): boolean {
    const state = this.look(now);
    if (state === 'SUSPENDED' && this.input.idlePolicy?.autoResumeEnabled) this.set('RUNNING', now);
    return ['PENDING', 'RUNNING', 'SUSPENDED'].includes(state) && this.#state !== 'SUSPENDED';
  }

  describe(now: number): MicrovmDescription {
    return {
      microvmId: this.microvmId,
      state: this.look(now),
      endpoint: `https://${this.host}`,
      imageRef: this.input.imageRef,
      imageVersion: this.input.imageVersion ?? '1.0',
      maximumDurationSeconds: this.input.maximumDurationSeconds,
      executionRoleArn: this.input.executionRoleArn,
      startedAt: new Date(this.#startedAt),
      ...(this.#terminatedAt !== undefined && { terminatedAt: new Date(this.#terminatedAt) }),
    };
  }
}

/** Creates an error like the service's client. */
export function serviceError(name: string, message: string, retryAfterSeconds?: number): Error {
  const error = Object.assign(new Error(message), retryAfterSeconds === undefined ? {} : { retryAfterSeconds });
  error.name = name;
  return error;
}
