import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { it } from 'vitest';
import { __CLASS_NAME__Stack } from '../infra/stack.js';

const code = Code.fromInline('exports.handler = () => {};');
const template = Template.fromStack(new __CLASS_NAME__Stack(new App(), 'Test', { code }));

it('has one function for one HTTP API', () => {
  template.resourceCountIs('AWS::Lambda::Function', 1);
  template.hasResourceProperties('AWS::ApiGatewayV2::Route', { RouteKey: '$default' });
});
