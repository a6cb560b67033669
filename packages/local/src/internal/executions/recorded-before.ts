import type { Operation } from '@sallyport/testkit/durable';

/**
 * The operations with which an execution begins that restarts at `target`: they started before it, and have ended. A context
 * around an operation that runs again is open.
 */
export function recordedBefore(operations: readonly Operation[], target: string): readonly Operation[] {
  const at = operations.findIndex(({ Id }) => Id === target);
  const parents = new Map(operations.map(({ Id, ParentId }) => [Id, ParentId]));
  const open = new Set<string>();
  for (const [index, { Id, EndTimestamp }] of operations.entries()) {
    if (index < at && EndTimestamp !== undefined) continue;
    for (let id: string | undefined = Id; id !== undefined; id = parents.get(id)) open.add(id);
  }
  return operations.slice(1, at).flatMap((operation): Operation[] => {
    if (!open.has(operation.Id)) return [operation];
    const { EndTimestamp: _, ContextDetails: __, ...rest } = operation;
    return operation.Type === 'CONTEXT' ? [{ ...rest, Status: 'STARTED' }] : [];
  });
}
