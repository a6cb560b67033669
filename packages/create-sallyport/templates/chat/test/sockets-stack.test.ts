import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { expect, it } from 'vitest';
import { __CLASS_NAME__Stack } from '../infra/stack.js';

const code = Code.fromInline('exports.handler = () => {};');
const template = Template.fromStack(new __CLASS_NAME__Stack(new App(), 'Test', { code }));

it('sends the three routes to the function', () => {
  const routes = Object.values(template.findResources('AWS::ApiGatewayV2::Route'));
  const keys = routes.map(({ Properties }) => Properties.RouteKey);
  expect(keys).toEqual(expect.arrayContaining(['$connect', '$disconnect', '$default']));
});

it('keeps connections in a table that discards them', () => {
  template.hasResourceProperties('AWS::DynamoDB::Table', {
    TimeToLiveSpecification: { AttributeName: 'ttl', Enabled: true },
    GlobalSecondaryIndexes: [{ IndexName: 'listing-index' }],
  });
});
