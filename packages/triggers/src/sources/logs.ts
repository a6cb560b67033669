import type { TriggerRecord } from '@sallyport/core';
import { decodeCloudWatchLogsSubscription, type LogSubscription } from '@sallyport/streams';
import type { Delivered, EventHandler } from '@sallyport/streams/delivery';
import { Handlers } from '../internal/handlers.js';
import { keyOf } from '../internal/key.js';
import { membersOf } from '../internal/read.js';
import { TriggerSurface } from '../internal/surface.js';

const LOGS_KIND = {
  kind: 'logs',
  anyOf: [[{ path: 'awslogs.data', test: 'text' }]],
  sample: { awslogs: { data: 'H4s=' } },
  key: ({ record }: Delivered) => {
    const { owner, log_group, log_stream, subscription_filters, log_events } = record as LogSubscription;
    const [first, last] = [log_events[0]?.id ?? '', log_events.at(-1)?.id ?? ''];
    return keyOf(owner, log_group, log_stream, ...subscription_filters, first, last);
  },
  answer: 'null',
} as const;

/** Handlers of subscriptions of CloudWatch log groups. */
export class LogsTrigger extends TriggerSurface {
  readonly #handlers = new Handlers('log group');

  constructor() {
    super(LOGS_KIND);
  }

  /**
   * Registers the handler of a log group's subscription. It gets the lines of one invocation at once. A throw fails the
   * invocation, which is tried again.
   *
   * @throws FrameworkError `app.invalid_configuration` for a blank or repeated name, or a handler that is not a function
   * @example logsTrigger().group('/aws/lambda/orders', (ctx, { log_events }) => count(log_events.length));
   */
  group(name: string, handler: EventHandler<LogSubscription>): this {
    this.#handlers.add(name, handler);
    return this;
  }

  /** The log groups, in order. */
  override triggers(): readonly TriggerRecord[] {
    return this.#handlers.names.map((name) => ({ kind: this.kind, name }));
  }

  /** @throws FrameworkError `streams.log_subscription_invalid` for what cannot be decoded within its bounds */
  protected override read(event: unknown): readonly Delivered[] {
    const { data } = membersOf(membersOf(event).awslogs);
    const subscription = decodeCloudWatchLogsSubscription({ eventID: 'awslogs', kinesis: { data } } as never);
    // The service asks with it whether the function can be reached.
    if (subscription.message_type === 'CONTROL_MESSAGE') return [];
    const { log_group: group, owner: account } = subscription;
    const entry = this.#handlers.find(this.delivery, group);
    if (!entry) throw this.#handlers.missing(this.kind, group);
    return [{ ...entry, record: subscription, id: '', source: { name: group, arn: '', account, region: '' } }];
  }
}

/**
 * Makes the surface for subscriptions of CloudWatch log groups. The document is decompressed within the bounds of
 * `decodeCloudWatchLogsSubscription` of `@sallyport/streams`.
 *
 * @example
 * const logs = logsTrigger().group('/aws/lambda/orders', (ctx, { log_events }) => ctx.log.info('lines', { count: log_events.length }));
 * const app = new SecureApp({ principalResolver, surfaces: [logs] });
 */
export function logsTrigger(): LogsTrigger {
  return new LogsTrigger();
}
