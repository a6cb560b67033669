import type { OperationInfo, WireOperation } from './sdk.js';

/** The parent of operations that no context contains. */
export const ROOT = '';

/** The recorded operations of an execution at the start of an invocation, by the flow that contains them and their name. */
export class History {
  readonly #operations = new Map<string, Map<string, OperationInfo>>();
  readonly size: number;

  constructor(operations: readonly WireOperation[] = []) {
    this.size = operations.length;
    const root = operations.find(({ Type }) => Type === 'EXECUTION')?.Id;
    for (const operation of operations) {
      const { Name, Type, ParentId } = operation;
      if (Name === undefined || Type === 'EXECUTION') continue;
      const parent = ParentId === undefined || ParentId === root ? ROOT : ParentId;
      const siblings = this.#operations.get(parent) ?? new Map<string, OperationInfo>();
      this.#operations.set(parent, siblings.set(Name, toInfo(operation)));
    }
  }

  /** @param parent the id of a recorded context, or {@link ROOT}; `undefined` for a new context */
  under(parent: string | undefined): ReadonlyMap<string, OperationInfo> {
    return (parent === undefined ? undefined : this.#operations.get(parent)) ?? new Map();
  }
}

function toInfo(operation: WireOperation): OperationInfo {
  const { Id = '', Type, Status, StepDetails, CallbackDetails, ContextDetails, ChainedInvokeDetails } = operation;
  const { Result } = StepDetails ?? CallbackDetails ?? ContextDetails ?? ChainedInvokeDetails ?? {};
  return { id: Id, type: Type, status: Status, result: Result };
}

const ENDED: readonly unknown[] = ['SUCCEEDED', 'FAILED', 'TIMED_OUT', 'STOPPED', 'CANCELLED'];

/** True if a recorded operation is over. */
export function isEnded(operation: OperationInfo | undefined): boolean {
  return ENDED.includes(operation?.status);
}
