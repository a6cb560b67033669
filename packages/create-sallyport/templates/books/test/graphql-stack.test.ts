import { Template } from 'aws-cdk-lib/assertions';
import { App, Stack } from 'aws-cdk-lib/core';
import { it } from 'vitest';
import { createStack } from '../infra/stack.js';

const templateWith = (JWT_ISSUER: string) =>
  Template.fromStack(Stack.of(createStack(new App(), { JWT_ISSUER, JWT_AUDIENCE: 'https://books.example/mcp' })));

it('rejects an API key, and resolves each field with the function', () => {
  const template = templateWith('');
  template.hasResourceProperties('AWS::AppSync::GraphQLApi', { AuthenticationType: 'AWS_IAM' });
  template.resourceCountIs('AWS::AppSync::ApiKey', 0);
  template.hasResourceProperties('AWS::AppSync::Resolver', { TypeName: 'Query', FieldName: 'book' });
  template.hasResourceProperties('AWS::AppSync::Resolver', { TypeName: 'Mutation', FieldName: 'renameBook' });
});

it('accepts tokens of the issuer', () => {
  templateWith('https://issuer.example').hasResourceProperties('AWS::AppSync::GraphQLApi', {
    AuthenticationType: 'OPENID_CONNECT',
    OpenIDConnectConfig: { Issuer: 'https://issuer.example' },
  });
});
