import { Template } from 'aws-cdk-lib/assertions';
import { App, Stack } from 'aws-cdk-lib/core';
import { expect, it } from 'vitest';
import { createStack } from '../infra/stack.js';

const template = Template.fromStack(Stack.of(createStack(new App(), {})));

it('has a route for each operation, without an authorizer: the postures in src/app.ts check callers', () => {
  const routes = Object.values(template.findResources('AWS::ApiGatewayV2::Route'));
  const http = routes.filter(({ Properties }) => Properties.RouteKey.includes(' /'));
  expect(http.map(({ Properties }) => [Properties.RouteKey, Properties.AuthorizationType ?? 'NONE'])).toEqual(
    expect.arrayContaining([
      ['GET /health', 'NONE'],
      ['GET /notes/{p2}', 'NONE'],
      ['PUT /notes/{p2}', 'NONE'],
    ]),
  );
});

it('runs on the Node version of the bundle, and has alarms', () => {
  template.hasResourceProperties('AWS::Lambda::Function', { Runtime: 'nodejs24.x', Handler: 'index.handler' });
  template.hasResourceProperties('AWS::CloudWatch::Alarm', { MetricName: 'Errors' });
});
