import type { DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';

type Strategy = Exclude<NonNullable<DynamoDBClientConfig['retryStrategy']>, { retry: unknown }>;
type Token = Awaited<ReturnType<Extract<Strategy, { acquireInitialRetryToken: unknown }>['acquireInitialRetryToken']>>;

/** Retries what a client retries, up to `most` times, without waiting. */
export function retryAtOnce(most: number): NonNullable<DynamoDBClientConfig['retryStrategy']> {
  const token = (count: number): Token => ({ getRetryCount: () => count, getRetryDelay: () => 0 }) as Token;
  return {
    acquireInitialRetryToken: async () => token(0),
    refreshRetryTokenForRetry: async (last: Token, { errorType }: { readonly errorType: string }) => {
      if (errorType === 'CLIENT_ERROR' || last.getRetryCount() >= most) throw new Error('no further try');
      return token(last.getRetryCount() + 1);
    },
    recordSuccess: () => {},
  } as never;
}
