import type { LambdaHandler } from './handlers.js';

/** The end of an invocation. */
export type Outcome = { readonly result: unknown } | { readonly failure: string };

/** Runs a handler once, with a copy of the event. A failure has the name of the error only: its text can differ in each run. */
export async function invokeOnce(handler: LambdaHandler, event: unknown, timeoutMs: number): Promise<Outcome> {
  const end = Date.now() + timeoutMs;
  const context = {
    awsRequestId: '00000000-0000-4000-8000-000000000000',
    functionName: 'compared',
    functionVersion: '$LATEST',
    invokedFunctionArn: 'arn:aws:lambda:eu-west-1:123456789012:function:compared',
    memoryLimitInMB: '128',
    logGroupName: '/aws/lambda/compared',
    logStreamName: 'compared',
    callbackWaitsForEmptyEventLoop: true,
    getRemainingTimeInMillis: () => Math.max(0, end - Date.now()),
  };
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Outcome>((resolve) => {
    timer = setTimeout(() => resolve({ failure: `no result in ${timeoutMs} ms` }), timeoutMs);
  });
  const run = async (): Promise<Outcome> => {
    try {
      return { result: await handler(structuredClone(event), context) };
    } catch (error) {
      return { failure: error instanceof Error ? error.name : 'a value that is not an error' };
    }
  };
  try {
    return await Promise.race([run(), late]);
  } finally {
    clearTimeout(timer);
  }
}
