import { gzipSync } from 'node:zlib';

/** An event of a service: what it is, the kind that serves it (`null` for none), the page that documents its form, and the event. */
export type AwsEvent = readonly [what: string, kind: string | null, page: string, event: unknown];

// Written by hand from the forms that the pages document. Values are our own.
const ACCOUNT = '123456789012';
const REGION = 'eu-central-1';
const at = (service: string, rest: string) => `arn:aws:${service}:${REGION}:${ACCOUNT}:${rest}`;
const base64 = (text: string) => Buffer.from(text).toString('base64');
const TIME = '2026-03-01T12:00:00Z';

const LAMBDA = 'https://docs.aws.amazon.com/lambda/latest/dg';
const EVENTBRIDGE = 'https://docs.aws.amazon.com/eventbridge/latest/ref/events-structure.html';
const COGNITO = 'https://docs.aws.amazon.com/cognito/latest/developerguide';

const s3 = (eventName: string, object: object, more: object = {}) => ({
  Records: [
    {
      eventVersion: '2.3',
      eventSource: 'aws:s3',
      awsRegion: REGION,
      eventTime: TIME,
      eventName,
      userIdentity: { principalId: 'AWS:AIDAEXAMPLE' },
      requestParameters: { sourceIPAddress: '203.0.113.1' },
      responseElements: { 'x-amz-request-id': 'C3D13FE58DE4C810', 'x-amz-id-2': 'FMyUVURIY8' },
      s3: {
        s3SchemaVersion: '1.0',
        configurationId: 'c1',
        bucket: { name: 'uploads', ownerIdentity: { principalId: 'A3NL1KOZZKExample' }, arn: 'arn:aws:s3:::uploads' },
        object,
      },
      ...more,
    },
  ],
});

const ses = (action: object) => ({
  Records: [
    {
      eventSource: 'aws:ses',
      eventVersion: '1.0',
      ses: {
        mail: {
          timestamp: TIME,
          source: 'ann@example.com',
          messageId: 'm-1',
          destination: ['orders@example.com'],
          headersTruncated: false,
          headers: [{ name: 'Subject', value: 'Hello' }],
          commonHeaders: {
            returnPath: 'ann@example.com',
            from: ['ann@example.com'],
            date: 'Sun, 01 Mar 2026 12:00:00 +0000',
            to: ['orders@example.com'],
            messageId: '<1@example.com>',
            subject: 'Hello',
          },
        },
        receipt: {
          timestamp: TIME,
          processingTimeMillis: 574,
          recipients: ['orders@example.com'],
          spamVerdict: { status: 'PASS' },
          virusVerdict: { status: 'PASS' },
          spfVerdict: { status: 'PASS' },
          dkimVerdict: { status: 'PASS' },
          dmarcVerdict: { status: 'PASS' },
          dmarcPolicy: 'reject',
          action: { type: 'Lambda', functionArn: at('lambda', 'function:mails'), ...action },
        },
      },
    },
  ],
});

const cognito = (triggerSource: string, request: object, response: object) => ({
  version: '1',
  region: REGION,
  userPoolId: `${REGION}_example`,
  userName: 'ann',
  triggerSource,
  callerContext: { awsSdkVersion: 'aws-sdk-unknown-unknown', clientId: 'client' },
  request: { userAttributes: { email: 'ann@example.com' }, ...request },
  response,
});

const logs = (document: object) => ({
  awslogs: {
    data: gzipSync(
      JSON.stringify({
        messageType: 'DATA_MESSAGE',
        owner: ACCOUNT,
        logGroup: '/aws/lambda/orders',
        logStream: '2026/03/01/[$LATEST]abc',
        subscriptionFilters: ['all'],
        logEvents: [{ id: '1', timestamp: 1_772_366_400_000, message: 'ERROR' }],
        ...document,
      }),
    ).toString('base64'),
  },
});

const kafka = (head: object) => ({
  ...head,
  bootstrapServers: 'b-1.shop.example.com:9092,b-2.shop.example.com:9092',
  records: {
    'orders-0': [
      {
        topic: 'orders',
        partition: 0,
        offset: 15,
        timestamp: 1_772_366_400_000,
        timestampType: 'CREATE_TIME',
        key: base64('k'),
        value: base64('{}'),
        headers: [{ trace: [97, 98] }],
      },
    ],
  },
});

const activeMq = (eventSource: string, message: object) => ({
  eventSource,
  eventSourceArn: at('mq', 'broker:shop:b-1'),
  messages: [
    {
      messageID: 'ID:b-1.mq.eu-central-1.amazonaws.com-1:1:1:1:1',
      messageType: 'jms/text-message',
      deliveryMode: 1,
      replyTo: null,
      type: null,
      expiration: '60000',
      priority: 1,
      correlationId: 'c1',
      redelivered: false,
      destination: { physicalName: 'orders' },
      data: base64('{}'),
      timestamp: 1_772_366_400_000,
      brokerInTime: 1_772_366_400_000,
      brokerOutTime: 1_772_366_400_001,
      properties: { index: '1' },
      ...message,
    },
  ],
});

const change = (event: object) => ({
  eventSourceArn: at('rds', 'cluster:shop'),
  eventSource: 'aws:docdb',
  events: [{ event: { _id: { _data: '0165e7b2' }, clusterTime: { $timestamp: { t: 1, i: 1 } }, ...event } }],
});

const alarm = (alarmData: object) => ({
  source: 'aws.cloudwatch',
  alarmArn: at('cloudwatch', 'alarm:errors'),
  accountId: ACCOUNT,
  time: '2026-03-01T12:00:00.000+0000',
  region: REGION,
  alarmData: {
    alarmName: 'errors',
    state: { value: 'ALARM', reason: 'Threshold crossed', reasonData: '{}', timestamp: '2026-03-01T12:00:00.000+0000' },
    previousState: { value: 'OK', reason: 'ok', reasonData: '{}', timestamp: '2026-03-01T11:00:00.000+0000' },
    ...alarmData,
  },
});

const bus = (source: string, detailType: string, detail: object) => ({
  version: '0',
  id: '6a7e8feb-b491-4cf7-a9f1-bf3703467718',
  'detail-type': detailType,
  source,
  account: ACCOUNT,
  time: TIME,
  region: REGION,
  resources: [],
  detail,
});

const rotation = (Step: string) => ({
  SecretId: at('secretsmanager', 'secret:database-AbCdEf'),
  ClientRequestToken: 'v1',
  Step,
});

const SERVED: readonly AwsEvent[] = [
  [
    'S3: an object with a version',
    's3',
    `${LAMBDA}/with-s3.html`,
    s3('ObjectCreated:Put', { key: 'a+b.txt', size: 5, eTag: 'e', versionId: 'v1', sequencer: '0055AED6DCD90281E5' }),
  ],
  [
    'S3: a delete marker',
    's3',
    `${LAMBDA}/with-s3.html`,
    s3('ObjectRemoved:DeleteMarkerCreated', { key: 'a', eTag: 'e', versionId: 'v2', sequencer: '0055AED6DCD90281E6' }),
  ],
  ['S3: tags', 's3', `${LAMBDA}/with-s3.html`, s3('ObjectTagging:Put', { key: 'a', eTag: 'e', versionId: 'v1' })],
  [
    'S3: a restored object',
    's3',
    'https://docs.aws.amazon.com/AmazonS3/latest/userguide/notification-content-structure.html',
    s3(
      'ObjectRestore:Completed',
      { key: 'a', size: 5, eTag: 'e' },
      {
        glacierEventData: {
          restoreEventData: { lifecycleRestorationExpiryTime: TIME, lifecycleRestoreStorageClass: 'GLACIER' },
        },
      },
    ),
  ],
  [
    'S3: an expired object',
    's3',
    'https://docs.aws.amazon.com/AmazonS3/latest/userguide/notification-content-structure.html',
    s3('LifecycleExpiration:Delete', { key: 'a', sequencer: '0055AED6DCD90281E7' }),
  ],
  [
    'SES: a rule that waits',
    'ses',
    'https://docs.aws.amazon.com/ses/latest/dg/receiving-email-action-lambda-event.html',
    ses({ invocationType: 'RequestResponse' }),
  ],
  [
    'SES: a rule that does not wait',
    'ses',
    'https://docs.aws.amazon.com/ses/latest/dg/receiving-email-action-lambda-event.html',
    ses({ invocationType: 'Event' }),
  ],
  [
    'Cognito: migration of a user',
    'cognito',
    `${COGNITO}/user-pool-lambda-migrate-user.html`,
    cognito(
      'UserMigration_Authentication',
      { password: 'p', validationData: {}, clientMetadata: {} },
      {
        userAttributes: null,
        finalUserStatus: null,
        messageAction: null,
        desiredDeliveryMediums: null,
        forceAliasCreation: null,
      },
    ),
  ],
  [
    'Cognito: tokens, version 2',
    'cognito',
    `${COGNITO}/user-pool-lambda-pre-token-generation.html`,
    {
      ...cognito(
        'TokenGeneration_Authentication',
        {
          groupConfiguration: { groupsToOverride: [], iamRolesToOverride: [], preferredRole: null },
          scopes: ['openid'],
        },
        { claimsAndScopeOverrideDetails: null },
      ),
      version: '2',
    },
  ],
  [
    'Cognito: a challenge',
    'cognito',
    `${COGNITO}/user-pool-lambda-define-auth-challenge.html`,
    cognito(
      'DefineAuthChallenge_Authentication',
      { session: [] },
      { challengeName: null, issueTokens: null, failAuthentication: null },
    ),
  ],
  [
    'Cognito: a sender of codes',
    'cognito',
    `${COGNITO}/user-pool-lambda-custom-email-sender.html`,
    cognito('CustomEmailSender_SignUp', { type: 'customEmailSenderRequestV1', code: 'AYAD' }, {}),
  ],
  [
    'CloudFormation: a custom resource',
    'custom-resource',
    'https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/crpg-ref-requesttypes-create.html',
    {
      RequestType: 'Create',
      RequestId: 'r1',
      ResponseURL: 'https://example.com/',
      ResourceType: 'Custom::Zone',
      LogicalResourceId: 'Zone',
      StackId: at('cloudformation', 'stack/shop/1'),
      ResourceProperties: { ServiceToken: 'arn', Name: 'n' },
    },
  ],
  [
    'CloudFormation: a changed custom resource',
    'custom-resource',
    'https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/crpg-ref-requesttypes-update.html',
    {
      RequestType: 'Update',
      PhysicalResourceId: 'z1',
      OldResourceProperties: { ServiceToken: 'arn', Name: 'm' },
      RequestId: 'r1',
      ResponseURL: 'https://example.com/',
      ResourceType: 'Custom::Zone',
      LogicalResourceId: 'Zone',
      StackId: at('cloudformation', 'stack/shop/1'),
      ResourceProperties: { ServiceToken: 'arn', Name: 'n' },
    },
  ],
  [
    'CloudFormation: a deleted custom resource',
    'custom-resource',
    'https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/crpg-ref-requesttypes-delete.html',
    {
      RequestType: 'Delete',
      PhysicalResourceId: 'z1',
      RequestId: 'r1',
      ResponseURL: 'https://example.com/',
      ResourceType: 'Custom::Zone',
      LogicalResourceId: 'Zone',
      StackId: at('cloudformation', 'stack/shop/1'),
      ResourceProperties: { ServiceToken: 'arn', Name: 'n' },
    },
  ],
  ['CloudWatch Logs: lines', 'logs', `${LAMBDA}/services-cloudwatchlogs.html`, logs({})],
  [
    'CloudWatch Logs: lines of an account-level filter, with extracted fields',
    'logs',
    'https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/SubscriptionFilters-AccountLevel.html',
    logs({
      policyLevel: 'ACCOUNT_LEVEL_SUBSCRIPTION_FILTER_POLICY',
      logEvents: [{ id: '1', timestamp: 5, message: 'm', extractedFields: { ip: '203.0.113.1' } }],
    }),
  ],
  [
    'CloudWatch Logs: the check of a destination',
    'logs',
    'https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/SubscriptionFilters.html',
    logs({
      messageType: 'CONTROL_MESSAGE',
      logGroup: '',
      logStream: '',
      subscriptionFilters: [],
      logEvents: [{ id: '', timestamp: 5, message: 'CWL CONTROL MESSAGE: Checking health of destination' }],
    }),
  ],
  [
    'MSK',
    'kafka',
    `${LAMBDA}/with-msk.html`,
    kafka({ eventSource: 'aws:kafka', eventSourceArn: at('kafka', 'cluster/shop/1-2') }),
  ],
  ['self-managed Kafka', 'kafka', `${LAMBDA}/with-kafka.html`, kafka({ eventSource: 'SelfManagedKafka' })],
  [
    'self-managed Kafka, the older tag',
    'kafka',
    `${LAMBDA}/with-kafka.html`,
    kafka({ eventSource: 'aws:SelfManagedKafka' }),
  ],
  ['ActiveMQ', 'mq', `${LAMBDA}/with-mq.html`, activeMq('aws:mq', {})],
  ['ActiveMQ, bytes', 'mq', `${LAMBDA}/with-mq.html`, activeMq('aws:mq', { messageType: 'jms/bytes-message' })],
  [
    'ActiveMQ, the tag of the broker’s guide',
    'mq',
    'https://docs.aws.amazon.com/amazon-mq/latest/developer-guide/welcome.html',
    activeMq('aws:amq', {}),
  ],
  [
    'RabbitMQ',
    'mq',
    `${LAMBDA}/with-mq.html`,
    {
      eventSource: 'aws:rmq',
      eventSourceArn: at('mq', 'broker:shop:b-2'),
      rmqMessagesByQueue: {
        'orders::/': [
          {
            basicProperties: {
              contentType: 'text/plain',
              contentEncoding: null,
              headers: { header1: { bytes: [118] }, numberInHeader: 10 },
              deliveryMode: 1,
              priority: 34,
              correlationId: null,
              replyTo: null,
              expiration: '60000',
              messageId: null,
              timestamp: 'Mar 1, 2026, 12:33:41 PM',
              type: null,
              userId: 'u',
              appId: null,
              clusterId: null,
              bodySize: 80,
            },
            redelivered: false,
            data: base64('{}'),
          },
        ],
      },
    },
  ],
  [
    'DocumentDB: an insert',
    'documentdb',
    `${LAMBDA}/with-documentdb.html`,
    change({
      documentKey: { _id: { $oid: '63eeb6e7d418cd98afb1c1d7' } },
      fullDocument: { _id: { $oid: '63eeb6e7d418cd98afb1c1d7' }, anyField: 'v' },
      ns: { db: 'shop', coll: 'orders' },
      operationType: 'insert',
    }),
  ],
  [
    'DocumentDB: a dropped database',
    'documentdb',
    `${LAMBDA}/with-documentdb.html`,
    change({ ns: { db: 'shop' }, operationType: 'dropDatabase' }),
  ],
  [
    'DocumentDB: the end of a stream',
    'documentdb',
    'https://www.mongodb.com/docs/manual/reference/change-events/invalidate/',
    change({ operationType: 'invalidate' }),
  ],
  [
    'Firehose: records that were put',
    'firehose',
    'https://docs.aws.amazon.com/firehose/latest/dev/data-transformation.html',
    {
      invocationId: 'i1',
      deliveryStreamArn: at('firehose', 'deliverystream/clicks'),
      region: REGION,
      records: [{ recordId: '1', approximateArrivalTimestamp: 1_772_366_400_000, data: base64('a') }],
    },
  ],
  [
    'Firehose: records of a data stream',
    'firehose',
    'https://docs.aws.amazon.com/firehose/latest/dev/data-transformation.html',
    {
      invocationId: 'i1',
      sourceKinesisStreamArn: at('kinesis', 'stream/in'),
      deliveryStreamArn: at('firehose', 'deliverystream/clicks'),
      region: REGION,
      records: [
        {
          recordId: '1',
          approximateArrivalTimestamp: 1_772_366_400_000,
          data: base64('a'),
          kinesisRecordMetadata: {
            sequenceNumber: '1',
            subsequenceNumber: 0,
            partitionKey: 'p',
            shardId: 'shardId-000000000000',
            approximateArrivalTimestamp: 1,
          },
        },
      ],
    },
  ],
  [
    'CloudWatch: an alarm of a metric',
    'alarm',
    'https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarms-and-actions-Lambda.html',
    alarm({
      configuration: {
        description: 'd',
        metrics: [
          {
            id: 'm1',
            metricStat: {
              metric: { namespace: 'AWS/Lambda', name: 'Errors', dimensions: {} },
              period: 60,
              stat: 'Sum',
            },
            returnData: true,
          },
        ],
      },
    }),
  ],
  [
    'CloudWatch: a composite alarm',
    'alarm',
    'https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarms-and-actions-Lambda.html',
    alarm({
      configuration: {
        alarmRule: 'ALARM(a) OR ALARM(b)',
        actionsSuppressor: 's',
        actionsSuppressorWaitPeriod: 120,
        actionsSuppressorExtensionPeriod: 180,
      },
    }),
  ],
  [
    'S3 Batch Operations, schema 1.0',
    's3-batch',
    'https://docs.aws.amazon.com/AmazonS3/latest/userguide/batch-ops-invoke-lambda.html',
    {
      invocationSchemaVersion: '1.0',
      invocationId: 'i1',
      job: { id: 'j1' },
      tasks: [{ taskId: 't1', s3Key: 'my+image.jpg', s3VersionId: '1', s3BucketArn: 'arn:aws:s3:::uploads' }],
    },
  ],
  [
    'S3 Batch Operations, schema 2.0',
    's3-batch',
    'https://docs.aws.amazon.com/AmazonS3/latest/userguide/batch-ops-invoke-lambda.html',
    {
      invocationSchemaVersion: '2.0',
      invocationId: 'i1',
      job: { id: 'j1', userArguments: { size: '5' } },
      tasks: [{ taskId: 't1', s3Key: 'a', s3VersionId: null, s3Bucket: 'uploads' }],
    },
  ],
  ...['createSecret', 'setSecret', 'testSecret', 'finishSecret'].map(
    (step): AwsEvent => [
      `Secrets Manager: ${step}`,
      'secret-rotation',
      'https://docs.aws.amazon.com/secretsmanager/latest/userguide/rotate-secrets_lambda.html',
      rotation(step),
    ],
  ),
  [
    'Secrets Manager: a rotation across accounts',
    'secret-rotation',
    'https://docs.aws.amazon.com/secretsmanager/latest/userguide/rotate-secrets_lambda.html',
    { ...rotation('createSecret'), RotationToken: 'rt' },
  ],
  [
    'AppSync: an authorizer of GraphQL',
    'appsync-authorizer',
    'https://docs.aws.amazon.com/appsync/latest/devguide/security-authz.html',
    {
      authorizationToken: 't',
      requestContext: {
        apiId: 'a1',
        accountId: ACCOUNT,
        requestId: 'r1',
        queryString: 'query { note { id } }',
        operationName: 'N',
        variables: {},
      },
      requestHeaders: { 'x-a': 'b' },
    },
  ],
  [
    'AppSync: an authorizer of an Event API',
    'appsync-authorizer',
    'https://docs.aws.amazon.com/appsync/latest/eventapi/configure-event-api-auth.html',
    {
      authorizationToken: 't',
      requestContext: {
        apiId: 'a1',
        accountId: ACCOUNT,
        requestId: 'r1',
        operation: 'EVENT_CONNECT',
        channelNamespaceName: null,
        channel: null,
      },
      requestHeaders: {},
    },
  ],
  [
    'API Gateway: a TOKEN authorizer',
    'authorizer-token',
    'https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-lambda-authorizer-input.html',
    { type: 'TOKEN', authorizationToken: 'Bearer t', methodArn: at('execute-api', 'api1/dev/GET/notes') },
  ],
  [
    'EventBridge: EC2',
    'event-bus',
    EVENTBRIDGE,
    bus('aws.ec2', 'EC2 Instance State-change Notification', { 'instance-id': 'i-1', state: 'running' }),
  ],
  [
    'EventBridge: S3',
    'event-bus',
    'https://docs.aws.amazon.com/AmazonS3/latest/userguide/ev-events.html',
    bus('aws.s3', 'Object Created', {
      version: '0',
      bucket: { name: 'uploads' },
      object: { key: 'a b', size: 5, etag: 'e', sequencer: '1' },
      'request-id': 'r',
      requester: ACCOUNT,
      reason: 'PutObject',
    }),
  ],
  [
    'EventBridge: CodePipeline',
    'event-bus',
    EVENTBRIDGE,
    bus('aws.codepipeline', 'CodePipeline Pipeline Execution State Change', {
      pipeline: 'p',
      version: 3,
      state: 'STARTED',
      'execution-id': 'x',
    }),
  ],
  [
    'EventBridge: GuardDuty',
    'event-bus',
    EVENTBRIDGE,
    bus('aws.guardduty', 'GuardDuty Finding', { schemaVersion: '2.0', severity: 5, type: 'Recon:EC2/Portscan' }),
  ],
  ['EventBridge: ECS', 'event-bus', EVENTBRIDGE, bus('aws.ecs', 'ECS Task State Change', { lastStatus: 'STOPPED' })],
  [
    'EventBridge: Step Functions',
    'event-bus',
    EVENTBRIDGE,
    bus('aws.states', 'Step Functions Execution Status Change', { status: 'FAILED', input: '{}' }),
  ],
  [
    'EventBridge: CloudTrail',
    'event-bus',
    EVENTBRIDGE,
    bus('aws.iam', 'AWS API Call via CloudTrail', {
      eventVersion: '1.08',
      eventSource: 'iam.amazonaws.com',
      eventName: 'CreateUser',
    }),
  ],
  [
    'EventBridge: Auto Scaling',
    'event-bus',
    EVENTBRIDGE,
    bus('aws.autoscaling', 'EC2 Instance-launch Lifecycle Action', {
      LifecycleActionToken: 't',
      AutoScalingGroupName: 'g',
    }),
  ],
  [
    'EventBridge: an alarm',
    'event-bus',
    EVENTBRIDGE,
    bus('aws.cloudwatch', 'CloudWatch Alarm State Change', { alarmName: 'errors', state: { value: 'ALARM' } }),
  ],
  [
    'EventBridge: a schedule',
    'event-bus',
    `${LAMBDA}/with-eventbridge-scheduler.html`,
    { ...bus('aws.events', 'Scheduled Event', {}), resources: [at('events', 'rule/nightly')] },
  ],
];

const LEX = 'https://docs.aws.amazon.com/lexv2/latest/dg/lambda-input-format.html';
const EDGE = 'https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/lambda-event-structure.html';
const intent = {
  name: 'Order',
  slots: {
    size: { shape: 'Scalar', value: { originalValue: 'l', interpretedValue: 'large', resolvedValues: ['large'] } },
  },
  state: 'InProgress',
  confirmationState: 'None',
};
const lex = (invocationSource: string) => ({
  messageVersion: '1.0',
  invocationSource,
  inputMode: 'Text',
  responseContentType: 'text/plain; charset=utf-8',
  sessionId: 's1',
  inputTranscript: 'hello',
  bot: { id: 'B', name: 'b', aliasId: 'A', aliasName: 'prod', localeId: 'en_US', version: '1' },
  interpretations: [{ intent, interpretationSource: 'Lex' }],
  proposedNextState: { dialogAction: { type: 'Delegate' }, intent },
  requestAttributes: {},
  sessionState: { sessionAttributes: {}, intent, originatingRequestId: 'r' },
  transcriptions: [],
});
const alexa = (request: object) => ({
  version: '1.0',
  session: { new: true, sessionId: 's', application: { applicationId: 'amzn1.ask.skill.1' }, user: { userId: 'u' } },
  context: { System: { application: { applicationId: 'amzn1.ask.skill.1' }, user: { userId: 'u' } } },
  request: { requestId: 'r', timestamp: TIME, locale: 'en-US', ...request },
});
const config = (invokingEvent: object) => ({
  version: '1.0',
  invokingEvent: JSON.stringify(invokingEvent),
  ruleParameters: '{}',
  resultToken: 'token',
  eventLeftScope: false,
  executionRoleArn: 'arn:aws:iam::123456789012:role/config',
  configRuleArn: at('config', 'config-rule/r'),
  configRuleName: 'r',
  configRuleId: 'config-rule-1',
  accountId: ACCOUNT,
});
const edge = (eventType: string, response?: object) => ({
  Records: [
    {
      cf: {
        config: { distributionDomainName: 'd.cloudfront.net', distributionId: 'E', eventType, requestId: 'r' },
        request: {
          clientIp: '203.0.113.1',
          method: 'GET',
          uri: '/',
          querystring: '',
          headers: { host: [{ key: 'Host', value: 'h' }] },
        },
        ...(response && { response }),
      },
    },
  ],
});
const objectLambda = (operation: string, context: object) => ({
  xAmzRequestId: 'r',
  [operation]: { inputS3Url: 'https://uploads-1.s3-accesspoint.example.com/a', ...context },
  configuration: {
    accessPointArn: at('s3-object-lambda', 'accesspoint/a'),
    supportingAccessPointArn: at('s3', 'accesspoint/b'),
    payload: '{}',
  },
  userRequest: { url: '/a', headers: { Host: 'h' } },
  userIdentity: { type: 'AssumedRole', principalId: 'p', arn: 'arn', accountId: ACCOUNT },
  protocolVersion: '1.00',
});

/** Events of further services, and events that nothing serves (`null`): other services, and CloudFront, whose handler is outside containers. */
const FURTHER: readonly AwsEvent[] = [
  ['Lex V2: a dialog', 'lex', LEX, lex('DialogCodeHook')],
  ['Lex V2: fulfilment', 'lex', LEX, lex('FulfillmentCodeHook')],
  [
    'Lex V1',
    null,
    'https://docs.aws.amazon.com/lex/latest/dg/lambda-input-response-format.html',
    {
      messageVersion: '1.0',
      invocationSource: 'DialogCodeHook',
      userId: 'u',
      sessionAttributes: {},
      bot: { name: 'b', alias: null, version: '$LATEST' },
      outputDialogMode: 'Text',
      currentIntent: { name: 'i', slots: {}, confirmationStatus: 'None' },
    },
  ],
  [
    'Connect: a contact flow',
    'connect',
    'https://docs.aws.amazon.com/connect/latest/adminguide/connect-lambda-functions.html',
    {
      Details: {
        ContactData: {
          Attributes: {},
          Channel: 'VOICE',
          ContactId: 'c',
          CustomerEndpoint: null,
          InitialContactId: 'c',
          InitiationMethod: 'INBOUND',
          InstanceARN: at('connect', 'instance/1'),
          PreviousContactId: 'c',
          Queue: null,
          SystemEndpoint: null,
        },
        Parameters: { a: 'b' },
      },
      Name: 'ContactFlowEvent',
    },
  ],
  [
    'Alexa: a launch',
    'alexa-skill',
    'https://developer.amazon.com/en-US/docs/alexa/custom-skills/request-and-response-json-reference.html',
    alexa({ type: 'LaunchRequest' }),
  ],
  [
    'Alexa: an intent',
    'alexa-skill',
    'https://developer.amazon.com/en-US/docs/alexa/custom-skills/request-and-response-json-reference.html',
    alexa({ type: 'IntentRequest', intent: { name: 'Order', slots: {} } }),
  ],
  [
    'Alexa Smart Home',
    null,
    'https://developer.amazon.com/en-US/docs/alexa/device-apis/alexa-discovery.html',
    {
      directive: {
        header: { namespace: 'Alexa.Discovery', name: 'Discover', payloadVersion: '3', messageId: 'm' },
        payload: { scope: { type: 'BearerToken', token: 't' } },
      },
    },
  ],
  [
    'Config: a changed resource',
    'config-rule',
    'https://docs.aws.amazon.com/config/latest/developerguide/evaluate-config_develop-rules_example-events.html',
    config({ messageType: 'ConfigurationItemChangeNotification', configurationItem: { resourceId: 'i-1' } }),
  ],
  [
    'Config: a schedule',
    'config-rule',
    'https://docs.aws.amazon.com/config/latest/developerguide/evaluate-config_develop-rules_example-events.html',
    config({ messageType: 'ScheduledNotification', awsAccountId: ACCOUNT }),
  ],
  [
    'CodePipeline: a job',
    'codepipeline',
    'https://docs.aws.amazon.com/codepipeline/latest/userguide/actions-invoke-lambda-function.html',
    {
      'CodePipeline.job': {
        id: 'j',
        accountId: ACCOUNT,
        data: {
          actionConfiguration: { configuration: { FunctionName: 'f', UserParameters: 'p' } },
          inputArtifacts: [
            { name: 'n', revision: 'r', location: { type: 'S3', s3Location: { bucketName: 'b', objectKey: 'k' } } },
          ],
          outputArtifacts: [],
          artifactCredentials: { accessKeyId: 'a', secretAccessKey: 's', sessionToken: 't', expirationTime: 1 },
          continuationToken: 'c',
        },
      },
    },
  ],
  [
    'CodeCommit: a push',
    'codecommit',
    'https://docs.aws.amazon.com/lambda/latest/dg/services-codecommit.html',
    {
      Records: [
        {
          awsRegion: REGION,
          codecommit: { references: [{ commit: 'c', ref: 'refs/heads/main' }] },
          eventId: 'e',
          eventName: 'TriggerEventTest',
          eventPartNumber: 1,
          eventSource: 'aws:codecommit',
          eventSourceARN: at('codecommit', 'shop'),
          eventTime: TIME,
          eventTotalParts: 1,
          eventTriggerConfigId: 't',
          eventTriggerName: 'n',
          eventVersion: '1.0',
          userIdentityARN: 'arn',
        },
      ],
    },
  ],
  [
    'CodeDeploy: a hook',
    'codedeploy',
    'https://docs.aws.amazon.com/codedeploy/latest/userguide/reference-appspec-file-structure-hooks.html',
    { DeploymentId: 'd-1', LifecycleEventHookExecutionId: 'h' },
  ],
  ...['viewer-request', 'origin-request'].map((type): AwsEvent => [`CloudFront: ${type}`, null, EDGE, edge(type)]),
  ...['origin-response', 'viewer-response'].map(
    (type): AwsEvent => [
      `CloudFront: ${type}`,
      null,
      EDGE,
      edge(type, { status: '200', statusDescription: 'OK', headers: {} }),
    ],
  ),
  [
    'Bedrock agent: a function',
    'bedrock-agent',
    'https://docs.aws.amazon.com/bedrock/latest/userguide/agents-lambda.html',
    {
      messageVersion: '1.0',
      agent: { name: 'a', id: 'i', alias: 'x', version: '1' },
      inputText: 't',
      sessionId: 's',
      actionGroup: 'g',
      function: 'f',
      parameters: [{ name: 'n', type: 'string', value: 'v' }],
      sessionAttributes: {},
      promptSessionAttributes: {},
    },
  ],
  [
    'Bedrock agent: an API path',
    'bedrock-agent',
    'https://docs.aws.amazon.com/bedrock/latest/userguide/agents-lambda.html',
    {
      messageVersion: '1.0',
      agent: { name: 'a', id: 'i', alias: 'x', version: '1' },
      inputText: 't',
      sessionId: 's',
      actionGroup: 'g',
      apiPath: '/orders/{id}',
      httpMethod: 'GET',
      parameters: [{ name: 'id', type: 'string', value: '5' }],
      requestBody: { content: {} },
      sessionAttributes: {},
      promptSessionAttributes: {},
    },
  ],
  [
    'Bedrock agent: a parser of the model’s output',
    null,
    'https://docs.aws.amazon.com/bedrock/latest/userguide/lambda-parser.html',
    {
      messageVersion: '1.0',
      agent: { name: 'a', id: 'i', alias: 'x', version: '1' },
      invokeModelRawResponse: '…',
      promptType: 'ORCHESTRATION',
      overrideType: 'OUTPUT_PARSER',
    },
  ],
  [
    'Bedrock flow: a node',
    'bedrock-flow',
    'https://docs.aws.amazon.com/bedrock/latest/userguide/flows-nodes.html',
    {
      messageVersion: '1.0',
      flow: { flowArn: at('bedrock', 'flow/F'), flowAliasArn: at('bedrock', 'flow/F/alias/A') },
      node: { name: 'n', nodeInputs: [{ name: 'codeHookInput', expression: '$.data', value: 'v', type: 'STRING' }] },
    },
  ],
  [
    'Bedrock knowledge base: a transformation',
    null,
    'https://docs.aws.amazon.com/bedrock/latest/userguide/kb-custom-transformation.html',
    {
      version: '1.0',
      knowledgeBaseId: 'k',
      dataSourceId: 'd',
      ingestionJobId: 'i',
      bucketName: 'b',
      priorTask: 'CHUNKING',
      inputFiles: [
        { originalFileLocation: { type: 'S3', s3_location: { uri: 's3://b/k' } }, contentBatches: [{ key: 'k' }] },
      ],
    },
  ],
  [
    'IoT: a rule',
    'iot-rule',
    'https://docs.aws.amazon.com/iot/latest/developerguide/lambda-rule-action.html',
    { temperature: 21.5, device: 'd1' },
  ],
  [
    'IoT: an event of a thing',
    'iot-rule',
    'https://docs.aws.amazon.com/iot/latest/developerguide/registry-events.html',
    {
      eventType: 'THING_EVENT',
      eventId: 'e',
      timestamp: 1,
      operation: 'CREATED',
      accountId: ACCOUNT,
      thingId: 't',
      thingName: 'n',
      versionNumber: 1,
      thingTypeName: null,
      attributes: {},
    },
  ],
  [
    'IoT: a custom authorizer',
    'iot-authorizer',
    'https://docs.aws.amazon.com/iot/latest/developerguide/custom-auth-lambda.html',
    {
      token: 't',
      signatureVerified: true,
      protocols: ['tls', 'mqtt'],
      protocolData: { tls: { serverName: 'h' }, mqtt: { username: 'u', password: base64('p'), clientId: 'c' } },
      connectionMetadata: { id: 'i' },
    },
  ],
  [
    'IoT: a hook before provisioning',
    null,
    'https://docs.aws.amazon.com/iot/latest/developerguide/pre-provisioning-hook.html',
    {
      claimCertificateId: 'c',
      certificateId: 'c',
      certificatePem: 'p',
      templateArn: at('iot', 'provisioningtemplate/T'),
      clientId: 'c',
      parameters: { a: 'b' },
    },
  ],
  [
    'IoT 1-Click: a button',
    null,
    'https://docs.aws.amazon.com/iot-1-click/latest/developerguide/1click-programming.html',
    {
      deviceInfo: { deviceId: 'd', type: 'button', remainingLife: 98.7, attributes: {} },
      deviceEvent: { buttonClicked: { clickType: 'SINGLE', reportedTime: TIME } },
      placementInfo: { projectName: 'p', placementName: 'n', attributes: {}, devices: {} },
    },
  ],
  [
    'S3 Object Lambda: GetObject',
    null,
    'https://docs.aws.amazon.com/AmazonS3/latest/userguide/olap-event-context.html',
    objectLambda('getObjectContext', { outputRoute: 'r', outputToken: 't' }),
  ],
  [
    'S3 Object Lambda: ListObjectsV2',
    null,
    'https://docs.aws.amazon.com/AmazonS3/latest/userguide/olap-event-context.html',
    objectLambda('listObjectsV2Context', {}),
  ],
  [
    'S3 Object Lambda: HeadObject',
    null,
    'https://docs.aws.amazon.com/AmazonS3/latest/userguide/olap-event-context.html',
    objectLambda('headObjectContext', {}),
  ],
  [
    'Transfer Family: an identity',
    'transfer',
    'https://docs.aws.amazon.com/transfer/latest/userguide/custom-lambda-idp.html',
    { username: 'u', password: 'p', protocol: 'SFTP', serverId: 's-1', sourceIp: '203.0.113.1' },
  ],
  [
    'Transfer Family: a step of a workflow',
    null,
    'https://docs.aws.amazon.com/transfer/latest/userguide/custom-step-details.html',
    {
      token: 't',
      serviceMetadata: {
        executionDetails: { workflowId: 'w', executionId: 'e' },
        transferDetails: { sessionId: 's', userName: 'u', serverId: 's-1' },
      },
      fileLocation: { domain: 'S3', bucket: 'b', key: 'k', eTag: 'e', versionId: null },
    },
  ],
  [
    'CloudFormation: a macro',
    null,
    'https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/template-macros-author.html',
    {
      region: REGION,
      accountId: ACCOUNT,
      fragment: { Resources: {} },
      transformId: `${ACCOUNT}::Count`,
      params: {},
      requestId: 'r',
      templateParameterValues: {},
    },
  ],
  [
    'CloudWatch: a widget',
    'widget',
    'https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/add_custom_widget_dashboard.html',
    { widgetContext: { dashboardName: 'd', widgetId: 'w', accountId: ACCOUNT, params: {}, forms: { all: {} } } },
  ],
  [
    'CloudWatch: a data source',
    null,
    'https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_MultiDataSources-Connect-Custom.html',
    { EventType: 'GetMetricData', GetMetricDataRequest: { StartTime: 1, EndTime: 2, Period: 300, Arguments: ['a'] } },
  ],
  [
    'Client VPN: a connection',
    null,
    'https://docs.aws.amazon.com/vpn/latest/clientvpn-admin/connection-authorization.html',
    {
      'connection-id': 'c',
      'endpoint-id': 'e',
      'common-name': 'n',
      username: 'u',
      platform: 'p',
      'platform-version': 'v',
      'public-ip': '203.0.113.1',
      'client-openvpn-version': 'v',
      groups: 'g',
      'schema-version': 'v3',
    },
  ],
  [
    'Cognito Sync',
    null,
    'https://docs.aws.amazon.com/cognito/latest/developerguide/cognito-events.html',
    {
      version: 2,
      eventType: 'SyncTrigger',
      region: REGION,
      identityPoolId: 'p',
      identityId: 'i',
      datasetName: 'd',
      datasetRecords: { a: { oldValue: 'o', newValue: 'n', op: 'replace' } },
    },
  ],
  [
    'Kinesis Data Analytics: preprocessing',
    null,
    'https://docs.aws.amazon.com/kinesisanalytics/latest/dev/lambda-preprocessing.html',
    {
      invocationId: 'i',
      applicationArn: at('kinesisanalytics', 'application/a'),
      streamArn: at('kinesis', 'stream/in'),
      records: [
        {
          recordId: '1',
          kinesisStreamRecordMetadata: {
            sequenceNumber: '1',
            partitionKey: 'p',
            shardId: 's',
            approximateArrivalTimestamp: 1,
          },
          data: base64('a'),
        },
      ],
    },
  ],
  [
    'Kinesis Data Analytics: output',
    null,
    'https://docs.aws.amazon.com/kinesisanalytics/latest/dev/how-it-works-output-lambda.html',
    {
      invocationId: 'i',
      applicationArn: at('kinesisanalytics', 'application/a'),
      records: [{ recordId: '1', lambdaDeliveryRecordMetadata: { retryHint: 0 }, data: base64('a') }],
    },
  ],
  [
    'Redshift: a user-defined function',
    null,
    'https://docs.aws.amazon.com/redshift/latest/dg/udf-creating-a-lambda-sql-udf.html',
    {
      request_id: 'r',
      cluster: at('redshift', 'cluster:c'),
      user: 'u',
      database: 'd',
      external_function: 'public.f',
      query_id: 5,
      num_records: 1,
      arguments: [[1, 'a']],
    },
  ],
  [
    'Athena: a federated query',
    null,
    'https://docs.aws.amazon.com/athena/latest/ug/federated-query-example-ping.html',
    {
      '@type': 'PingRequest',
      identity: { id: 'UNKNOWN', principal: 'UNKNOWN', account: ACCOUNT },
      catalogName: 'lambda:c',
      queryId: 'q',
    },
  ],
  [
    'Chime SDK: a call',
    null,
    'https://docs.aws.amazon.com/chime-sdk/latest/dg/case-1.html',
    {
      SchemaVersion: '1.0',
      Sequence: 1,
      InvocationEventType: 'NEW_INBOUND_CALL',
      CallDetails: {
        TransactionId: 't',
        AwsAccountId: ACCOUNT,
        AwsRegion: REGION,
        SipRuleId: 's',
        SipMediaApplicationId: 'm',
        Participants: [],
      },
    },
  ],
  [
    'WorkMail: a message',
    null,
    'https://docs.aws.amazon.com/workmail/latest/adminguide/lambda.html',
    {
      summaryVersion: '2019-07-28',
      envelope: { mailFrom: { address: 'a@example.com' }, recipients: [{ address: 'b@example.com' }] },
      sender: { address: 'a@example.com' },
      subject: 's',
      messageId: 'm',
      invocationId: 'i',
      flowDirection: 'INBOUND',
      truncated: false,
    },
  ],
  [
    'Pinpoint: a custom channel',
    null,
    'https://docs.aws.amazon.com/pinpoint/latest/developerguide/channels-custom.html',
    {
      Message: {},
      Data: 'd',
      ApplicationId: 'a',
      CampaignId: 'c',
      TreatmentId: '0',
      ActivityId: 'x',
      ScheduledTime: TIME,
      Endpoints: { e1: { Address: 'a' } },
    },
  ],
  [
    'Lambda: a destination',
    'destination',
    `${LAMBDA}/invocation-async-retain-records.html`,
    {
      version: '1.0',
      timestamp: TIME,
      requestContext: {
        requestId: 'r',
        functionArn: at('lambda', 'function:f:$LATEST'),
        condition: 'RetriesExhausted',
        approximateInvokeCount: 3,
      },
      requestPayload: {},
      responseContext: { statusCode: 200, executedVersion: '$LATEST', functionError: 'Unhandled' },
      responsePayload: { errorMessage: 'e' },
    },
  ],
  [
    'EventBridge Pipes: a list',
    'pipe',
    'https://docs.aws.amazon.com/eventbridge/latest/userguide/pipes-enrichment.html',
    [{ messageId: 'm', body: '{}', eventSource: 'aws:sqs', eventSourceARN: at('sqs', 'orders') }],
  ],
  [
    'Kendra: enrichment of documents',
    null,
    'https://docs.aws.amazon.com/kendra/latest/dg/custom-document-enrichment.html',
    { version: 'v0', s3Bucket: 'b', s3ObjectKey: 'k', metadata: { attributes: [] } },
  ],
  [
    'SageMaker Ground Truth: before a task',
    null,
    'https://docs.aws.amazon.com/sagemaker/latest/dg/sms-custom-templates-step3-lambda-requirements.html',
    {
      version: '2018-10-16',
      labelingJobArn: at('sagemaker', 'labeling-job/l'),
      dataObject: { 'source-ref': 's3://b/k' },
    },
  ],
  [
    'Auto Scaling: a termination policy',
    null,
    'https://docs.aws.amazon.com/autoscaling/ec2/userguide/lambda-custom-termination-policy.html',
    {
      AutoScalingGroupARN: at('autoscaling', 'autoScalingGroup:1:autoScalingGroupName/g'),
      AutoScalingGroupName: 'g',
      CapacityToTerminate: [{ AvailabilityZone: 'a', Capacity: 1, InstanceMarketOption: 'on-demand' }],
      Instances: [{ AvailabilityZone: 'a', InstanceId: 'i-1', InstanceType: 't', InstanceMarketOption: 'on-demand' }],
      Cause: 'SCALE_IN',
    },
  ],
  [
    'AppConfig: an extension',
    null,
    'https://docs.aws.amazon.com/appconfig/latest/userguide/working-with-appconfig-extensions-creating-custom-lambda.html',
    {
      InvocationId: 'i',
      Parameters: {},
      Type: 'OnDeploymentStart',
      Application: { Id: 'a' },
      Environment: { Id: 'e' },
      ConfigurationProfile: { Id: 'c' },
      DeploymentNumber: 1,
      ConfigurationVersion: '1',
    },
  ],
];

const INPUT = 'https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-lambda-authorizer-input.html';

/** Events that satisfy the row of a front door, which rejects them before any route: they only look like requests. */
export const REJECTED_BY_DOORS: readonly AwsEvent[] = [
  [
    'API Gateway: a REQUEST authorizer of a REST API',
    'gateway-v1',
    INPUT,
    {
      type: 'REQUEST',
      methodArn: at('execute-api', 'api1/dev/GET/a'),
      resource: '/a',
      path: '/a',
      httpMethod: 'GET',
      headers: { 'X-A': 'b' },
      queryStringParameters: {},
      pathParameters: {},
      stageVariables: {},
      requestContext: {
        path: '/a',
        accountId: ACCOUNT,
        resourceId: 'r',
        stage: 'dev',
        requestId: 'q',
        identity: { sourceIp: '203.0.113.1' },
        resourcePath: '/a',
        httpMethod: 'GET',
        apiId: 'api1',
      },
    },
  ],
  [
    'API Gateway: a REQUEST authorizer of an HTTP API',
    'gateway-v2',
    'https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-lambda-authorizer.html',
    {
      version: '2.0',
      type: 'REQUEST',
      routeArn: at('execute-api', 'api1/dev/GET/a'),
      identitySource: ['k'],
      routeKey: 'GET /a',
      rawPath: '/a',
      rawQueryString: '',
      headers: { 'x-a': 'b' },
      requestContext: {
        accountId: ACCOUNT,
        apiId: 'api1',
        domainName: 'api1.execute-api.eu-central-1.amazonaws.com',
        domainPrefix: 'api1',
        http: { method: 'GET', path: '/a', protocol: 'HTTP/1.1', sourceIp: '203.0.113.1', userAgent: 'u' },
        requestId: 'q',
        routeKey: 'GET /a',
        stage: 'dev',
        time: '01/Mar/2026:12:00:00 +0000',
        timeEpoch: 1,
      },
    },
  ],
];

/** Every event of this file that is served, or that nothing serves. */
export const AWS_EVENTS: readonly AwsEvent[] = [...SERVED, ...FURTHER];
