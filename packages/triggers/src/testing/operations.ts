import { gzipSync } from 'node:zlib';
import { defineOptions, list, oneOf, string } from '@sallyport/core/options';

/** Options of {@link buildSesEvent}. */
export interface SesEventOptions {
  /** `RequestResponse` when the rule waits for the answer. Default `Event`. */
  readonly invocationType?: 'Event' | 'RequestResponse';
  /** Sender of the mail. Default `sender@example.com`. */
  readonly source?: string;
  /** Recipients of the mail. Default `recipient@example.com`. */
  readonly recipients?: readonly string[];
  /** Default `Subject`. */
  readonly subject?: string;
  /** The result of the check for spam. Default `PASS`. */
  readonly spam?: SesVerdict['status'];
}

/** The result of one of SES's checks. */
export interface SesVerdict {
  /** The result. */
  readonly status: 'PASS' | 'FAIL' | 'GRAY' | 'PROCESSING_FAILED' | 'DISABLED';
}

/** The event of a mail in the form of its documentation. */
export interface SesEvent {
  /** One record. */
  readonly Records: {
    readonly eventSource: string;
    readonly eventVersion: string;
    readonly ses: {
      readonly mail: {
        readonly timestamp: string;
        readonly source: string;
        readonly messageId: string;
        readonly destination: string[];
        readonly headersTruncated: boolean;
        readonly headers: { readonly name: string; readonly value: string }[];
        readonly commonHeaders: {
          readonly returnPath: string;
          readonly from?: string[] | undefined;
          readonly date: string;
          readonly to?: string[] | undefined;
          readonly messageId: string;
          readonly subject?: string | undefined;
        };
      };
      readonly receipt: {
        readonly timestamp: string;
        readonly processingTimeMillis: number;
        readonly recipients: string[];
        readonly spamVerdict: SesVerdict;
        readonly virusVerdict: SesVerdict;
        readonly spfVerdict: SesVerdict;
        readonly dkimVerdict: SesVerdict;
        readonly dmarcVerdict: SesVerdict;
        readonly dmarcPolicy?: 'none' | 'quarantine' | 'reject' | undefined;
        readonly action: { readonly type: 'Lambda'; readonly functionArn: string; readonly invocationType: string };
      };
    };
  }[];
}

const SES_EVENT = /* @__PURE__ */ defineOptions<SesEventOptions>()({
  invocationType: oneOf('Event', 'RequestResponse').default('Event'),
  source: string.default('sender@example.com'),
  recipients: list(string),
  subject: string.default('Subject'),
  spam: oneOf('PASS', 'FAIL', 'GRAY', 'PROCESSING_FAILED', 'DISABLED').default('PASS'),
});

const TIME = '1970-01-01T00:00:00.000Z';
const PASS: SesVerdict = { status: 'PASS' };

/**
 * Builds the event of a mail that SES received.
 *
 * @see https://docs.aws.amazon.com/ses/latest/dg/receiving-email-action-lambda-event.html
 * @throws FrameworkError `app.invalid_configuration` for an unknown option or a wrong type
 */
export function buildSesEvent(options: SesEventOptions = {}): SesEvent {
  const { invocationType, source, subject, spam, recipients = ['recipient@example.com'] } = SES_EVENT.parse(options);
  const ses: SesEvent['Records'][number]['ses'] = {
    mail: {
      timestamp: TIME,
      source,
      messageId: 'mail-1',
      destination: [...recipients],
      headersTruncated: false,
      headers: [{ name: 'Subject', value: subject }],
      commonHeaders: {
        returnPath: source,
        from: [source],
        date: 'Thu, 1 Jan 1970 00:00:00 +0000',
        to: [...recipients],
        messageId: '<mail-1@example.com>',
        subject,
      },
    },
    receipt: {
      timestamp: TIME,
      processingTimeMillis: 100,
      recipients: [...recipients],
      spamVerdict: { status: spam },
      virusVerdict: PASS,
      spfVerdict: PASS,
      dkimVerdict: PASS,
      dmarcVerdict: PASS,
      dmarcPolicy: 'reject',
      action: {
        type: 'Lambda',
        functionArn: 'arn:aws:lambda:us-east-1:123456789012:function:mails',
        invocationType,
      },
    },
  };
  return { Records: [{ eventSource: 'aws:ses', eventVersion: '1.0', ses }] };
}

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

/** Options of {@link buildAlarmEvent}. */
export interface AlarmEventOptions {
  /** The name of the alarm. Default `alarm-1`. */
  readonly name?: string;
  /** Default `ALARM`. */
  readonly state?: 'ALARM' | 'OK' | 'INSUFFICIENT_DATA';
}

const ALARM_EVENT = /* @__PURE__ */ defineOptions<AlarmEventOptions>()({
  name: string.default('alarm-1'),
  state: oneOf('ALARM', 'OK', 'INSUFFICIENT_DATA').default('ALARM'),
});

/** The state of an alarm. */
interface AlarmState {
  readonly value: string;
  readonly reason: string;
  readonly reasonData?: string;
  readonly timestamp: string;
}

/** The event of an alarm of one metric or more, in the form of its documentation. */
export interface AlarmEvent {
  /** `aws.cloudwatch`. */
  readonly source: string;
  /** The alarm. */
  readonly alarmArn: string;
  /** Its account. */
  readonly accountId: string;
  /** Time of the change. */
  readonly time: string;
  /** Its region. */
  readonly region: string;
  /** The change. */
  readonly alarmData: {
    readonly alarmName: string;
    readonly state: AlarmState;
    readonly previousState: AlarmState;
    readonly configuration: { readonly description?: string; readonly metrics: never[] };
  };
}

/**
 * Builds the event of an alarm of CloudWatch.
 *
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarms-and-actions-Lambda.html
 * @throws FrameworkError `app.invalid_configuration` for an unknown option or a wrong type
 */
export function buildAlarmEvent(options: AlarmEventOptions = {}): AlarmEvent {
  const { name, state } = ALARM_EVENT.parse(options);
  const timestamp = '1970-01-01T00:00:00.000+0000';
  return {
    source: 'aws.cloudwatch',
    alarmArn: `arn:aws:cloudwatch:us-east-1:123456789012:alarm:${name}`,
    accountId: '123456789012',
    time: timestamp,
    region: 'us-east-1',
    alarmData: {
      alarmName: name,
      state: { value: state, reason: 'test', reasonData: '{}', timestamp },
      previousState: { value: 'OK', reason: 'test', reasonData: '{}', timestamp },
      configuration: { description: 'test', metrics: [] },
    },
  };
}
