import { membersOf } from '@sallyport/core/internal';
import { defineOptions, integer } from '@sallyport/core/options';
import { decodeCloudWatchLogsSubscription, type LogSubscription, type LogSubscriptionLimits } from '@sallyport/streams';
import type { Delivered, EventHandler } from '@sallyport/streams/delivery';
import { NamedTrigger } from '../internal/handlers.js';
import { keyOf } from '../internal/key.js';
import { defineTrigger } from '../internal/surface.js';

export type { LogSubscription } from '@sallyport/streams';

/** Row, natural key and answer of subscriptions of log groups. @internal */
export const LOGS_TRIGGER = /* @__PURE__ */ defineTrigger({
  kind: 'logs',
  anyOf: [[{ path: 'awslogs.data', test: 'text' }]],
  sample: { awslogs: { data: 'H4s=' } },
  key: ({ record }: Delivered) => {
    const { owner, log_group, log_stream, subscription_filters, log_events } = record as LogSubscription;
    const [first, last] = [log_events[0]?.id ?? '', log_events.at(-1)?.id ?? ''];
    return keyOf(owner, log_group, log_stream, ...subscription_filters, first, last);
  },
  answer: 'null',
});

/** Options of `logsTrigger`. An unknown key is rejected. */
export interface LogsTriggerOptions {
  /** Most bytes of a decompressed document, 1 to 268,435,456. A larger one fails its invocation. Default 33,554,432 (32 MiB). */
  readonly maxDocumentBytes?: number;
  /** Most lines of a document, 1 to 1,000,000. Default 100,000. */
  readonly maxEvents?: number;
}

const MIB = 1_048_576;

/** Validators and defaults for {@link LogsTriggerOptions}. @internal */
export const LOGS_TRIGGER_OPTIONS = /* @__PURE__ */ defineOptions<LogsTriggerOptions>()({
  maxDocumentBytes: integer(1, 256 * MIB).default(32 * MIB),
  maxEvents: integer(1, 1_000_000).default(100_000),
});

/** The name of the handler of all log groups without their own handler. */
const ALL = '*';

/** Handlers of subscriptions of CloudWatch log groups. */
export class LogsTrigger extends NamedTrigger {
  readonly #limits: LogSubscriptionLimits;

  constructor(options: LogsTriggerOptions = {}) {
    super(LOGS_TRIGGER, 'log group');
    // Lines repeat, so they compress far better than a hundredfold; the size of the document is bounded instead.
    this.#limits = {
      ...LOGS_TRIGGER_OPTIONS.parse(options),
      maxRatio: Number.POSITIVE_INFINITY,
      extractedFields: true,
    };
  }

  /**
   * Registers the handler of a log group's subscription. It receives all lines of one invocation. A throw fails the
   * invocation, which is retried.
   *
   * @param name of the log group, or `*` for all groups without a separate handler, as in an account-level subscription
   * @throws FrameworkError `app.invalid_configuration` for a blank or repeated name, or a handler that is not a function
   * @example logsTrigger().group('/aws/lambda/orders', (ctx, { log_events }) => count(log_events.length));
   */
  group(name: string, handler: EventHandler<LogSubscription>): this {
    return this.add(name, handler);
  }

  /** @throws FrameworkError `streams.log_subscription_invalid` for a document that cannot be decoded within the limits */
  protected override read(event: unknown): readonly Delivered[] {
    const { data } = membersOf(membersOf(event).awslogs);
    const subscription = decodeCloudWatchLogsSubscription(
      { eventID: 'awslogs', kinesis: { data } } as never,
      this.#limits,
    );
    // CloudWatch Logs checks with it whether the function is reachable.
    if (subscription.message_type === 'CONTROL_MESSAGE') return [];
    const { log_group: group, owner: account } = subscription;
    const entry = this.handlerOf(group, group, ALL);
    return [{ ...entry, record: subscription, id: '', source: { name: group, arn: '', account, region: '' } }];
  }
}

/**
 * Makes the surface for subscriptions of CloudWatch log groups. The document is decompressed within the bounds of the options.
 *
 * @throws FrameworkError `app.invalid_configuration` for an unknown option, or an option that is out of range
 * @example
 * const logs = logsTrigger().group('/aws/lambda/orders', (ctx, { log_events }) => ctx.log.info('lines', { count: log_events.length }));
 * const app = new SecureApp({ principalResolver, surfaces: [logs] });
 */
export function logsTrigger(options: LogsTriggerOptions = {}): LogsTrigger {
  return new LogsTrigger(options);
}
