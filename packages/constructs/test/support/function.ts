import { Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import type { Stack } from 'aws-cdk-lib/core';

/** A function without resources that affect tests of other constructs. */
export function newFn(stack: Stack, id = 'Fn'): LambdaFunction {
  return new LambdaFunction(stack, id, {
    code: Code.fromInline('exports.handler = 1'),
    handler: 'index.handler',
    runtime: Runtime.NODEJS_24_X,
  });
}
