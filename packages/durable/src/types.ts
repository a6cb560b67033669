import type { MaybePromise, StandardSchema } from '@sallyport/core';

/** A value that JSON can say. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [member: string]: Json };

/** A length of time: the sum of its members. Whole seconds, 1 to 31,622,400 (366 days). */
export interface Duration {
  readonly days?: number;
  readonly hours?: number;
  readonly minutes?: number;
  readonly seconds?: number;
}

/** How often a failed step is tried, and when. */
export interface Retry {
  /** How often the step runs at most: 1 to 10. */
  readonly attempts: number;
  /** Seconds before the second attempt. */
  readonly delaySeconds: number;
  /** The factor from one delay to the next. 2 by default. */
  readonly rate?: number;
  /** The longest delay. 60 by default. */
  readonly maxDelaySeconds?: number;
  /** A random part of each delay is left out, so that many executions do not retry at once. On by default. */
  readonly jitter?: boolean;
  /** Whether an error is worth another attempt. Every error is, by default. */
  when?(error: unknown): boolean;
}

/** What a step is given: the real clock and real ids, which only a step may use. */
export interface StepContext {
  /** 1 at the first attempt. */
  readonly attempt: number;
  readonly signal: AbortSignal;
  /** The same at every attempt, and if AWS delivers the event again: the key of an effect in another system. */
  readonly idempotencyKey: string;
  now(): Date;
  newId(): string;
}

export interface StepOptions {
  /** No retry by default. */
  readonly retry?: Retry;
  /**
   * `atLeastOnce` (default): a kill between the effect and its record runs the step again. `atMostOnce`: it never runs twice, and an
   * interrupted step rejects with `durable.step_interrupted`.
   */
  readonly effect?: 'atLeastOnce' | 'atMostOnce';
}

export interface CallbackOptions {
  /** Hands the callback's id to whoever will answer. The id is a capability: it belongs in no log. */
  submit(id: string, step: StepContext): MaybePromise<void>;
  readonly timeoutSeconds: number;
  readonly heartbeatSeconds?: number;
}

export interface MapOptions {
  /** Items that are worked on at once. 10 by default. */
  readonly concurrency?: number;
}

/** What a durable handler's context has besides its own members. */
export interface Durable {
  /** `null` outside a durable execution. */
  readonly execution: { readonly arn: string; readonly name: string; readonly startedAt: Date } | null;
  step<T extends Json | void>(
    name: string,
    run: (step: StepContext) => MaybePromise<T>,
    options?: StepOptions,
  ): Promise<T>;
  wait(name: string, duration: Duration): Promise<void>;
  callback<T>(name: string, schema: StandardSchema<T>, options: CallbackOptions): Promise<T>;
  map<I, T extends Json | void>(
    name: string,
    items: readonly I[],
    run: (item: I, context: Durable, index: number) => Promise<T>,
    options?: MapOptions,
  ): Promise<readonly T[]>;
}
