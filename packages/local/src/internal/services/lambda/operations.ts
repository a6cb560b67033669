import { decodeEscapes, LAMBDA_MAX_EVENT_BYTES } from '@sallyport/core/internal';
import { nameIn } from '../../aws/names.js';
import { type AwsService, type Call, notServed, type Output } from '../../aws/service.js';
import { AwsFault } from '../../aws/wire.js';
import type { Host } from '../../host/host.js';

const MAX_TAIL_BYTES = 4096;
const MAX_ASYNCHRONOUS_BYTES = 1_048_576;

/** Options of {@link createLambda}. */
export interface LambdaOptions {
  readonly name: string;
  readonly invoke: Host['invoker']['invoke'];
  /** The log lines of an invocation; the last ones can arrive after the response. */
  readonly logsOf: (id: number) => Promise<readonly string[]>;
  /** Queues an asynchronous invocation. */
  readonly invokeLater: (event: unknown, traceId?: string) => void;
}

/** `Invoke` of this function: https://docs.aws.amazon.com/lambda/latest/api/API_Invoke.html. */
export function createLambda(options: LambdaOptions): AwsService {
  return {
    protocol: 'rest-json',
    serve(call): Promise<Output> | Output {
      const { method, path, headers } = call.request;
      const [, encoded] = /^\/2015-03-31\/functions\/([^/]+)\/invocations$/.exec(path) ?? [];
      if (method !== 'POST' || encoded === undefined) throw notServed('');
      const name = functionName(decodeEscapes(encoded));
      call.note({ operation: 'Invoke', resource: name });
      if (name !== options.name) throw new AwsFault(404, 'ResourceNotFoundException', `Function not found: ${name}`);
      const type = headers['x-amz-invocation-type'] ?? 'RequestResponse';
      const event = eventOf(call.body, type);
      if (type === 'DryRun') return { wire: { status: 204 } };
      if (type !== 'Event') return invoke(options, call, event);
      options.invokeLater(event, call.traceId);
      return { wire: { status: 202 } };
    },
  };
}

/** `notes`, `notes:live`, or an ARN with or without a version. */
function functionName(text: string): string {
  const [, named = text] = /:function:([^:]+)/.exec(text) ?? [];
  return nameIn(named.split(':')[0] ?? '');
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
  { name, invoke: run, logsOf }: LambdaOptions,
  { request, traceId }: Call,
  event: unknown,
): Promise<Output> {
  const clientContext = clientContextOf(request.headers['x-amz-client-context']);
  const outcome = await run(event, {
    origin: { kind: 'invoke', target: name },
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
