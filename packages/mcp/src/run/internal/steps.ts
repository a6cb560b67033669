import type { AsyncLocalStorage } from 'node:async_hooks';
import type { MaybePromise } from '@sallyport/core';
import type { Json } from '../../protocol/types.js';
import { isInstance, McpStepError, McpToolError } from '../../server/errors.js';
import type { RecordedStep } from './record.js';
import { never, type Run } from './run.js';

/** The steps of one run: each is run once for each call, and what came of it is recorded. */
export class Steps {
  readonly #run: Run;
  /** Names that this run has used. */
  readonly #names = new Set<string>();

  constructor(run: Run) {
    this.#run = run;
  }

  /** Whether the code that asks was called by a step of this run. */
  get isInside(): boolean {
    return inside?.getStore() === this;
  }

  /** The value of a step, or its failure: of this run, or as an earlier run of the call recorded it. */
  async run(name: string, work: () => MaybePromise<Json>): Promise<Json> {
    const run = this.#run;
    if (run.isOver) return never();
    if (this.#names.has(name)) {
      run.fail(`the name of a step is used twice: ${JSON.stringify(name.slice(0, MAX_NAME))}`);
      return never();
    }
    this.#names.add(name);
    const recorded = run.record.memory.steps.get(name);
    return outcomeOf(name, recorded ?? (await this.#first(name, work)));
  }

  /** Runs a step for the first time. The run does not stop before the outcome is recorded. */
  async #first(name: string, work: () => MaybePromise<Json>): Promise<RecordedStep & { readonly cause?: unknown }> {
    const { record } = this.#run;
    const outcome = (async (): Promise<RecordedStep & { readonly cause?: unknown }> => {
      try {
        const json = JSON.stringify(await storage().run(this, async () => work())) ?? 'null';
        record.memory.steps.set(name, { value: JSON.parse(json) as Json });
        return { value: JSON.parse(json) as Json };
      } catch (cause) {
        const failure = toFailure(cause);
        record.memory.steps.set(name, failure);
        return { ...failure, cause };
      }
    })();
    return this.#run.underWay(outcome);
  }
}

const MAX_NAME = 100;
const MAX_MESSAGE = 1000;

/** Marks what a step calls, so that its events are distinguished from those that a replay emits again. */
let inside: AsyncLocalStorage<Steps> | undefined;

function storage(): AsyncLocalStorage<Steps> {
  if (!inside) {
    const { AsyncLocalStorage: Storage } = process.getBuiltinModule('node:async_hooks');
    inside = new Storage();
  }
  return inside;
}

/** What is recorded of an exception: only its name and its text, cut. */
function toFailure(thrown: unknown): RecordedStep & { readonly failed: object } {
  const { name, message } = isInstance(thrown, Error) ? thrown : { name: 'Error', message: '' };
  const failed = { name: String(name).slice(0, MAX_NAME), message: String(message).slice(0, MAX_MESSAGE) };
  return { failed: isInstance(thrown, McpToolError) ? { ...failed, shown: true } : failed };
}

/** The value, as a copy. A failure is thrown as the same error in the run that saw it and in all later ones. */
function outcomeOf(step: string, recorded: RecordedStep & { readonly cause?: unknown }): Json {
  if (!('failed' in recorded)) return structuredClone(recorded.value);
  const { failed, cause } = recorded;
  if (failed.shown) throw new McpToolError(failed.message, { cause });
  throw new McpStepError(step, { name: failed.name, message: failed.message }, { cause });
}
