import type { LambdaContext, MaybePromise } from '@sallyport/core';
import { fromJson, type Members, membersOf, stringOf } from '@sallyport/core/internal';
import { attempt, type Delivered, type EventContext } from '@sallyport/streams/delivery';
import { invalidAnswer } from '../errors.js';
import { publicText, toJson } from '../internal/answer.js';
import { assertHandler } from '../internal/handlers.js';
import { keyOf } from '../internal/key.js';
import { requiredText, sourceOf } from '../internal/read.js';
import { loadClient, Reporter, SENDER_MARGIN_MS, type SenderOptions } from '../internal/sender.js';
import { defineTrigger, TriggerSurface } from '../internal/surface.js';

/** A job of a pipeline: https://docs.aws.amazon.com/codepipeline/latest/userguide/actions-invoke-lambda-function.html. */
export interface PipelineJob {
  /** The id of the job. */
  readonly id: string;
  /** The account of the pipeline. */
  readonly accountId: string;
  /** The user parameters of the action, parsed if they are JSON; `''` for none. */
  readonly payload: unknown;
  /** Name, revision and location of each input artifact. */
  readonly inputArtifacts: readonly Readonly<Record<string, unknown>>[];
  /** Name and location of each output artifact. */
  readonly outputArtifacts: readonly Readonly<Record<string, unknown>>[];
  /** The token that the previous call of this job returned; `''` for the first call. */
  readonly continuationToken: string;
  /** The credentials for the artifacts. Read on demand, so that no log line contains them. */
  readonly credentials: () => Readonly<Record<string, unknown>>;
}

/** The result of a job: https://docs.aws.amazon.com/codepipeline/latest/APIReference/API_PutJobSuccessResult.html. */
export interface PipelineResult {
  /** Variables for later actions. */
  readonly outputVariables?: Readonly<Record<string, string>>;
  /** A token of 1 to 2,048 characters: the job continues, and CodePipeline invokes the function again with this token. */
  readonly continuationToken?: string;
  /** A summary for the console, at most 2,048 characters. */
  readonly summary?: string;
}

/** Runs a job. A result succeeds, a throw fails the action; CodePipeline shows the message of a FrameworkError. */
export type PipelineJobHandler = (ctx: EventContext, job: PipelineJob) => MaybePromise<PipelineResult | undefined>;

/** Row, natural key and answer of jobs of CodePipeline. @internal */
export const CODEPIPELINE_TRIGGER = /* @__PURE__ */ defineTrigger({
  kind: 'codepipeline',
  anyOf: [
    [
      { path: '["CodePipeline.job"].id', test: 'text' },
      { path: '["CodePipeline.job"].data', test: 'object' },
    ],
  ],
  sample: { 'CodePipeline.job': { id: 'j', data: {} } },
  // A job that continues has the same id and another token.
  key: ({ record, id }: Delivered) => {
    const { continuationToken } = record as PipelineJob;
    return continuationToken === '' ? keyOf(id) : keyOf(id, continuationToken);
  },
  answer: 'PutJobSuccessResult or PutJobFailureResult, then null',
  marginMs: SENDER_MARGIN_MS,
});

const loadSdk = /* @__PURE__ */ loadClient(
  '@aws-sdk/client-codepipeline',
  () => import('@aws-sdk/client-codepipeline'),
);

type Sdk = Awaited<ReturnType<typeof loadSdk>>;

/** The function of an action of CodePipeline. */
export class CodePipelineJob extends TriggerSurface {
  readonly #handler: PipelineJobHandler;
  readonly #reporter: Reporter<Sdk>;

  constructor(handler: PipelineJobHandler, options: SenderOptions = {}) {
    super(CODEPIPELINE_TRIGGER);
    assertHandler(handler);
    this.#handler = handler;
    this.#reporter = new Reporter(options, 'CodePipeline', loadSdk, (sdk) => new sdk.CodePipelineClient({}));
  }

  protected override read(event: unknown): readonly Delivered[] {
    const job = membersOf(membersOf(event)['CodePipeline.job']);
    const data = membersOf(job.data);
    const { UserParameters } = membersOf(membersOf(data.actionConfiguration).configuration);
    const id = requiredText(this.kind, 'CodePipeline.job.id', job.id);
    const record: PipelineJob = {
      id,
      accountId: stringOf(job.accountId),
      payload: fromJson(UserParameters) ?? stringOf(UserParameters),
      inputArtifacts: artifactsOf(data.inputArtifacts),
      outputArtifacts: artifactsOf(data.outputArtifacts),
      continuationToken: stringOf(data.continuationToken),
      credentials: () => membersOf(data.artifactCredentials),
    };
    return [{ handler: this.#handler, record, id, name: '', source: sourceOf('', '') }];
  }

  protected override async answer(
    [item]: readonly Delivered[],
    lambdaContext: LambdaContext | undefined,
  ): Promise<null> {
    const { record, id } = item as Delivered;
    const handler = async (ctx: EventContext) => toResult(await this.#handler(ctx, record as PipelineJob));
    const outcome = await attempt(this.delivery, { ...(item as Delivered), handler }, lambdaContext);
    const toCommand = (sdk: Sdk) =>
      'value' in outcome
        ? new sdk.PutJobSuccessResultCommand({ jobId: id, ...(outcome.value as object) })
        : new sdk.PutJobFailureResultCommand({
            jobId: id,
            failureDetails: { type: 'JobFailed', message: publicText(outcome.thrown) },
          });
    await this.#reporter.send(toCommand, lambdaContext);
    return null;
  }
}

function artifactsOf(list: unknown): readonly Members[] {
  return Array.isArray(list) ? list.map(membersOf) : [];
}

/** https://docs.aws.amazon.com/codepipeline/latest/APIReference/API_ExecutionDetails.html. */
const MAX_TEXT = 2_048;

/** @throws FrameworkError `triggers.invalid_answer` for a result that CodePipeline would not accept */
function toResult(result: unknown): object {
  const given = toJson('the result', result ?? {});
  const { outputVariables, continuationToken, summary, ...rest } = membersOf(given);
  const variables = membersOf(outputVariables ?? {});
  const isValid =
    membersOf(given) === given &&
    Object.keys(rest).length === 0 &&
    (outputVariables === undefined || outputVariables === variables) &&
    Object.entries(variables).every(([name, value]) => /^[\w@-]+$/.test(name) && typeof value === 'string') &&
    [continuationToken, summary].every((text) => text === undefined || isShortText(text)) &&
    // Variables belong to the end of a job.
    (continuationToken === undefined || outputVariables === undefined);
  if (!isValid)
    throw invalidAnswer('must be { outputVariables, summary }, { continuationToken, summary } or undefined');
  return {
    ...(outputVariables !== undefined && { outputVariables: variables }),
    ...(continuationToken !== undefined && { continuationToken }),
    ...(summary !== undefined && { executionDetails: { summary } }),
  };
}

function isShortText(value: unknown): boolean {
  return typeof value === 'string' && value.length > 0 && value.length <= MAX_TEXT;
}

/**
 * Makes the surface for a Lambda action of a pipeline. CodePipeline receives the result of each job, even if the handler throws or the
 * deadline passes. The role of the function needs `codepipeline:PutJobSuccessResult` and `codepipeline:PutJobFailureResult`, and the
 * application the package `@aws-sdk/client-codepipeline`.
 *
 * @throws FrameworkError `app.invalid_configuration` for a handler that is not a function, or a wrong or unknown option
 * @example
 * const job = codePipelineJob(async (ctx, { payload }) => ({ outputVariables: { version: await release(payload) } }));
 * const app = new SecureApp({ principalResolver, surfaces: [job] });
 */
export function codePipelineJob(handler: PipelineJobHandler, options: SenderOptions = {}): CodePipelineJob {
  return new CodePipelineJob(handler, options);
}
