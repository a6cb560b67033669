import type { SourceRecordView } from './sources.js';

/** Number of records that the console shows. */
const LATEST = 20;

/** The records of a source that AWS would not deliver to the function. */
export class Filtered {
  #count = 0;
  readonly #latest: SourceRecordView[] = [];

  add(id: string, preview: string): void {
    this.#count += 1;
    this.#latest.unshift({ id, lane: '', state: 'filtered', deliveries: 0, until: null, preview });
    this.#latest.splice(LATEST);
  }

  /** The number of these records, and the latest of them, newest first. */
  view(): { readonly count: number; readonly latest: readonly SourceRecordView[] } {
    return { count: this.#count, latest: [...this.#latest] };
  }
}
