import { type Environment, FrameworkError } from '@sallyport/core';
import { abortAfter, lazily, missingPackage } from '@sallyport/core/internal';
import { defineOptions, integer, kind, text, withMethods } from '@sallyport/core/options';
import type { StoreCallOptions } from '../store/store.js';
import type { McpTaskEvent } from './options.js';

/** The used part of a Lambda client: `new LambdaClient({})`. */
export interface LambdaInvoker {
  /** Sends one command. */
  send(command: never, options?: { readonly abortSignal?: AbortSignal }): Promise<unknown>;
}

/** Options of {@link invokeSelf}; an unknown key is rejected. */
export interface InvokeSelfOptions {
  /** Name or ARN of the function, with or without a qualifier. Default: this function, in the running version. */
  readonly functionName?: string;
  /** The Lambda client. Default: a client of this region, created at the first call. */
  readonly client?: LambdaInvoker;
  /** Milliseconds for one call with all its attempts, 1 to 60,000. Default 5,000. */
  readonly timeoutMs?: number;
  /** Environment variables. Default `process.env`. */
  readonly environment?: Environment;
}

const OPTIONS = defineOptions<InvokeSelfOptions>()({
  functionName: text('the name or ARN of a function'),
  client: withMethods<LambdaInvoker>('send'),
  timeoutMs: integer(1, 60_000, 'milliseconds').default(5000),
  environment: kind<Environment>('an object', (value) => typeof value === 'object' && value !== null),
});

/** The AWS client: an optional peer, loaded when the first task starts. */
const loadSdk = lazily(async () => {
  try {
    return await import('@aws-sdk/client-lambda');
  } catch (cause) {
    throw missingPackage('@aws-sdk/client-lambda', cause);
  }
});

/**
 * Starts tasks by an asynchronous invocation of this function (`InvocationType: Event`). The function's role needs
 * `lambda:InvokeFunction` on itself.
 *
 * @throws FrameworkError `app.invalid_configuration` for a wrong option; the starter rejects if Lambda does not accept the
 * event
 *
 * @example createMcpServer({ name: 'reports', version: '1.0.0', store, secret, tasks: { start: invokeSelf() } });
 */
export function invokeSelf(
  options: InvokeSelfOptions = {},
): (event: McpTaskEvent, options?: StoreCallOptions) => Promise<void> {
  const { functionName, client, timeoutMs, environment = process.env } = OPTIONS.parse(options);
  let made: LambdaInvoker | undefined = client;
  return async (event, { signal } = {}) => {
    const { InvokeCommand, LambdaClient } = await loadSdk();
    made ??= new LambdaClient({}) as LambdaInvoker;
    const FunctionName = functionName ?? thisFunction(environment);
    const Payload = Buffer.from(JSON.stringify(event), 'utf8');
    const command = new InvokeCommand({ FunctionName, InvocationType: 'Event', Payload });
    const abortSignal = abortAfter(timeoutMs, signal);
    const { StatusCode } = (await made.send(command as never, { abortSignal })) as { readonly StatusCode?: number };
    if (StatusCode !== 202)
      throw new FrameworkError(
        'mcp.task_not_started',
        `framework: Lambda answered ${StatusCode} to the event of a task`,
      );
  };
}

/** The running version, so that the same code serves the event. */
function thisFunction({ AWS_LAMBDA_FUNCTION_NAME: name, AWS_LAMBDA_FUNCTION_VERSION: version }: Environment): string {
  if (name === undefined)
    throw new FrameworkError(
      'app.invalid_configuration',
      'framework: option "functionName" must be set outside Lambda',
    );
  return version === undefined || version === '$LATEST' ? name : `${name}:${version}`;
}
