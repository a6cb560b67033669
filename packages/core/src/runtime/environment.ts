/** Environment variables as containers read them: `process.env`, or a map in its place. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Set by the Lambda service; any of them tells that the code runs there. */
const LAMBDA_VARIABLES = [
  'AWS_LAMBDA_FUNCTION_NAME',
  'AWS_LAMBDA_RUNTIME_API',
  'LAMBDA_TASK_ROOT',
  'AWS_EXECUTION_ENV',
];

/** Whether the environment is that of a real Lambda function. */
export function isLambda(environment: Environment): boolean {
  return LAMBDA_VARIABLES.some((name) => (environment[name] ?? '') !== '');
}

/** Where the framework gets its time from. `monotonicMs` and `after` fall back to the system's. */
export interface Clock {
  /** The current time. */
  now(): Date;
  /** Milliseconds on a clock that never goes back; for durations. */
  monotonicMs?(): number;
  /** Runs `run` after `ms` milliseconds; the result cancels it. */
  after?(ms: number, run: () => void): () => void;
}

/** A clock with every member. */
export type FullClock = Required<Clock>;

/** The longest delay that a timer takes, in milliseconds. */
const MAX_DELAY_MS = 2_147_483_647;

/** The machine's clock. */
export const systemClock: FullClock = {
  now: () => new Date(),
  monotonicMs: () => performance.now(),
  after(ms, run) {
    const timer = setTimeout(run, Math.min(Math.max(ms, 0), MAX_DELAY_MS));
    return () => clearTimeout(timer);
  },
};

/** The given clock with what it leaves out taken from the system. */
export function completeClock(clock: Clock | undefined): FullClock {
  if (!clock || clock === systemClock) return systemClock;
  return {
    now: () => clock.now(),
    monotonicMs: clock.monotonicMs ? () => (clock as FullClock).monotonicMs() : systemClock.monotonicMs,
    after: clock.after ? (ms, run) => (clock as FullClock).after(ms, run) : systemClock.after,
  };
}

/** Where the framework gets request ids from. */
export interface IdGenerator {
  /** A new id that no other call gives. */
  newId(): string;
}

/** Asked once: reading the environment takes longer than making an id. */
let fromSnapshot: boolean | undefined;

/**
 * Random UUIDs (RFC 9562, version 4).
 *
 * Node keeps random bytes for 128 UUIDs in memory. Environments that are restored from one snapshot would hand out the same
 * ones, so where the service says `AWS_LAMBDA_INITIALIZATION_TYPE=snap-start` each id draws its own bytes.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/snapstart-uniqueness.html
 * @see https://nodejs.org/api/crypto.html#cryptorandomuuidoptions
 */
export const randomIds: IdGenerator = {
  newId() {
    fromSnapshot ??= process.env.AWS_LAMBDA_INITIALIZATION_TYPE === 'snap-start';
    // The global `crypto.randomUUID` takes no options.
    return fromSnapshot ? process.getBuiltinModule('node:crypto').randomUUID(UNCACHED) : crypto.randomUUID();
  },
};

const UNCACHED = { disableEntropyCache: true };

/**
 * A random number from 0 to below 1, for waiting times and choices among equals.
 *
 * `Math.random` continues a sequence that lies in memory: environments restored from one snapshot would all wait the same time.
 */
export function randomFraction(): number {
  const [drawn = 0] = crypto.getRandomValues(new Uint32Array(1));
  return drawn / 2 ** 32;
}
