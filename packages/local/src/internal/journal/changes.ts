import type { RawRecord, RecordLists, RecordMembers } from './journal.js';

/** The lists of a record. Entries are only added at their ends. */
export const LIST_NAMES = [
  'gate',
  'spans',
  'traced',
  'logs',
  'awsCalls',
  'changes',
  'leftovers',
  'differences',
] as const satisfies readonly (keyof RecordLists)[];

/** The difference between two states of a record. */
export interface RecordChange {
  readonly id: number;
  /** Members with a new value; after the first reading all of them. */
  readonly members: Partial<RecordMembers>;
  /** New entries of the lists. */
  readonly added: { readonly [L in keyof RecordLists]?: readonly RecordLists[L][] };
}

/** Reads the changes of one record since the last reading. The work does not depend on the length of the lists. */
export class ChangeReader {
  readonly #members = new Map<string, unknown>();
  readonly #counts = new Map<string, number>();

  read(raw: RawRecord): RecordChange {
    const isNew = ([name, value]: readonly [string, unknown]) =>
      !isList(name) && (!this.#members.has(name) || this.#members.get(name) !== value);
    const members = Object.entries(raw).filter(isNew);
    for (const [name, value] of members) this.#members.set(name, value);
    const added = LIST_NAMES.flatMap((name): [string, readonly unknown[]][] => {
      const list = raw[name];
      const known = this.#counts.get(name) ?? 0;
      this.#counts.set(name, list.length);
      return list.length === known ? [] : [[name, list.slice(known)]];
    });
    return { id: raw.id, members: Object.fromEntries(members), added: Object.fromEntries(added) };
  }
}

function isList(name: string): boolean {
  return (LIST_NAMES as readonly string[]).includes(name);
}

/** Approximate size of a value in bytes; exact only for strings. */
export function sizeOf(value: unknown): number {
  if (value === undefined || value === null) return 0;
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object') return 8;
  let bytes = 16;
  for (const [key, member] of Object.entries(value)) bytes += key.length + sizeOf(member);
  return bytes;
}
