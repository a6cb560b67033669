import type { FullClock, IdGenerator } from '@sallyport/core';
import { type Item, type ItemTable, itemSize, type Value } from '@sallyport/dynamo';
import { JOB_ERRORS } from './errors-of.js';

/** What the ledger's operations work with. */
export interface Kit {
  readonly store: ItemTable;
  readonly clock: FullClock;
  readonly ids: IdGenerator;
}

const MAX_ITEM_BYTES = 350_000;

export function isoOf(ms: number): string {
  return new Date(ms).toISOString();
}

/** @throws JobLedgerError `too_large`; DynamoDB's own bound is 409,600 bytes */
export function assertSize(item: Item, errors = JOB_ERRORS): void {
  if (itemSize(item) > MAX_ITEM_BYTES) throw errors.tooLarge(`an item may have ${MAX_ITEM_BYTES} bytes`);
}

/** Whether a row holds exactly what a call was about to write: then an earlier attempt of that call wrote it. */
export function holdsAll(item: Item | undefined, written: Item): boolean {
  if (!item) return false;
  return Object.entries(written).every(([name, value]) => isSame(item[name], value));
}

/** The service hands maps back in an order of its own. */
function isSame(left: Value | undefined, right: Value | undefined): boolean {
  const textOfValue = (value: Value | undefined) =>
    JSON.stringify(typeof value === 'object' ? Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)) : value);
  return textOfValue(left) === textOfValue(right);
}

export function textOf(item: Item, name: string): string {
  const value = item[name];
  return typeof value === 'string' ? value : '';
}

export function numberOf(item: Item, name: string, otherwise = 0): number {
  const value = item[name];
  return typeof value === 'number' && Number.isFinite(value) ? value : otherwise;
}

/** Entries whose attribute is a text that is not empty, under other names. */
export function textsOf<K extends string>(item: Item, names: Readonly<Record<K, string>>): { [P in K]?: string } {
  const texts: { [P in K]?: string } = {};
  for (const key of Object.keys(names) as K[]) {
    const text = textOf(item, names[key]);
    if (text !== '') texts[key] = text;
  }
  return texts;
}
