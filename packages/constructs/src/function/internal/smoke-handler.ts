/**
 * The function that CodeDeploy invokes before a new version gets traffic, as inline code. It invokes the version with each event, and stops the deployment if
 * the function fails, answers 500 or more, or reports a record. The Lambda runtime has its two clients.
 *
 * @see https://docs.aws.amazon.com/codedeploy/latest/userguide/reference-appspec-file-structure-hooks.html#appspec-hooks-lambda
 */
export const SMOKE_HANDLER = `'use strict';
const { CodeDeployClient, PutLifecycleEventHookExecutionStatusCommand } = require('@aws-sdk/client-codedeploy');
const { LambdaClient, InvokeCommand } = require('@aws-sdk/client-lambda');
const failureOf = ({ FunctionError, Payload }) => {
  const result = JSON.parse(Buffer.from(Payload ?? []).toString() || 'null');
  if (FunctionError) return FunctionError;
  if (result?.statusCode >= 500) return 'status ' + result.statusCode;
  return result?.batchItemFailures?.length > 0 ? 'failed records' : undefined;
};
exports.handler = async ({ DeploymentId, LifecycleEventHookExecutionId }) => {
  const lambda = new LambdaClient({});
  let status = 'Succeeded';
  for (const [name, event] of Object.entries(JSON.parse(process.env.SMOKE_EVENTS))) {
    let failure;
    try {
      const Payload = JSON.stringify(event);
      failure = failureOf(await lambda.send(new InvokeCommand({ FunctionName: process.env.SMOKE_VERSION, Payload })));
    } catch (error) {
      failure = error.name;
    }
    console.log(JSON.stringify({ event: 'smoke', name, failure: failure ?? null }));
    if (failure) status = 'Failed';
  }
  const input = { deploymentId: DeploymentId, lifecycleEventHookExecutionId: LifecycleEventHookExecutionId, status };
  await new CodeDeployClient({}).send(new PutLifecycleEventHookExecutionStatusCommand(input));
};
`;
