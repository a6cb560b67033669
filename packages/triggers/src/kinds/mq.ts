import { type Members, membersOf, stringOf } from '@sallyport/core/internal';
import type { Delivered, EventHandler } from '@sallyport/streams/delivery';
import { bytesOf, readable } from '../internal/bytes.js';
import { NamedTrigger } from '../internal/handlers.js';
import { keyOf } from '../internal/key.js';
import { recordsOf, requiredText, sourceOf } from '../internal/read.js';
import { defineTrigger } from '../internal/surface.js';

/** A message of a broker: https://docs.aws.amazon.com/lambda/latest/dg/with-mq.html. */
export interface MqMessage {
  /** The name of the queue. */
  readonly queue: string;
  /** RabbitMQ: the virtual host; `''` for ActiveMQ. */
  readonly host: string;
  /** The id; `''` for a RabbitMQ message whose sender set no id. */
  readonly id: string;
  /** Its bytes. */
  readonly data: Uint8Array;
  /** True if the broker has delivered it before. */
  readonly redelivered: boolean;
  /** Other data of the event about the message: properties of ActiveMQ, `basicProperties` of RabbitMQ, and more. */
  readonly message: Readonly<Record<string, unknown>>;
}

/** Row, natural key and answer of queues of Amazon MQ. @internal */
export const MQ_TRIGGER = /* @__PURE__ */ defineTrigger({
  kind: 'mq',
  anyOf: [
    // `aws:amq` is in events of the Amazon MQ developer guide.
    ...['aws:mq', 'aws:amq'].map(
      (value) =>
        [
          { path: 'eventSource', test: 'equals', value },
          { path: 'messages[0]', test: 'object' },
        ] as const,
    ),
    [
      { path: 'eventSource', test: 'equals', value: 'aws:rmq' },
      { path: 'rmqMessagesByQueue', test: 'object' },
    ],
  ],
  sample: { eventSource: 'aws:rmq', rmqMessagesByQueue: {} },
  // A sender may leave out the id of a message of RabbitMQ; such a message has no key.
  key: ({ source, keyPart = '', id }: Delivered) => keyOf(source.arn, keyPart, source.name, id),
  answer: 'null',
});

/** A message, and its place in the event. */
interface Placed {
  readonly queue: string;
  readonly host: string;
  readonly message: Members;
  readonly place: string;
}

/** Handlers of queues of Amazon MQ: ActiveMQ and RabbitMQ. */
export class MqTrigger extends NamedTrigger {
  constructor() {
    super(MQ_TRIGGER, 'queue', 'mq');
  }

  /**
   * Registers the handler of a queue. It is called for each message, one at a time. If it throws, Lambda delivers the
   * whole batch again, before any other message: later messages are not run, earlier messages are retried.
   *
   * @param name of the queue, or a name that `FRAMEWORK_EVENT_SOURCES` maps under `mq`; for RabbitMQ also queue and virtual host as in
   *   the event: `orders::/`
   * @throws FrameworkError `app.invalid_configuration` for a blank or repeated name, or a handler that is not a function
   * @example mqTrigger().queue('orders', (ctx, message) => book(Buffer.from(message.data).toString()));
   */
  queue(name: string, handler: EventHandler<MqMessage>): this {
    return this.add(name, handler);
  }

  protected override read(event: unknown): readonly Delivered[] {
    const members = membersOf(event);
    const placed = members.eventSource === 'aws:rmq' ? this.#rabbit(members) : this.#active(members);
    recordsOf(this.kind, 'messages', placed);
    return placed.map((one) => this.#readMessage(one, members.eventSourceArn));
  }

  #active({ messages }: Members): Placed[] {
    return recordsOf(this.kind, 'messages', messages).map((message, index) => {
      const place = `messages[${index}]`;
      const { physicalName } = membersOf(message.destination);
      const queue = requiredText(this.kind, `${place}.destination.physicalName`, physicalName);
      return { queue, host: '', message, place };
    });
  }

  #rabbit({ rmqMessagesByQueue }: Members): Placed[] {
    return Object.entries(membersOf(rmqMessagesByQueue)).flatMap(([key, list], at) => {
      const place = `rmqMessagesByQueue[${at}]`;
      const split = key.indexOf('::');
      const queue = split < 0 ? key : key.slice(0, split);
      const host = split < 0 ? '' : key.slice(split + 2);
      return recordsOf(this.kind, place, list).map((message, index) => {
        return { queue, host, message, place: `${place}[${index}]` };
      });
    });
  }

  #readMessage({ queue, host, message, place }: Placed, arn: unknown): Delivered {
    const entry = this.handlerOf(queue, `${queue}::${host}`, queue);
    const { messageID, data, ...rest } = message;
    const id = stringOf(messageID ?? membersOf(rest.basicProperties).messageId);
    return readable({ ...entry, id, keyPart: host, source: sourceOf(queue, arn) }, () => ({
      queue,
      host,
      id,
      data: bytesOf(this.kind, `${place}.data`, data),
      redelivered: message.redelivered === true,
      message: rest,
    }));
  }
}

/**
 * Makes the surface for queues of Amazon MQ.
 *
 * @example
 * const broker = mqTrigger().queue('orders', (ctx, message) => book(Buffer.from(message.data).toString()));
 * const app = new SecureApp({ principalResolver, surfaces: [broker] });
 */
export function mqTrigger(): MqTrigger {
  return new MqTrigger();
}
