import { type Plan, type PlannedSource, RETENTION_SECONDS, TIMEOUT_SECONDS, VISIBILITY_SECONDS } from './plan.js';

const quoted = (value: unknown) => `'${JSON.stringify(value).replaceAll("'", "''")}'`;
const indent = (text: string, by: number) => text.replaceAll(/^(?=.)/gm, ' '.repeat(by));

/** A template of AWS SAM for the parts of a deployment. */
export function samTemplate(plan: Plan): string {
  const { http, sources, others } = plan;
  const parameters = [
    'AlarmTopicArn: { Type: String, Description: Receives the alarms }',
    ...sources.flatMap(parameterOf),
  ];
  const resources = [
    service(plan),
    LOG,
    failures('Failures', false),
    ...(http ? [API] : []),
    ...sources.flatMap(resourcesOf),
  ];
  return [
    "AWSTemplateFormatVersion: '2010-09-09'",
    'Transform: AWS::Serverless-2016-10-31',
    ...others.map((one) => `# Not in this template: ${one}`),
    'Parameters:',
    indent(parameters.join('\n'), 2),
    'Resources:',
    indent(resources.join('\n'), 2),
    ...(http
      ? ['Outputs:', `  Url: { Value: !Sub 'https://\${Api}.execute-api.\${AWS::Region}.\${AWS::URLSuffix}' }`]
      : []),
    '',
  ].join('\n');
}

function parameterOf({ kind, id, name }: PlannedSource): readonly string[] {
  if (kind === 'schedule')
    return [`${id}Expression: { Type: String, Default: rate(1 day), Description: The schedule ${name} }`];
  if (kind === 'queue' || kind === 'rule') return [];
  const what = kind === 'topic' ? 'topic' : kind === 'stream' ? 'data stream' : "table's stream";
  return [`${id}Arn: { Type: String, Description: The ARN of the ${what} ${name} }`];
}

const isStream = ({ kind }: PlannedSource) => kind === 'stream' || kind === 'table-stream';

/** Logical to physical names: rules by name, everything else by ARN. */
function eventSources(sources: readonly PlannedSource[]): string | undefined {
  const methods: Readonly<Record<string, readonly [member: string, reference: (one: PlannedSource) => string]>> = {
    queue: ['queue', ({ id }) => `\${${id}.Arn}`],
    stream: ['kinesis', ({ id }) => `\${${id}Arn}`],
    'table-stream': ['tableStream', ({ id }) => `\${${id}Arn}`],
    topic: ['topic', ({ id }) => `\${${id}Arn}`],
    // Its own name: a reference would make a circle, because the rule invokes the function.
    schedule: ['rule', ({ id }) => `\${AWS::StackName}-${id}`],
  };
  const names: Record<string, Record<string, string>> = {};
  for (const one of sources) {
    const found = methods[one.kind];
    if (found) names[found[0]] = { ...names[found[0]], [one.name]: found[1](one) };
  }
  return Object.keys(names).length === 0 ? undefined : `!Sub ${quoted(names)}`;
}

function service({ http, sources }: Plan): string {
  const names = eventSources(sources);
  const variables = [
    ...(names === undefined ? [] : [`FRAMEWORK_EVENT_SOURCES: ${names}`]),
    ...(sources.some(isStream) ? ['FRAMEWORK_STREAM_FAILURE_IDENTIFIER: sequenceNumber'] : []),
  ];
  const events = [
    ...(http ? ['Api:', '  Type: HttpApi', '  Properties: { ApiId: !Ref Api }'] : []),
    ...sources.map(eventOf).filter((event) => event !== ''),
  ];
  return `Service:
  Type: AWS::Serverless::Function
  Properties:
    Runtime: nodejs24.x
    Architectures: [arm64]
    MemorySize: 512
    Timeout: ${TIMEOUT_SECONDS}
    CodeUri: dist/
    Handler: index.handler
    Tracing: Active
    LoggingConfig: { LogGroup: !Ref ServiceLog }
    EventInvokeConfig:
      DestinationConfig:
        OnFailure: { Type: SQS, Destination: !GetAtt Failures.Arn }${variables.length === 0 ? '' : `\n    Environment:\n      Variables:\n${indent(variables.join('\n'), 8)}`}
    # Policies: the statements of the tables that the service uses${events.length === 0 ? '' : `\n    Events:\n${indent(events.join('\n'), 6)}`}`;
}

function eventOf(one: PlannedSource): string {
  const { kind, id, selector } = one;
  if (kind === 'queue') {
    return `${id}:
  Type: SQS
  Properties:
    Queue: !GetAtt ${id}.Arn
    FunctionResponseTypes: [ReportBatchItemFailures]`;
  }
  if (isStream(one)) {
    return `${id}:
  Type: ${kind === 'stream' ? 'Kinesis' : 'DynamoDB'}
  Properties:
    Stream: !Ref ${id}Arn
    StartingPosition: TRIM_HORIZON
    BisectBatchOnFunctionError: true
    MaximumRetryAttempts: 10
    FunctionResponseTypes: [ReportBatchItemFailures]
    DestinationConfig: { OnFailure: { Type: SQS, Destination: !GetAtt Failures.Arn } }`;
  }
  if (kind === 'topic') {
    return `${id}:
  Type: SNS
  Properties:
    Topic: !Ref ${id}Arn
    RedrivePolicy: { deadLetterTargetArn: !GetAtt Failures.Arn }`;
  }
  if (kind === 'rule') {
    const pattern = {
      ...(selector.source && { source: [selector.source] }),
      ...(selector.detailType && { 'detail-type': [selector.detailType] }),
    };
    return `${id}:
  Type: EventBridgeRule
  Properties:
    Pattern: ${JSON.stringify(pattern)}
    DeadLetterConfig: { Arn: !GetAtt Failures.Arn }`;
  }
  return '';
}

function resourcesOf({ kind, id, fifo }: PlannedSource): readonly string[] {
  if (kind === 'schedule') {
    return [
      `${id}:
  Type: AWS::Events::Rule
  Properties:
    Name: !Sub '\${AWS::StackName}-${id}'
    ScheduleExpression: !Ref ${id}Expression
    Targets:
      - Id: Service
        Arn: !GetAtt Service.Arn
        DeadLetterConfig: { Arn: !GetAtt Failures.Arn }
${id}Permission:
  Type: AWS::Lambda::Permission
  Properties:
    Action: lambda:InvokeFunction
    FunctionName: !Ref Service
    Principal: events.amazonaws.com
    SourceArn: !GetAtt ${id}.Arn`,
    ];
  }
  if (kind !== 'queue') return [];
  return [
    `${id}:
  Type: AWS::SQS::Queue
  DeletionPolicy: Retain
  UpdateReplacePolicy: Retain
  Properties:
    VisibilityTimeout: ${VISIBILITY_SECONDS} # six times the function timeout
    SqsManagedSseEnabled: true${fifo ? '\n    FifoQueue: true' : ''}
    RedrivePolicy: { deadLetterTargetArn: !GetAtt ${id}Dead.Arn, maxReceiveCount: 5 }`,
    failures(`${id}Dead`, fifo),
  ];
}

/** A queue for events that failed, TLS only, with an alarm for its first message. */
function failures(id: string, fifo: boolean): string {
  const services =
    id === 'Failures'
      ? `
        - Effect: Allow
          Principal: { Service: [sns.amazonaws.com, events.amazonaws.com] }
          Action: sqs:SendMessage
          Resource: !GetAtt ${id}.Arn
          Condition: { StringEquals: { aws:SourceAccount: !Ref AWS::AccountId } }`
      : '';
  return `${id}:
  Type: AWS::SQS::Queue
  DeletionPolicy: Retain
  UpdateReplacePolicy: Retain
  Properties:
    MessageRetentionPeriod: ${RETENTION_SECONDS} # 14 days: a moved message keeps its age
    SqsManagedSseEnabled: true${fifo ? '\n    FifoQueue: true' : ''}
${id}Policy:
  Type: AWS::SQS::QueuePolicy
  Properties:
    Queues: [!Ref ${id}]
    PolicyDocument:
      Statement:
        - Effect: Deny
          Principal: '*'
          Action: sqs:*
          Resource: !GetAtt ${id}.Arn
          Condition: { Bool: { aws:SecureTransport: false } }${services}
${alarm(`${id}Alarm`, 'AWS/SQS ApproximateNumberOfMessagesVisible', `QueueName, Value: !GetAtt ${id}.QueueName`, 'Maximum')}`;
}

const LOG = `ServiceLog:
  Type: AWS::Logs::LogGroup
  DeletionPolicy: Retain
  UpdateReplacePolicy: Retain
  Properties: { RetentionInDays: 30 }
${alarm('ServiceErrors', 'AWS/Lambda Errors', 'FunctionName, Value: !Ref Service', 'Sum')}`;

const API = `Api:
  Type: AWS::Serverless::HttpApi
  Properties:
    DefaultRouteSettings: { ThrottlingRateLimit: 100, ThrottlingBurstLimit: 200 }
    AccessLogSettings:
      DestinationArn: !GetAtt ApiLog.Arn
      Format: '{"requestId":"$context.requestId","status":"$context.status","route":"$context.routeKey"}'
ApiLog:
  Type: AWS::Logs::LogGroup
  DeletionPolicy: Retain
  UpdateReplacePolicy: Retain
  Properties:
    # Below /aws/vendedlogs/: all other groups share one policy of limited length.
    LogGroupName: !Sub
      - '/aws/vendedlogs/apigateway/\${AWS::StackName}-\${Part}'
      - Part: !Select [0, !Split ['-', !Select [2, !Split ['/', !Ref AWS::StackId]]]]
    RetentionInDays: 30
${alarm('ApiErrors', 'AWS/ApiGateway 5xx', 'ApiId, Value: !Ref Api', 'Sum')}`;

/** An alarm for the first data point, with an action. It is a function declaration, because the constants above call it. */
function alarm(id: string, metric: string, dimension: string, statistic: string): string {
  const [namespace, name] = metric.split(' ');
  return `${id}:
  Type: AWS::CloudWatch::Alarm
  Properties:
    Namespace: ${namespace}
    MetricName: ${name}
    Dimensions: [{ Name: ${dimension} }]
    Statistic: ${statistic}
    Period: 300
    EvaluationPeriods: 1
    Threshold: 1
    ComparisonOperator: GreaterThanOrEqualToThreshold
    TreatMissingData: notBreaching
    AlarmActions: [!Ref AlarmTopicArn]`;
}
