import { boolean, defineOptions, func, integer } from '@sallyport/core/options';
import type { Fixture } from '../fixtures/fixture.js';
import type { Contract } from '../fixtures/load.js';
import { type Failure, judge } from '../judge/judge.js';
import {
  type ContractRuntime,
  checkAnswer,
  checkHello,
  type DoneMessage,
  type HelloAnswer,
  PROTOCOL,
  ProtocolError,
  runMessage,
  type UnsupportedMessage,
} from '../protocol/protocol.js';

/** The verdict on one fixture. */
export interface Verdict {
  /** Id of the fixture. */
  readonly id: string;
  /** True if the runtime passed the fixture; `skipped` when it was not compared. */
  readonly outcome: 'passed' | 'failed' | 'skipped';
  /** Every difference; empty unless it failed. */
  readonly failures: readonly Failure[];
  /** Reason why it was skipped, or could not be compared. */
  readonly reason?: string;
}

/** Options of {@link runContract}. */
export interface RunOptions {
  /** Maximum milliseconds for one answer. Default: 10,000. */
  readonly timeoutMs?: number;
  /** True if the run stops at the first failure. Default: `false`. */
  readonly bail?: boolean;
  /** Called with each verdict, in order. Default: not called. */
  readonly onVerdict?: (verdict: Verdict) => void;
}

/** Validators and defaults for {@link RunOptions}. */
export const RUN_OPTIONS = defineOptions<RunOptions>()({
  timeoutMs: integer(1, 2 ** 31 - 1, 'milliseconds').default(10_000),
  bail: boolean.default(false),
  onVerdict: func<(verdict: Verdict) => void>(),
});

/**
 * Compares a runtime with fixtures, one at a time and in order.
 *
 * @throws FrameworkError `app.invalid_configuration` for an unknown option or a wrong value
 * @throws ProtocolError when communication fails: a wrong hello, a second violation after its restart, or a wrong end
 */
export async function runContract(
  runtime: ContractRuntime,
  contract: Contract,
  fixtures: readonly Fixture[],
  options: RunOptions = {},
): Promise<Verdict[]> {
  const settings = RUN_OPTIONS.parse(options);
  const session = new Session(runtime, contract.digest, settings.timeoutMs);
  try {
    const verdicts = await judgeAll(session, contract, fixtures, settings);
    await session.bye();
    return verdicts;
  } catch (error) {
    await runtime.kill?.();
    throw error;
  }
}

async function judgeAll(
  session: Session,
  contract: Contract,
  fixtures: readonly Fixture[],
  { bail, onVerdict }: ReturnType<typeof RUN_OPTIONS.parse>,
): Promise<Verdict[]> {
  const hello = await session.hello();
  const skips = contract.skips(hello.runtime.name);
  const verdicts: Verdict[] = [];
  for (const fixture of fixtures) {
    const verdict = hello.areas.includes(fixture.area)
      ? await session.judge(fixture, skips.get(fixture.id))
      : skipped(fixture, `area ${fixture.area} is not announced`);
    verdicts.push(verdict);
    onVerdict?.(verdict);
    if (bail && verdict.outcome === 'failed') break;
  }
  return verdicts;
}

/** The communication with a runtime, including one restart. */
class Session {
  readonly #runtime: ContractRuntime;
  readonly #digest: string;
  readonly #timeoutMs: number;
  #seq = 0;
  #restarted = false;

  constructor(runtime: ContractRuntime, digest: string, timeoutMs: number) {
    this.#runtime = runtime;
    this.#digest = digest;
    this.#timeoutMs = timeoutMs;
  }

  async hello(): Promise<HelloAnswer> {
    const message = { type: 'hello', protocol: PROTOCOL, fixtures: this.#digest } as const;
    return checkHello(await this.#inTime(this.#runtime.hello(message)));
  }

  bye(): Promise<void> {
    return this.#runtime.bye();
  }

  async judge(fixture: Fixture, skip: string | undefined): Promise<Verdict> {
    this.#seq += 1;
    try {
      const answer = await this.#inTime(this.#runtime.run(runMessage(fixture, this.#seq)));
      return verdictOf(fixture, checkAnswer(answer, this.#seq), skip);
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      await this.#restart(error);
      return { id: fixture.id, outcome: 'failed', failures: [], reason: error.message };
    }
  }

  async #restart(cause: ProtocolError): Promise<void> {
    if (this.#restarted || !this.#runtime.restart) throw cause;
    this.#restarted = true;
    await this.#runtime.restart();
    await this.hello();
  }

  async #inTime<T>(answer: Promise<T>): Promise<T> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new ProtocolError(`no answer within ${this.#timeoutMs} ms`)), this.#timeoutMs);
    });
    try {
      return await Promise.race([answer, late]);
    } finally {
      clearTimeout(timer);
    }
  }
}

function verdictOf(
  { id, expect }: Fixture,
  answer: DoneMessage | UnsupportedMessage,
  skip: string | undefined,
): Verdict {
  if (answer.type === 'unsupported') {
    const reason = skip ?? `unsupported: ${answer.reason}`;
    return { id, outcome: skip === undefined ? 'failed' : 'skipped', failures: [], reason };
  }
  const failures = judge(expect, answer);
  return { id, outcome: failures.length === 0 ? 'passed' : 'failed', failures };
}

function skipped({ id }: Fixture, reason: string): Verdict {
  return { id, outcome: 'skipped', failures: [], reason };
}
