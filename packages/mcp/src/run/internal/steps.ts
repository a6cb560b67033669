import type { AsyncLocalStorage } from 'node:async_hooks';
import type { MaybePromise } from '@sallyport/core';
import type { Json } from '../../protocol/types.js';
import { isInstance, McpStepError, McpToolError } from '../../server/errors.js';
import type { RecordedStep } from './record.js';
import { type HandlerRun, never } from './run.js';

/** The steps of one run. Each step runs once for each call, and its outcome is recorded. */
export class Steps {
  readonly #run: HandlerRun;
  /** Names that this run has used. */
  readonly #names = new Set<string>();

  constructor(run: HandlerRun) {
    this.#run = run;
  }

  /** True if the calling code runs inside a step of this run. */
  get isInside(): boolean {
    return inside?.getStore() === this;
  }

  /** The value or the failure of a step, from this run or from an earlier run of the call. */
  async run(name: string, work: () => MaybePromise<Json>): Promise<Json> {
    const run = this.#run;
    if (run.isOver) return never();
    if (this.#names.has(name)) {
      run.fail(`the name of a step is used twice: ${JSON.stringify(name.slice(0, MAX_NAME))}`);
      return never();
    }
    this.#names.add(name);
    const recorded = run.memory.steps.get(name);
    return outcomeOf(name, recorded ?? (await this.#first(name, work)));
  }

  /** Runs a step for the first time. The run does not pause before the outcome is recorded. */
  async #first(name: string, work: () => MaybePromise<Json>): Promise<RecordedStep & { readonly cause?: unknown }> {
    const { memory } = this.#run;
    const outcome = (async (): Promise<RecordedStep & { readonly cause?: unknown }> => {
      try {
        const json = JSON.stringify(await storage().run(this, async () => work())) ?? 'null';
        memory.steps.set(name, { value: JSON.parse(json) as Json });
        return { value: JSON.parse(json) as Json };
      } catch (cause) {
        const failure = toFailure(cause);
        memory.steps.set(name, failure);
        return { ...failure, cause };
      }
    })();
    return this.#run.underWay(outcome);
  }
}

const MAX_NAME = 100;
const MAX_MESSAGE = 1000;

/** Marks code that runs inside a step: its events differ from the events that a replay emits again. */
let inside: AsyncLocalStorage<Steps> | undefined;

function storage(): AsyncLocalStorage<Steps> {
  if (!inside) {
    const { AsyncLocalStorage: Storage } = process.getBuiltinModule('node:async_hooks');
    inside = new Storage();
  }
  return inside;
}

/** The recorded part of an exception: its name and its message, both truncated. */
function toFailure(thrown: unknown): RecordedStep & { readonly failed: object } {
  const { name, message } = isInstance(thrown, Error) ? thrown : { name: 'Error', message: '' };
  const failed = { name: String(name).slice(0, MAX_NAME), message: String(message).slice(0, MAX_MESSAGE) };
  return { failed: isInstance(thrown, McpToolError) ? { ...failed, shown: true } : failed };
}

/** Returns a copy of the value. A failure is thrown as the same error in the first run and in all later ones. */
function outcomeOf(step: string, recorded: RecordedStep & { readonly cause?: unknown }): Json {
  if (!('failed' in recorded)) return structuredClone(recorded.value);
  const { failed, cause } = recorded;
  if (failed.shown) throw new McpToolError(failed.message, { cause });
  throw new McpStepError(step, { name: failed.name, message: failed.message }, { cause });
}
