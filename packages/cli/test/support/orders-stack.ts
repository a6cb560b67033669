import type { DeployedState } from './stand-in.js';

const at = (id: string, attribute = 'Arn') => ({ 'Fn::GetAtt': [id, attribute] });

/** A stack with one function, a queue with its dead-letter queue, and a rule. */
export const TEMPLATE = {
  Resources: {
    Api: {
      Type: 'AWS::Lambda::Function',
      Properties: {
        Runtime: 'nodejs24.x',
        Timeout: 20,
        MemorySize: 512,
        Handler: 'index.handler',
        Code: { S3Key: 'a.zip' },
      },
    },
    ApiRole: {
      Type: 'AWS::IAM::Role',
      Properties: {
        ManagedPolicyArns: [
          {
            'Fn::Join': [
              '',
              ['arn:', { Ref: 'AWS::Partition' }, ':iam::aws:policy/service-role/AWSLambdaBasicExecutionRole'],
            ],
          },
        ],
      },
    },
    ApiPolicy: {
      Type: 'AWS::IAM::Policy',
      Properties: {
        PolicyName: 'ApiPolicy',
        Roles: [{ Ref: 'ApiRole' }],
        PolicyDocument: {
          Statement: [
            { Effect: 'Allow', Action: ['sqs:ReceiveMessage', 'sqs:DeleteMessage'], Resource: at('Orders') },
            {
              Effect: 'Allow',
              Action: 'events:PutEvents',
              Resource: { 'Fn::Join': ['', ['arn:', { Ref: 'AWS::Partition' }, ':events:*:*:event-bus/default']] },
            },
          ],
        },
      },
    },
    Orders: {
      Type: 'AWS::SQS::Queue',
      Properties: { RedrivePolicy: { deadLetterTargetArn: at('OrdersFailures'), maxReceiveCount: 5 } },
    },
    OrdersFailures: { Type: 'AWS::SQS::Queue', Properties: { MessageRetentionPeriod: 1_209_600 } },
    OrdersMapping: {
      Type: 'AWS::Lambda::EventSourceMapping',
      Properties: {
        BatchSize: 10,
        EventSourceArn: at('Orders'),
        FunctionName: { Ref: 'Api' },
        FunctionResponseTypes: ['ReportBatchItemFailures'],
      },
    },
    Paid: {
      Type: 'AWS::Events::Rule',
      Properties: { EventPattern: { source: ['billing'] }, Targets: [{ Id: 'Target0', Arn: at('Api') }] },
    },
    PaidPermission: {
      Type: 'AWS::Lambda::Permission',
      Properties: { Principal: 'events.amazonaws.com', FunctionName: at('Api'), SourceArn: at('Paid') },
    },
    FailuresAlarm: {
      Type: 'AWS::CloudWatch::Alarm',
      Properties: {
        AlarmDescription: 'Messages are in a failure queue: Orders/OrdersFailures. docs/operations.md#failure-queue',
        Threshold: 1,
        Dimensions: [{ Name: 'QueueName', Value: at('OrdersFailures', 'QueueName') }],
      },
    },
  },
};

export const QUEUE_ARN = 'arn:aws:sqs:eu-west-1:123456789012:orders';
const BUS_ARN = 'arn:aws:events:eu-west-1:123456789012:event-bus/default';
export const BASIC = 'arn:aws:iam::aws:policy/service-role/AWSLambdaBasicExecutionRole';

/** The stack right after a deployment. */
export function healthy(): DeployedState {
  const url = 'https://sqs.eu-west-1.amazonaws.com/123456789012';
  const physical: Readonly<Record<string, string>> = {
    Api: 'orders-api',
    Orders: `${url}/orders`,
    OrdersFailures: `${url}/orders-failures`,
    OrdersMapping: '6a5f0e51-7f4c-4f0e-8b1a-3a1f4d5b7c9d',
    ApiRole: 'orders-api-role',
    ApiPolicy: 'Order-ApiP-7G8H9I',
    Paid: 'orders-paid',
    PaidPermission: 'Orders-PaidPermission-1A2B3C',
    FailuresAlarm: 'Orders-FailuresAlarm-4D5E6F',
  };
  const resources = Object.entries(TEMPLATE.Resources).map(([id, { Type }]) => ({
    id,
    type: Type,
    physical: physical[id] ?? '',
  }));
  return {
    status: 'UPDATE_COMPLETE',
    template: TEMPLATE,
    resources,
    functions: { 'orders-api': { Runtime: 'nodejs24.x', Timeout: 20, MemorySize: 512, Handler: 'index.handler' } },
    concurrency: {},
    mappings: {
      [physical.OrdersMapping ?? '']: {
        State: 'Enabled',
        BatchSize: 10,
        FunctionResponseTypes: ['ReportBatchItemFailures'],
        LastProcessingResult: 'OK',
      },
    },
    policies: {
      'orders-api': [{ Sid: 'Orders-PaidPermission-1A2B3C', Principal: { Service: 'events.amazonaws.com' } }],
    },
    roles: {
      'orders-api-role': {
        inline: {
          ApiPolicy: {
            Statement: [
              { Effect: 'Allow', Action: ['sqs:ReceiveMessage', 'sqs:DeleteMessage'], Resource: QUEUE_ARN },
              { Effect: 'Allow', Action: 'events:PutEvents', Resource: BUS_ARN },
            ],
          },
        },
        attached: [BASIC],
      },
    },
    managed: { [BASIC]: { Statement: { Effect: 'Allow', Action: 'logs:*', Resource: '*' } } },
    rules: {
      'orders-paid': {
        State: 'ENABLED',
        Targets: [{ Id: 'Target0', Arn: 'arn:aws:lambda:eu-west-1:123456789012:function:orders-api' }],
      },
    },
    alarms: [
      {
        AlarmName: 'Orders-FailuresAlarm-4D5E6F',
        ActionsEnabled: true,
        AlarmActions: ['arn:aws:sns:eu-west-1:123456789012:on-call'],
        StateValue: 'OK',
      },
    ],
    queues: {
      orders: { RedrivePolicy: '{"maxReceiveCount":5}', ApproximateNumberOfMessages: '3' },
      'orders-failures': { ApproximateNumberOfMessages: '0' },
    },
    denied: [],
    expired: false,
  };
}
