/** The largest request of a service, and how it is sent. */
export interface Lane<Entry> {
  /** Entries of one request. */
  readonly maxEntries: number;
  /** Bytes of one request and of one entry. */
  readonly maxBytes: number;
  /** The bytes of an entry, as the service counts them. */
  sizeOf(entry: Entry): number;
  /** Sends one request. The outcomes are in the order of the entries. */
  submit(entries: readonly Entry[], signal: AbortSignal): Promise<readonly Outcome[]>;
}

/** The service's answer for one entry. */
export type Outcome =
  | { readonly id: string }
  | {
      /** The code of the service. */
      readonly reason: string;
      /** True if the same entry can succeed later. */
      readonly isPassing: boolean;
    };

/** One value on its way. */
export interface Item<Entry> {
  readonly index: number;
  readonly entry: Entry;
  /** Items of a group are sent in order; `undefined`: in any order. */
  readonly group: string | undefined;
}

/** The parts of a list, each within the limits of one request. An entry above `maxBytes` must not be in the list. */
export function toRequests<Entry>(items: readonly Item<Entry>[], lane: Lane<Entry>): Item<Entry>[][] {
  const requests: Item<Entry>[][] = [];
  let last: Item<Entry>[] = [];
  let bytes = 0;
  for (const item of items) {
    const size = lane.sizeOf(item.entry);
    if (last.length === 0 || last.length >= lane.maxEntries || bytes + size > lane.maxBytes) {
      last = [];
      bytes = 0;
      requests.push(last);
    }
    last.push(item);
    bytes += size;
  }
  return requests;
}
