import type { FullClock, Logger, MaybePromise, StandardSchema } from '@sallyport/core';
import { completeClock } from '@sallyport/core/internal';
import { DurableError } from '../errors.js';
import type {
  CallbackOptions,
  Durable,
  DurableOptions,
  Duration,
  MapOptions,
  StepContext,
  StepOptions,
} from '../types.js';
import { assertStepOptions, callbackSeconds, toSeconds } from './checks.js';
import { assertOwnFlow, runAs } from './current.js';
import { recordFailure, restoreFailure, stackOf } from './failures.js';
import { eventIdentity, placeDigest } from './identity.js';
import { mapInOrder } from './in-order.js';
import { Names } from './names.js';
import { runTimed } from './run-step.js';
import { fromText, toText } from './values.js';

/** The members of a handler's context that operations use. */
export interface HostContext {
  readonly signal?: AbortSignal;
  readonly log?: Logger;
  readonly remainingMs?: number;
  readonly requestId?: string;
  now?(): Date;
  newId?(): string;
}

/** Operations of a handler outside an execution: steps run immediately, with values and errors through the same JSON. */
export class OutsideOperations {
  readonly execution = null;
  /** The largest result of a step in bytes. */
  maxBytes: number | undefined;
  readonly #names = new Names();
  readonly #context: HostContext;
  readonly #options: DurableOptions;
  readonly #clock: FullClock;
  readonly #path: readonly (string | number)[];

  constructor(context: HostContext, options: DurableOptions, path: readonly (string | number)[] = []) {
    this.#context = context;
    this.#options = options;
    this.#clock = completeClock(options.clock);
    this.#path = path;
  }

  async step<T>(name: string, run: (step: StepContext) => MaybePromise<T>, options: StepOptions = {}): Promise<T> {
    this.#begin(name);
    const place = `step "${name}"`;
    const seconds = assertStepOptions(options, place);
    const context = this.#stepContext(name);
    try {
      const value = await runAs(this, name, () => runTimed(this.#clock, place, seconds, context, run));
      return fromText<T>(toText(value, place, this.maxBytes));
    } catch (thrown) {
      throw restoreFailure(recordFailure(thrown), stackOf(thrown));
    }
  }

  async wait(name: string, duration: Duration): Promise<void> {
    this.#begin(name);
    const seconds = toSeconds(duration, `wait "${name}"`);
    const { sleepUpTo } = this.#options;
    const longest = sleepUpTo === undefined ? 0 : toSeconds(sleepUpTo, 'sleepUpTo');
    const left = this.#context.remainingMs ?? 0;
    if (seconds > longest || (left > 0 && seconds * 1000 >= left)) throw notDurable(`wait "${name}"`);
    await new Promise<void>((resolve) => void this.#clock.after(seconds * 1000, resolve));
  }

  async callback<T>(name: string, _schema: StandardSchema<unknown, T>, options: CallbackOptions): Promise<T> {
    this.#begin(name);
    callbackSeconds(options, `callback "${name}"`);
    throw notDurable(`callback "${name}"`);
  }

  async map<I, T>(
    name: string,
    items: readonly I[],
    run: (item: I, ctx: Durable, index: number) => Promise<T>,
    options: MapOptions = {},
  ): Promise<T[]> {
    this.#begin(name);
    return mapInOrder(`map "${name}"`, items, options, async (item, index) => {
      const path = [...this.#path, name, index];
      const inner = new OutsideOperations(this.#context, this.#options, path);
      inner.maxBytes = this.maxBytes;
      try {
        const value = await runAs(inner, undefined, () => run(item, inner as unknown as Durable, index));
        return fromText<T>(toText(value, `item ${index} of map "${name}"`));
      } catch (thrown) {
        throw restoreFailure(recordFailure(thrown), stackOf(thrown));
      }
    });
  }

  #begin(name: string): void {
    assertOwnFlow(this, name);
    this.#names.use(name);
  }

  #stepContext(name: string): StepContext {
    const context = this.#context;
    const identity = eventIdentity(context) ?? context.requestId ?? '';
    let signal: AbortSignal | undefined;
    return {
      attempt: 1,
      get signal() {
        signal ??= context.signal ?? new AbortController().signal;
        return signal;
      },
      log: context.log as Logger,
      idempotencyKey: placeDigest(identity, ...this.#path, name),
      now: () => context.now?.() ?? this.#clock.now(),
      newId: () => context.newId?.() ?? crypto.randomUUID(),
    };
  }
}

function notDurable(place: string): DurableError {
  const remedy = 'deploy the function with the property durable';
  return new DurableError('durable.not_durable', `${place} needs a durable function: ${remedy}`);
}
