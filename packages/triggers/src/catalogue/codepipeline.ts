import { defineOptions, string } from '@sallyport/core/options';
import type { SenderOptions } from '../internal/sender.js';
import { CODEPIPELINE_TRIGGER, codePipelineJob } from '../kinds/codepipeline.js';
import { describeTrigger } from './entry.js';
import { ACCEPTING, only } from './internal/build.js';

/** Options of {@link buildCodePipelineEvent}. */
export interface CodePipelineEventOptions {
  /** The id of the job. Default `job-1`. */
  readonly id?: string;
  /** The user parameters of the action. Default: an empty string. */
  readonly userParameters?: string;
  /** The token of a job that continues. Default: none. */
  readonly continuationToken?: string;
}

const CODEPIPELINE_EVENT = /* @__PURE__ */ defineOptions<CodePipelineEventOptions>()({
  id: string.default('job-1'),
  userParameters: string.default(''),
  continuationToken: string,
});

/** An artifact of a job. */
interface Artifact {
  readonly name: string;
  readonly revision: string | null;
  readonly location: {
    readonly type: 'S3';
    readonly s3Location: { readonly bucketName: string; readonly objectKey: string };
  };
}

/** A job of a pipeline, in the form of its documentation. */
export interface CodePipelineEvent {
  /** The job. */
  readonly 'CodePipeline.job': {
    readonly id: string;
    readonly accountId: string;
    readonly data: {
      readonly actionConfiguration: {
        readonly configuration: { readonly FunctionName: string; readonly UserParameters: string };
      };
      readonly inputArtifacts: Artifact[];
      readonly outputArtifacts: Artifact[];
      readonly artifactCredentials: {
        readonly accessKeyId: string;
        readonly secretAccessKey: string;
        readonly sessionToken?: string | undefined;
      };
      readonly continuationToken?: string | undefined;
    };
  };
}

/**
 * Builds a job of CodePipeline.
 *
 * @see https://docs.aws.amazon.com/codepipeline/latest/userguide/actions-invoke-lambda-function.html
 * @throws FrameworkError `app.invalid_configuration` for an unknown option or a wrong type
 * @example buildCodePipelineEvent({ userParameters: '{"stage":"live"}' });
 */
export function buildCodePipelineEvent(options: CodePipelineEventOptions = {}): CodePipelineEvent {
  const { id, userParameters, continuationToken } = CODEPIPELINE_EVENT.parse(options);
  const s3Location = { bucketName: 'artifacts', objectKey: 'pipeline/source/1' };
  return {
    'CodePipeline.job': {
      id,
      accountId: '123456789012',
      data: {
        actionConfiguration: { configuration: { FunctionName: 'release', UserParameters: userParameters } },
        inputArtifacts: [{ name: 'source', revision: null, location: { type: 'S3', s3Location } }],
        outputArtifacts: [],
        artifactCredentials: { accessKeyId: 'key', secretAccessKey: 'secret', sessionToken: 'session' },
        ...(continuationToken !== undefined && { continuationToken }),
      },
    },
  };
}

/** Jobs of CodePipeline in the catalogue. @internal */
export const CODEPIPELINE = /* @__PURE__ */ describeTrigger(CODEPIPELINE_TRIGGER, {
  sample: {
    build: buildCodePipelineEvent,
    events: [
      [buildCodePipelineEvent({ userParameters: '{"stage":"live"}' }), 'job-1'],
      [buildCodePipelineEvent({ continuationToken: 'half' }), 'job-1|half'],
    ],
    names: [''],
    sends: true,
    register: (handlers, options: SenderOptions = { client: ACCEPTING }) => codePipelineJob(only(handlers), options),
  },
  docs: {
    section: 'CodePipeline jobs',
    rows: [
      [
        '`codePipelineJob(handler, { client, timeoutMs })`; `CodePipelineJob`, `PipelineJobHandler`, `PipelineJob`, `PipelineResult`',
        'Lambda actions of CodePipeline',
      ],
    ],
  },
  construct: null,
  simulate: 'pipelineJob',
  aws: {
    author: 'CodePipeline; the pipeline wrote the user parameters',
    failure:
      'Lambda retries twice; without a result the action fails after [20 minutes](https://docs.aws.amazon.com/codepipeline/latest/userguide/limits.html)',
    limit: 'not read; the result is a call',
    attached: 'an action of the pipeline',
  },
  hint: ['event-bus', 'a CodePipeline job', '["CodePipeline.job"].id'],
  sizes: { factory: 'codePipelineJob', gzipBytes: 12_800 },
});
