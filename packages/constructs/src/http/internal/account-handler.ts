/**
 * The function that sets the role of API Gateway's logs, as the inline code of a custom resource. The Lambda runtime has its two clients.
 *
 * It keeps a setting whose role exists, and does nothing at removal: the setting belongs to the whole account. A new role is not visible
 * everywhere immediately, so API Gateway may reject it for some seconds.
 */
export const ACCOUNT_HANDLER = `'use strict';
const { APIGatewayClient, GetAccountCommand, UpdateAccountCommand } = require('@aws-sdk/client-api-gateway');
const { IAMClient, GetRoleCommand } = require('@aws-sdk/client-iam');
const RETRY_MS = 5000;
const roleExists = async (arn) => {
  try {
    await new IAMClient({}).send(new GetRoleCommand({ RoleName: arn.split('/').at(-1) }));
    return true;
  } catch (error) {
    if (error.name === 'NoSuchEntityException') return false;
    throw error;
  }
};
const ensure = async (value, context) => {
  const gateway = new APIGatewayClient({});
  const { cloudwatchRoleArn } = await gateway.send(new GetAccountCommand({}));
  if (cloudwatchRoleArn && (await roleExists(cloudwatchRoleArn))) return;
  const patchOperations = [{ op: 'replace', path: '/cloudwatchRoleArn', value }];
  for (;;) {
    try {
      await gateway.send(new UpdateAccountCommand({ patchOperations }));
      return;
    } catch (error) {
      const mayPass = error.name === 'BadRequestException' || error.name === 'TooManyRequestsException';
      if (!mayPass || context.getRemainingTimeInMillis() < 3 * RETRY_MS) throw error;
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
};
exports.handler = async (event, context) => {
  let failure;
  try {
    if (event.RequestType !== 'Delete') await ensure(event.ResourceProperties.RoleArn, context);
  } catch (error) {
    failure = error;
  }
  const { StackId, RequestId, LogicalResourceId } = event;
  const body = JSON.stringify({
    Status: failure ? 'FAILED' : 'SUCCESS',
    Reason: failure ? 'the role of API Gateway logs could not be set: ' + failure.message : 'done',
    PhysicalResourceId: 'api-gateway-account',
    StackId,
    RequestId,
    LogicalResourceId,
  });
  await fetch(event.ResponseURL, { method: 'PUT', body });
};
`;
