import {
  defineOptions,
  func,
  integer,
  invalidConfiguration,
  number,
  object,
  oneOf,
  string,
  withMethods,
} from '../options/define-options.js';
import { type Clock, completeClock, type Environment } from '../runtime/invocation.js';
import { cutBytes, escapeJsonText } from '../sanitize/log-text.js';
import { stringOf } from '../values/read.js';
import type { Deliveries } from './bound-log.js';
import type { LogLevel } from './hooks.js';
import type { LogLine, LogSink } from './logger.js';

/** The environment variable with the topic of {@link createErrorNotifier} when `topicArn` is not given. */
export const ERROR_NOTIFICATION_TOPIC_ARN_ENV = 'ERROR_NOTIFICATION_TOPIC_ARN';

/** One message to a topic. */
export interface ErrorNotification {
  /** The ARN of the SNS topic. */
  readonly topicArn: string;
  /** ASCII, at most 100 characters. */
  readonly subject: string;
  /** JSON of schema `framework.error-notification/v1`. */
  readonly message: string;
}

/** The time for one message. */
export interface ErrorNotificationLimit {
  /** Milliseconds until shortly before the end of the invocation; `undefined` when the end is unknown. */
  readonly remainingMs: number | undefined;
}

/** Options of {@link createErrorNotifier}. */
export interface ErrorNotifierOptions {
  /** Sends one message; `@sallyport/streams/error-topic` has one for SNS. */
  readonly publish: (notification: ErrorNotification, limit: ErrorNotificationLimit) => unknown;
  /** The ARN of the topic; default: the variable `ERROR_NOTIFICATION_TOPIC_ARN`. Without both, the notifier does nothing. */
  readonly topicArn?: string | undefined;
  /** The lowest level of lines that are published; default `error`. */
  readonly minLevel?: LogLevel;
  /** Messages a minute, in all; default 10. */
  readonly perMinute?: number;
  /** The time that an answer waits for a message, in milliseconds; default 500. */
  readonly timeoutMs?: number;
  /** The service name in messages; default: `AWS_LAMBDA_FUNCTION_NAME`, else `''`. */
  readonly service?: string;
  /** The clock for the rate limit; default: the system's clock. */
  readonly clock?: Clock;
  /** Environment variables; default: `process.env`. */
  readonly environment?: Environment;
}

const TOPIC_ARN = /^arn:aws[a-z0-9-]*:sns:[a-z0-9-]+:\d{12}:[A-Za-z0-9_-]{1,256}(?:\.fifo)?$/;
const LEVELS: readonly LogLevel[] = ['debug', 'info', 'warn', 'error'];
const MINUTE_MS = 60_000;
const MAX_FINGERPRINTS = 256;
const MAX_SUBJECT = 100;
const MAX_TEXT_BYTES = 8192;
const NOTHING: LogSink = { take() {} };

/** Validates the options; the table in the README is generated from it. */
export const ERROR_NOTIFIER_OPTIONS = defineOptions<ErrorNotifierOptions>()({
  publish: func<ErrorNotifierOptions['publish']>().required(),
  topicArn: string,
  minLevel: oneOf('debug', 'info', 'warn', 'error').default('error'),
  perMinute: integer(1).default(10),
  timeoutMs: number(0).default(500),
  service: string,
  clock: withMethods<Clock>('now'),
  environment: object<Environment>(),
});

/**
 * A sink for `createLogger({ sinks })` that publishes lines of errors to a topic: one message a minute for each kind of
 * error, with a limit for all. Messages are sanitized and contain no stack. A failure of the notifier is one `warn` line.
 *
 * @throws FrameworkError `app.invalid_configuration` `framework: ERROR_NOTIFICATION_TOPIC_ARN is not a topic ARN`, or for an
 *   unknown or wrong option
 */
export function createErrorNotifier(options: ErrorNotifierOptions): LogSink {
  const { environment = process.env, clock, service, ...given } = ERROR_NOTIFIER_OPTIONS.parse(options);
  const topicArn = (given.topicArn ?? environment[ERROR_NOTIFICATION_TOPIC_ARN_ENV] ?? '').trim();
  if (topicArn === '') return NOTHING;
  if (!TOPIC_ARN.test(topicArn)) {
    throw invalidConfiguration(`${ERROR_NOTIFICATION_TOPIC_ARN_ENV} is not a topic ARN`);
  }
  const origin: Origin = {
    service: service ?? environment.AWS_LAMBDA_FUNCTION_NAME ?? '',
    function_name: environment.AWS_LAMBDA_FUNCTION_NAME ?? '',
    region: environment.AWS_REGION ?? '',
  };
  const { monotonicMs } = completeClock(clock);
  return new Notifier({ ...given, topicArn }, origin, monotonicMs);
}

interface Origin {
  readonly service: string;
  readonly function_name: string;
  readonly region: string;
}

interface Settings {
  readonly publish: ErrorNotifierOptions['publish'];
  readonly topicArn: string;
  readonly minLevel: LogLevel;
  readonly perMinute: number;
  readonly timeoutMs: number;
}

class Notifier implements LogSink {
  readonly #settings: Settings;
  readonly #origin: Origin;
  readonly #rate: RateTable;

  constructor(settings: Settings, origin: Origin, nowMs: () => number) {
    this.#settings = settings;
    this.#origin = origin;
    this.#rate = new RateTable(settings.perMinute, nowMs);
  }

  take(line: LogLine, level: LogLevel, warn: (message: string) => void, deliveries: Deliveries | undefined): void {
    const { minLevel, publish, topicArn, timeoutMs } = this.#settings;
    if (LEVELS.indexOf(level) < LEVELS.indexOf(minLevel) || isRecordOfLogged(line)) return;
    const error = errorOf(line);
    const place = stringOf(line.route) || stringOf(line.source);
    const count = this.#rate.admit(JSON.stringify([error.name, error.code, place]));
    if (count === 0) return;
    const notification: ErrorNotification = {
      topicArn,
      subject: subjectOf(this.#origin.service, error.code || error.name),
      message: messageOf(this.#origin, line, error, count),
    };
    const limit = { remainingMs: deliveries?.leftMs };
    const work = deliver(publish, notification, limit).catch(() => warn('error notification failed'));
    deliveries?.keep(work, timeoutMs);
  }
}

async function deliver(
  publish: Settings['publish'],
  notification: ErrorNotification,
  limit: ErrorNotificationLimit,
): Promise<void> {
  await publish(notification, limit);
}

/** Counts suppressed messages by fingerprint and minute. Its size is limited: the oldest fingerprint is removed. */
class RateTable {
  readonly #perMinute: number;
  readonly #nowMs: () => number;
  readonly #seen = new Map<string, { sentAt: number; heldBack: number }>();
  #minuteStart = Number.NEGATIVE_INFINITY;
  #sentInMinute = 0;

  constructor(perMinute: number, nowMs: () => number) {
    this.#perMinute = perMinute;
    this.#nowMs = nowMs;
  }

  /** The number of occurrences that a message sent now represents; 0 when no message may be sent. */
  admit(fingerprint: string): number {
    const now = this.#nowMs();
    const entry = this.#entry(fingerprint);
    if (now - this.#minuteStart >= MINUTE_MS) {
      this.#minuteStart = now;
      this.#sentInMinute = 0;
    }
    if (now - entry.sentAt < MINUTE_MS || this.#sentInMinute >= this.#perMinute) {
      entry.heldBack += 1;
      return 0;
    }
    this.#sentInMinute += 1;
    const count = entry.heldBack + 1;
    entry.sentAt = now;
    entry.heldBack = 0;
    return count;
  }

  #entry(fingerprint: string): { sentAt: number; heldBack: number } {
    const known = this.#seen.get(fingerprint);
    if (known) return known;
    const [oldest] = this.#seen.keys();
    if (oldest !== undefined && this.#seen.size >= MAX_FINGERPRINTS) this.#seen.delete(oldest);
    const made = { sentAt: Number.NEGATIVE_INFINITY, heldBack: 0 };
    this.#seen.set(fingerprint, made);
    return made;
  }
}

interface ErrorFacts {
  readonly name: string;
  readonly code: string;
  readonly message: string;
}

const RECORDS: readonly unknown[] = ['request.completed', 'event.completed', 'batch.completed'];

/**
 * True if a line is the record (`recordLog`) of a failure that was already logged with its error. A record without a code
 * is for a 5xx answer without an exception, which was not logged before.
 */
function isRecordOfLogged(line: LogLine): boolean {
  return RECORDS.includes(line.message) && line.level === 'ERROR' && stringOf(line.error_code) !== '';
}

/** Name, code and message of a line's error; the line's own message when it has no error. */
function errorOf(line: LogLine): ErrorFacts {
  const error = typeof line.error === 'object' && line.error !== null ? (line.error as Record<string, unknown>) : {};
  const code = typeof error.code === 'number' ? String(error.code) : stringOf(error.code) || stringOf(line.error_code);
  return {
    name: stringOf(error.name) || 'Error',
    code,
    message: cutBytes(stringOf(error.message) || line.message, MAX_TEXT_BYTES).text,
  };
}

function messageOf(origin: Origin, line: LogLine, error: ErrorFacts, count: number): string {
  const place = stringOf(line.route) === '' ? { source: stringOf(line.source) } : { route: stringOf(line.route) };
  return escapeJsonText(
    JSON.stringify({
      schema: 'framework.error-notification/v1',
      ...origin,
      timestamp: line.timestamp,
      trigger: stringOf(line.trigger),
      ...place,
      request_id: stringOf(line.request_id),
      trace_id: stringOf(line.trace_id),
      error,
      count,
    }),
  );
}

/** SNS accepts only ASCII without control characters. */
function subjectOf(service: string, what: string): string {
  const subject = service === '' ? what : `${service}: ${what}`;
  return subject.replace(/[^\x20-\x7e]/g, '?').slice(0, MAX_SUBJECT);
}
