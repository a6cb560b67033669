/** Requests of the service Lambda with the role of a function, which the guides of AWS list: logs, traces, sources, failure destinations and networks. */
import type { RequestList } from './requests.js';

type Properties = Readonly<Record<string, unknown>>;

/** The actions of Lambda on a source, by the service in its ARN. */
const POLLING: Readonly<Record<string, readonly string[]>> = {
  // https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html#events-sqs-permissions
  sqs: ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'],
  // https://docs.aws.amazon.com/lambda/latest/dg/services-kinesis-create.html
  kinesis: [
    'kinesis:DescribeStream',
    'kinesis:DescribeStreamSummary',
    'kinesis:GetRecords',
    'kinesis:GetShardIterator',
    'kinesis:ListShards',
  ],
  // https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/iam-policy-example-lamda-process-dynamodb-streams.html
  dynamodb: ['dynamodb:DescribeStream', 'dynamodb:GetRecords', 'dynamodb:GetShardIterator', 'dynamodb:ListStreams'],
  // https://docs.aws.amazon.com/lambda/latest/dg/with-msk-permissions.html
  kafka: ['kafka:DescribeClusterV2', 'kafka:GetBootstrapBrokers'],
  // https://docs.aws.amazon.com/lambda/latest/dg/with-mq.html
  mq: ['mq:DescribeBroker'],
  // https://docs.aws.amazon.com/lambda/latest/dg/with-documentdb.html
  rds: ['rds:DescribeDBClusters'],
};

/** The services whose sources Lambda reaches through a network of the account: the pages of {@link POLLING}. */
const IN_A_NETWORK = ['kafka', 'mq', 'rds'];

/** The interfaces of an event source mapping: https://docs.aws.amazon.com/lambda/latest/dg/with-msk-permissions.html */
function addNetworkOfMapping(list: RequestList): void {
  for (const resource of ['network-interface/eni-1', 'subnet/subnet-1', 'security-group/sg-1'])
    list.add('ec2:CreateNetworkInterface', `arn:aws:ec2:eu-west-1:123456789012:${resource}`);
  list.add('ec2:DeleteNetworkInterface', 'arn:aws:ec2:eu-west-1:123456789012:network-interface/eni-1');
  for (const one of ['NetworkInterfaces', 'SecurityGroups', 'Subnets', 'Vpcs']) list.add(`ec2:Describe${one}`, '*');
}

/** The interfaces of a function: https://docs.aws.amazon.com/lambda/latest/dg/configuration-vpc.html */
function addNetworkOfFunction(list: RequestList): void {
  for (const resource of ['network-interface/eni-1', 'subnet/subnet-1', 'security-group/sg-1'])
    list.add('ec2:CreateNetworkInterface', `arn:aws:ec2:eu-west-1:123456789012:${resource}`);
  list.addAll(
    ['ec2:AssignPrivateIpAddresses', 'ec2:DeleteNetworkInterface', 'ec2:UnassignPrivateIpAddresses'],
    'arn:aws:ec2:eu-west-1:123456789012:network-interface/eni-1',
  );
  list.addAll(['ec2:DescribeNetworkInterfaces', 'ec2:DescribeSubnets'], '*');
}

/** A cluster of Amazon MSK that authenticates the role: https://docs.aws.amazon.com/msk/latest/developerguide/kafka-actions.html */
function addKafkaAsRole(list: RequestList, { EventSourceArn, ...mapping }: Properties): void {
  const cluster = String(EventSourceArn);
  const { ConsumerGroupId } = mapping.AmazonManagedKafkaEventSourceConfig as { readonly ConsumerGroupId: string };
  list.add('kafka-cluster:Connect', cluster);
  for (const topic of mapping.Topics as readonly string[]) {
    const arn = `${cluster.replace(':cluster/', ':topic/')}/${topic}`;
    list.addAll(['kafka-cluster:DescribeTopic', 'kafka-cluster:ReadData'], arn);
  }
  const group = `${cluster.replace(':cluster/', ':group/')}/${ConsumerGroupId}`;
  list.addAll(['kafka-cluster:AlterGroup', 'kafka-cluster:DescribeGroup'], group);
}

function addMapping(list: RequestList, mapping: Properties): void {
  const source = mapping.EventSourceArn as string | undefined;
  const service = source?.split(':')[2] ?? '';
  if (source !== undefined) list.addAll(POLLING[service] ?? [], source);
  const accesses = (mapping.SourceAccessConfigurations ?? []) as readonly { Type: string; URI: string }[];
  const isInNetwork = IN_A_NETWORK.includes(service) || accesses.some(({ Type }) => Type === 'VPC_SUBNET');
  if (isInNetwork) addNetworkOfMapping(list);
  const secrets = accesses.filter(({ URI }) => /:secretsmanager:/.test(URI));
  for (const { URI } of secrets) list.add('secretsmanager:GetSecretValue', list.policies.secretArn(URI));
  if (service === 'kafka' && secrets.length === 0) addKafkaAsRole(list, mapping);
  // https://docs.aws.amazon.com/lambda/latest/dg/with-documentdb.html
  if (service === 'rds') {
    list.add('rds:DescribeDBClusterParameters', 'arn:aws:rds:eu-west-1:123456789012:cluster-pg:default');
    list.add('rds:DescribeDBSubnetGroups', 'arn:aws:rds:eu-west-1:123456789012:subgrp:default');
  }
  addDestination(list, mapping);
}

function addDestination(list: RequestList, properties: Properties): void {
  const { OnFailure } = (properties.DestinationConfig ?? {}) as { OnFailure?: { Destination?: string } };
  if (OnFailure?.Destination) list.add('sqs:SendMessage', OnFailure.Destination);
}

/** The requests of Lambda with the role of a function. */
export function addLambdaService(list: RequestList, fn: string): void {
  const { policies } = list;
  const { LoggingConfig, TracingConfig, VpcConfig, DurableConfig, DeadLetterConfig } = policies.properties(fn) as {
    LoggingConfig?: { LogGroup?: string };
    TracingConfig?: { Mode?: string };
    VpcConfig?: object;
    DurableConfig?: object;
    DeadLetterConfig?: { TargetArn?: string };
  };
  // https://docs.aws.amazon.com/lambda/latest/dg/lambda-intro-execution-role.html; the group exists already
  if (LoggingConfig?.LogGroup)
    list.addAll(['logs:CreateLogStream', 'logs:PutLogEvents'], policies.arnOf(LoggingConfig.LogGroup));
  // https://docs.aws.amazon.com/lambda/latest/dg/services-xray.html
  if (TracingConfig?.Mode === 'Active') list.addAll(['xray:PutTraceSegments', 'xray:PutTelemetryRecords'], '*');
  if (VpcConfig) addNetworkOfFunction(list);
  // https://docs.aws.amazon.com/lambda/latest/dg/durable-security.html: the ARN of an execution extends the ARN of a version
  if (DurableConfig)
    list.addAll(
      ['lambda:CheckpointDurableExecution', 'lambda:GetDurableExecutionState'],
      `${policies.arnOf(fn)}:1/durable-execution/name/id`,
    );
  // https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-retain-records.html
  if (DeadLetterConfig?.TargetArn) list.add('sqs:SendMessage', DeadLetterConfig.TargetArn);
  const of = (type: string) => policies.ids(type).map((id) => policies.properties(id));
  for (const mapping of of('AWS::Lambda::EventSourceMapping'))
    if (policies.functionBehind(String(mapping.FunctionName)) === fn) addMapping(list, mapping);
  // https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-retain-records.html
  for (const config of of('AWS::Lambda::EventInvokeConfig'))
    if (policies.functionBehind(String(config.FunctionName)) === fn) addDestination(list, config);
  // https://docs.aws.amazon.com/secretsmanager/latest/userguide/rotating-secrets-required-permissions-function.html
  for (const { SecretId, RotationLambdaARN } of of('AWS::SecretsManager::RotationSchedule')) {
    if (policies.functionBehind(String(RotationLambdaARN)) !== fn) continue;
    for (const one of ['DescribeSecret', 'GetSecretValue', 'PutSecretValue', 'UpdateSecretVersionStage'])
      list.add(`secretsmanager:${one}`, policies.secretArn(String(SecretId)));
    list.add('secretsmanager:GetRandomPassword', '*');
  }
}
