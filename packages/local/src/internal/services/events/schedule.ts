import { buildScheduledEvent } from '@sallyport/testkit/events';
import { usageError } from '../../errors.js';
import { AsyncSource } from '../../sources/async.js';
import type { SourceNames } from '../../sources/engine-source.js';
import type { SourceRun } from '../../sources/source.js';
import { newId } from '../../sources/sources-context.js';
import { CronError, type CronTimes, parseCron } from './cron.js';

/** A schedule: `rate(5 minutes)` or `cron(0 3 * * ? *)`, in UTC; fired by a click, and when it is due. */
export interface ScheduleConfig {
  readonly expression: string;
  /** The detail of the event; default `{}`. */
  readonly input?: Readonly<Record<string, unknown>>;
}

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
export class Schedule extends AsyncSource {
  readonly #config: ScheduleConfig;
  readonly #times: CronTimes;
  readonly #run: SourceRun;
  #cancel = () => {};

  /** @throws FrameworkError `local.usage` for an expression that EventBridge rejects */
  constructor(type: SourceNames, name: string, run: SourceRun, config: ScheduleConfig) {
    super(type, name, run);
    this.#config = config;
    this.#times = timesOf(name, config.expression);
    this.#run = run;
    this.#waitAfter(run.clock.now());
  }

  override stop(): void {
    this.#cancel();
    super.stop();
  }

  /** With a speed above 1, scheduled times that have passed are ahead of the clock. */
  #waitAfter(time: Date): void {
    const next = this.#times.next(time);
    if (!next) return;
    this.#wait(next.getTime() - time.getTime(), () => {
      this.fire();
      this.#waitAfter(new Date(Math.max(next.getTime(), this.#run.clock.now().getTime())));
    });
  }

  #wait(ms: number, then: () => void): void {
    const step = Math.min(ms, LONGEST_WAIT_MS);
    this.#cancel = this.#run.clock.after(step, () => (ms > step ? this.#wait(ms - step, then) : then()));
  }

  fire(detail: unknown = this.#config.input): string {
    const { triggers } = this.#run.inspection();
    const isSchedule = triggers.some(({ selector }) => selector?.scheduleName === this.name);
    const origin = isSchedule ? { schedule: this.name } : { rule: this.name };
    const id = newId();
    const time = new Date(Math.floor(this.#run.clock.now().getTime() / 1000) * 1000);
    return this.send(id, buildScheduledEvent({ ...origin, id, time, ...(detail !== undefined && { detail }) }));
  }
}
