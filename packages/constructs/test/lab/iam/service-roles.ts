/** The roles that services other than Lambda assume, and their requests, which the guides of AWS list. A type with a role and without an entry is an error. */
import type { RequestList } from './requests.js';
import type { TemplatePolicies } from './template-policies.js';

type Properties = Readonly<Record<string, unknown>>;

/** The use of a role by a resource. */
export interface RoleUse {
  /** The logical id of the role. */
  readonly role: string;
  /** The service that assumes it. */
  readonly service: string;
  /** The condition keys of that request. */
  readonly context?: Readonly<Record<string, string>>;
  readonly add: (list: RequestList) => void;
  /** The actions that this package grants; others are of the CDK or the application. All if absent. */
  readonly only?: RegExp;
}

type Use = (properties: Properties, policies: TemplatePolicies) => readonly (RoleUse | undefined)[];

const idIn = (arn: unknown) => (arn === undefined ? undefined : (String(arn).split('/').at(-1) ?? ''));
const LOGS = ['logs:CreateLogStream', 'logs:PutLogEvents'];

/** A role that one service assumes. */
function use(arn: unknown, service: string, add: RoleUse['add'], more: Partial<RoleUse> = {}): RoleUse | undefined {
  const role = idIn(arn);
  return role === undefined ? undefined : { role, service: `${service}.amazonaws.com`, add, ...more };
}

/** https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/SubscriptionFilters.html */
const LOG_SOURCE = { 'aws:SourceArn': 'arn:aws:logs:eu-west-1:123456789012:*' };
const putsRecords =
  (stream: unknown): RoleUse['add'] =>
  (list) =>
    list.add('kinesis:PutRecord', String(stream));

const TYPES: Readonly<Record<string, Use>> = {
  // The actions for functions in https://docs.aws.amazon.com/aws-managed-policy/latest/reference/AWSCodeDeployRoleForLambdaLimited.html
  'AWS::CodeDeploy::DeploymentGroup': ({ ServiceRoleArn, AlarmConfiguration }, policies) => [
    use(ServiceRoleArn, 'codedeploy', (list) => {
      const { Alarms } = AlarmConfiguration as { readonly Alarms: readonly { readonly Name: string }[] };
      for (const { Name } of Alarms) list.add('cloudwatch:DescribeAlarms', policies.arnOf(Name));
      for (const alias of policies.ids('AWS::Lambda::Alias')) {
        const { UpdatePolicy = {} } = policies.template.Resources[alias] as { readonly UpdatePolicy?: Properties };
        const { DeploymentGroupName, BeforeAllowTrafficHook, AfterAllowTrafficHook } = policies.value<Properties>(
          UpdatePolicy.CodeDeployLambdaAliasUpdate ?? {},
        );
        if (policies.properties(idIn(DeploymentGroupName) ?? '').ServiceRoleArn !== ServiceRoleArn) continue;
        const arn = policies.arnOf(alias);
        list.addAll(['lambda:GetAlias', 'lambda:UpdateAlias'], arn.replace(/:[^:]+$/, ''));
        list.add('lambda:GetProvisionedConcurrencyConfig', arn);
        for (const hook of [BeforeAllowTrafficHook, AfterAllowTrafficHook])
          if (hook !== undefined) list.add('lambda:InvokeFunction', policies.arnOf(String(hook)));
      }
    }),
  ],
  // https://docs.aws.amazon.com/appsync/latest/devguide/tutorial-lambda-resolvers.html
  'AWS::AppSync::DataSource': ({ ServiceRoleArn, LambdaConfig }) => [
    use(ServiceRoleArn, 'appsync', (list) =>
      list.add('lambda:InvokeFunction', (LambdaConfig as { LambdaFunctionArn: string }).LambdaFunctionArn),
    ),
  ],
  // https://docs.aws.amazon.com/appsync/latest/devguide/monitoring.html; the group exists already
  'AWS::AppSync::GraphQLApi': ({ LogConfig }, policies) => [
    use((LogConfig as Properties | undefined)?.CloudWatchLogsRoleArn, 'appsync', (list) => {
      const group = policies
        .ids('AWS::Logs::LogGroup')
        .find((id) => String(policies.properties(id).LogGroupName).startsWith('/aws/appsync/apis/'));
      list.addAll(LOGS, policies.arnOf(group ?? ''));
    }),
  ],
  // https://docs.aws.amazon.com/firehose/latest/dev/controlling-access.html#using-iam-s3
  'AWS::KinesisFirehose::DeliveryStream': ({ ExtendedS3DestinationConfiguration = {} }) => {
    const { RoleARN, ProcessingConfiguration } = ExtendedS3DestinationConfiguration as Properties;
    const { Processors = [] } = (ProcessingConfiguration ?? {}) as {
      Processors?: readonly { Parameters: readonly { ParameterName: string; ParameterValue: string }[] }[];
    };
    const functions = Processors.flatMap(({ Parameters }) =>
      Parameters.filter(({ ParameterName }) => ParameterName === 'LambdaArn'),
    );
    const invokes: RoleUse['add'] = (list) => {
      for (const { ParameterValue } of functions)
        list.addAll(['lambda:InvokeFunction', 'lambda:GetFunctionConfiguration'], ParameterValue);
    };
    return [use(RoleARN, 'firehose', invokes, { only: /^lambda:/ })];
  },
  // https://docs.aws.amazon.com/scheduler/latest/UserGuide/setting-up.html#setting-up-execution-role
  'AWS::Scheduler::Schedule': ({ Target, GroupName = 'default' }) => {
    const { RoleArn, Arn, DeadLetterConfig } = Target as {
      readonly RoleArn: string;
      readonly Arn: string;
      readonly DeadLetterConfig?: { readonly Arn: string };
    };
    // https://docs.aws.amazon.com/scheduler/latest/UserGuide/cross-service-confused-deputy-prevention.html
    const group = idIn(GroupName);
    const context = {
      'aws:SourceAccount': '123456789012',
      'aws:SourceArn': `arn:aws:scheduler:eu-west-1:123456789012:schedule-group/${group}`,
    };
    return [
      use(
        RoleArn,
        'scheduler',
        (list) => {
          list.add('lambda:InvokeFunction', Arn);
          if (DeadLetterConfig) list.add('sqs:SendMessage', DeadLetterConfig.Arn);
        },
        { context },
      ),
    ];
  },
  'AWS::Logs::Destination': ({ RoleArn, TargetArn }) => [
    use(RoleArn, 'logs', putsRecords(TargetArn), { context: LOG_SOURCE }),
  ],
  'AWS::Logs::SubscriptionFilter': ({ RoleArn, DestinationArn }) => [
    use(RoleArn, 'logs', putsRecords(DestinationArn), { context: LOG_SOURCE }),
  ],
  // https://docs.aws.amazon.com/apigateway/latest/developerguide/set-up-logging.html
  'Custom::ApiGatewayAccount': ({ RoleArn }) => [
    use(RoleArn, 'apigateway', (list) => {
      const actions = ['CreateLogGroup', 'DescribeLogGroups', 'DescribeLogStreams', 'FilterLogEvents', 'GetLogEvents'];
      list.addAll([...LOGS, ...actions.map((action) => `logs:${action}`)], '*');
    }),
  ],
  // https://docs.aws.amazon.com/lambda/latest/dg/microvms-images.html
  'AWS::Lambda::MicrovmImage': ({ BuildRoleArn, CodeArtifact, Logging }, policies) => [
    use(BuildRoleArn, 'lambda', (list) => {
      const { Uri = '' } = CodeArtifact as { readonly Uri?: string };
      list.add('s3:GetObject', Uri.replace('s3://', 'arn:aws:s3:::'));
      const { CloudWatch } = Logging as { readonly CloudWatch?: { readonly LogGroup: string } };
      if (CloudWatch) list.addAll(LOGS, policies.arnOf(CloudWatch.LogGroup));
    }),
  ],
};

/** The types that name a role and are not in this table: policies of roles, variables of functions, and the logs of a network, whose role the CDK creates. */
const OTHERS = ['AWS::IAM::Policy', 'AWS::IAM::ManagedPolicy', 'AWS::Lambda::Function', 'AWS::EC2::FlowLog'];

/** The uses of all roles of a template by services other than Lambda. */
export function usesOfRoles(policies: TemplatePolicies): readonly RoleUse[] {
  const roles = policies.ids('AWS::IAM::Role');
  return Object.entries(policies.template.Resources).flatMap(([id, { Type }]) => {
    const properties = policies.properties(id);
    const known = TYPES[Type];
    if (known) return known(properties, policies).flatMap((one) => one ?? []);
    const shown = JSON.stringify(properties);
    const named = OTHERS.includes(Type) ? undefined : roles.find((role) => shown.includes(`role/${role}"`));
    if (named !== undefined) throw new Error(`service-roles.ts does not know the role of ${Type}, ${named}`);
    return [];
  });
}
