import type { FrameworkError } from '../errors/errors.js';
import {
  AGENT_INVOCATIONS,
  type FullClock,
  invocationProvenance,
  type LambdaContext,
  noAdapter,
} from '../runtime/invocation.js';
import { sanitizeLogString } from '../sanitize/log-text.js';
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
  'tenant_id',
  'trigger',
  'route',
  'source',
  'function_name',
  'function_version',
] as const;

/**
 * Members of a line that only the framework writes: a caller's field of that name becomes `field_<name>`. `_aws` at the root
 * makes CloudWatch read a line as metrics (CloudWatch embedded metric format, root node), so no field may be called that.
 */
export const RESERVED: readonly string[] = ['timestamp', 'level', 'message', 'service', ...BOUND_NAMES, '_aws'];

/** The level that `AWS_LAMBDA_LOG_LEVEL` names (`TRACE` is `debug`, `FATAL` is `error`), else `info`. */
export function lambdaLevel(level = ''): LoggerLevel {
  const name = level.toLowerCase().replace('trace', 'debug').replace('fatal', 'error');
  return name !== 'silent' && Object.hasOwn(SEVERITY, name) ? (name as LoggerLevel) : 'info';
}

/**
 * Marks fields as the framework's own: a logger writes them under their names, while a caller's field of the same name
 * becomes `field_<name>`. The value says where work is kept that the invocation's answer should wait for.
 */
export const BOUND: unique symbol = Symbol.for('sallyport.bound-context') as never;

/** What every line of an invocation carries; empty ones are left out. */
export interface BoundFields {
  /** The request id; `''` is left out. */
  readonly request_id: string;
  /** The trace id; `''` is left out. */
  readonly trace_id: string;
  /** The tenant; `''` is left out. */
  readonly tenant_id: string;
  /** The kind of the event, `gateway-v2` say. */
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

/** Fields as {@link bindLogger} hands them to a logger. */
export interface BoundContext extends BoundFields {
  readonly [BOUND]: () => DeliveryHolder | undefined;
}

/** Whether fields are the framework's own. Never throws: a caller without types may pass anything. */
export function isBoundContext(fields: object): fields is BoundContext {
  try {
    return BOUND in fields;
  } catch {
    return false;
  }
}

/**
 * A logger whose lines carry the invocation's fields. Getters among them are read at each line by our logger, so that what
 * becomes known later (tenant, route) shows from then on.
 */
export function bindLogger(log: Logger, fields: BoundFields, holder: () => DeliveryHolder | undefined): Logger {
  Object.defineProperty(fields, BOUND, { value: holder });
  return log.with(fields as unknown as Readonly<Record<string, unknown>>);
}

/** An invocation, as the place where work is kept. A logger with sinks makes the {@link Deliveries}. */
export interface DeliveryHolder {
  /** The time of the container. */
  readonly clock: FullClock;
  /** What the answer waits for; `undefined` while there is nothing. */
  kept: Deliveries | undefined;
}

/** What stays of the invocation's time for the answer itself, in milliseconds. */
const MARGIN_MS = 100;

/** Work that was started for an invocation beside its answer (notifications), and that the answer waits for, a little. */
export class Deliveries {
  readonly #clock: FullClock;
  readonly #open = new Map<Promise<void>, number>();

  constructor(clock: FullClock) {
    this.#clock = clock;
  }

  /** Keeps work that runs already. What it rejects with is dropped. */
  keep(work: PromiseLike<unknown>, timeoutMs: number): void {
    const settled: Promise<void> = Promise.resolve(work).then(
      () => void this.#open.delete(settled),
      () => void this.#open.delete(settled),
    );
    this.#open.set(settled, this.#clock.monotonicMs() + timeoutMs);
  }

  /**
   * Waits for the kept work, for each at most its timeout and never past the deadline; `undefined` when there is nothing to
   * wait for.
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

const RECORD_NAMES: readonly string[] = /* @__PURE__ */ BOUND_NAMES.slice(0, 6);

/**
 * The hook `observability.log` that writes records with a logger: the record's event is the message, its ids and route stand
 * where the logger puts those of a context.
 *
 * @example createApp({ log, observability: { log: recordLog(log) } });
 */
export function recordLog(logger: Logger): (record: LogRecord) => void {
  return ({ level, event, ...fields }) => {
    if (!logger.isEnabled(level)) return;
    const text = (name: string) => (typeof fields[name] === 'string' ? fields[name] : '');
    const bound: BoundFields = {
      request_id: text('request_id'),
      trace_id: text('trace_id'),
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
 * Writes the one `error` line of an invocation that is refused before anything of the application runs.
 *
 * @param trigger the kind of the event; `''` when it has none
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

/** A logger whose lines carry what is known of an invocation that has no context: its request id and kind. */
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
 * For entrypoints that serve one kind of event and no agent. A refusal is logged.
 *
 * @throws FrameworkError `dispatch.no_adapter` for an agent invocation, whatever its event looks like
 */
export function refuseAgent(lambdaContext: LambdaContext | undefined, log: Logger): void {
  if (invocationProvenance(lambdaContext) !== 'agent') return;
  const error = noAdapter(AGENT_INVOCATIONS);
  logRefusal(log, error, lambdaContext);
  throw error;
}
