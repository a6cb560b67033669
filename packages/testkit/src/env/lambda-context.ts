import type { FullClock, LambdaContext } from '@sallyport/core';
import { anything, type Checks, checkOptions, nonBlank, text } from '../internal/check.js';

export interface LambdaContextOptions {
  /** `lambda-1` unless given. */
  readonly requestId?: string;
  /** 30,000 unless given; what the context shows falls as the clock advances. */
  readonly remainingMs?: number;
  readonly tenantId?: string;
  /** An X-Ray header, `Root=1-…`. */
  readonly traceId?: string;
  /** `test-function` unless given. */
  readonly functionName?: string;
  /** What the caller of the `Invoke` API put beside the event: any JSON value. Left out unless given. */
  readonly clientContext?: unknown;
  /** The identity id of a caller that invoked through a mobile SDK. */
  readonly cognitoIdentityId?: string;
}

/** The Lambda context of one invocation, on a manual clock. */
export interface TestLambdaContext extends LambdaContext {
  readonly awsRequestId: string;
  getRemainingTimeInMillis(): number;
}

const CHECKS: Checks<LambdaContextOptions> = {
  requestId: nonBlank,
  remainingMs: { wanted: 'a number of milliseconds', accepts: Number.isFinite },
  tenantId: text,
  traceId: text,
  functionName: nonBlank,
  clientContext: anything,
  cognitoIdentityId: text,
};

/** @throws FrameworkError for an unknown option or a wrong type */
export function createLambdaContext(clock: FullClock, options: LambdaContextOptions = {}): TestLambdaContext {
  checkOptions(options, CHECKS);
  const { requestId = 'lambda-1', remainingMs = 30_000, functionName = 'test-function', tenantId, traceId } = options;
  const { clientContext, cognitoIdentityId } = options;
  const end = clock.monotonicMs() + remainingMs;
  return {
    awsRequestId: requestId,
    functionName,
    functionVersion: '$LATEST',
    invokedFunctionArn: `arn:aws:lambda:us-east-1:123456789012:function:${functionName}`,
    ...(tenantId !== undefined && { tenantId }),
    ...(traceId !== undefined && { xRayTraceId: traceId }),
    ...(clientContext !== undefined && { clientContext }),
    ...(cognitoIdentityId !== undefined && { identity: { cognitoIdentityId } }),
    getRemainingTimeInMillis: () => Math.max(0, end - clock.monotonicMs()),
  };
}
