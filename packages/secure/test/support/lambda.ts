import type { LambdaContext } from '@sallyport/core';
import type { ManualClock } from '@sallyport/core/testing';

export interface LambdaContextOptions {
  readonly remainingMs?: number;
  readonly tenantId?: string;
}

export function createLambdaContext(
  clock: ManualClock,
  { remainingMs, tenantId }: LambdaContextOptions,
): LambdaContext {
  const end = clock.monotonicMs() + (remainingMs ?? 30_000);
  return {
    awsRequestId: 'lambda-1',
    ...(tenantId !== undefined && { tenantId }),
    getRemainingTimeInMillis: () => Math.max(0, end - clock.monotonicMs()),
  };
}
