import type { Journal } from '../journal/journal.js';
import { DIFFERS, isStrict } from './record.js';

/** The invocations that `--strict` turned into failures. */
export interface StrictCount {
  readonly invocations: number;
  /** The number of invocations by topic, most frequent first. */
  readonly topics: Readonly<Record<string, number>>;
}

/** Counts invocations that would differ on AWS, over all runs of one command. */
export class StrictCounter {
  #invocations = 0;
  readonly #topics = new Map<string, number>();

  /** Counts the invocations of a run. @returns a function that stops counting */
  follow(journal: Journal): () => void {
    const seen = new Map<number, Set<string>>();
    return journal.subscribe((change) => {
      if (change.type !== 'record') return;
      const record = journal.raw(change.id);
      if (record?.error?.errorType !== DIFFERS) return;
      const known = seen.get(change.id) ?? new Set();
      if (!seen.has(change.id)) this.#invocations += 1;
      seen.set(change.id, known);
      for (const { topic } of record.differences.filter(isStrict)) {
        if (!known.has(topic)) this.#topics.set(topic, (this.#topics.get(topic) ?? 0) + 1);
        known.add(topic);
      }
    });
  }

  count(): StrictCount {
    const topics = [...this.#topics].sort(([, one], [, other]) => other - one);
    return { invocations: this.#invocations, topics: Object.fromEntries(topics) };
  }
}

/** `strict    2 invocations would differ on AWS: header.renamed 2, body.binary 1`. */
export function strictText({ invocations, topics }: StrictCount): string {
  const names = Object.entries(topics).map(([topic, count]) => `${topic} ${count}`);
  return `strict    ${invocations} invocation${invocations === 1 ? '' : 's'} would differ on AWS: ${names.join(', ')}`;
}
