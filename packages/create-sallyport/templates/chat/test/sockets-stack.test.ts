import { Template } from 'aws-cdk-lib/assertions';
import { App, Stack } from 'aws-cdk-lib/core';
import { expect, it } from 'vitest';
import { createStack } from '../infra/stack.js';

const template = Template.fromStack(Stack.of(createStack(new App(), {})));

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
