import { type ILogGroup, LogGroup, type RetentionDays } from 'aws-cdk-lib/aws-logs';
import { RemovalPolicy } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import { misuse } from '../../internal/misuse.js';
import { nameInStack } from '../../internal/names.js';
import { ApiGatewayAccount } from '../api-gateway-account.js';

/** The props of an API's access log. */
export interface AccessLogSettings {
  readonly accessLog: boolean;
  readonly accessLogGroup: ILogGroup | undefined;
  readonly logRetention: RetentionDays;
  /** Only for REST and WebSocket APIs: the log of an HTTP API needs no role. */
  readonly account?: 'ensure' | 'existing';
}

/**
 * The log group of an API's access log, or `undefined` with `accessLog: false`. CloudWatch Logs adds every group that is not under `/aws/vendedlogs/` to one resource
 * policy of limited length. The name contains a part of the stack's id, so a new stack does not collide with the retained group of an old one.
 *
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/AWS-logs-infrastructure-V2-CloudWatchLogs.html
 */
export function createAccessLog(scope: Construct, settings: AccessLogSettings): ILogGroup | undefined {
  const { accessLog, accessLogGroup, logRetention } = settings;
  if (!accessLog) {
    if (accessLogGroup === undefined) return undefined;
    throw misuse(scope, { what: 'accessLogGroup with accessLog: false', expected: 'one of them' });
  }
  if (accessLogGroup !== undefined) return accessLogGroup;
  return new LogGroup(scope, 'AccessLog', {
    // A group name has at most 512 characters.
    logGroupName: `/aws/vendedlogs/apigateway/${nameInStack(scope, 73)}`,
    retention: logRetention,
    removalPolicy: RemovalPolicy.RETAIN,
  });
}

/** Makes the stage of a REST or WebSocket API wait for the role that its access log needs. */
export function ensureLogRole(scope: Construct, stage: Construct, { accessLog, account }: AccessLogSettings): void {
  if (accessLog && account !== 'existing') stage.node.addDependency(ApiGatewayAccount.ensure(scope));
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
