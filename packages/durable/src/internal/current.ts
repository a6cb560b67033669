import { DurableError } from '../errors.js';

/** The flow of code that runs now, and whether it is inside a step. */
interface Current {
  readonly owner: object;
  readonly step: string | undefined;
}

interface Storage {
  getStore(): Current | undefined;
  run<T>(current: Current, run: () => T): T;
}

let storage: Storage | undefined;

/** Created with the first operation: functions without durable handlers do not load `node:async_hooks`. */
function storageOf(): Storage {
  storage ??= new (process.getBuiltinModule('node:async_hooks').AsyncLocalStorage)<Current>();
  return storage;
}

/** Runs code of a flow, or of one of its steps. */
export function runAs<T>(owner: object, step: string | undefined, run: () => T): T {
  return storageOf().run({ owner, step }, run);
}

/** The flow that runs now; `undefined` inside a step. */
export function currentOwner(): object | undefined {
  const current = storage?.getStore();
  return current?.step === undefined ? current?.owner : undefined;
}

/**
 * Rejects an operation inside a step, and an operation of another flow's context inside `map`.
 *
 * @throws DurableError `durable.nested_step`, `durable.invalid_operation`
 */
export function assertOwnFlow(owner: object, name: string): void {
  const current = storageOf().getStore();
  if (current?.step !== undefined) {
    const text = `operation "${name}" is inside step "${current.step}": a step must not contain operations`;
    throw new DurableError('durable.nested_step', text);
  }
  if (current && current.owner !== owner) {
    const text = `operation "${name}": use the ctx that the function of map receives`;
    throw new DurableError('durable.invalid_operation', text);
  }
}
