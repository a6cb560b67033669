import type { Resource, Template } from '../../support/template.js';

const resources = (given: Readonly<Record<string, object>>) =>
  ({ Resources: given as Record<string, Resource> }) as Template;
const one = (Type: string, Properties: object = {}, others: object = {}) =>
  resources({ Thing: { Type, Properties, ...others } });
const policy = (Action: string | readonly string[]) =>
  one('AWS::IAM::Policy', { PolicyDocument: { Statement: [{ Action, Effect: 'Allow', Resource: 'arn:aws:s3:::a' }] } });
const streamOf = (Variables: object) =>
  resources({
    Fn: { Type: 'AWS::Lambda::Function', Properties: { Environment: { Variables } } },
    Mapping: {
      Type: 'AWS::Lambda::EventSourceMapping',
      Properties: {
        FunctionName: { Ref: 'Fn' },
        StartingPosition: 'LATEST',
        FunctionResponseTypes: ['ReportBatchItemFailures'],
      },
    },
  });

/** Templates in which `own-checks.ts` must find a fault. */
export const OWN_FAULTS: Readonly<Record<string, Template>> = {
  'a bucket without TLS': one('AWS::S3::Bucket'),
  'a queue without TLS': one('AWS::SQS::Queue'),
  'a topic without TLS': one('AWS::SNS::Topic'),
  'a large batch of a queue without a window': one('AWS::Lambda::EventSourceMapping', { BatchSize: 11 }),
  'a stream without a starting position': one('AWS::Lambda::EventSourceMapping', {
    EventSourceArn: 'arn:aws:kinesis:eu-west-1:123456789012:stream/clicks',
  }),
  'a buffered method of more than 29 seconds': one('AWS::ApiGateway::Method', {
    Integration: { TimeoutInMillis: 30_000 },
  }),
  'a WebSocket API without a route selection': one('AWS::ApiGatewayV2::Api', { ProtocolType: 'WEBSOCKET' }),
  'a key that is no attribute': one('AWS::DynamoDB::GlobalTable', {
    KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
    AttributeDefinitions: [{ AttributeName: 'sk', AttributeType: 'S' }],
  }),
};

/** For each rule of `rules.guard`, templates in which it must find a fault. */
export const FAULTS: Readonly<Record<string, readonly Template[]>> = {
  partial_failures: [
    one('AWS::Lambda::EventSourceMapping', { FunctionName: 'fn' }),
    one('AWS::Lambda::EventSourceMapping', { FunctionName: 'fn', FunctionResponseTypes: [] }),
  ],
  failure_identifier: [streamOf({}), streamOf({ FRAMEWORK_STREAM_FAILURE_IDENTIFIER: 'eventID' })],
  tables_are_retained: [one('AWS::DynamoDB::Table', {}, { DeletionPolicy: 'Delete' })],
  tables_are_encrypted: [one('AWS::DynamoDB::Table')],
  buckets_are_retained: [one('AWS::S3::Bucket', {}, { DeletionPolicy: 'Delete' })],
  buckets_are_closed: [one('AWS::S3::Bucket', { PublicAccessBlockConfiguration: { BlockPublicAcls: true } })],
  no_broad_actions: [policy('dynamodb:Scan'), policy('sqs:*'), policy(['dynamodb:Query', 'dynamodb:BatchWriteItem'])],
  no_managed_policies: [
    one('AWS::IAM::Role', {
      AssumeRolePolicyDocument: { Statement: [{ Principal: { Service: 'lambda.amazonaws.com' } }] },
      ManagedPolicyArns: ['arn:aws:iam::aws:policy/AdministratorAccess'],
    }),
  ],
  no_open_url: [one('AWS::Lambda::Url', { AuthType: 'NONE' })],
  permissions_name_their_source: [one('AWS::Lambda::Permission', { Principal: 'sns.amazonaws.com' })],
  no_cors_for_all: [one('AWS::ApiGatewayV2::Api', { CorsConfiguration: { AllowOrigins: ['*'] } })],
  domains_need_tls_1_2: [
    one('AWS::ApiGatewayV2::DomainName', { DomainNameConfigurations: [{ SecurityPolicy: 'TLS_1_0' }] }),
  ],
  no_account_settings: [one('AWS::ApiGateway::Account')],
  no_metadata_url_in_variables: [
    one('AWS::Lambda::Function', {
      Environment: { Variables: { FRAMEWORK_MCP_METADATA_URL: 'https://evil.example' } },
    }),
  ],
};
