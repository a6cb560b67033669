import { Duration } from 'aws-cdk-lib';
import { Architecture, type Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';

/** The function of the service, with a log group that keeps lines for a month. */
export function createServiceFunction(scope: Construct, code: Code): LambdaFunction {
  const variables = ['JWT_ISSUER', 'JWT_AUDIENCE', 'JWT_JWKS_URI'] as const;
  const configured = variables.flatMap((name) => (process.env[name] ? [[name, process.env[name] ?? '']] : []));
  return new LambdaFunction(scope, 'Service', {
    code,
    handler: 'index.handler',
    runtime: Runtime.NODEJS_22_X,
    architecture: Architecture.ARM_64,
    memorySize: 512,
    timeout: Duration.seconds(15),
    logGroup: new LogGroup(scope, 'Logs', { retention: RetentionDays.ONE_MONTH }),
    environment: Object.fromEntries(configured),
  });
}
