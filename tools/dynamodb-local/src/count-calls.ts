import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';

/** What an operation cost: requests that left the process, retries included, and the capacity that they consumed. */
export interface CallCounts {
  readonly calls: number;
  readonly readUnits: number;
  readonly writeUnits: number;
}

interface Capacity {
  readonly CapacityUnits?: number | undefined;
  readonly ReadCapacityUnits?: number | undefined;
  readonly WriteCapacityUnits?: number | undefined;
}

const READS = new Set(['GetItem', 'BatchGetItem', 'Query', 'Scan', 'TransactGetItems']);
const WRITES = new Set(['PutItem', 'UpdateItem', 'DeleteItem', 'BatchWriteItem', 'TransactWriteItems']);
const NOTHING: CallCounts = { calls: 0, readUnits: 0, writeUnits: 0 };

/** Counts of one client, by operation (`UpdateItem`). */
export class CallCounter {
  #counts = new Map<string, CallCounts>();

  add(operation: string, added: CallCounts): void {
    this.#counts.set(operation, sum(this.of(operation), added));
  }

  of(operation: string): CallCounts {
    return this.#counts.get(operation) ?? NOTHING;
  }

  total(): CallCounts {
    return [...this.#counts.values()].reduce(sum, NOTHING);
  }

  /** The counts of every operation since the last `take`; starts anew. */
  take(): Record<string, CallCounts> {
    const counts = Object.fromEntries(this.#counts);
    this.#counts = new Map();
    return counts;
  }
}

/**
 * Counts what this client sends from now on. Units are those that the server states; a write whose condition fails
 * states none and counts as AWS bills it, one unit for each item of at most 1 KB, two inside a transaction.
 */
export function countCalls(client: Pick<DynamoDBClient, 'middlewareStack'>): CallCounter {
  const counter = new CallCounter();
  client.middlewareStack.add(
    (next, context) => (args) => {
      const operation = operationOf(context.commandName);
      if (!READS.has(operation) && !WRITES.has(operation)) return next(args);
      return next({ ...args, input: { ...args.input, ReturnConsumedCapacity: 'TOTAL' } });
    },
    { step: 'initialize', name: 'askForConsumedCapacity' },
  );
  client.middlewareStack.add(
    (next, context) => async (args) => {
      const operation = operationOf(context.commandName);
      counter.add(operation, { ...NOTHING, calls: 1 });
      try {
        const result = await next(args);
        for (const capacity of capacitiesOf(result.output)) counter.add(operation, unitsOf(operation, capacity));
        return result;
      } catch (error) {
        counter.add(operation, { ...NOTHING, writeUnits: unitsOfFailure(error) });
        throw error;
      }
    },
    { step: 'finalizeRequest', priority: 'low', name: 'countCalls' },
  );
  return counter;
}

function operationOf(commandName: string | undefined): string {
  return (commandName ?? '').replace(/Command$/, '');
}

function capacitiesOf(output: object): Capacity[] {
  const { ConsumedCapacity } = output as { ConsumedCapacity?: Capacity | Capacity[] };
  return ConsumedCapacity === undefined ? [] : [ConsumedCapacity].flat();
}

function unitsOf(operation: string, capacity: Capacity): CallCounts {
  const total = capacity.CapacityUnits ?? 0;
  const split = capacity.ReadCapacityUnits !== undefined || capacity.WriteCapacityUnits !== undefined;
  if (split) {
    return { calls: 0, readUnits: capacity.ReadCapacityUnits ?? 0, writeUnits: capacity.WriteCapacityUnits ?? 0 };
  }
  return READS.has(operation) ? { ...NOTHING, readUnits: total } : { ...NOTHING, writeUnits: total };
}

function unitsOfFailure(error: unknown): number {
  const { name, CancellationReasons } = error as { name?: string; CancellationReasons?: readonly unknown[] };
  if (name === 'ConditionalCheckFailedException') return 1;
  return name === 'TransactionCanceledException' ? 2 * (CancellationReasons?.length ?? 0) : 0;
}

function sum(left: CallCounts, right: CallCounts): CallCounts {
  return {
    calls: left.calls + right.calls,
    readUnits: left.readUnits + right.readUnits,
    writeUnits: left.writeUnits + right.writeUnits,
  };
}
