import { defineOptions, list, oneOf, string } from '@sallyport/core/options';
import { SES_TRIGGER, type SesTriggerOptions, sesTrigger } from '../kinds/ses.js';
import { describeTrigger } from './entry.js';
import { only } from './internal/build.js';

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

/** SES mails in the catalogue. @internal */
export const SES = /* @__PURE__ */ describeTrigger(SES_TRIGGER, {
  sample: {
    build: buildSesEvent,
    events: [
      [buildSesEvent(), 'recipient@example.com|mail-1'],
      [buildSesEvent({ invocationType: 'RequestResponse' }), 'recipient@example.com|mail-1'],
    ],
    names: [''],
    result: 'continue',
    register: (handlers, options: SesTriggerOptions = { onError: 'stop' }) => sesTrigger(options).rule(only(handlers)),
  },
  docs: {
    section: 'SES emails',
    rows: [
      [
        '`sesTrigger({ onError })` with `rule(handler)`; `SesTrigger`, `SesTriggerOptions`, `SesHandler`, `SesMessage`, `SesDisposition`',
        'mails that SES receives',
      ],
    ],
  },
  construct: 'ses',
  simulate: 'asynchronous',
  aws: {
    author: 'SES; a sender wrote the mail',
    failure: 'the rule waits: the mail continues; else Lambda retries twice',
    limit: '6 MB',
    attached: 'a receipt rule',
  },
  sizes: { factory: 'sesTrigger', gzipBytes: 11_800 },
});
