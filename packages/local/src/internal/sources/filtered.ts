import type { SourceRecordView } from './sources.js';

/** As many as the console shows. */
const LATEST = 20;

/** The records of a source that were kept from the function, as AWS would not deliver them. */
export class Filtered {
  #count = 0;
  readonly #latest: SourceRecordView[] = [];

  add(id: string, preview: string): void {
    this.#count += 1;
    this.#latest.unshift({ id, lane: '', state: 'filtered', deliveries: 0, until: null, preview });
    this.#latest.splice(LATEST);
  }

  /** How many there were, and the latest of them, the newest first. */
  view(): { readonly count: number; readonly latest: readonly SourceRecordView[] } {
    return { count: this.#count, latest: [...this.#latest] };
  }
}
