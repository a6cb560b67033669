import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { it } from 'vitest';
import { __CLASS_NAME__Stack } from '../infra/stack.js';

const code = Code.fromInline('exports.handler = () => {};');
const template = Template.fromStack(new __CLASS_NAME__Stack(new App(), 'Test', { code }));

it('rejects an API key, and resolves each field with the function', () => {
  template.hasResourceProperties('AWS::AppSync::GraphQLApi', { AuthenticationType: 'AWS_IAM' });
  template.resourceCountIs('AWS::AppSync::ApiKey', 0);
  template.hasResourceProperties('AWS::AppSync::Resolver', { TypeName: 'Query', FieldName: 'book' });
  template.hasResourceProperties('AWS::AppSync::Resolver', { TypeName: 'Mutation', FieldName: 'renameBook' });
});
