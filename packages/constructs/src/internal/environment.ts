import type { CfnFunction, IFunction, Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Stack, Token } from 'aws-cdk-lib/core';
import type { IConstruct } from 'constructs';
import { misuse, misuseText } from './misuse.js';
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

/** Values that contain credentials: passwords in URLs, keys of AWS, Stripe, GitHub and Slack, private keys. */
const SECRET_VALUE =
  /^[a-z][a-z0-9+.-]*:\/\/[^/@\s:]*:[^/@\s]+@|^(?:sk|rk)_live_|^(?:AKIA|ASIA)[A-Z0-9]{16}$|^gh[pousr]_[A-Za-z0-9]{20,}|^github_pat_|^xox[abprs]-|-----BEGIN [A-Z ]*PRIVATE KEY-----/;

/**
 * Checks the name of a variable, and that its value is not a secret as a literal.
 *
 * @param notSecret names that look like secrets and are not
 */
export function checkVariable(at: IConstruct, name: string, value: string, notSecret: readonly string[] = []): void {
  const code = 'constructs.reserved_variable';
  if (RESERVED.includes(name)) {
    throw misuse(at, { what: `variable ${name} is set by AWS Lambda`, expected: 'another name', code });
  }
  if (!NAME.test(name)) {
    throw misuse(at, { what: 'name of a variable', got: name, expected: 'a letter, then letters, digits and _' });
  }
  if (Token.isUnresolved(value) || notSecret.includes(name)) return;
  if (SECRET_VALUE.test(value)) {
    const what = `variable ${name} has a literal value that looks like a secret`;
    throw misuse(at, {
      what,
      expected: 'the ARN of a secret, or its name in the prop notSecret of the function',
      code,
    });
  }
  if (SECRET_NAME.test(name)) {
    const expected =
      'the ARN of a secret under a name that ends in _ARN, a token, or its name in the prop notSecret of the function';
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

/** @see https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html */
const MOST_BYTES = 4096;

/** A finding if names and literal parts of values are longer than Lambda accepts. */
export function tooLarge(at: IConstruct, fn: LambdaFunction): string[] {
  const bytes = Object.entries(variablesOf(fn)).reduce(
    (sum, [name, value]) => sum + literalBytes(name) + literalBytes(value),
    0,
  );
  if (bytes <= MOST_BYTES) return [];
  const expected = `at most ${MOST_BYTES} bytes for all names and values: a file of the bundle, a parameter, or a second function`;
  return [misuseText(at, { what: `variables of at least ${bytes} bytes`, expected })];
}

/** The literal parts of a value; a reference has at least one byte. */
function literalBytes(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  const { 'Fn::Join': joined } = (value ?? {}) as { readonly 'Fn::Join'?: readonly [string, readonly unknown[]] };
  return joined ? joined[1].reduce((sum: number, part) => sum + literalBytes(part), 0) : 1;
}

/** The variables that are set so far, resolved. The CDK silently overwrites a value that is set again. */
function variablesOf(fn: LambdaFunction): Readonly<Record<string, unknown>> {
  const { environment } = fn.node.defaultChild as CfnFunction;
  const resolved = Stack.of(fn).resolve(environment) as { variables?: Readonly<Record<string, unknown>> } | undefined;
  return resolved?.variables ?? {};
}
