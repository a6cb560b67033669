import { boolean, defineOptions, func, group, invalidOption, kind, withMethods } from '../options/define-options.js';
import { createFastMap } from '../request/request.js';
import { warnOfCopies } from '../runtime/copies.js';
import type { Environment } from '../runtime/invocation.js';
import { cleanText, LightWalk, read } from '../sanitize/internal/light.js';
import { encodeLine, type WriteLine, writeToStdout } from '../sanitize/log-text.js';
import { BOUND_NAMES, type BoundContext, isBoundContext, lambdaLevel, RESERVED, SEVERITY } from './bound-log.js';
import {
  type DeclaredMetrics,
  guardHook,
  type Logger,
  type LogLevel,
  type Observability,
  type SpanHook,
  silentLogger,
} from './hooks.js';

type Fields = Readonly<Record<string, unknown>>;

const MAX_BOUND = 1024;
/** The maximum size of one event in CloudWatch Logs. */
const MAX_LINE_BYTES = 262_118;

/**
 * The logger of a container without the option `log`: the lines of `createLogger`, with a small sanitizer, to standard
 * output. On Lambda its level is `AWS_LAMBDA_LOG_LEVEL`, else `info`; elsewhere it is `error`. A line is written
 * before the call returns, so that no line is lost when the environment freezes.
 */
export function createDefaultLogger(environment: Environment, write: WriteLine = writeToStdout): Logger {
  const { AWS_LAMBDA_FUNCTION_NAME: name, AWS_LAMBDA_RUNTIME_API: api, AWS_LAMBDA_LOG_LEVEL: level } = environment;
  return new DefaultLogger(name && api ? SEVERITY[lambdaLevel(level)] : SEVERITY.error, name ?? '', write);
}

class DefaultLogger implements Logger {
  readonly #from: number;
  readonly #service: string;
  readonly #write: WriteLine;
  readonly #fields: readonly Fields[];
  readonly #bound: BoundContext | undefined;

  constructor(from: number, service: string, write: WriteLine, fields: readonly Fields[] = [], bound?: BoundContext) {
    this.#from = from;
    this.#service = service;
    this.#write = write;
    this.#fields = fields;
    this.#bound = bound;
  }

  debug(message: string, fields?: Fields): void {
    this.#log('debug', message, fields);
  }

  info(message: string, fields?: Fields): void {
    this.#log('info', message, fields);
  }

  warn(message: string, fields?: Fields): void {
    this.#log('warn', message, fields);
  }

  error(message: string, fields?: Fields): void {
    this.#log('error', message, fields);
  }

  isEnabled(level: LogLevel): boolean {
    return this.#from <= SEVERITY[level];
  }

  with(fields: Fields): Logger {
    const [own, bound] = isBoundContext(fields)
      ? [this.#fields, fields as unknown as BoundContext]
      : [[...this.#fields, fields], this.#bound];
    return new DefaultLogger(this.#from, this.#service, this.#write, own, bound);
  }

  #log(level: LogLevel, message: string, fields: Fields = {}): void {
    if (this.#from > SEVERITY[level]) return;
    const head = this.#head(level, message);
    const line = encodeLine({ ...head, ...cleanFields([...this.#fields, fields]) });
    guardHook(this.#write, line.length * 3 <= MAX_LINE_BYTES ? line : encodeLine({ ...head, truncated: true }));
  }

  #head(level: LogLevel, message: unknown): Fields {
    const head: Record<string, unknown> = {
      timestamp: new Date().toISOString(),
      level: level.toUpperCase(),
      message: cleanText(typeof message === 'string' ? message : `[${typeof message}]`),
      service: this.#service,
    };
    for (const name of BOUND_NAMES) {
      const value = this.#bound?.[name];
      if (value) head[name] = value.slice(0, MAX_BOUND);
    }
    return head;
  }
}

/** The fields of a line; later parts take precedence, and the error is last. */
function cleanFields(parts: readonly Fields[]): Fields {
  const walk = new LightWalk();
  const line = createFastMap<unknown>();
  let thrown: unknown;
  for (const part of parts) {
    const { error, ...clean } = walk.fields(part);
    if (error !== undefined) thrown = walk.error(read(part, 'error'));
    for (const key of Object.keys(clean)) line[RESERVED.includes(key) ? `field_${key}` : key] = clean[key];
  }
  if (thrown !== undefined) line.error = thrown;
  return line;
}

/** The allowed values of the option `log`. */
export const LOG_WANTED =
  'false or a Logger: createLogger(), or fromConsole(), fromPino() or fromPowertools() of "@sallyport/core/log-adapters"';

const METHODS = ['debug', 'info', 'warn', 'error', 'isEnabled', 'with'];

/**
 * The logger for the option `log`: the given `Logger`, a silent logger for `false`, the default logger if absent.
 *
 * @throws FrameworkError `app.invalid_configuration` for anything else; the message names the adapters for other loggers
 */
export function parseLog(log: unknown, environment: Environment): Logger {
  const logger = log === undefined ? createDefaultLogger(environment) : log === false ? silentLogger : log;
  if (!isLogger(logger)) throw invalidOption('log', LOG_WANTED);
  warnOfCopies(logger);
  return logger;
}

function isLogger(value: unknown): value is Logger {
  if (typeof value !== 'object' || value === null) return false;
  return METHODS.every((name) => typeof (value as Record<string, unknown>)[name] === 'function');
}

const NONE: Observability = /* @__PURE__ */ Object.freeze({});

/**
 * Checks the option `observability` of a container.
 *
 * @throws FrameworkError `app.invalid_configuration` for an unknown key or a member of a wrong type
 */
export function parseObservability(value: Observability | undefined): Observability {
  if (value === undefined) return NONE;
  // Declared inside the function, so that a bundle without hooks does not contain it.
  const options = defineOptions<{ readonly observability?: Observability }>()({
    observability: group<Observability>()({
      log: func<NonNullable<Observability['log']>>(),
      metric: func<NonNullable<Observability['metric']>>(),
      span: withMethods<SpanHook>('start'),
      logPath: boolean,
      metrics: kind<DeclaredMetrics>('the result of defineMetrics()', isDeclaredMetrics),
    }),
  });
  options.parse({ observability: value });
  return value;
}

function isDeclaredMetrics(value: unknown): boolean {
  return typeof (value as Partial<DeclaredMetrics> | null)?.emit === 'function';
}
