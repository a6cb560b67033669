import { buildScheduledEvent } from '@sallyport/testkit/events';
import type { ScheduleConfig } from '../config/config.js';
import { usageError } from '../config/file.js';
import type { Inspection } from '../inspect/inspection.js';
import type { LocalAsync } from './async.js';
import { CronError, type CronTimes, parseCron } from './cron.js';
import { newId } from './sources-context.js';
import type { SpeedClock } from './speed-clock.js';

const UNITS: Readonly<Record<string, number>> = { minute: 60_000, hour: 3_600_000, day: 86_400_000 };
/** A timer in Node waits at most 24.8 days. */
const LONGEST_WAIT_MS = 86_400_000;

/**
 * The times of an expression. An `at(…)` expression and a missing expression have no times: the schedule fires on a click.
 *
 * @throws FrameworkError `local.usage` for an expression that EventBridge rejects
 * @see https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-scheduled-rule-pattern.html
 */
function timesOf(name: string, expression: string): CronTimes {
  const text = expression.trim();
  if (text === '' || text.startsWith('at(')) return { next: () => undefined };
  const [, value = '', unit = ''] = /^rate\(\s*(\d+)\s+(minute|hour|day)s?\s*\)$/.exec(text) ?? [];
  const ms = Number(value) * (UNITS[unit] ?? 0);
  if (ms > 0) return { next: (after) => new Date(after.getTime() + ms) };
  try {
    if (text.startsWith('cron(')) return parseCron(text);
  } catch (error) {
    if (!(error instanceof CronError)) throw error;
    throw usageError(`schedules.${name}: ${text}: ${error.message}`);
  }
  throw usageError(`schedules.${name}: ${text} must be rate(5 minutes) or cron(0 3 * * ? *)`);
}

/** One schedule or rule: it fires on a click, and when it is due. */
export class LocalSchedule {
  readonly #source: LocalAsync;
  readonly #config: ScheduleConfig;
  readonly #times: CronTimes;
  readonly #clock: SpeedClock;
  readonly #inspection: () => Inspection;
  #cancel = () => {};

  /** @throws FrameworkError `local.usage` for an expression that EventBridge rejects */
  constructor(source: LocalAsync, config: ScheduleConfig, clock: SpeedClock, inspection: () => Inspection) {
    this.#source = source;
    this.#config = config;
    this.#times = timesOf(source.name, config.expression);
    this.#clock = clock;
    this.#inspection = inspection;
  }

  /** Waits for the next time, repeatedly. */
  start(): void {
    this.#waitAfter(this.#clock.now());
  }

  stop(): void {
    this.#cancel();
  }

  /** With a speed above 1, scheduled times that have passed are ahead of the clock. */
  #waitAfter(time: Date): void {
    const next = this.#times.next(time);
    if (!next) return;
    this.#wait(next.getTime() - time.getTime(), () => {
      this.fire();
      this.#waitAfter(new Date(Math.max(next.getTime(), this.#clock.now().getTime())));
    });
  }

  #wait(ms: number, then: () => void): void {
    const step = Math.min(ms, LONGEST_WAIT_MS);
    this.#cancel = this.#clock.after(step, () => (ms > step ? this.#wait(ms - step, then) : then()));
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
