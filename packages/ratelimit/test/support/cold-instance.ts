/** A cold instance of a small function: makes one decision with the CPU share of its memory size, and prints it. */
import type { FullClock } from '@sallyport/core';
import { createDynamoRateLimiter, slidingWindow } from '@sallyport/ratelimit';

/** The first decision of a process. */
export interface Cold {
  readonly degraded: boolean;
  /** Milliseconds on the share of a CPU that the memory represents. */
  readonly tookMs: number;
}

const [tableName = '', memoryMb = '128', timeoutMs = '3000', warms = 'no'] = process.argv.slice(2);
/** A function of 1,769 MB has one CPU, others their share: https://docs.aws.amazon.com/lambda/latest/dg/configuration-memory.html */
const share = Math.min(1, Number(memoryMb) / 1769);

/** A clock of the CPU time of this process, scaled to its CPU share. */
class ShareClock implements FullClock {
  #initMs = 0;

  /** The init phase has a whole CPU, so its time is not scaled. */
  endInit(): void {
    this.#initMs = this.#usedMs();
  }

  now(): Date {
    return new Date(1_700_000_000_000 + this.monotonicMs());
  }

  monotonicMs(): number {
    return (this.#usedMs() - this.#initMs) / share;
  }

  after(ms: number, run: () => void): () => void {
    const endsAtMs = this.monotonicMs() + ms;
    const timer = setInterval(() => {
      if (this.monotonicMs() < endsAtMs) return;
      clearInterval(timer);
      run();
    }, 1);
    return () => clearInterval(timer);
  }

  #usedMs(): number {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  }
}

const clock = new ShareClock();
const limiter = createDynamoRateLimiter({
  strategy: slidingWindow({ limit: 100, windowMs: 60_000 }),
  onStoreError: 'deny',
  tableName,
  clock,
  log: false,
  coldTimeoutMs: Number(timeoutMs),
  storeTimeoutMs: Math.min(300, Number(timeoutMs)),
});
if (warms === 'warm') await limiter.warm();
clock.endInit();
const { degraded } = await limiter.consume({ identifier: 'cold', resource: '/', operation: String(process.pid) });
const cold: Cold = { degraded, tookMs: Math.round(clock.monotonicMs()) };
process.stdout.write(JSON.stringify(cold));
process.exit(0);
