import type { LambdaContext, MaybePromise } from '@sallyport/core';
import { membersOf } from '@sallyport/core/internal';
import { attempt, type Delivered, type EventContext } from '@sallyport/streams/delivery';
import { invalidAnswer } from '../errors.js';
import { assertHandler } from '../internal/handlers.js';
import { keyOf } from '../internal/key.js';
import { requiredText, sourceOf } from '../internal/read.js';
import { loadClient, Reporter, SENDER_MARGIN_MS, type SenderOptions } from '../internal/sender.js';
import { defineTrigger, TriggerSurface } from '../internal/surface.js';

/** A hook of a deployment: https://docs.aws.amazon.com/codedeploy/latest/userguide/reference-appspec-file-structure-hooks.html. */
export interface DeploymentHook {
  /** The id of the deployment. */
  readonly deploymentId: string;
  /** The id of the execution of the hook. */
  readonly executionId: string;
}

/** Validates a deployment: `undefined` and `Succeeded` continue it; `Failed` and a throw roll it back. */
export type DeploymentHookHandler = (
  ctx: EventContext,
  hook: DeploymentHook,
) => MaybePromise<'Succeeded' | 'Failed' | undefined>;

/** Row, natural key and answer of hooks of CodeDeploy. @internal */
export const CODEDEPLOY_TRIGGER = /* @__PURE__ */ defineTrigger({
  kind: 'codedeploy',
  anyOf: [
    [
      { path: 'DeploymentId', test: 'text' },
      { path: 'LifecycleEventHookExecutionId', test: 'text' },
    ],
  ],
  sample: { DeploymentId: 'd', LifecycleEventHookExecutionId: 'h' },
  key: ({ record, id }: Delivered) => keyOf((record as DeploymentHook).deploymentId, id),
  answer: 'PutLifecycleEventHookExecutionStatus, then null',
  marginMs: SENDER_MARGIN_MS,
});

const loadSdk = /* @__PURE__ */ loadClient('@aws-sdk/client-codedeploy', () => import('@aws-sdk/client-codedeploy'));

type Sdk = Awaited<ReturnType<typeof loadSdk>>;

/** The function of a hook of CodeDeploy. */
export class CodeDeployHook extends TriggerSurface {
  readonly #handler: DeploymentHookHandler;
  readonly #reporter: Reporter<Sdk>;

  constructor(handler: DeploymentHookHandler, options: SenderOptions = {}) {
    super(CODEDEPLOY_TRIGGER);
    assertHandler(handler);
    this.#handler = handler;
    this.#reporter = new Reporter(options, 'CodeDeploy', loadSdk, (sdk) => new sdk.CodeDeployClient({}));
  }

  protected override read(event: unknown): readonly Delivered[] {
    const { DeploymentId, LifecycleEventHookExecutionId } = membersOf(event);
    const deploymentId = requiredText(this.kind, 'DeploymentId', DeploymentId);
    const executionId = requiredText(this.kind, 'LifecycleEventHookExecutionId', LifecycleEventHookExecutionId);
    const record: DeploymentHook = { deploymentId, executionId };
    return [{ handler: this.#handler, record, id: executionId, name: '', source: sourceOf(deploymentId, '') }];
  }

  protected override async answer(
    [item]: readonly Delivered[],
    lambdaContext: LambdaContext | undefined,
  ): Promise<null> {
    const { deploymentId, executionId } = (item as Delivered).record as DeploymentHook;
    const handler = async (ctx: EventContext, hook: never) => toStatus(await this.#handler(ctx, hook));
    const outcome = await attempt(this.delivery, { ...(item as Delivered), handler }, lambdaContext);
    const toCommand = (sdk: Sdk) =>
      new sdk.PutLifecycleEventHookExecutionStatusCommand({
        deploymentId,
        lifecycleEventHookExecutionId: executionId,
        status: 'value' in outcome ? (outcome.value as 'Succeeded' | 'Failed') : 'Failed',
      });
    await this.#reporter.send(toCommand, lambdaContext);
    return null;
  }
}

/** @throws FrameworkError `triggers.invalid_answer` for any other result, so that it is never a success */
function toStatus(result: unknown): 'Succeeded' | 'Failed' {
  if (result === undefined || result === 'Succeeded') return 'Succeeded';
  if (result === 'Failed') return 'Failed';
  throw invalidAnswer('must be "Succeeded", "Failed" or undefined');
}

/**
 * Makes the surface for a hook of a CodeDeploy deployment to Lambda or ECS. CodeDeploy receives the result, even if the handler throws or
 * the deadline passes. The role of the function needs `codedeploy:PutLifecycleEventHookExecutionStatus`, and the application the package
 * `@aws-sdk/client-codedeploy`.
 *
 * @throws FrameworkError `app.invalid_configuration` for a handler that is not a function, or a wrong or unknown option
 * @example
 * const check = codeDeployHook(async () => ((await isHealthy()) ? 'Succeeded' : 'Failed'));
 * const app = new SecureApp({ principalResolver, surfaces: [check] });
 */
export function codeDeployHook(handler: DeploymentHookHandler, options: SenderOptions = {}): CodeDeployHook {
  return new CodeDeployHook(handler, options);
}
