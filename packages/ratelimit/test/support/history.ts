import type { Answer } from './instance.js';

/** What many instances did, judged by their own stamps. */
export class History {
  readonly decided: number;
  readonly degraded: number;
  readonly stamps: readonly number[];

  constructor(answers: readonly Answer[]) {
    this.decided = answers.reduce((sum, { decided }) => sum + decided, 0);
    this.degraded = answers.reduce((sum, { degraded }) => sum + degraded, 0);
    this.stamps = answers.flatMap(({ admittedAt }) => admittedAt).sort((a, b) => a - b);
  }

  get admitted(): number {
    return this.stamps.length;
  }

  /** The most that any interval of a length holds. */
  densest(lengthMs: number): number {
    let [most, start] = [0, 0];
    for (const [end, stamp] of this.stamps.entries()) {
      while ((this.stamps[start] ?? stamp) <= stamp - lengthMs) start += 1;
      most = Math.max(most, end - start + 1);
    }
    return most;
  }

  /** The most that any window of Unix time holds. */
  fullest(windowMs: number): number {
    const counts = new Map<number, number>();
    for (const stamp of this.stamps) {
      const window = Math.floor(stamp / windowMs);
      counts.set(window, (counts.get(window) ?? 0) + 1);
    }
    return Math.max(0, ...counts.values());
  }
}
