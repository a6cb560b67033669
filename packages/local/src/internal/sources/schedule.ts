import { buildScheduledEvent } from '@sallyport/testkit/events';
import type { ScheduleConfig } from '../config/config.js';
import type { Inspection } from '../inspect/inspection.js';
import type { LocalAsync } from './async.js';
import { newId } from './sources-context.js';
import type { SpeedClock } from './speed-clock.js';

const UNITS: Readonly<Record<string, number>> = { minute: 60_000, hour: 3_600_000, day: 86_400_000 };

/**
 * Milliseconds of `rate(5 minutes)`; `undefined` for another expression.
 *
 * @see https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-scheduled-rule-pattern.html
 */
function rateOf(expression: string): number | undefined {
  const [, value = '', unit = ''] = /^rate\(\s*(\d+)\s+(minute|hour|day)s?\s*\)$/.exec(expression.trim()) ?? [];
  const ms = Number(value) * (UNITS[unit] ?? 0);
  return ms > 0 ? ms : undefined;
}

/** One schedule or rule: it fires when it is told to, and by its rate. */
export class LocalSchedule {
  readonly #source: LocalAsync;
  readonly #config: ScheduleConfig;
  readonly #clock: SpeedClock;
  readonly #inspection: () => Inspection;
  #cancel = () => {};

  constructor(source: LocalAsync, config: ScheduleConfig, clock: SpeedClock, inspection: () => Inspection) {
    this.#source = source;
    this.#config = config;
    this.#clock = clock;
    this.#inspection = inspection;
  }

  /** Waits for the next time of its rate, again and again. */
  start(): void {
    const ms = rateOf(this.#config.expression);
    if (ms === undefined) return;
    this.#cancel = this.#clock.after(ms, () => {
      this.fire();
      this.start();
    });
  }

  stop(): void {
    this.#cancel();
  }

  /** @returns the id of the event */
  fire(detail: unknown = this.#config.input): string {
    const { name } = this.#source;
    const { triggers } = this.#inspection();
    const origin = triggers.some(({ selector }) => selector?.scheduleName === name)
      ? { schedule: name }
      : { rule: name };
    const id = newId();
    const time = new Date(Math.floor(this.#clock.now().getTime() / 1000) * 1000);
    return this.#source.send(id, buildScheduledEvent({ ...origin, id, time, ...(detail !== undefined && { detail }) }));
  }
}
