import type { CfnFunction, IFunction, Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Stack, Token } from 'aws-cdk-lib/core';
import type { IConstruct } from 'constructs';
import { misuse } from './misuse.js';
import { functionBehind } from './targets.js';

/**
 * Variables that AWS Lambda sets itself and rejects in a function's configuration.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html#configuration-envvars-runtime
 */
const RESERVED: readonly string[] = [
  '_HANDLER',
  '_X_AMZN_TRACE_ID',
  'AWS_DEFAULT_REGION',
  'AWS_REGION',
  'AWS_EXECUTION_ENV',
  'AWS_LAMBDA_FUNCTION_NAME',
  'AWS_LAMBDA_FUNCTION_MEMORY_SIZE',
  'AWS_LAMBDA_FUNCTION_VERSION',
  'AWS_LAMBDA_INITIALIZATION_TYPE',
  'AWS_LAMBDA_LOG_GROUP_NAME',
  'AWS_LAMBDA_LOG_STREAM_NAME',
  'AWS_ACCESS_KEY',
  'AWS_ACCESS_KEY_ID',
  'AWS_SECRET_ACCESS_KEY',
  'AWS_SESSION_TOKEN',
  'AWS_LAMBDA_RUNTIME_API',
  'LAMBDA_TASK_ROOT',
  'LAMBDA_RUNTIME_DIR',
];

const NAME = /^[A-Za-z][A-Za-z0-9_]*$/;
const SECRET_NAME = /(?:SECRET|TOKEN|PASSWORD|KEY)$/i;

/** Checks the name of a variable, and that its value is not a secret as a literal. */
export function checkVariable(at: IConstruct, name: string, value: string): void {
  const code = 'constructs.reserved_variable';
  if (RESERVED.includes(name)) {
    throw misuse(at, { what: `variable ${name} is set by AWS Lambda`, expected: 'another name', code });
  }
  if (!NAME.test(name)) {
    throw misuse(at, { what: 'name of a variable', got: name, expected: 'a letter, then letters, digits and _' });
  }
  if (SECRET_NAME.test(name) && !Token.isUnresolved(value)) {
    const expected = 'the ARN of a secret under a name that ends in _ARN, or a token';
    throw misuse(at, {
      what: `variable ${name} has a literal value, and its name marks a secret`,
      expected,
      code,
    });
  }
}

/**
 * Sets a variable of a function.
 *
 * @param by the construct that needs the variable; errors name its path
 * @throws ConstructError `constructs.fixed_environment` for a version or an imported function,
 *   `constructs.conflict` when the variable has another value, `constructs.reserved_variable` for a name that AWS Lambda reserves
 */
export function setVariable(by: IConstruct, fn: IFunction, name: string, value: string): void {
  const target = variableTarget(by, fn, name);
  checkVariable(by, name, value);
  const before = variablesOf(target)[name];
  if (before === undefined) {
    target.addEnvironment(name, value);
    return;
  }
  if (JSON.stringify(before) === JSON.stringify(Stack.of(target).resolve(value))) return;
  throw misuse(by, {
    what: `variable ${name} of ${target.node.path} is set to another value already`,
    expected: 'one value: use one construct for both, or a second function',
    code: 'constructs.conflict',
  });
}

function variableTarget(by: IConstruct, fn: IFunction, name: string): LambdaFunction {
  // An alias of this app is moved to the version that has the variable.
  const target = functionBehind(fn);
  const isOwn = 'addEnvironment' in target && typeof (target as LambdaFunction).addEnvironment === 'function';
  if (isOwn) return target as LambdaFunction;
  throw misuse(by, {
    what: `variable ${name} cannot be set on ${fn.node.path}, which is a version or an imported function`,
    expected: 'the function or an alias of it, in its stack; or set the variable there',
    code: 'constructs.fixed_environment',
  });
}

/** The variables that are set so far, resolved. The CDK silently overwrites a value that is set again. */
function variablesOf(fn: LambdaFunction): Readonly<Record<string, unknown>> {
  const { environment } = fn.node.defaultChild as CfnFunction;
  const resolved = Stack.of(fn).resolve(environment) as { variables?: Readonly<Record<string, unknown>> } | undefined;
  return resolved?.variables ?? {};
}
