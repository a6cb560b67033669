import type { AttributeValue, DynamoDBClient } from '@aws-sdk/client-dynamodb';

/** The cost of an operation: requests that left the process, retries included, and the capacity that they consumed. */
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

  /** Returns the counts of every operation since the last `take`, and resets them. */
  take(): Record<string, CallCounts> {
    const counts = Object.fromEntries(this.#counts);
    this.#counts = new Map();
    return counts;
  }
}

/**
 * Counts this client's requests from now on. Units are the units that the server reports. For a write whose condition fails the server
 * reports no units; it counts as AWS bills it: one unit for each KB of the larger of the existing item and the new item, at least one,
 * and twice that inside a transaction. The existing item is known if the write sets `ReturnValuesOnConditionCheckFailure`.
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/WorkingWithItems.html#WorkingWithItems.ConditionalUpdate
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
        const units = capacitiesOf(result.output)
          .map((capacity) => unitsOf(operation, capacity))
          .reduce(sum, NOTHING);
        counter.add(operation, {
          ...units,
          writeUnits: Math.max(units.writeUnits, leastUnits(args.input as WriteInput)),
        });
        return result;
      } catch (error) {
        counter.add(operation, { ...NOTHING, writeUnits: unitsOfFailure(error, args.input as WriteInput) });
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

type Attributes = Readonly<Record<string, AttributeValue>>;

interface WriteInput {
  readonly Item?: Attributes;
  readonly TransactItems?: readonly {
    readonly Put?: WriteInput;
    readonly Update?: WriteInput;
    readonly Delete?: WriteInput;
  }[];
}

/** Minimum units of a transaction. The local server reports the units of its items once; AWS bills them twice. */
function leastUnits({ TransactItems = [] }: WriteInput): number {
  return 2 * TransactItems.length;
}

function unitsOfFailure(error: unknown, input: WriteInput): number {
  const { name, Item, CancellationReasons } = error as {
    readonly name?: string;
    readonly Item?: Attributes;
    readonly CancellationReasons?: readonly { readonly Item?: Attributes }[];
  };
  if (name === 'ConditionalCheckFailedException') return writeUnits(Item, input.Item);
  if (name !== 'TransactionCanceledException') return 0;
  return (CancellationReasons ?? [])
    .map((reason, place) => 2 * writeUnits(reason.Item, input.TransactItems?.[place]?.Put?.Item))
    .reduce((total, units) => total + units, 0);
}

function writeUnits(...items: readonly (Attributes | undefined)[]): number {
  const bytes = Math.max(...items.map((item) => (item === undefined ? 0 : itemBytes(item))));
  return Math.max(1, Math.ceil(bytes / 1024));
}

/**
 * Bytes of an item as AWS counts them: names and strings in UTF-8, about one byte for two digits of a number and one more, three for a
 * list or a map and one for each element.
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html
 */
function itemBytes(item: Attributes): number {
  return Object.entries(item).reduce((total, [name, value]) => total + Buffer.byteLength(name) + valueBytes(value), 0);
}

function valueBytes({ S, N, B, L, M, SS, NS, BS }: AttributeValue): number {
  if (S !== undefined) return Buffer.byteLength(S);
  if (N !== undefined) return numberBytes(N);
  if (B !== undefined) return B.byteLength;
  if (L !== undefined) return L.reduce((total, value) => total + valueBytes(value) + 1, 3);
  if (M !== undefined) return itemBytes(M) + Object.keys(M).length + 3;
  if (SS !== undefined) return SS.reduce((total, text) => total + Buffer.byteLength(text), 0);
  if (NS !== undefined) return NS.reduce((total, text) => total + numberBytes(text), 0);
  if (BS !== undefined) return BS.reduce((total, bytes) => total + bytes.byteLength, 0);
  return 1;
}

function numberBytes(text: string): number {
  return Math.ceil(text.replace(/\D/g, '').length / 2) + 1;
}

function sum(left: CallCounts, right: CallCounts): CallCounts {
  return {
    calls: left.calls + right.calls,
    readUnits: left.readUnits + right.readUnits,
    writeUnits: left.writeUnits + right.writeUnits,
  };
}
