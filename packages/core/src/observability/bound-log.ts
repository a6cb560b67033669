import type { FrameworkError } from '../errors/errors.js';
import {
  AGENT_INVOCATIONS,
  type FullClock,
  invocationProvenance,
  type LambdaContext,
  noAdapter,
  remainingMs,
} from '../runtime/invocation.js';
import { sanitizeLogString } from '../sanitize/log-text.js';
import type { EndHolder } from './ending.js';
import { type Logger, type LogLevel, type LogRecord, logFailure, writesErrors } from './hooks.js';

/** The lowest level that is written; `silent` writes nothing. */
export type LoggerLevel = LogLevel | 'silent';

/** The levels by severity. */
export const SEVERITY: Readonly<Record<LoggerLevel, number>> = {
  debug: 10,
  info: 20,
  warn: 30,
  error: 40,
  silent: 50,
};

/** The members of a line that come from the invocation, in their order. */
export const BOUND_NAMES = [
  'request_id',
  'trace_id',
  'remote_trace_id',
  'xray_trace_id',
  'tenant_id',
  'trigger',
  'route',
  'source',
  'function_name',
  'function_version',
] as const;

/**
 * Members of a line that only the framework writes: a caller's field of that name becomes `field_<name>`. CloudWatch
 * interprets a line with `_aws` at its root as metrics (embedded metric format), so no field may have this name.
 */
export const RESERVED: readonly string[] = ['timestamp', 'level', 'message', 'service', ...BOUND_NAMES, '_aws'];

/** The level that `AWS_LAMBDA_LOG_LEVEL` names (`TRACE` is `debug`, `FATAL` is `error`), else `info`. */
export function lambdaLevel(level = ''): LoggerLevel {
  const name = level.toLowerCase().replace('trace', 'debug').replace('fatal', 'error');
  return name !== 'silent' && Object.hasOwn(SEVERITY, name) ? (name as LoggerLevel) : 'info';
}

/**
 * Marks fields of the framework: a logger writes them under their names, while a caller's field of the same name becomes
 * `field_<name>`. The value is the place for work that the invocation's answer waits for.
 */
export const BOUND: unique symbol = Symbol.for('sallyport.core.bound-context/1') as never;

/** Returns the invocation of a bound logger. */
export interface HolderOf {
  (): DeliveryHolder | undefined;
  /** The index of the record in its batch, for a logger of one record. */
  readonly record?: number;
}

/** A line that is sanitized and has its time, but is not written yet. */
export interface DeferredLine {
  /** The bytes of the line. */
  readonly bytes: number;
  /** Writes the line, at any level of the logger. */
  write(): void;
}

/** The member of a logger that makes lines for later; `undefined` for a silent logger. */
export const DEFER: unique symbol = Symbol.for('sallyport.core.deferred-line/1') as never;

/** A logger that can make lines for later. */
export interface Deferring {
  [DEFER](level: LogLevel, message: string, fields: Readonly<Record<string, unknown>>): DeferredLine | undefined;
}

/** The fields of every line of an invocation; empty ones are left out. */
export interface BoundFields {
  /** The request id; `''` is left out. */
  readonly request_id: string;
  /** The trace id; `''` is left out. */
  readonly trace_id: string;
  /** The trace of the caller or the producer if a tracer exports this invocation in another trace; `''` is left out. */
  readonly remote_trace_id?: string;
  /**
   * The X-Ray id of the invocation if it differs from `trace_id` (a client's `traceparent`, or the id of the message). AWS passes it on to queues
   * and buses, so that a search for it finds the lines of the next invocation. `''` is left out.
   */
  readonly xray_trace_id?: string;
  /** The tenant; `''` is left out. */
  readonly tenant_id: string;
  /** The kind of the event, for example `gateway-v2`. */
  readonly trigger: string;
  /** The matched pattern; `''` for events. */
  readonly route?: string;
  /** The registered source of events. */
  readonly source?: string;
  /** The name of the Lambda function; `''` elsewhere. */
  readonly function_name: string;
  /** Its version. */
  readonly function_version: string;
}

/** Fields as {@link bindLogger} passes them to a logger. */
export interface BoundContext extends BoundFields {
  readonly [BOUND]: HolderOf;
}

/** True if fields belong to the framework. Never throws: a caller without types may pass anything. */
export function isBoundContext(fields: object): fields is BoundContext {
  try {
    return BOUND in fields;
  } catch {
    return false;
  }
}

/**
 * A logger whose lines contain the invocation's fields. The framework's logger reads getters for each line, so that values
 * that become known later (tenant, route) are included.
 */
export function bindLogger(log: Logger, fields: BoundFields, holder: HolderOf): Logger {
  Object.defineProperty(fields, BOUND, { value: holder });
  return log.with(fields as unknown as Readonly<Record<string, unknown>>);
}

/** An invocation that stores pending work. A logger with sinks creates the {@link Deliveries}. */
export interface DeliveryHolder extends EndHolder {
  /** Work that the answer waits for; `undefined` if absent. */
  kept: Deliveries | undefined;
}

/** The work that the answer of an invocation waits for; created at the first call. */
export function deliveriesOf(holder: DeliveryHolder): Deliveries {
  holder.kept ??= new Deliveries(holder);
  return holder.kept;
}

/** Milliseconds of the invocation that are reserved for the answer. */
const MARGIN_MS = 100;

/** Work that runs in parallel to an invocation (notifications), and for which the answer waits a limited time. */
export class Deliveries {
  readonly #clock: FullClock;
  readonly #lambdaContext: LambdaContext | undefined;
  readonly #open = new Map<Promise<void>, number>();

  constructor({ clock, lambdaContext }: Pick<EndHolder, 'clock' | 'lambdaContext'>) {
    this.#clock = clock;
    this.#lambdaContext = lambdaContext;
  }

  /** Milliseconds until work must be done, at least 1; `undefined` when the end of the invocation is unknown. */
  get leftMs(): number | undefined {
    const left = remainingMs(this.#lambdaContext);
    return left > 0 ? Math.max(1, left - MARGIN_MS) : undefined;
  }

  /** Adds work that is already running. Its rejection is ignored. */
  keep(work: PromiseLike<unknown>, timeoutMs: number): void {
    const settled: Promise<void> = Promise.resolve(work).then(
      () => void this.#open.delete(settled),
      () => void this.#open.delete(settled),
    );
    this.#open.set(settled, this.#clock.monotonicMs() + timeoutMs);
  }

  /**
   * Waits for the kept work, each at most for its timeout and never beyond the deadline; `undefined` when there is nothing
   * to wait for.
   *
   * @param remainingMs time left of the invocation; `undefined` when unknown
   */
  settle(remainingMs: number | undefined): Promise<void> | undefined {
    if (this.#open.size === 0) return undefined;
    const left = Math.max(...this.#open.values()) - this.#clock.monotonicMs();
    const ms = Math.min(left, remainingMs === undefined ? left : remainingMs - MARGIN_MS);
    if (ms <= 0) return undefined;
    return new Promise((resolve) => {
      const cancel = this.#clock.after(ms, resolve);
      void Promise.all(this.#open.keys()).then(() => {
        cancel();
        resolve();
      });
    });
  }
}

const RECORD_NAMES: readonly string[] = /* @__PURE__ */ BOUND_NAMES.slice(0, 8);

/**
 * The hook `observability.log` that writes records with a logger: the record's event is the message, and its ids and route
 * are written like those of a context.
 *
 * The record of a failure with a code is written as `info`: the option `log` of the container has written the failure as an `error` line, and
 * a failure is one error line.
 *
 * @example createApp({ log, observability: { log: recordLog(log) } });
 */
export function recordLog(logger: Logger): (record: LogRecord) => void {
  return ({ level: given, event, ...fields }) => {
    const isLogged = given === 'error' && typeof fields.error_code === 'string' && fields.error_code !== '';
    const level = isLogged ? 'info' : given;
    if (!logger.isEnabled(level)) return;
    const text = (name: string) => (typeof fields[name] === 'string' ? fields[name] : '');
    const bound: BoundFields = {
      request_id: text('request_id'),
      trace_id: text('trace_id'),
      remote_trace_id: text('remote_trace_id'),
      xray_trace_id: text('xray_trace_id'),
      tenant_id: text('tenant_id'),
      trigger: text('trigger'),
      route: text('route'),
      source: text('source'),
      function_name: '',
      function_version: '',
    };
    const rest = Object.fromEntries(Object.entries(fields).filter(([name]) => !RECORD_NAMES.includes(name)));
    bindLogger(logger, bound, () => undefined)[level](event, rest);
  };
}

const MAX_REQUEST_ID_CHARACTERS = 128;

/**
 * Writes the `error` line of an invocation that is rejected before any code of the application runs.
 *
 * @param trigger the kind of the event; `''` if it has no kind
 */
export function logRefusal(
  log: Logger,
  error: FrameworkError,
  lambdaContext: LambdaContext | undefined,
  trigger = '',
): void {
  if (!writesErrors(log)) return;
  logFailure(() => bindInvocation(log, lambdaContext, trigger), 'framework: invocation refused', error);
}

/** A logger for an invocation without a context: its lines contain the request id and kind. */
export function bindInvocation(log: Logger, lambdaContext: LambdaContext | undefined, trigger: string): Logger {
  const id: unknown = lambdaContext?.awsRequestId;
  const bound = {
    request_id: typeof id === 'string' ? sanitizeLogString(id).slice(0, MAX_REQUEST_ID_CHARACTERS) : '',
    trace_id: '',
    tenant_id: '',
    trigger,
    function_name: '',
    function_version: '',
  };
  return bindLogger(log, bound, () => undefined);
}

/**
 * For entrypoints that serve one kind of event and no agents. A rejection is logged.
 *
 * @throws FrameworkError `dispatch.no_adapter` for an agent invocation, with any event
 */
export function refuseAgent(lambdaContext: LambdaContext | undefined, log: Logger): void {
  if (invocationProvenance(lambdaContext) !== 'agent') return;
  const error = noAdapter(AGENT_INVOCATIONS);
  logRefusal(log, error, lambdaContext);
  throw error;
}
