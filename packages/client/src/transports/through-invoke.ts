import { ClientError } from '../errors.js';
import { toInvokeEvent } from '../internal/invoke-event.js';
import { type InvokeResult, toInvokeResponse } from '../internal/invoke-response.js';
import { missingPeer } from '../internal/missing-peer.js';
import type { ClientOptions } from '../options.js';

/** The part of `LambdaClient` of `@aws-sdk/client-lambda` that {@link throughInvoke} uses. */
export interface LambdaInvoker {
  /** Its configuration. */
  readonly config: {
    /** The attempts of the SDK for one call. */
    readonly maxAttempts: () => Promise<number>;
  };
  /** Sends a command. */
  send(command: never, options: { readonly abortSignal?: AbortSignal }): Promise<unknown>;
}

/** Options of {@link throughInvoke}. */
export interface InvokeOptions {
  /** The name or ARN of the function with its alias: `orders:live`. */
  readonly functionName: string;
  /** A client with `maxAttempts: 1`: the SDK must not repeat a POST. */
  readonly lambda: LambdaInvoker;
}

/**
 * Creates the options `url` and `fetch` of a client that invokes the function of a service directly, without a gateway. The function
 * receives the event of a function URL without data of an authorizer: its principal resolver reads the headers of the request.
 *
 * Needs the peer `@aws-sdk/client-lambda`, the permission `lambda:InvokeFunction` on the alias, and a handler that answers as a whole,
 * such as `app.handleLambda`: the result of a streaming handler is `client.foreign`. Requests and answers have at most 6 MB.
 *
 * The calls throw ClientError `client.throttled`, `client.function_error` or `client.too_large` for a failed invocation, and
 * `client.foreign` for another error of Lambda and for a result that is not an HTTP answer.
 *
 * @example
 * const lambda = new LambdaClient({ maxAttempts: 1 });
 * const orders = createClient<Orders>(throughInvoke({ functionName: 'orders:live', lambda }));
 */
export function throughInvoke({ functionName, lambda }: InvokeOptions): Required<Pick<ClientOptions, 'url' | 'fetch'>> {
  return {
    url: 'https://function.invalid',
    async fetch(url, init) {
      if ((await lambda.config.maxAttempts()) !== 1)
        throw new ClientError('client.invalid_request', 'option "lambda": create the LambdaClient with maxAttempts: 1');
      const { InvokeCommand } = await import('@aws-sdk/client-lambda').catch(missingPeer('@aws-sdk/client-lambda'));
      const Payload = new TextEncoder().encode(JSON.stringify(await toInvokeEvent(new Request(url, init))));
      const command = new InvokeCommand({ FunctionName: functionName, Payload });
      const options = init.signal ? { abortSignal: init.signal } : {};
      const result = await lambda.send(command as never, options).catch((error: unknown) => {
        throw failureOf(functionName, error);
      });
      return toInvokeResponse(functionName, result as InvokeResult);
    },
  };
}

/** The error of Lambda itself, by its name: https://docs.aws.amazon.com/lambda/latest/api/API_Invoke.html#API_Invoke_Errors. */
function failureOf(functionName: string, cause: unknown): unknown {
  const { name, $metadata } = cause as { readonly name?: string; readonly $metadata?: { httpStatusCode?: number } };
  const status = $metadata?.httpStatusCode;
  // Without a status there is no answer: the connection failed or the call was aborted.
  if (status === undefined) return cause;
  const code = status === 429 ? 'client.throttled' : status === 413 ? 'client.too_large' : ('client.foreign' as const);
  return new ClientError(code, `${functionName}: Lambda answered ${status} ${name}`, { cause, status });
}
