import { Code } from 'aws-cdk-lib/aws-lambda';
import { ServiceFunction } from '../src/function.js';
import { newStack, propertiesOf, statementsOf, templateOf } from './support/synth.js';

it('makes a function, a role and a log group with secure defaults', () => {
  const stack = newStack();
  new ServiceFunction(stack, 'Api', { code: Code.fromInline('exports.handler = 1') });
  const template = templateOf(stack);
  expect(propertiesOf(template, 'AWS::Lambda::Function')).toMatchObject([
    { MemorySize: 256, Timeout: 10, Runtime: 'nodejs24.x' },
  ]);
  expect(statementsOf(template)).toHaveLength(2);
});
