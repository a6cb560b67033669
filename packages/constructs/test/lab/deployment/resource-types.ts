/**
 * The facts of CloudFormation's resource types that determine an update. `createOnly` are the properties whose change replaces the resource:
 * `createOnlyProperties` and `conditionalCreateOnlyProperties` of the registry's schemas, which cfn-lint 1.51 ships.
 *
 * @see https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/resource-type-schemas.html
 */

type Properties = Readonly<Record<string, unknown>>;

/** The facts of one type. */
export interface ResourceType {
  readonly createOnly: readonly string[];
  /** The property with the name, if the stack may choose it. */
  readonly name?: string;
  /** Identities that only one resource of the region may have: AWS rejects the second. */
  readonly unique?: (properties: Properties) => readonly string[];
  /** The message of AWS for a second one. */
  readonly conflict?: string;
  /** A setting of another resource: a second one overwrites the first, and removing either removes the setting. */
  readonly settingOf?: (properties: Properties) => readonly string[];
  /** True if it has data that a replacement loses. */
  readonly stateful?: true;
  /** True if CloudFormation deletes the old resource before it creates the new one. */
  readonly deleteFirst?: true;
}

const only = (...createOnly: string[]): ResourceType => ({ createOnly });
/** A value of a property as a part of an identity: the ARN and the name of one resource are equal. */
export const identity = (value: unknown): string =>
  (typeof value === 'string' ? value : JSON.stringify(value ?? '')).replace(/^arn:(?=[\w-]+\/)/, '');
const by =
  (...names: string[]) =>
  (properties: Properties): readonly string[] => [names.map((name) => identity(properties[name])).join(' ')];
const each = (name: string) => (properties: Properties) => ((properties[name] ?? []) as unknown[]).map(identity);

/** Parameters of a path are equal regardless of their names: API Gateway accepts one at each position. */
const shapeOf = (path: string) => path.replaceAll(/\{[^}+]*(\+?)\}/g, '{$1}');
/** The parameters of a path, each with its position: two routes of an API must have equal names at one position. */
export function parametersOf(routeKey: string): readonly (readonly [position: string, name: string])[] {
  const segments = (routeKey.split(' ')[1] ?? '').split('/');
  return segments.flatMap((segment, index) => {
    const isParameter = segment.startsWith('{') && !segment.endsWith('+}');
    return isParameter ? [[shapeOf(segments.slice(0, index + 1).join('/')), segment] as const] : [];
  });
}

const EXISTS = 'already exists';

const RESOURCE_TYPES: Readonly<Record<string, ResourceType>> = {
  'AWS::ApiGateway::Account': only(),
  'AWS::ApiGateway::Authorizer': {
    ...only('RestApiId'),
    unique: by('RestApiId', 'Name'),
    conflict: 'Authorizer name must be unique',
  },
  'AWS::ApiGateway::BasePathMapping': {
    ...only('DomainName', 'BasePath'),
    unique: by('DomainName', 'BasePath'),
    conflict: 'Base path already exists for this domain name',
  },
  'AWS::ApiGateway::Deployment': only('DeploymentCanarySettings', 'RestApiId'),
  'AWS::ApiGateway::DomainName': {
    ...only('DomainName'),
    unique: by('DomainName'),
    conflict: 'The domain name you provided already exists',
  },
  'AWS::ApiGateway::GatewayResponse': {
    ...only('ResponseType', 'RestApiId'),
    unique: by('RestApiId', 'ResponseType'),
    conflict: EXISTS,
  },
  // https://docs.aws.amazon.com/apigateway/latest/api/API_PutMethod.html (ConflictException)
  'AWS::ApiGateway::Method': {
    ...only('RestApiId', 'ResourceId', 'HttpMethod'),
    unique: by('ResourceId', 'HttpMethod'),
    conflict: 'Method already exists for this resource',
  },
  // https://github.com/serverless/serverless/issues/3785
  'AWS::ApiGateway::Resource': {
    ...only('PathPart', 'ParentId', 'RestApiId'),
    unique: ({ ParentId, PathPart }) => [`${identity(ParentId)} ${shapeOf(String(PathPart)).replace('{+}', '{}')}`],
    conflict:
      'Another resource with the same parent already has this name, or a sibling of this resource already has a variable path part',
  },
  'AWS::ApiGateway::RestApi': only(),
  'AWS::ApiGateway::Stage': {
    ...only('RestApiId', 'StageName'),
    unique: by('RestApiId', 'StageName'),
    conflict: 'Stage already exists',
  },
  'AWS::ApiGatewayV2::Api': only('ProtocolType'),
  'AWS::ApiGatewayV2::ApiMapping': {
    ...only('DomainName'),
    unique: by('DomainName', 'ApiMappingKey'),
    conflict: 'ApiMapping key already exists for this domain name',
  },
  'AWS::ApiGatewayV2::Authorizer': {
    ...only('ApiId'),
    unique: by('ApiId', 'Name'),
    conflict: 'Authorizer name must be unique',
  },
  'AWS::ApiGatewayV2::Deployment': only('ApiId'),
  'AWS::ApiGatewayV2::DomainName': {
    ...only('DomainName'),
    unique: by('DomainName'),
    conflict: 'The domain name you provided already exists',
  },
  'AWS::ApiGatewayV2::Integration': only('ApiId'),
  'AWS::ApiGatewayV2::IntegrationResponse': only('ApiId', 'IntegrationId'),
  'AWS::ApiGatewayV2::Route': {
    ...only('ApiId'),
    unique: ({ ApiId, RouteKey }) => [`${identity(ApiId)} ${shapeOf(String(RouteKey))}`],
    conflict: 'Route with this key already exists for this API',
  },
  'AWS::ApiGatewayV2::RouteResponse': {
    ...only('ApiId', 'RouteId'),
    unique: by('RouteId', 'RouteResponseKey'),
    conflict: EXISTS,
  },
  'AWS::ApiGatewayV2::Stage': {
    ...only('StageName', 'ApiId'),
    unique: by('ApiId', 'StageName'),
    conflict: 'Stage already exists',
  },
  'AWS::AppSync::ChannelNamespace': { ...only('ApiId', 'Name'), unique: by('ApiId', 'Name'), conflict: EXISTS },
  'AWS::AppSync::DataSource': {
    ...only('ApiId', 'Name'),
    unique: by('ApiId', 'Name'),
    conflict: 'Data source with name already exists',
  },
  'AWS::AppSync::FunctionConfiguration': only('ApiId'),
  'AWS::AppSync::GraphQLApi': only(),
  'AWS::AppSync::GraphQLSchema': only('ApiId'),
  'AWS::AppSync::Resolver': {
    ...only('ApiId', 'FieldName', 'TypeName'),
    unique: by('ApiId', 'TypeName', 'FieldName'),
    conflict: 'Only one resolver is allowed per field',
  },
  'AWS::CloudWatch::Alarm': { ...only('AlarmName'), name: 'AlarmName' },
  'AWS::CloudWatch::CompositeAlarm': { ...only('AlarmName'), name: 'AlarmName' },
  'AWS::CloudWatch::Dashboard': { ...only('DashboardName'), name: 'DashboardName' },
  'AWS::CodeDeploy::Application': { ...only('ApplicationName', 'ComputePlatform'), name: 'ApplicationName' },
  'AWS::CodeDeploy::DeploymentGroup': {
    ...only('DeploymentGroupName', 'ApplicationName'),
    name: 'DeploymentGroupName',
  },
  'AWS::DynamoDB::Table': {
    ...only('TableName', 'ImportSourceSpecification', 'KeySchema'),
    name: 'TableName',
    stateful: true,
  },
  'AWS::Events::EventBus': { ...only('Name'), name: 'Name' },
  'AWS::Events::Rule': {
    ...only('Name', 'EventBusName'),
    name: 'Name',
    unique: ({ EventBusName, Name }) => (Name === undefined ? [] : [`${identity(EventBusName)} ${identity(Name)}`]),
    conflict: EXISTS,
  },
  'AWS::IAM::ManagedPolicy': { ...only('ManagedPolicyName', 'Description', 'Path'), name: 'ManagedPolicyName' },
  // An inline policy is a setting of its roles under its name. https://docs.aws.amazon.com/IAM/latest/APIReference/API_PutRolePolicy.html
  'AWS::IAM::Policy': {
    createOnly: [],
    settingOf: ({ PolicyName, Roles, Users, Groups }) =>
      [...((Roles ?? []) as unknown[]), ...((Users ?? []) as unknown[]), ...((Groups ?? []) as unknown[])].map(
        (one) => `${identity(one)} ${identity(PolicyName)}`,
      ),
  },
  'AWS::IAM::Role': { ...only('Path', 'RoleName'), name: 'RoleName' },
  'AWS::Kinesis::Stream': { ...only('Name'), name: 'Name', stateful: true },
  'AWS::KMS::Alias': { ...only('AliasName'), name: 'AliasName' },
  'AWS::KMS::Key': { createOnly: [], stateful: true },
  'AWS::Lambda::Alias': {
    ...only('Name', 'FunctionName'),
    unique: by('FunctionName', 'Name'),
    conflict: 'Alias already exists',
  },
  'AWS::Lambda::EventInvokeConfig': {
    ...only('FunctionName', 'Qualifier'),
    unique: by('FunctionName', 'Qualifier'),
    conflict: 'The Lambda function already has an EventInvokeConfig',
  },
  // https://github.com/aws/serverless-application-model/issues/1320. One topic of a cluster is one source.
  'AWS::Lambda::EventSourceMapping': {
    ...only('EventSourceArn', 'StartingPosition', 'StartingPositionTimestamp', 'SelfManagedEventSource'),
    unique: by('EventSourceArn', 'SelfManagedEventSource', 'Topics', 'Queues', 'FunctionName'),
    conflict: 'An event source mapping with this source and this function already exists',
  },
  'AWS::Lambda::Function': {
    ...only('FunctionName', 'PackageType', 'TenancyConfig', 'DurableConfig'),
    name: 'FunctionName',
  },
  'AWS::Lambda::Permission': only(
    'FunctionName',
    'FunctionUrlAuthType',
    'InvokedViaFunctionUrl',
    'SourceAccount',
    'SourceArn',
    'Principal',
    'PrincipalOrgID',
    'Action',
    'EventSourceToken',
  ),
  'AWS::Lambda::Url': {
    ...only('TargetFunctionArn', 'Qualifier'),
    unique: by('TargetFunctionArn', 'Qualifier'),
    conflict:
      'Failed to create function url config for function. Error message:  FunctionUrlConfig exists for this Lambda function',
  },
  'AWS::Lambda::Version': only(
    'FunctionName',
    'Description',
    'CodeSha256',
    'ProvisionedConcurrencyConfig',
    'RuntimePolicy',
  ),
  'AWS::Logs::Destination': { ...only('DestinationName'), name: 'DestinationName' },
  'AWS::Logs::LogGroup': { ...only('LogGroupName'), name: 'LogGroupName' },
  'AWS::Logs::ResourcePolicy': { ...only('PolicyName'), name: 'PolicyName' },
  'AWS::Logs::SubscriptionFilter': {
    ...only('FilterName', 'LogGroupName'),
    unique: by('LogGroupName', 'FilterName'),
    deleteFirst: true,
    conflict: EXISTS,
  },
  'AWS::S3::Bucket': {
    ...only('BucketName', 'BucketNamePrefix', 'BucketNamespace'),
    name: 'BucketName',
    stateful: true,
  },
  // https://github.com/aws/aws-cdk/issues/7304
  'AWS::S3::BucketPolicy': {
    ...only('Bucket'),
    unique: by('Bucket'),
    conflict: 'The bucket policy already exists on bucket',
  },
  'AWS::S3Vectors::Index': {
    ...only(
      'DataType',
      'Dimension',
      'DistanceMetric',
      'EncryptionConfiguration',
      'IndexName',
      'MetadataConfiguration',
      'VectorBucketArn',
      'VectorBucketName',
    ),
    unique: by('VectorBucketArn', 'VectorBucketName', 'IndexName'),
    conflict: EXISTS,
    stateful: true,
  },
  'AWS::S3Vectors::VectorBucket': {
    ...only('VectorBucketName', 'EncryptionConfiguration'),
    name: 'VectorBucketName',
    stateful: true,
  },
  'AWS::SecretsManager::Secret': { ...only('Name'), name: 'Name', stateful: true },
  // The service's own rule: see `services.ts`.
  'AWS::SNS::Subscription': only('Endpoint', 'Protocol', 'TopicArn', 'Region'),
  'AWS::SNS::Topic': { ...only('TopicName', 'FifoTopic'), name: 'TopicName' },
  'AWS::SNS::TopicPolicy': { createOnly: [], settingOf: each('Topics') },
  'AWS::SQS::Queue': { ...only('FifoQueue', 'QueueName'), name: 'QueueName', stateful: true },
  // https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-sqs-queuepolicy.html
  'AWS::SQS::QueuePolicy': { createOnly: [], settingOf: each('Queues') },
  // Outside the registry's schemas of cfn-lint 1.51: every property as the AWS documentation has it.
  'AWS::Lambda::MicrovmImage': { ...only('Name'), name: 'Name' },
  'AWS::Lambda::NetworkConnector': { ...only('Name'), name: 'Name' },
};

/** The facts of a type. @throws Error for a type that the table does not have: its rules must be looked up, not guessed. */
export function typeOf(type: string): ResourceType {
  if (type.startsWith('Custom::') || type === 'AWS::CloudFormation::CustomResource') return only('ServiceToken');
  const known = RESOURCE_TYPES[type];
  if (known === undefined) throw new Error(`resource-types.ts has no facts of ${type}`);
  return known;
}
