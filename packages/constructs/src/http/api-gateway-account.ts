import { ManagedPolicy, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { CustomResource, Duration, RemovalPolicy, Stack } from 'aws-cdk-lib/core';
import { Construct, type IConstruct } from 'constructs';
import { ServiceFunction } from '../function/service-function.js';
import { acknowledge } from '../internal/acknowledge.js';
import { grantOn } from '../internal/grants.js';
import { grantOnParts } from '../internal/wildcards.js';
import { ACCOUNT_HANDLER } from './internal/account-handler.js';

const ID = 'SallyportApiGatewayAccount';

/**
 * The role with which API Gateway writes the logs of REST and WebSocket APIs: one setting for each region of an account. Without it, API Gateway
 * rejects a stage with an access log. The stack sets the role only if it is missing, or if the role of the setting no longer exists.
 * The role and the setting are kept when the stack is removed, because other stacks may use them.
 *
 * {@link RestApi} and {@link WebSocketApi} call `ensure` themselves, unless you pass `account: 'existing'` or `accessLog: false`.
 *
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/set-up-logging.html
 */
export class ApiGatewayAccount extends Construct {
  /**
   * The setting of the stack's account and region; created at the first call for a stack. Stages with logs must depend on it.
   *
   * @param scope a construct of the stack
   * @example stage.node.addDependency(ApiGatewayAccount.ensure(this));
   */
  static ensure(scope: IConstruct): ApiGatewayAccount {
    const stack = Stack.of(scope);
    const existing = stack.node.tryFindChild(ID) as ApiGatewayAccount | undefined;
    return existing ?? new ApiGatewayAccount(stack, ID);
  }

  /** The role, for an account without this setting. */
  readonly role: Role;

  private constructor(scope: Construct, id: string) {
    super(scope, id);
    this.role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('apigateway.amazonaws.com'),
      managedPolicies: [ManagedPolicy.fromAwsManagedPolicyName('service-role/AmazonAPIGatewayPushToCloudWatchLogs')],
    });
    this.role.applyRemovalPolicy(RemovalPolicy.RETAIN);
    const managed = 'Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs';
    const reason = 'AWS names this policy for the setting, which applies to the APIs of the whole account.';
    acknowledge(this.role, `AwsSolutions::AwsSolutions-IAM4[${managed}]`, reason);
    const { fn } = new ServiceFunction(this, 'Setter', {
      code: Code.fromInline(ACCOUNT_HANDLER),
      timeout: Duration.minutes(2),
      logRemovalPolicy: RemovalPolicy.DESTROY,
    });
    const stack = Stack.of(this);
    const account = stack.formatArn({ service: 'apigateway', account: '', resource: '/account' });
    grantOn(fn, ['apigateway:GET', 'apigateway:PATCH'], [account]);
    grantOn(fn, ['iam:PassRole'], [this.role.roleArn]);
    const roles = stack.formatArn({ service: 'iam', region: '', resource: 'role', resourceName: '*' });
    grantOnParts(
      fn,
      ['iam:GetRole'],
      [roles],
      'The role of the present setting: its name is known only at deployment.',
    );
    const resource = new CustomResource(this, 'Resource', {
      serviceToken: fn.functionArn,
      resourceType: 'Custom::ApiGatewayAccount',
      properties: { RoleArn: this.role.roleArn },
    });
    resource.node.addDependency(this.role, fn);
  }
}
