import { defineOptions, string } from '@sallyport/core/options';
import type { SenderOptions } from '../internal/sender.js';
import { CODEDEPLOY_TRIGGER, codeDeployHook } from '../kinds/codedeploy.js';
import { describeTrigger } from './entry.js';
import { ACCEPTING, only } from './internal/build.js';

/** Options of {@link buildCodeDeployEvent}. */
export interface CodeDeployEventOptions {
  /** The id of the deployment. Default `d-1`. */
  readonly deploymentId?: string;
  /** The id of the execution of the hook. Default `hook-1`. */
  readonly executionId?: string;
}

const CODEDEPLOY_EVENT = /* @__PURE__ */ defineOptions<CodeDeployEventOptions>()({
  deploymentId: string.default('d-1'),
  executionId: string.default('hook-1'),
});

/** A hook of a deployment, in the form of its documentation. */
export interface CodeDeployEvent {
  /** The id of the deployment. */
  readonly DeploymentId: string;
  /** The id of the execution of the hook. */
  readonly LifecycleEventHookExecutionId: string;
}

/**
 * Builds the event of a hook of CodeDeploy.
 *
 * @see https://docs.aws.amazon.com/codedeploy/latest/userguide/reference-appspec-file-structure-hooks.html
 * @throws FrameworkError `app.invalid_configuration` for an unknown option or a wrong type
 */
export function buildCodeDeployEvent(options: CodeDeployEventOptions = {}): CodeDeployEvent {
  const { deploymentId, executionId } = CODEDEPLOY_EVENT.parse(options);
  return { DeploymentId: deploymentId, LifecycleEventHookExecutionId: executionId };
}

/** Hooks of CodeDeploy in the catalogue. @internal */
export const CODEDEPLOY = /* @__PURE__ */ describeTrigger(CODEDEPLOY_TRIGGER, {
  sample: {
    build: buildCodeDeployEvent,
    events: [[buildCodeDeployEvent(), 'd-1|hook-1']],
    names: [''],
    sends: true,
    register: (handlers, options: SenderOptions = { client: ACCEPTING }) => codeDeployHook(only(handlers), options),
  },
  docs: {
    section: 'CodeDeploy hooks',
    rows: [
      [
        '`codeDeployHook(handler, { client, timeoutMs })`; `CodeDeployHook`, `DeploymentHookHandler`, `DeploymentHook`',
        'hooks of CodeDeploy deployments',
      ],
    ],
  },
  construct: null,
  simulate: 'asynchronous',
  aws: {
    author: 'CodeDeploy',
    failure:
      'without a status the deployment fails after [one hour](https://docs.aws.amazon.com/codedeploy/latest/userguide/reference-appspec-file-structure-hooks.html)',
    limit: 'not read; the result is a call',
    attached: 'the AppSpec file',
  },
  sizes: { factory: 'codeDeployHook', gzipBytes: 12_000 },
});
