import { LogGroup, type RetentionDays } from 'aws-cdk-lib/aws-logs';
import { RemovalPolicy } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';

/** The log group of an API's access log. */
export function createAccessLog(scope: Construct, retention: RetentionDays): LogGroup {
  return new LogGroup(scope, 'AccessLog', { retention, removalPolicy: RemovalPolicy.RETAIN });
}

/**
 * One JSON line per request. It contains no header, query or body: those may contain secrets.
 *
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-logging-variables.html
 */
export function accessLogFormat(fields: Readonly<Record<string, string>>): string {
  return JSON.stringify({
    requestId: '$context.requestId',
    requestTime: '$context.requestTime',
    ip: '$context.identity.sourceIp',
    status: '$context.status',
    ...fields,
  });
}
