import { defineOptions, string } from '@sallyport/core/options';
import { CODECOMMIT_TRIGGER, codeCommit } from '../kinds/codecommit.js';
import { describeTrigger } from './entry.js';

/** Options of {@link buildCodeCommitEvent}. */
export interface CodeCommitEventOptions {
  /** The changed branch or tag. Default `refs/heads/main`. */
  readonly ref?: string;
  /** The data of the trigger. Default: none. */
  readonly customData?: string;
  /** The id of the event. Default `event-1`. */
  readonly id?: string;
}

const CODECOMMIT_EVENT = /* @__PURE__ */ defineOptions<CodeCommitEventOptions>()({
  ref: string.default('refs/heads/main'),
  customData: string,
  id: string.default('event-1'),
});

/** A change of a repository, in the form of its documentation. */
export interface CodeCommitEvent {
  /** The changes. */
  readonly Records: {
    readonly awsRegion: string;
    readonly codecommit: {
      readonly references: { commit: string; created?: boolean; deleted?: boolean; ref: string }[];
    };
    readonly customData?: string;
    readonly eventId: string;
    readonly eventName: string;
    readonly eventPartNumber: number;
    readonly eventSource: string;
    readonly eventSourceARN: string;
    readonly eventTime: string;
    readonly eventTotalParts: number;
    readonly eventTriggerConfigId: string;
    readonly eventTriggerName: string;
    readonly eventVersion: string;
    readonly userIdentityARN: string;
  }[];
}

/**
 * Builds the event of a trigger of a CodeCommit repository.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/services-codecommit.html
 * @throws FrameworkError `app.invalid_configuration` for an unknown option or a wrong type
 * @example buildCodeCommitEvent('shop', { ref: 'refs/tags/v1' });
 */
export function buildCodeCommitEvent(repository: string, options: CodeCommitEventOptions = {}): CodeCommitEvent {
  const { ref, customData, id } = CODECOMMIT_EVENT.parse(options);
  return {
    Records: [
      {
        awsRegion: 'us-east-1',
        codecommit: { references: [{ commit: '5c4ef1049f1d27deadbeeff313e0730018be182b', ref }] },
        ...(customData !== undefined && { customData }),
        eventId: id,
        eventName: 'ReferenceChanges',
        eventPartNumber: 1,
        eventSource: 'aws:codecommit',
        eventSourceARN: `arn:aws:codecommit:us-east-1:123456789012:${repository}`,
        eventTime: '1970-01-01T00:00:00.000+0000',
        eventTotalParts: 1,
        eventTriggerConfigId: 'config-1',
        eventTriggerName: 'trigger-1',
        eventVersion: '1.0',
        userIdentityARN: 'arn:aws:iam::123456789012:user/ann',
      },
    ],
  };
}

const SHOP = 'arn:aws:codecommit:us-east-1:123456789012:shop';

/** Triggers of CodeCommit in the catalogue. @internal */
export const CODECOMMIT = /* @__PURE__ */ describeTrigger(CODECOMMIT_TRIGGER, {
  sample: {
    build: buildCodeCommitEvent,
    events: [[buildCodeCommitEvent('shop'), `${SHOP}|event-1|1`]],
    names: ['shop'],
    register: (handlers) => handlers.reduce((trigger, one) => trigger.repository(...one), codeCommit()),
  },
  docs: {
    section: 'CodeCommit repositories',
    rows: [
      [
        '`codeCommit()` with `repository(name, handler)`; `CodeCommitTrigger`, `CodeCommitPush`, `CodeCommitReference`',
        'changes of CodeCommit repositories',
      ],
    ],
  },
  construct: null,
  simulate: 'asynchronous',
  aws: {
    author: 'CodeCommit; a user with push permission chose the names of branches',
    failure: 'Lambda retries twice',
    limit: 'not read',
    attached: 'a trigger of the repository',
  },
  sizes: { factory: 'codeCommit', gzipBytes: 11_250 },
});
