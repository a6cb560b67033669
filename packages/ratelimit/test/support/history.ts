/** Decisions of many instances, checked with their timestamps. */
export class History {
  readonly stamps: readonly number[];

  constructor(stamps: readonly number[]) {
    this.stamps = [...stamps].sort((a, b) => a - b);
  }

  get admitted(): number {
    return this.stamps.length;
  }

  /** Maximum number of admissions in any interval of a length. */
  densest(lengthMs: number): number {
    let [most, start] = [0, 0];
    for (const [end, stamp] of this.stamps.entries()) {
      while ((this.stamps[start] ?? stamp) <= stamp - lengthMs) start += 1;
      most = Math.max(most, end - start + 1);
    }
    return most;
  }

  /** Maximum number of admissions in any window of Unix time. */
  fullest(windowMs: number): number {
    const counts = new Map<number, number>();
    for (const stamp of this.stamps) {
      const window = Math.floor(stamp / windowMs);
      counts.set(window, (counts.get(window) ?? 0) + 1);
    }
    return Math.max(0, ...counts.values());
  }

  /** Maximum excess of admissions over the refill in any interval. */
  burst(refillPerMs: number): number {
    let [lowest, most] = [0, 0];
    for (const [index, stamp] of this.stamps.entries()) {
      const before = index - stamp * refillPerMs;
      lowest = index === 0 ? before : Math.min(lowest, before);
      most = Math.max(most, index + 1 - stamp * refillPerMs - lowest);
    }
    return most;
  }
}
