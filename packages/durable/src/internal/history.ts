import type { OperationInfo } from './sdk.js';

/** The parent of operations that no context contains. */
export const ROOT = '';

/** The recorded operations of an execution at the start of an invocation, by the flow that contains them and their name. */
export class History {
  readonly #operations = new Map<string, Map<string, OperationInfo>>();
  readonly size: number;

  constructor(operations: Readonly<Record<string, OperationInfo>> = {}) {
    const all = Object.values(operations);
    this.size = all.length;
    const root = all.find(({ type }) => type === 'EXECUTION')?.id;
    for (const operation of all) {
      if (operation.name === undefined || operation.type === 'EXECUTION') continue;
      const parent = operation.parentId === undefined || operation.parentId === root ? ROOT : operation.parentId;
      const siblings = this.#operations.get(parent) ?? new Map<string, OperationInfo>();
      this.#operations.set(parent, siblings.set(operation.name, operation));
    }
  }

  /** @param parent the id of a recorded context, or {@link ROOT}; `undefined` for a new context */
  under(parent: string | undefined): ReadonlyMap<string, OperationInfo> {
    return (parent === undefined ? undefined : this.#operations.get(parent)) ?? new Map();
  }
}

const ENDED: readonly unknown[] = ['SUCCEEDED', 'FAILED', 'TIMED_OUT', 'STOPPED', 'CANCELLED'];

/** True if a recorded operation is over. */
export function isEnded(operation: OperationInfo | undefined): boolean {
  return ENDED.includes(operation?.status);
}
