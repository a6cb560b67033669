import {
  boolean,
  defineOptions,
  func,
  invalidOption,
  list,
  object,
  oneOf,
  string,
  withMethods,
} from '../options/define-options.js';
import { createFastMap, createMap } from '../request/request.js';
import { type Clock, type Environment, systemClock } from '../runtime/invocation.js';
import { isError } from '../sanitize/internal/errors.js';
import {
  cutBytes,
  cutMark,
  encodeBoundedLine,
  encodeLine,
  type WriteLine,
  writeToStdout,
} from '../sanitize/log-text.js';
import { KEYS } from '../sanitize/policy.js';
import { createSanitizer, defaultSanitizer, type Sanitizer } from '../sanitize/sanitizer.js';
import {
  BOUND,
  BOUND_NAMES,
  type BoundContext,
  DEFER,
  type DeferredLine,
  type Deferring,
  type Deliveries,
  deliveriesOf,
  isBoundContext,
  type LoggerLevel,
  lambdaLevel,
  RESERVED,
  SEVERITY,
} from './bound-log.js';
import { guardHook, type Logger, type LogLevel } from './hooks.js';

export type { LoggerLevel } from './bound-log.js';

/** One written line: sanitized, with keys in snake_case and in their order. */
export type LogLine = Readonly<Record<string, unknown>> & { readonly level: string; readonly message: string };

/** A further receiver of each written line, for example an error notifier. */
export interface LogSink {
  /** `warn` writes one line that no sink receives. `deliveries` accepts work that the invocation's answer waits for. */
  take(line: LogLine, level: LogLevel, warn: (message: string) => void, deliveries: Deliveries | undefined): void;
}

/** Options of {@link createLogger}. */
export interface LoggerOptions {
  /** The lowest level that is written; default: `AWS_LAMBDA_LOG_LEVEL` (`TRACE` is `debug`, `FATAL` is `error`), else `info`. */
  readonly level?: LoggerLevel;
  /** The member `service` of each line; default: `AWS_LAMBDA_FUNCTION_NAME`, else `''`. */
  readonly service?: string;
  /** Fields on every line; default none. */
  readonly fields?: Readonly<Record<string, unknown>>;
  /** Writes one line; default: to standard output. */
  readonly write?: WriteLine;
  /** The clock for `timestamp`; default: the system's clock. */
  readonly clock?: Clock;
  /** Sanitizes messages, fields and errors; default: the sanitizer without a policy. */
  readonly sanitizer?: Sanitizer;
  /** Keys whose values are never treated as card numbers, for example `order_id`; default none. Without the option `sanitizer`. */
  readonly keepKeys?: readonly string[];
  /** True if errors are logged with their stack; default `true`. */
  readonly stacks?: boolean;
  /** Further receivers of each line; default none. */
  readonly sinks?: readonly LogSink[];
  /** Environment variables; default: `process.env`. */
  readonly environment?: Environment;
}

const MAX_MESSAGE_BYTES = 8192;
const MAX_BOUND_BYTES = 1024;
const NO_FIELDS = {};

/** Validates the options; the table in the README is generated from it. */
export const LOGGER_OPTIONS = defineOptions<LoggerOptions>()({
  level: oneOf('debug', 'info', 'warn', 'error', 'silent'),
  service: string,
  fields: object<Readonly<Record<string, unknown>>>().default(NO_FIELDS),
  write: func<WriteLine>().default(writeToStdout),
  clock: withMethods<Clock>('now').default(systemClock),
  sanitizer: withMethods<Sanitizer>('sanitizeValue', 'scrubFreeText', 'sanitizeError'),
  keepKeys: KEYS,
  stacks: boolean.default(true),
  sinks: list(withMethods<LogSink>('take')).default([]),
  environment: object<Environment>(),
});

/** The logger that writes the lines, for example pino. */
export interface LineTarget {
  readonly isEnabled: (level: LogLevel) => boolean;
  readonly emit: (level: LogLevel, line: LogLine) => void;
}

/** Data that all loggers of one `createLogger` share. */
interface Core {
  readonly service: string;
  readonly write: WriteLine;
  readonly target?: LineTarget;
  readonly clock: Clock;
  readonly sanitizer: Sanitizer;
  readonly stacks: boolean;
  readonly sinks: readonly LogSink[];
}

/**
 * Creates a logger that writes one sanitized JSON object in each line, from the level of `AWS_LAMBDA_LOG_LEVEL`, else `info`. It is
 * immutable: `with` returns a new logger.
 *
 * @throws FrameworkError `app.invalid_configuration` for an unknown option or a wrong value
 * @example const log = createLogger({ service: 'orders' });
 * log.info('order placed', { order_id: 'o-1' });
 */
export function createLogger(options: LoggerOptions = {}): Logger {
  const {
    level,
    service,
    fields,
    sanitizer,
    keepKeys,
    environment = process.env,
    ...rest
  } = LOGGER_OPTIONS.parse(options);
  if (sanitizer && keepKeys.length > 0)
    throw invalidOption('keepKeys', 'passed to createSanitizer() if the option sanitizer is set');
  const core: Core = {
    ...rest,
    sanitizer: sanitizer ?? sanitizerThatKeeps(keepKeys),
    service: cutBytes(service ?? environment.AWS_LAMBDA_FUNCTION_NAME ?? '', MAX_BOUND_BYTES).text,
  };
  return new LineLogger(core, SEVERITY[level ?? lambdaLevel(environment.AWS_LAMBDA_LOG_LEVEL)], fields, undefined);
}

function sanitizerThatKeeps(keepKeys: readonly string[]): Sanitizer {
  return keepKeys.length > 0 ? createSanitizer({ keepKeys }) : defaultSanitizer;
}

/** A logger whose sanitized lines are passed to another logger as objects. */
export function createLoggerOn(target: LineTarget, sinks: readonly LogSink[], keepKeys: readonly string[]): Logger {
  const core: Core = {
    service: '',
    write: () => {},
    target,
    clock: systemClock,
    sanitizer: sanitizerThatKeeps(keepKeys),
    stacks: true,
    sinks,
  };
  return new LineLogger(core, SEVERITY.debug, NO_FIELDS, undefined);
}

class LineLogger implements Logger, Deferring {
  readonly #core: Core;
  readonly #from: number;
  readonly #fields: Readonly<Record<string, unknown>>;
  readonly #bound: BoundContext | undefined;

  constructor(core: Core, from: number, fields: Readonly<Record<string, unknown>>, bound: BoundContext | undefined) {
    this.#core = core;
    this.#from = from;
    this.#fields = fields;
    this.#bound = bound;
  }

  debug(message: string, fields?: Readonly<Record<string, unknown>>): void {
    if (this.#from <= 10) this.#log('debug', message, fields);
  }

  info(message: string, fields?: Readonly<Record<string, unknown>>): void {
    if (this.#from <= 20) this.#log('info', message, fields);
  }

  warn(message: string, fields?: Readonly<Record<string, unknown>>): void {
    if (this.#from <= 30) this.#log('warn', message, fields);
  }

  error(message: string, fields?: Readonly<Record<string, unknown>>): void {
    if (this.#from <= 40) this.#log('error', message, fields);
  }

  isEnabled(level: LogLevel): boolean {
    return this.#from <= SEVERITY[level] && this.#core.target?.isEnabled(level) !== false;
  }

  with(fields: Readonly<Record<string, unknown>>): Logger {
    return isBoundContext(fields)
      ? new LineLogger(this.#core, this.#from, this.#fields, fields)
      : new LineLogger(this.#core, this.#from, mergedFields(this.#fields, fields), this.#bound);
  }

  [DEFER](level: LogLevel, message: string, fields: Readonly<Record<string, unknown>>): DeferredLine | undefined {
    if (this.#from > 40) return undefined;
    const made = this.#line(level, message, fields);
    // The other logger writes its own time.
    const line = this.#core.target ? { ...made, logged_at: made.timestamp } : made;
    return { bytes: Buffer.byteLength(encodeLine(line)), write: () => this.#pass(level, line) };
  }

  #log(level: LogLevel, message: string, fields: Readonly<Record<string, unknown>> | undefined): void {
    this.#pass(level, this.#line(level, message, fields));
  }

  #pass(level: LogLevel, line: LogLine): void {
    this.#write(level, line);
    for (const sink of this.#core.sinks) {
      guardHook(() => sink.take(line, level, (text) => this.#warn(text), this.#deliveries()));
    }
  }

  /** The place for pending work of this invocation; `undefined` for a logger that is not bound to an invocation. */
  #deliveries(): Deliveries | undefined {
    const holder = this.#bound?.[BOUND]();
    return holder && deliveriesOf(holder);
  }

  /** Writes a line that no sink receives, so that a notifier never reports itself. */
  #warn(message: string): void {
    if (this.#from <= 30) this.#write('warn', this.#line('warn', message, undefined));
  }

  #write(level: LogLevel, line: LogLine): void {
    const { target, write } = this.#core;
    if (target) {
      guardHook(target.emit, level, line);
      return;
    }
    const members = Object.keys(line).filter((name) => !RESERVED.includes(name));
    guardHook(write, encodeBoundedLine(line, members));
  }

  #line(level: LogLevel, message: string, fields: Readonly<Record<string, unknown>> | undefined): LogLine {
    const { service, clock, sanitizer, stacks } = this.#core;
    const line = createFastMap<unknown>();
    line.timestamp = clock.now().toISOString();
    line.level = level.toUpperCase();
    line.message = messageText(sanitizer, message);
    line.service = service;
    this.#addBound(line);
    const { error, rest } = splitError(mergedFields(this.#fields, fields));
    const clean = sanitizer.sanitizeValue(rest) as Record<string, unknown>;
    for (const [name, value] of Object.entries(clean)) {
      line[RESERVED.includes(name) ? `field_${name}` : name] = value;
    }
    if (error !== undefined) line.error = sanitizer.sanitizeError(error, { stack: stacks });
    return line as LogLine;
  }

  #addBound(line: Record<string, unknown>): void {
    for (const name of this.#bound ? BOUND_NAMES : []) {
      const value = this.#bound ? readField(this.#bound, name) : undefined;
      if (typeof value === 'string' && value !== '') line[name] = cutBytes(value, MAX_BOUND_BYTES).text;
    }
  }
}

/** Merges two sets of fields; later fields take precedence. A getter that throws results in `[unreadable]`. */
function mergedFields(
  fields: Readonly<Record<string, unknown>>,
  more: Readonly<Record<string, unknown>> | undefined,
): Record<string, unknown> {
  const merged = createMap<unknown>();
  for (const part of [fields, more ?? NO_FIELDS])
    for (const key of Object.keys(part)) merged[key] = readField(part, key);
  return merged;
}

function readField(fields: object, key: string): unknown {
  try {
    return (fields as Record<string, unknown>)[key];
  } catch {
    return '[unreadable]';
  }
}

/** A caller without types may pass a message that is not a string; it is sanitized and written as a value. */
function messageText(sanitizer: Sanitizer, message: unknown): string {
  const prose = typeof message === 'string' ? message : JSON.stringify(sanitizer.sanitizeValue(message) ?? null);
  const { text, left } = cutBytes(sanitizer.scrubFreeText(prose), MAX_MESSAGE_BYTES);
  return text + cutMark(left);
}

/** Separates the field `error`, else the first field that is an error, from the other fields. */
function splitError(fields: Record<string, unknown>): { readonly error: unknown; readonly rest: object } {
  const name =
    fields.error === undefined || fields.error === null
      ? Object.keys(fields).find((key) => isError(fields[key]))
      : 'error';
  if (name === undefined) return { error: undefined, rest: fields };
  const { [name]: error, ...rest } = fields;
  return { error, rest };
}
