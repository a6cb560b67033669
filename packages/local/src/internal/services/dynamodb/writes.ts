import { isObject, type Members, membersOf } from '@sallyport/core/internal';
import type { Change, Item } from './change-log.js';

/** One item that a call wrote. */
export interface TableWrite {
  readonly table: string;
  readonly type: 'put' | 'update' | 'delete';
  /** The item of a put, else its key. */
  readonly value: Item;
  /** The attributes that an update sets to given values; absent if its expression does more. */
  readonly assigned?: Item;
  /** The input of the call, as the journal has it. */
  readonly input: unknown;
  /** The time of DynamoDB's response; milliseconds since the epoch. */
  readonly endedAt: number;
}

type Written = Omit<TableWrite, 'endedAt' | 'input'>;

/** The items that an operation of DynamoDB writes; empty for another operation, and for PartiQL. */
export function writtenItems(operation: string, input: unknown): readonly Written[] {
  const { TableName, Item, Key, RequestItems, TransactItems } = membersOf(input);
  const one = (type: Written['type'], table: unknown, value: unknown, update?: unknown): readonly Written[] => {
    const assigned = assignedBy(membersOf(update));
    return typeof table === 'string' && isObject(value) ? [{ table, type, value, ...(assigned && { assigned }) }] : [];
  };
  if (operation === 'PutItem') return one('put', TableName, Item);
  if (operation === 'UpdateItem') return one('update', TableName, Key, input);
  if (operation === 'DeleteItem') return one('delete', TableName, Key);
  if (operation === 'BatchWriteItem') {
    return Object.entries(membersOf(RequestItems)).flatMap(([table, requests]) =>
      listOf(requests).flatMap(({ PutRequest, DeleteRequest }) => [
        ...one('put', table, membersOf(PutRequest).Item),
        ...one('delete', table, membersOf(DeleteRequest).Key),
      ]),
    );
  }
  if (operation !== 'TransactWriteItems') return [];
  return listOf(TransactItems).flatMap(({ Put, Update, Delete }) => [
    ...one('put', membersOf(Put).TableName, membersOf(Put).Item),
    ...one('update', membersOf(Update).TableName, membersOf(Update).Key, Update),
    ...one('delete', membersOf(Delete).TableName, membersOf(Delete).Key),
  ]);
}

/** The attributes of an expression such as `SET #a = :a, b = :b`. */
function assignedBy({
  UpdateExpression: expression,
  ExpressionAttributeNames: names,
  ExpressionAttributeValues: values,
}: Members): Item | undefined {
  if (typeof expression !== 'string' || !/^\s*SET\s/i.test(expression)) return undefined;
  const pairs = expression.replace(/^\s*SET\s/i, '').split(',');
  const found = pairs.map((pair) => /^\s*(#?\w+)\s*=\s*(:\w+)\s*$/.exec(pair));
  if (found.some((one) => one === null)) return undefined;
  return Object.fromEntries(
    found.flatMap((one) =>
      one ? [[String(membersOf(names)[one[1] ?? ''] ?? one[1]), membersOf(values)[one[2] ?? '']]] : [],
    ),
  );
}

const listOf = (value: unknown) => (Array.isArray(value) ? value : []).map(membersOf);

/** The key of an item as JSON. */
export function keyText(item: Item, keyNames: readonly string[]): string {
  return JSON.stringify(keyNames.map((name) => item[name]));
}

/**
 * The change of each write, in the stream of one table; a write that changed nothing is absent. Writes of one item are in the order of their
 * responses, which is the order of its changes unless two calls wrote it at the same time.
 *
 * @param writes the oldest first
 */
export function matchWrites(
  changes: readonly Change[],
  writes: readonly TableWrite[],
  keyNames: readonly string[],
): ReadonlyMap<TableWrite, Change> {
  const waiting = new Map<string, Change[]>();
  for (const change of changes) {
    const key = keyText(change.keys, keyNames);
    waiting.set(key, [...(waiting.get(key) ?? []), change]);
  }
  const found = new Map<TableWrite, Change>();
  for (const write of [...writes].sort((a, b) => a.endedAt - b.endedAt)) {
    const key = keyText(write.value, keyNames);
    const left = waiting.get(key) ?? [];
    const at = left.findIndex((change) => isFrom(change, write));
    const change = left[at];
    if (!change) continue;
    found.set(write, change);
    waiting.set(key, left.slice(at + 1));
  }
  return found;
}

/** The engine rounds the time of a change down to the minute; a call can last some seconds. */
const MAX_BEFORE_MS = 65_000;

/** True if the write can be the origin of the change. */
function isFrom({ createdAt, before, after }: Change, { type, value, assigned, endedAt }: TableWrite): boolean {
  if (createdAt < endedAt - MAX_BEFORE_MS || createdAt > endedAt) return false;
  if (type === 'delete') return after === null;
  if (type === 'put') return canonical(after) === canonical(value);
  if (after === null || assigned === undefined) return after !== null;
  const names = Object.keys(assigned);
  const isSame = (a: Item | null, b: Item, name: string) => canonical(a?.[name] ?? null) === canonical(b[name]);
  return (
    names.every((name) => isSame(after, assigned, name)) &&
    (before === null || names.some((name) => !isSame(before, assigned, name)))
  );
}

/** DynamoDB returns numbers in another form than they were written, and sets in another order. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (name, member: unknown) => {
    if (name === 'N') return Number(member);
    if (name === 'NS' && Array.isArray(member)) return member.map(Number).sort((a, b) => a - b);
    if ((name === 'SS' || name === 'BS') && Array.isArray(member)) return [...member].sort();
    if (!isObject(member)) return member;
    return Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}
