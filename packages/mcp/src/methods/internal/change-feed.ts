import { FrameworkError } from '@sallyport/core';
import { type Core, storeOf } from '../../server/internal/core.js';
import { randomText } from '../../store/internal/crypto.js';
import { decodeRow, encodeRow, toTtl } from '../../store/store.js';

/** What changed: a resource's contents, or what a list holds. */
export type Change = { readonly resource: string } | { readonly list: 'tools' | 'prompts' | 'resources' };

const FEED_TTL_MS = 300_000;
/** Clocks of instances differ; rows that come late are still read. */
const OVERLAP_MS = 2000;
const PAGE_ROWS = 100;

/** @throws FrameworkError when the server has no change notifications */
export async function publishChange(core: Core, change: Change): Promise<void> {
  const { settings } = core;
  if (!settings.changes)
    throw new FrameworkError('mcp.changes_off', 'framework: mcp: publish needs the option "changes"');
  const now = settings.clock.now().getTime();
  const row = {
    partition: feedOf(core),
    sort: `${sortOf(now)}${randomText(9)}`,
    version: 1,
    ttl: toTtl(now + FEED_TTL_MS),
    data: encodeRow(change),
  };
  await storeOf(core).put(row, 'absent');
}

/** Reads the feed from a moment on; every change once. */
export class FeedReader {
  readonly #core: Core;
  #from: number;
  /** Rows of the overlap that were returned already. */
  #seen = new Set<string>();

  /** @param from epoch milliseconds */
  constructor(core: Core, from: number) {
    this.#core = core;
    this.#from = from;
  }

  /** The moment up to which the feed was read, in epoch milliseconds. */
  get position(): number {
    return this.#from;
  }

  async poll(now: number): Promise<readonly Change[]> {
    const changes: Change[] = [];
    const seen = new Set<string>();
    let after = sortOf(this.#from);
    for (;;) {
      const rows = await storeOf(this.#core).list(feedOf(this.#core), after, PAGE_ROWS);
      for (const row of rows) {
        seen.add(row.sort);
        if (!this.#seen.has(row.sort)) changes.push(decodeRow<Change>(row));
      }
      const last = rows.at(-1);
      if (!last || rows.length < PAGE_ROWS) break;
      after = last.sort;
    }
    this.#seen = seen;
    this.#from = Math.max(this.#from, now - OVERLAP_MS);
    return changes;
  }
}

function feedOf({ settings }: Core): string {
  return `c#${settings.info.name}`;
}

function sortOf(ms: number): string {
  return String(Math.max(0, Math.floor(ms))).padStart(15, '0');
}
