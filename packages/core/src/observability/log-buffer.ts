import { defineOptions, integer, number } from '../options/define-options.js';
import { randomFraction } from '../runtime/invocation.js';
import { defaultSanitizer } from '../sanitize/sanitizer.js';
import { BOUND, DEFER, type DeferredLine, type Deferring, isBoundContext } from './bound-log.js';
import { type EndHolder, type EndStep, endOf } from './ending.js';
import { guardHook, type Logger, type LogLevel } from './hooks.js';

type Fields = Readonly<Record<string, unknown>>;
/** The levels that are kept back. */
type QuietLevel = 'debug' | 'info';

/** Options of {@link bufferLogs}; an unknown key is rejected. */
export interface LogBufferOptions {
  /**
   * Most bytes of lines that are kept for an invocation, or for a record of a batch: 0 to 1,048,576; default 65,536. Beyond it the oldest
   * lines are dropped, and one `warn` line counts them. With 0 no line is kept, so that only `sample` writes lines.
   */
  readonly maxBytes?: number;
  /** The fraction of invocations whose lines are written immediately, 0 to 1; default 0. */
  readonly sample?: number;
}

/** Validates the options; the table in the README is generated from it. */
export const LOG_BUFFER_OPTIONS = defineOptions<LogBufferOptions>()({
  maxBytes: integer(0, 1_048_576, 'bytes').default(65_536),
  sample: number(0, 1).default(0),
});

type Settings = ReturnType<typeof LOG_BUFFER_OPTIONS.parse>;

/**
 * A logger that keeps the `debug` and `info` lines of an invocation in memory, and writes them only if the invocation fails: before its `error`
 * line, with a status of 500 or more, at a timeout, or when the process exits. Lines are sanitized when they are logged and have the time of
 * the call. In a batch, the lines of each record are kept separately. `warn` and `error` lines, and lines outside an invocation, are written
 * immediately. The level of the logger applies only to these.
 *
 * @param log the logger that writes the lines
 * @throws FrameworkError `app.invalid_configuration` for an unknown option or a wrong value
 * @example new SecureApp({ principalResolver, log: bufferLogs(createLogger(), { sample: 0.01 }) });
 */
export function bufferLogs(log: Logger, options: LogBufferOptions = {}): Logger {
  return new BufferedLogger(log, new Buffers(LOG_BUFFER_OPTIONS.parse(options)));
}

/** Outside an invocation every line is written. */
class BufferedLogger implements Logger {
  readonly #log: Logger;
  readonly #buffers: Buffers;

  constructor(log: Logger, buffers: Buffers) {
    this.#log = log;
    this.#buffers = buffers;
  }

  debug(message: string, fields?: Fields): void {
    this.#log.debug(message, fields);
  }

  info(message: string, fields?: Fields): void {
    this.#log.info(message, fields);
  }

  warn(message: string, fields?: Fields): void {
    this.#log.warn(message, fields);
  }

  error(message: string, fields?: Fields): void {
    this.#log.error(message, fields);
  }

  isEnabled(level: LogLevel): boolean {
    return this.#log.isEnabled(level);
  }

  with(fields: Fields): Logger {
    const bound = this.#log.with(fields);
    if (!isBoundContext(fields)) return new BufferedLogger(bound, this.#buffers);
    const { [BOUND]: holderOf } = fields;
    const holder = holderOf();
    return holder ? new InvocationLogger(bound, this.#buffers.of(holder), holderOf.record ?? NO_RECORD) : bound;
  }
}

/** The part of lines that belong to no record of a batch. */
const NO_RECORD = -1;

/** The buffers of the running invocations. */
class Buffers {
  readonly #settings: Settings;
  readonly #byHolder = new WeakMap<EndHolder, InvocationLines>();

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  of(holder: EndHolder): InvocationLines {
    const known = this.#byHolder.get(holder);
    if (known) return known;
    const lines = new InvocationLines(holder, this.#settings);
    this.#byHolder.set(holder, lines);
    return lines;
  }
}

/** The lines of one invocation. */
class InvocationLines implements EndStep {
  readonly #holder: EndHolder;
  readonly #maxBytes: number;
  readonly #isSampled: boolean;
  readonly #parts = new Map<number, HeldLines>();
  /** `undefined` before the end of the invocation. */
  #failed: boolean | undefined;
  #isWaiting = false;

  constructor(holder: EndHolder, { maxBytes, sample }: Settings) {
    this.#holder = holder;
    this.#maxBytes = maxBytes;
    this.#isSampled = sample > 0 && fractionOf(holder) < sample;
  }

  /** Writes or keeps a line; false if the level of the logger applies. */
  take(record: number, line: () => DeferredLine | undefined, log: Logger): boolean {
    const part = this.#parts.get(record);
    if (this.#isSampled || this.#failed || part?.isOpen) {
      line()?.write();
      return true;
    }
    if (this.#failed === false) return false;
    if (this.#maxBytes === 0) return true;
    const deferred = line();
    if (deferred === undefined) return true;
    if (!this.#isWaiting) {
      this.#isWaiting = true;
      if (!endOf(this.#holder).add(this)) this.end(false);
    }
    const held = part ?? new HeldLines(log);
    this.#parts.set(record, held);
    held.add(deferred, this.#maxBytes);
    return true;
  }

  /** Writes the lines of a record, or of an invocation without records, and from now on each line immediately. */
  flush(record: number): void {
    const part = this.#parts.get(record);
    if (part) part.flush();
    else if (this.#failed === undefined && this.#maxBytes > 0) this.#parts.set(record, new HeldLines(undefined));
  }

  recordDone(index: number): void {
    this.#parts.delete(index);
  }

  end(failed: boolean): void {
    this.#failed = failed;
    if (failed) for (const part of this.#parts.values()) part.flush();
    this.#parts.clear();
  }
}

/** Lines that are not written yet: the newest lines that fit. */
class HeldLines {
  readonly #lines: DeferredLine[] = [];
  #log: Logger | undefined;
  #dropped = 0;
  #bytes = 0;

  /** @param log for the line that counts dropped lines; `undefined` if lines are written immediately */
  constructor(log: Logger | undefined) {
    this.#log = log;
  }

  get isOpen(): boolean {
    return this.#log === undefined;
  }

  add(line: DeferredLine, maxBytes: number): void {
    this.#lines.push(line);
    this.#bytes += line.bytes;
    while (this.#bytes > maxBytes) {
      this.#bytes -= this.#lines.shift()?.bytes ?? 0;
      this.#dropped += 1;
    }
  }

  flush(): void {
    const log = this.#log;
    this.#log = undefined;
    if (this.#dropped > 0) log?.warn('framework: log lines dropped from the buffer', { dropped: this.#dropped });
    for (const line of this.#lines.splice(0)) line.write();
  }
}

/** The logger of one invocation, or of one record of a batch. */
class InvocationLogger implements Logger {
  readonly #log: Logger;
  readonly #lines: InvocationLines;
  readonly #record: number;

  constructor(log: Logger, lines: InvocationLines, record: number) {
    this.#log = log;
    this.#lines = lines;
    this.#record = record;
  }

  debug(message: string, fields?: Fields): void {
    this.#take('debug', message, fields);
  }

  info(message: string, fields?: Fields): void {
    this.#take('info', message, fields);
  }

  warn(message: string, fields?: Fields): void {
    this.#log.warn(message, fields);
  }

  error(message: string, fields?: Fields): void {
    guardHook(() => this.#lines.flush(this.#record));
    this.#log.error(message, fields);
  }

  /** A logger that writes no errors is silent. */
  isEnabled(level: LogLevel): boolean {
    return this.#log.isEnabled(level === 'warn' ? level : 'error');
  }

  with(fields: Fields): Logger {
    return new InvocationLogger(this.#log.with(fields), this.#lines, this.#record);
  }

  #take(level: QuietLevel, message: string, fields: Fields | undefined): void {
    const line = () => defer(this.#log, level, message, fields);
    if (!this.#lines.take(this.#record, line, this.#log)) this.#log[level](message, fields);
  }
}

/** A line that is written later; `undefined` for a silent logger. */
function defer(log: Logger, level: QuietLevel, message: string, fields: Fields = {}): DeferredLine | undefined {
  const own = (log as Partial<Deferring>)[DEFER];
  if (own) return own.call(log, level, message, fields);
  if (!log.isEnabled('error')) return undefined;
  // Another logger writes its own time, so the line has the time of the call in a field.
  const clean = defaultSanitizer.sanitizeValue({ ...fields, logged_at: new Date().toISOString() }) as Fields;
  const bytes = Buffer.byteLength(message) + Buffer.byteLength(JSON.stringify(clean));
  return { bytes, write: () => log[level](message, clean) };
}

/** By the id of the invocation, which no client can choose. The last digits of a UUID are random. */
function fractionOf({ lambdaContext }: EndHolder): number {
  const fraction = Number.parseInt(String(lambdaContext?.awsRequestId).slice(-8), 16) / 2 ** 32;
  return Number.isNaN(fraction) ? randomFraction() : fraction;
}
