/**
 * The requests of a function to AWS: the recorded calls of the packages that its variables configure, and what Lambda does with the role of the function, which the
 * guides of AWS list.
 */
import type { AccessRequest } from './decide.js';
import type { Access } from './recorded.js';
import type { TemplatePolicies } from './template-policies.js';

type Properties = Readonly<Record<string, unknown>>;

/** The recorded accesses of each package, by the variable that names its resource. */
export type RecordedAccesses = Readonly<Record<string, readonly Access[]>>;

/** The actions of Lambda on a source. */
const POLLING: Readonly<Record<string, readonly string[]>> = {
  // https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html#events-sqs-permissions
  'AWS::SQS::Queue': ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'],
  // https://docs.aws.amazon.com/lambda/latest/dg/services-kinesis-create.html
  'AWS::Kinesis::Stream': [
    'kinesis:DescribeStream',
    'kinesis:DescribeStreamSummary',
    'kinesis:GetRecords',
    'kinesis:GetShardIterator',
    'kinesis:ListShards',
  ],
  // https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/iam-policy-example-lamda-process-dynamodb-streams.html
  'AWS::DynamoDB::Table': [
    'dynamodb:DescribeStream',
    'dynamodb:GetRecords',
    'dynamodb:GetShardIterator',
    'dynamodb:ListStreams',
  ],
};

/** The actions on your key that an access needs, by reading and writing. */
const KEYS: Readonly<Record<string, { readonly read: readonly string[]; readonly write: readonly string[] }>> = {
  // https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/encryption.usagenotes.html; CreateGrant is needed only to create a table
  dynamodb: {
    read: ['kms:Decrypt', 'kms:DescribeKey'],
    write: ['kms:Encrypt', 'kms:ReEncryptFrom', 'kms:GenerateDataKey', 'kms:Decrypt', 'kms:DescribeKey'],
  },
  stream: { read: ['kms:Decrypt'], write: [] },
  // https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-key-management.html
  sqs: { read: ['kms:Decrypt'], write: ['kms:GenerateDataKey', 'kms:Decrypt'] },
  // https://docs.aws.amazon.com/sns/latest/dg/sns-key-management.html
  sns: { read: [], write: ['kms:GenerateDataKey', 'kms:Decrypt'] },
  // https://docs.aws.amazon.com/streams/latest/dev/permissions-user-key-KMS.html
  kinesis: { read: ['kms:Decrypt'], write: ['kms:GenerateDataKey'] },
  // https://docs.aws.amazon.com/AmazonS3/latest/userguide/UsingKMSEncryption.html
  s3: { read: ['kms:Decrypt'], write: ['kms:GenerateDataKey', 'kms:Decrypt'] },
  // https://docs.aws.amazon.com/AmazonS3/latest/userguide/s3-vectors-data-encryption.html
  s3vectors: { read: ['kms:Decrypt'], write: ['kms:GenerateDataKey', 'kms:Decrypt'] },
  // https://docs.aws.amazon.com/secretsmanager/latest/userguide/security-encryption.html
  secretsmanager: { read: ['kms:Decrypt'], write: ['kms:GenerateDataKey', 'kms:Decrypt'] },
};
/** Deleting an item or an object does not decrypt it; the others of these services read. */
const WRITES = /:(Put|Update|Send|Publish)/;
const TOUCHES_NO_KEY = /:(s3:Delete|Delete(Object|Message|Vectors)|List|Describe|GetQueueAttributes|GetShardIterator)/;

/** The ARN of the key of a resource of the template. */
function keyOf(policies: TemplatePolicies, id: string): string | undefined {
  const properties = policies.properties(id);
  const found = JSON.stringify([
    properties.SSESpecification,
    properties.KmsMasterKeyId,
    properties.KmsKeyId,
    properties.StreamEncryption,
    properties.BucketEncryption,
    properties.EncryptionConfiguration,
  ]);
  const arn = /arn:aws:kms:[^"]+/.exec(found)?.[0];
  if (arn !== undefined) return arn;
  const named = policies.ids('AWS::KMS::Key').find((key) => found.includes(`"${key}"`));
  return named === undefined ? undefined : policies.value<string>({ 'Fn::GetAtt': [named, 'Arn'] });
}

/** The requests that a function makes on its resources. */
export function requestsOf(
  policies: TemplatePolicies,
  fn: string,
  recorded: RecordedAccesses,
): readonly AccessRequest[] {
  const caller = `arn:aws:iam::123456789012:role/${policies.roleOf(fn)}`;
  const requests: AccessRequest[] = [];
  const ids = Object.keys(policies.template.Resources);
  const arnOf = (id: string) => policies.value<string>({ 'Fn::GetAtt': [id, 'Arn'] });
  const ask = (action: string, resource: string, id?: string, context: Readonly<Record<string, string>> = {}) => {
    requests.push({
      action,
      resource,
      caller,
      context: { 'aws:SecureTransport': 'true', 's3:TlsVersion': '1.3', ...context },
    });
    const key = id === undefined ? undefined : keyOf(policies, id);
    const [service = ''] = action.split(':');
    if (key === undefined || TOUCHES_NO_KEY.test(`:${action}`) || TOUCHES_NO_KEY.test(action)) return;
    // A stream is decrypted with the key of its table: https://docs.aws.amazon.com/lambda/latest/dg/with-ddb.html
    const kind = action === 'dynamodb:GetRecords' ? 'stream' : service;
    for (const one of KEYS[kind]?.[WRITES.test(action) ? 'write' : 'read'] ?? [])
      requests.push({ action: one, resource: key, caller, context: {} });
  };
  const idOf = (value: string) =>
    ids.find((id) => value === id || value === arnOf(id) || value.startsWith(`${arnOf(id)}/stream/`));

  const { LoggingConfig, TracingConfig } = policies.properties(fn) as {
    LoggingConfig?: { LogGroup?: string };
    TracingConfig?: { Mode?: string };
  };
  // https://docs.aws.amazon.com/lambda/latest/dg/lambda-intro-execution-role.html; the group exists already
  for (const action of ['logs:CreateLogStream', 'logs:PutLogEvents'])
    if (LoggingConfig?.LogGroup) ask(action, arnOf(LoggingConfig.LogGroup));
  // https://docs.aws.amazon.com/lambda/latest/dg/services-xray.html
  if (TracingConfig?.Mode === 'Active')
    for (const action of ['xray:PutTraceSegments', 'xray:PutTelemetryRecords']) ask(action, '*');

  for (const [variable, value] of Object.entries(policies.variables(fn))) {
    for (const { action, part } of recorded[variable] ?? []) {
      const id = idOf(value);
      const api = /https:\/\/([^.]+)\./.exec(value)?.[1] ?? '';
      const base = action.startsWith('execute-api:')
        ? `arn:aws:execute-api:eu-west-1:123456789012:${api}`
        : action.startsWith('bedrock:')
          ? `arn:aws:bedrock:eu-west-1::foundation-model/${value}`
          : id === undefined
            ? value
            : arnOf(id);
      const withoutResource = action === 'lambda:ListMicrovms' || action === 'lambda:PassNetworkConnector';
      ask(
        action,
        withoutResource ? '*' : `${base}${part}`,
        id,
        action === 'iam:PassRole' ? { 'iam:PassedToService': 'lambda.amazonaws.com' } : {},
      );
    }
  }
  const isOf = (given: unknown) => String(given) === fn || String(given) === arnOf(fn);
  for (const mapping of policies.ids('AWS::Lambda::EventSourceMapping').map((id) => policies.properties(id))) {
    if (!isOf(mapping.FunctionName)) continue;
    const source = String(mapping.EventSourceArn);
    const id = idOf(source);
    const type = id === undefined ? undefined : policies.template.Resources[id]?.Type;
    for (const action of POLLING[type ?? ''] ?? [])
      ask(action, source, /GetRecords|ReceiveMessage/.test(action) ? id : undefined);
    const destination = (mapping.DestinationConfig as { OnFailure?: { Destination?: string } } | undefined)?.OnFailure
      ?.Destination;
    if (destination) ask('sqs:SendMessage', destination, idOf(destination));
  }
  // https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-retain-records.html
  for (const config of policies.ids('AWS::Lambda::EventInvokeConfig').map((id) => policies.properties(id))) {
    const destination = (
      (config.DestinationConfig as Properties | undefined)?.OnFailure as { Destination?: string } | undefined
    )?.Destination;
    if (isOf(config.FunctionName) && destination) ask('sqs:SendMessage', destination, idOf(destination));
  }
  return requests;
}
