import { isObject, membersOf } from '@sallyport/core/internal';
import { errorType, startClientSpan } from '../spans/internal/client-span.js';
import { toXray } from '../spans/internal/remote.js';
import { activeSpan, type TraceSpan } from '../spans/internal/trace.js';

/** A client of the AWS SDK, version 3. */
export interface TraceableClient {
  /** The steps of every call. */
  readonly middlewareStack: { add(...args: never[]): void; identify?(): readonly string[] };
}

/** The part of `MiddlewareStack` of `@smithy/types` that is used; the types of its steps differ between versions. */
interface Stack {
  add(middleware: unknown, options: { readonly step: 'initialize' | 'build'; readonly name: string }): void;
}

type Next = (args: { readonly input: unknown; readonly request?: unknown }) => Promise<{ readonly output: unknown }>;
type StepContext = { readonly clientName?: string; readonly commandName?: string };

const SPANS = 'sallyportSpans';
const HEADER = 'sallyportTraceHeader';

/**
 * Adds a client span to every call of a client of the AWS SDK, and the header that continues the trace in the service. Returns the same
 * client. Calls outside an invocation have no span.
 *
 * @example const dynamo = traceClient(new DynamoDBClient({}));
 */
export function traceClient<C extends TraceableClient>(client: C): C {
  if (client.middlewareStack.identify?.().some((name) => name.startsWith(SPANS))) return client;
  const stack: Stack = client.middlewareStack as Stack;
  stack.add(addSpan, { step: 'initialize', name: SPANS });
  stack.add(addHeader, { step: 'build', name: HEADER });
  return client;
}

function addSpan(next: Next, { clientName = '', commandName = '' }: StepContext): Next {
  const service = clientName.replace(/Client$/, '');
  const operation = commandName.replace(/Command$/, '');
  return async (args) => {
    const span = startClientSpan(`${service}.${operation}`, {
      'rpc.system.name': 'aws-api',
      'rpc.method': `${service}/${operation}`,
    });
    if (!span) return next(args);
    const tables = tablesOf(service, args.input);
    if (tables.length > 0) span.attributes.add({ 'aws.dynamodb.table_names': tables });
    try {
      const result = await span.run(() => next(args));
      addMetadata(span, result.output);
      span.end();
      return result;
    } catch (error) {
      addMetadata(span, error);
      span.fail(errorType(error));
      throw error;
    }
  };
}

/** The SDK itself sets this header with the id of Lambda's segment, unless it is there. */
function addHeader(next: Next): Next {
  return (args) => {
    const span = activeSpan();
    const headers = membersOf(args.request).headers;
    if (span && isObject(headers)) Object.assign(headers, { 'x-amzn-trace-id': toXray(span) });
    return next(args);
  };
}

function addMetadata(span: TraceSpan, result: unknown): void {
  const { requestId, httpStatusCode, attempts } = membersOf(membersOf(result).$metadata);
  if (typeof requestId === 'string') span.set({ 'aws.request_id': requestId });
  if (typeof httpStatusCode === 'number') span.set({ 'http.response.status_code': httpStatusCode });
  if (typeof attempts === 'number' && attempts > 1) span.set({ 'http.request.resend_count': attempts - 1 });
}

function tablesOf(service: string, input: unknown): readonly string[] {
  if (service !== 'DynamoDB') return [];
  const { TableName, RequestItems } = membersOf(input);
  return typeof TableName === 'string' ? [TableName] : Object.keys(membersOf(RequestItems));
}
