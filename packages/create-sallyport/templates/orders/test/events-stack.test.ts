import { Template } from 'aws-cdk-lib/assertions';
import { App, Stack } from 'aws-cdk-lib/core';
import { expect, it } from 'vitest';
import { createStack } from '../infra/stack.js';

const template = Template.fromStack(Stack.of(createStack(new App(), {})));

it('reads the report of failed records of every queue and stream', () => {
  const mappings = Object.values(template.findResources('AWS::Lambda::EventSourceMapping'));
  expect(mappings.map(({ Properties }) => Properties.FunctionResponseTypes)).toEqual(
    Array(3).fill(['ReportBatchItemFailures']),
  );
});

it('keeps failed messages for 14 days, and reports them', () => {
  template.hasResourceProperties('AWS::SQS::Queue', { MessageRetentionPeriod: 14 * 24 * 60 * 60 });
  template.hasResourceProperties('AWS::CloudWatch::Alarm', { MetricName: 'ApproximateNumberOfMessagesVisible' });
});

it('has a schedule', () => {
  template.hasResourceProperties('AWS::Events::Rule', { ScheduleExpression: 'cron(0 3 * * ? *)' });
});
