import { Template } from 'aws-cdk-lib/assertions';
import { App, Stack } from 'aws-cdk-lib/core';
import { it } from 'vitest';
import { createStack } from '../infra/stack.js';

const template = Template.fromStack(Stack.of(createStack(new App(), {})));

it('has an address that streams', () => {
  template.hasResourceProperties('AWS::Lambda::Url', { InvokeMode: 'RESPONSE_STREAM', AuthType: 'NONE' });
});
