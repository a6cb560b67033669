import { isFrameworkError } from '@sallyport/core';
import { abortAfter, isTransient, lazily, throwMissing } from '@sallyport/core/internal';
import { defineOptions, integer, withMethods } from '@sallyport/core/options';
import { type ExecutionServiceCode, ExecutionServiceError, invalidInput } from '../errors.js';

/** The used part of a Lambda client: `new LambdaClient({})`. Its types are not imported, because its package is optional. */
export interface LambdaSender {
  /** Sends one command; the signal aborts the call. */
  send(command: never, options?: { readonly abortSignal?: AbortSignal }): Promise<unknown>;
}

/** Options of every call of Lambda's API for durable executions. */
export interface ExecutionCallOptions {
  /** The Lambda client. Default: a client of this region with three attempts, created at the first call. */
  readonly client?: LambdaSender | undefined;
  /** Stops the call, for example `ctx.signal`. The call may have taken effect. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds for the call with all its attempts, 1 to 60,000. Default 5,000. */
  readonly timeoutMs?: number | undefined;
}

type SdkClass = new (input: object) => object;

/** In a variable, so that bundlers do not include the package: the Lambda runtime has it, and it is large. */
const PACKAGE = '@aws-sdk/client-lambda';
const ATTEMPTS = 3;

/** Validators and defaults for {@link ExecutionCallOptions}. */
const CALL_OPTIONS = defineOptions<ExecutionCallOptions>()(
  {
    client: withMethods<LambdaSender>('send'),
    signal: withMethods<AbortSignal>('addEventListener'),
    timeoutMs: integer(1, 60_000, 'milliseconds').default(5000),
  },
  { fail: invalidInput },
);

const open = lazily(async () => {
  const sdk = (await import(PACKAGE).catch(throwMissing(PACKAGE))) as Readonly<Record<string, SdkClass>>;
  return {
    sdk,
    own: lazily(async () => new (sdk.LambdaClient as SdkClass)({ maxAttempts: ATTEMPTS }) as LambdaSender),
  };
});

/** Errors of the service by name. Their messages are never read: they may quote the request. */
const BY_NAME: Readonly<Record<string, readonly [ExecutionServiceCode, string]>> = {
  DurableExecutionAlreadyStartedException: [
    'durable.execution_conflict',
    'an execution with this name was started with another event; use another name',
  ],
  CallbackTimeoutException: ['durable.callback_gone', 'the callback has timed out'],
  TooManyRequestsException: ['durable.service_unavailable', 'Lambda throttled the call'],
  ServiceException: ['durable.service_unavailable', 'Lambda is unavailable'],
  RequestTooLargeException: ['durable.too_large', 'the request is too large for Lambda'],
};

/**
 * Sends one command to Lambda.
 *
 * @param names codes and messages of errors that mean something special for this command
 */
export async function sendToLambda(
  command: string,
  input: object,
  options: ExecutionCallOptions,
  names: typeof BY_NAME = {},
): Promise<Readonly<Record<string, unknown>>> {
  const { client, signal, timeoutMs } = CALL_OPTIONS.parse(options);
  const { sdk, own } = await open();
  const Command = sdk[command];
  if (!Command) {
    const message = `${PACKAGE} has no ${command}: install version 3.1014.0 or later`;
    throw new ExecutionServiceError('durable.service_failed', message);
  }
  try {
    const sender = client ?? (await own());
    const answer = await sender.send(new Command(input) as never, { abortSignal: abortAfter(timeoutMs, signal) });
    return (answer ?? {}) as Readonly<Record<string, unknown>>;
  } catch (error) {
    throw toServiceError(error, command, names);
  }
}

/** True if an attempt before the failed one may have taken effect: the client repeats an attempt whose answer it did not receive. */
export function hadEarlierAttempt(error: unknown): boolean {
  const { cause } = error as { readonly cause?: unknown };
  return Number((cause as { readonly attempts?: unknown } | undefined)?.attempts) > 1;
}

/** The name, status and request id of a failure, without its message, which can quote a callback id. */
class LambdaFailure extends Error {
  readonly status: number | undefined;
  readonly requestId: string | undefined;
  readonly attempts: number;

  constructor(original: unknown) {
    super('');
    const { name, $metadata } = (original ?? {}) as { readonly name?: unknown; readonly $metadata?: Metadata };
    this.name = typeof name === 'string' && /^[\w-]{1,64}$/.test(name) ? name : 'Error';
    this.status = $metadata?.httpStatusCode;
    this.requestId = $metadata?.requestId;
    this.attempts = $metadata?.attempts ?? 1;
  }
}

interface Metadata {
  readonly httpStatusCode?: number;
  readonly requestId?: string;
  readonly attempts?: number;
}

function toServiceError(original: unknown, command: string, names: typeof BY_NAME): Error {
  if (isFrameworkError(original)) return original;
  const cause = new LambdaFailure(original);
  const known = names[cause.name] ?? BY_NAME[cause.name];
  if (known) return new ExecutionServiceError(known[0], known[1], { cause });
  const { name } = cause;
  if (isTransient(original) || name === 'AbortError' || name === 'TimeoutError') {
    const message = `Lambda did not answer ${command} in time; the call may have taken effect`;
    return new ExecutionServiceError('durable.service_unavailable', message, { cause });
  }
  return new ExecutionServiceError('durable.service_failed', `Lambda rejected ${command} (${name})`, { cause });
}
