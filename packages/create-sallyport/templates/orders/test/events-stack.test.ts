import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { expect, it } from 'vitest';
import { __CLASS_NAME__Stack } from '../infra/stack.js';

const code = Code.fromInline('exports.handler = () => {};');
const template = Template.fromStack(new __CLASS_NAME__Stack(new App(), 'Test', { code }));

it('reads the report of failed records of every queue and stream', () => {
  const mappings = Object.values(template.findResources('AWS::Lambda::EventSourceMapping'));
  expect(mappings.map(({ Properties }) => Properties.FunctionResponseTypes)).toEqual(
    Array(3).fill(['ReportBatchItemFailures']),
  );
});

it('keeps failed messages', () => {
  template.resourceCountIs('AWS::SQS::Queue', 4);
  template.hasResourceProperties('AWS::SQS::Queue', { MessageRetentionPeriod: 14 * 24 * 60 * 60 });
});
