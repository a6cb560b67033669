import { gzipSync } from 'node:zlib';
import { defineOptions, list, oneOf, string } from '@sallyport/core/options';
import { LOGS_TRIGGER, type LogsTriggerOptions, logsTrigger } from '../kinds/logs.js';
import { describeTrigger } from './entry.js';

/** Options of {@link buildLogsEvent}. */
export interface LogsEventOptions {
  /** Default `/aws/lambda/orders`. */
  readonly logGroup?: string;
  /** The lines. Default: one, `line`. */
  readonly messages?: readonly string[];
  /** `CONTROL_MESSAGE` is the service's own check. Default `DATA_MESSAGE`. */
  readonly messageType?: 'DATA_MESSAGE' | 'CONTROL_MESSAGE';
}

const LOGS_EVENT = /* @__PURE__ */ defineOptions<LogsEventOptions>()({
  logGroup: string.default('/aws/lambda/orders'),
  messages: list(string),
  messageType: oneOf('DATA_MESSAGE', 'CONTROL_MESSAGE').default('DATA_MESSAGE'),
});

/** An event of a log group's subscription. */
export interface LogsEvent {
  /** The document in gzip and base64. */
  readonly awslogs: { readonly data: string };
}

/**
 * Builds the event of a log group's subscription.
 *
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/SubscriptionFilters.html
 * @throws FrameworkError `app.invalid_configuration` for an unknown option or a wrong type
 */
export function buildLogsEvent(options: LogsEventOptions = {}): LogsEvent {
  const { logGroup, messages = ['line'], messageType } = LOGS_EVENT.parse(options);
  const document = {
    messageType,
    owner: '123456789012',
    logGroup,
    logStream: 'stream-1',
    subscriptionFilters: ['filter-1'],
    logEvents: messages.map((message, index) => ({ id: `log-${index + 1}`, timestamp: index + 1, message })),
  };
  return { awslogs: { data: gzipSync(JSON.stringify(document)).toString('base64') } };
}

/** Log groups in the catalogue. @internal */
export const LOGS = /* @__PURE__ */ describeTrigger(LOGS_TRIGGER, {
  sample: {
    build: buildLogsEvent,
    events: [[buildLogsEvent(), '123456789012|/aws/lambda/orders|stream-1|filter-1|log-1|log-1']],
    names: ['/aws/lambda/orders'],
    register: (handlers, options?: LogsTriggerOptions) =>
      handlers.reduce((trigger, one) => trigger.group(...one), logsTrigger(options)),
  },
  docs: {
    section: 'Log groups',
    rows: [
      [
        '`logsTrigger(options)` with `group(name, handler)`; `LogsTrigger`, `LogsTriggerOptions`, `LogSubscription`',
        'lines of log groups, decompressed within bounds',
      ],
    ],
  },
  construct: null,
  simulate: 'asynchronous',
  aws: {
    author: 'CloudWatch Logs; an application wrote the lines',
    failure: 'Lambda retries twice',
    limit: 'not read',
    attached: 'a subscription filter',
  },
  hint: ['stream', 'a log subscription (@sallyport/triggers serves it, @sallyport/streams decodes it)', 'awslogs.data'],
  sizes: { factory: 'logsTrigger', gzipBytes: 12_950 },
});
