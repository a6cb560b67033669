import { decodeEscapes, LAMBDA_MAX_EVENT_BYTES } from '@sallyport/core/internal';
import { nameIn } from '../../aws/names.js';
import { type AwsService, type Call, notServed, type Output } from '../../aws/service.js';
import { AwsFault } from '../../aws/wire.js';
import type { DurableFunction, Executions } from '../../executions/executions.js';
import type { Host } from '../../host/host.js';
import type { Origin } from '../../runtime/invoker.js';
import { type FindFunction, isDurablePath, serveDurable, withFaults } from './durable.js';

const MAX_TAIL_BYTES = 4096;
const MAX_ASYNCHRONOUS_BYTES = 1_048_576;

/** Options of {@link createLambda}. */
export interface LambdaOptions {
  /** The name that the run uses for a function, by its name in a call; `undefined` if the run has no such function. */
  readonly find: (name: string) => string | undefined;
  readonly invoke: Host['invoker']['invoke'];
  /** The log lines of an invocation; the last ones can arrive after the response. */
  readonly logsOf: (id: number) => Promise<readonly string[]>;
  /** The executions of the run, if its function is durable. */
  readonly executions?: Executions | undefined;
  /** Queues an asynchronous invocation. */
  readonly invokeLater: (name: string, event: unknown, traceId?: string) => void;
}

/** `Invoke` of the functions of the run: https://docs.aws.amazon.com/lambda/latest/api/API_Invoke.html. */
export function createLambda(options: LambdaOptions): AwsService {
  const find: FindFunction = (text) => {
    const { called, qualifier } = toFunction(text);
    const name = options.find(called);
    if (name === undefined) throw new AwsFault(404, 'ResourceNotFoundException', `Function not found: ${called}`);
    return { name, qualifier };
  };
  return {
    protocol: 'rest-json',
    serve(call): Promise<Output> | Output {
      const { method, path, headers } = call.request;
      if (isDurablePath(path)) return serveDurable(options.executions, call, find);
      const [, encoded] = /^\/2015-03-31\/functions\/([^/]+)\/invocations$/.exec(path) ?? [];
      if (method !== 'POST' || encoded === undefined) throw notServed('');
      const { called } = toFunction(decodeEscapes(encoded));
      call.note({ operation: 'Invoke', resource: options.find(called) ?? called });
      const { name, qualifier } = find(decodeEscapes(encoded));
      const alias = new URLSearchParams(call.request.query).get('Qualifier') ?? qualifier;
      const type = headers['x-amz-invocation-type'] ?? 'RequestResponse';
      const event = eventOf(call.body, type);
      if (type === 'DryRun') return { wire: { status: 204 } };
      const execution = headers['x-amz-durable-execution-name'];
      const durable = options.executions?.find(name);
      if (options.executions && durable) {
        const origin = { kind: 'invoke', target: name, ...(alias !== undefined && { alias }) };
        return execute(options.executions, call, {
          name: execution,
          event,
          origin,
          durable,
          isLater: type === 'Event',
        });
      }
      if (execution !== undefined) {
        throw new AwsFault(400, 'InvalidParameterValueException', `${name} is not a durable function`);
      }
      if (type !== 'Event')
        return invoke(options, call, event, { kind: 'invoke', target: name, ...(alias !== undefined && { alias }) });
      options.invokeLater(name, event, call.traceId);
      return { wire: { status: 202 } };
    },
  };
}

/** `Invoke` of a durable function: an asynchronous invocation is answered with the start of its execution. */
async function execute(
  executions: Executions,
  { request, traceId }: Call,
  start: {
    readonly name: string | undefined;
    readonly event: unknown;
    readonly origin: Origin;
    readonly durable: DurableFunction;
    readonly isLater: boolean;
  },
): Promise<Output> {
  const { name, event, origin, durable, isLater } = start;
  const clientContext = clientContextOf(request.headers['x-amz-client-context']);
  const options = {
    origin,
    whenBusy: 'wait' as const,
    asynchronous: isLater,
    ...(traceId !== undefined && { traceId }),
    ...(clientContext !== undefined && { clientContext }),
  };
  const { arn } = await withFaults(() => executions.begin({ name, event, options, fn: durable }));
  const headers = { 'x-amz-durable-execution-arn': arn };
  if (isLater) return { wire: { status: 202, headers } };
  const outcome = await executions.resultOf(arn);
  const all = { ...headers, 'content-type': 'application/json', 'x-amz-executed-version': '$LATEST' };
  if (outcome.ok) return { wire: { status: 200, headers: all, body: JSON.stringify(outcome.answer ?? null) } };
  const unhandled = { ...all, 'x-amz-function-error': 'Unhandled' };
  return { wire: { status: 200, headers: unhandled, body: JSON.stringify(outcome.error) } };
}

/** `notes`, `notes:live`, or an ARN with or without an alias or a version. */
function toFunction(text: string): { readonly called: string; readonly qualifier: string | undefined } {
  const [, named = text] = /(?:^|:)function:(.+)$/.exec(text) ?? [];
  const [name = '', qualifier] = named.split(':');
  return { called: nameIn(name), qualifier };
}

function eventOf(body: Buffer, type: string): unknown {
  const most = type === 'Event' ? MAX_ASYNCHRONOUS_BYTES : LAMBDA_MAX_EVENT_BYTES;
  if (body.length > most)
    throw new AwsFault(413, 'RequestTooLargeException', `the payload has more than ${most} bytes`);
  try {
    return body.length === 0 ? {} : JSON.parse(body.toString());
  } catch {
    throw new AwsFault(400, 'InvalidRequestContentException', 'Could not parse request body into json');
  }
}

async function invoke(
  { invoke: run, logsOf }: LambdaOptions,
  { request, traceId }: Call,
  event: unknown,
  origin: Origin,
): Promise<Output> {
  const clientContext = clientContextOf(request.headers['x-amz-client-context']);
  const outcome = await run(event, {
    origin,
    whenBusy: 'refuse',
    ...(traceId !== undefined && { traceId }),
    ...(clientContext !== undefined && { clientContext }),
  });
  if (!outcome.ok && outcome.reason === 'throttled')
    throw new AwsFault(429, 'TooManyRequestsException', 'Rate Exceeded.');
  const isTail = request.headers['x-amz-log-type'] === 'Tail';
  const headers = {
    'content-type': 'application/json',
    'x-amz-executed-version': '$LATEST',
    ...(isTail && { 'x-amz-log-result': tailOf(outcome.requestId, await logsOf(outcome.id)) }),
  };
  if (outcome.ok) return { wire: { status: 200, headers, body: JSON.stringify(outcome.answer ?? null) } };
  const unhandled = { ...headers, 'x-amz-function-error': 'Unhandled' };
  return { wire: { status: 200, headers: unhandled, body: JSON.stringify(outcome.error) } };
}

/** The last 4 KB of the log in base64: https://docs.aws.amazon.com/lambda/latest/api/API_Invoke.html#API_Invoke_ResponseElements. */
function tailOf(requestId: string, lines: readonly string[]): string {
  const all = [`START RequestId: ${requestId} Version: $LATEST`, ...lines, `END RequestId: ${requestId}`];
  return Buffer.from(`${all.join('\n')}\n`)
    .subarray(-MAX_TAIL_BYTES)
    .toString('base64');
}

function clientContextOf(encoded: string | undefined): unknown {
  if (encoded === undefined) return undefined;
  try {
    return JSON.parse(Buffer.from(encoded, 'base64').toString());
  } catch {
    throw new AwsFault(
      400,
      'InvalidRequestContentException',
      'Client context must be a valid Base64-encoded JSON object.',
    );
  }
}
