import { defineOptions, invalidOption, list, withMethods } from '../options/define-options.js';
import { KEYS } from '../sanitize/policy.js';
import type { Logger, LogLevel } from './hooks.js';
import { createLoggerOn, type LogLine, type LogSink } from './logger.js';

type Fields = Readonly<Record<string, unknown>>;

/** Options of the log adapters. */
export interface AdapterOptions {
  /** Further receivers of each line, for example an error notifier. */
  readonly sinks?: readonly LogSink[];
  /** Keys whose values are never treated as card numbers, for example `order_id`. */
  readonly keepKeys?: readonly string[];
}

const OPTIONS = defineOptions<AdapterOptions>()({
  sinks: list(withMethods<LogSink>('take')).default([]),
  keepKeys: KEYS,
});

/** The used members of `console`. */
export type ConsoleLike = Readonly<Record<LogLevel, (message: string, fields: Fields) => unknown>>;

/** The used members of a pino logger. */
export interface PinoLike extends Readonly<Record<LogLevel, (fields: Fields, message: string) => unknown>> {
  /** True if pino writes lines of this level. */
  isLevelEnabled(level: string): boolean;
}

/** The used members of a `Logger` of `@aws-lambda-powertools/logger`. */
export interface PowertoolsLike extends Readonly<Record<LogLevel, (message: string, fields: Fields) => unknown>> {
  /** The lowest level that is written, in capitals: `INFO`. */
  getLevelName(): string;
}

/**
 * `console` as the option `log`: message first, then an object with the fields of the invocation and of the caller.
 *
 * @param target default: the global `console`
 * @throws FrameworkError `app.invalid_configuration` for something that is not a console
 * @example createApp({ log: fromConsole() });
 */
export function fromConsole(target: ConsoleLike = console, options: AdapterOptions = {}): Logger {
  assertMethods(target, 'a console', ...LEVELS);
  return adapt(
    () => true,
    (level, message, fields) => target[level](message, fields),
    options,
  );
}

/**
 * A pino logger as the option `log`. The level of the pino logger applies.
 *
 * @throws FrameworkError `app.invalid_configuration` for something that is not a pino logger
 * @example createApp({ log: fromPino(pino()) });
 */
export function fromPino(target: PinoLike, options: AdapterOptions = {}): Logger {
  assertMethods(target, 'a pino logger', ...LEVELS, 'isLevelEnabled');
  return adapt(
    (level) => target.isLevelEnabled(level),
    (level, message, fields) => target[level](fields, message),
    options,
  );
}

/**
 * A Powertools `Logger` as the option `log`. The level of the Powertools logger applies.
 *
 * @throws FrameworkError `app.invalid_configuration` for something that is not a Powertools logger
 * @example createApp({ log: fromPowertools(new Logger({ serviceName: 'orders' })) });
 */
export function fromPowertools(target: PowertoolsLike, options: AdapterOptions = {}): Logger {
  assertMethods(target, 'a Powertools logger', ...LEVELS, 'getLevelName');
  return adapt(
    (level) => POWERTOOLS_LEVELS.indexOf(target.getLevelName()) <= POWERTOOLS_LEVELS.indexOf(level.toUpperCase()),
    (level, message, fields) => target[level](message, fields),
    options,
  );
}

const LEVELS: readonly LogLevel[] = ['debug', 'info', 'warn', 'error'];
/** By severity, as Powertools names them. */
const POWERTOOLS_LEVELS = ['TRACE', 'DEBUG', 'INFO', 'WARN', 'ERROR', 'SILENT', 'CRITICAL'];

function adapt(
  isEnabled: (level: LogLevel) => boolean,
  write: (level: LogLevel, message: string, fields: Fields) => unknown,
  options: AdapterOptions,
): Logger {
  const { sinks, keepKeys } = OPTIONS.parse(options);
  const emit = (level: LogLevel, { message, ...line }: LogLine) => {
    if (isEnabled(level)) return write(level, message, fieldsOf(line));
    return undefined;
  };
  return createLoggerOn({ isEnabled, emit }, sinks, keepKeys);
}

/** The other logger writes time, level and service. */
function fieldsOf(line: Fields): Fields {
  return Object.fromEntries(Object.entries(line).filter(([name]) => !OWN_NAMES.includes(name)));
}

const OWN_NAMES = ['timestamp', 'level', 'service'];

function assertMethods(target: unknown, wanted: string, ...names: readonly string[]): void {
  const methods = (target ?? {}) as Readonly<Record<string, unknown>>;
  if (!names.every((name) => typeof methods[name] === 'function')) throw invalidOption('log', wanted);
}
