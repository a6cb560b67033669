import type { Host } from '../host/host.js';

const SILENT_MS = 10_000;

/** Reports errors of listeners to the terminal: each listener once in ten seconds, with the number of errors in between. */
export class FaultLog {
  readonly #host: Pick<Host, 'clock' | 'notice'>;
  readonly #reported = new Map<string, { readonly at: number; more: number }>();

  constructor(host: Pick<Host, 'clock' | 'notice'>) {
    this.#host = host;
  }

  /** @param name the listener: `the console` */
  report(name: string, error: unknown): void {
    const at = this.#host.clock.now().getTime();
    const before = this.#reported.get(name);
    if (before && at - before.at < SILENT_MS) {
      before.more += 1;
      return;
    }
    this.#reported.set(name, { at, more: 0 });
    const more = before && before.more > 0 ? ` (and ${before.more} times before)` : '';
    this.#host.notice(`${name} failed: ${error instanceof Error ? error.message : String(error)}${more}`);
  }
}
