import { fromJson, membersOf, stringOf } from '@sallyport/core/internal';
import type { Delivered, EventHandler } from '@sallyport/streams/delivery';
import { NamedTrigger } from '../internal/handlers.js';
import { keyOf } from '../internal/key.js';
import { recordsOf, requiredText, sourceOf } from '../internal/read.js';
import { defineTrigger } from '../internal/surface.js';

/** A change of a repository: https://docs.aws.amazon.com/lambda/latest/dg/services-codecommit.html. */
export interface CodeCommitPush {
  /** The name of the repository. */
  readonly repository: string;
  /** The changed branches and tags. */
  readonly references: readonly CodeCommitReference[];
  /** The name of the event: `ReferenceChanges`. */
  readonly event: string;
  /** The data of the trigger, parsed if it is JSON; `''` for none. */
  readonly payload: unknown;
  /** The ARN of the user. */
  readonly userArn: string;
}

/** A changed branch or tag. */
export interface CodeCommitReference {
  /** `refs/heads/main`. */
  readonly ref: string;
  /** The id of the commit. */
  readonly commit: string;
  /** `created`, `deleted` or `updated`. */
  readonly change: 'created' | 'deleted' | 'updated';
}

/** Row, natural key and answer of triggers of CodeCommit. @internal */
export const CODECOMMIT_TRIGGER = /* @__PURE__ */ defineTrigger({
  kind: 'codecommit',
  anyOf: [
    [
      { path: 'Records[0].eventSource', test: 'equals', value: 'aws:codecommit' },
      { path: 'Records[0].codecommit', test: 'object' },
    ],
  ],
  sample: { Records: [{ eventSource: 'aws:codecommit', codecommit: {} }] },
  key: ({ source, id, keyPart = '' }: Delivered) => (id === '' ? undefined : keyOf(source.arn, id, keyPart)),
  answer: 'null',
});

/** Handlers of changes of repositories. */
export class CodeCommitTrigger extends NamedTrigger {
  constructor() {
    super(CODECOMMIT_TRIGGER, 'repository');
  }

  /**
   * Registers the handler of a repository. CodeCommit invokes the function asynchronously: if the handler throws, Lambda retries the event.
   *
   * @throws FrameworkError `app.invalid_configuration` for a blank or repeated name, or a handler that is not a function
   * @example codeCommit().repository('shop', (ctx, { references }) => ctx.log.info('pushed', { references }));
   */
  repository(name: string, handler: EventHandler<CodeCommitPush>): this {
    return this.add(name, handler);
  }

  protected override read(event: unknown): readonly Delivered[] {
    return recordsOf(this.kind, 'Records', membersOf(event).Records).map((record, index) => {
      const { codecommit, eventSourceARN, eventId, eventName, customData, userIdentityARN, eventPartNumber } = record;
      const arn = requiredText(this.kind, `Records[${index}].eventSourceARN`, eventSourceARN);
      const name = arn.split(':').at(-1) ?? '';
      const place = `Records[${index}].codecommit.references`;
      const push: CodeCommitPush = {
        repository: name,
        references: recordsOf(this.kind, place, membersOf(codecommit).references).map(
          ({ ref, commit, created, deleted }, at) => ({
            ref: requiredText(this.kind, `${place}[${at}].ref`, ref),
            commit: stringOf(commit),
            change: created === true ? 'created' : deleted === true ? 'deleted' : 'updated',
          }),
        ),
        event: stringOf(eventName),
        payload: fromJson(customData) ?? stringOf(customData),
        userArn: stringOf(userIdentityARN),
      };
      const keyPart = String(eventPartNumber ?? 1);
      const id = stringOf(eventId);
      return { ...this.handlerOf(name, arn, name), record: push, id, keyPart, source: sourceOf(name, arn) };
    });
  }
}

/**
 * Makes the surface for triggers of CodeCommit repositories.
 *
 * @example
 * const pushes = codeCommit().repository('shop', (ctx, { references }) => ctx.log.info('pushed', { references }));
 * const app = new SecureApp({ principalResolver, surfaces: [pushes] });
 */
export function codeCommit(): CodeCommitTrigger {
  return new CodeCommitTrigger();
}
