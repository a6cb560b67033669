import { defineOptions, oneOf, string } from '@sallyport/core/options';
import { MQ_TRIGGER, mqTrigger } from '../kinds/mq.js';
import { describeTrigger } from './entry.js';
import { assertRecords, DATA, type Data, toBase64 } from './internal/build.js';

/** Options of one message of {@link buildMqEvent}. */
export interface MqMessageOptions {
  /** Default `message-<n>`, by its place in the event, from 1. */
  readonly data?: Data;
  /** Default `mq-<n>`. */
  readonly id?: string;
}

const MQ_MESSAGE = /* @__PURE__ */ defineOptions<MqMessageOptions>()({ data: DATA, id: string });

/** Options of {@link buildMqEvent}. */
export interface MqEventOptions {
  /** Default `activemq`. */
  readonly broker?: 'activemq' | 'rabbitmq';
  /** The virtual host of RabbitMQ. Default `/`. */
  readonly host?: string;
}

const MQ_EVENT = /* @__PURE__ */ defineOptions<MqEventOptions>()({
  broker: oneOf('activemq', 'rabbitmq').default('activemq'),
  host: string.default('/'),
});

/**
 * Builds a batch of messages of one queue of Amazon MQ.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/with-mq.html
 * @throws FrameworkError `app.invalid_configuration` for no messages, an unknown option or a wrong type
 * @example buildMqEvent('orders', [{ data: 'a' }], { broker: 'rabbitmq' });
 */
export function buildMqEvent(
  queue: string,
  messages: readonly MqMessageOptions[],
  options: MqEventOptions = {},
): Record<string, unknown> {
  assertRecords('buildMqEvent', messages);
  const { broker, host } = MQ_EVENT.parse(options);
  const given = messages.map((message, index) => {
    const { data = `message-${index + 1}`, id = `mq-${index + 1}` } = MQ_MESSAGE.parse(message);
    return { id, data: toBase64(data) };
  });
  const eventSourceArn = 'arn:aws:mq:us-east-1:123456789012:broker:broker-1:b-00000000';
  if (broker === 'rabbitmq') {
    return {
      eventSource: 'aws:rmq',
      eventSourceArn,
      rmqMessagesByQueue: { [`${queue}::${host}`]: given.map(toRabbit) },
    };
  }
  return { eventSource: 'aws:mq', eventSourceArn, messages: given.map((message) => toActive(queue, message)) };
}

function toActive(queue: string, { id, data }: { id: string; data: string }) {
  return {
    messageID: id,
    messageType: 'jms/text-message',
    deliveryMode: 1,
    replyTo: null,
    type: null,
    expiration: '60000',
    priority: 1,
    correlationId: 'correlation-1',
    redelivered: false,
    destination: { physicalName: queue },
    data,
    timestamp: 0,
    brokerInTime: 0,
    brokerOutTime: 0,
    properties: {},
  };
}

function toRabbit({ id, data }: { id: string; data: string }) {
  return {
    basicProperties: {
      contentType: 'text/plain',
      contentEncoding: null,
      headers: {},
      deliveryMode: 1,
      priority: 0,
      correlationId: null,
      replyTo: null,
      expiration: '60000',
      messageId: id,
      timestamp: 'Jan 1, 1970, 12:00:00 AM',
      type: null,
      userId: 'user',
      appId: null,
      clusterId: null,
      bodySize: Buffer.from(data, 'base64').length,
    },
    redelivered: false,
    data,
  };
}

const BROKER = 'arn:aws:mq:us-east-1:123456789012:broker:broker-1:b-00000000';

/** Amazon MQ brokers in the catalogue. @internal */
export const MQ = /* @__PURE__ */ describeTrigger(MQ_TRIGGER, {
  sample: {
    build: buildMqEvent,
    events: [
      [buildMqEvent('orders', [{}]), `${BROKER}||orders|mq-1`],
      [buildMqEvent('orders', [{}], { broker: 'rabbitmq' }), `${BROKER}|/|orders|mq-1`],
    ],
    names: ['orders'],
    register: (handlers) => handlers.reduce((trigger, one) => trigger.queue(...one), mqTrigger()),
  },
  docs: {
    section: 'Amazon MQ brokers',
    rows: [['`mqTrigger()` with `queue(name, handler)`; `MqTrigger`, `MqMessage`', 'queues of ActiveMQ and RabbitMQ']],
  },
  construct: 'mq',
  simulate: 'blocking',
  aws: {
    author: 'Lambda; a producer wrote the messages',
    failure: 'Lambda retries the batch',
    limit: 'not read',
    attached: 'an event source mapping',
  },
  sizes: { factory: 'mqTrigger', gzipBytes: 11_500 },
});
