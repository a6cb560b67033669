import { fromJson, isObject, type Members } from '@sallyport/core/internal';
import { toXray } from './internal/remote.js';
import { activeSpan } from './internal/trace.js';

/** SQS and SNS accept ten attributes for each message. */
const MAX_ATTRIBUTES = 10;

/**
 * Adds the trace context of the current span to the input of a command that sends messages or events:
 *
 * - SQS `SendMessage`, `SendMessageBatch`: message attributes `traceparent` and `tracestate`, and the system attribute `AWSTraceHeader`
 * - SNS `Publish`, `PublishBatch`: message attributes `traceparent` and `tracestate`
 * - EventBridge `PutEvents`: members `traceparent` and `tracestate` of a detail that is a JSON object, and `TraceHeader`
 *
 * Members that are already there are kept. Returns the input unchanged outside an invocation, without a tracer, and for other inputs.
 *
 * @example await sqs.send(new SendMessageCommand(withTrace({ QueueUrl, MessageBody })));
 */
export function withTrace<T extends object>(input: T): T {
  const span = activeSpan();
  if (!span) return input;
  const { traceparent, tracestate } = span;
  const context = { traceparent, ...(tracestate && { tracestate }) };
  return carried(input as Members, context, toXray(span)) as T;
}

type TraceContext = Readonly<Record<string, string>>;

function carried(input: Members, context: TraceContext, xray: string): Members {
  const { Entries, PublishBatchRequestEntries: publish } = input;
  const each = (list: readonly unknown[]) =>
    list.map((entry) => (isObject(entry) ? carriedMessage(entry, context, xray) : entry));
  if (Array.isArray(Entries)) return { ...input, Entries: each(Entries) };
  if (Array.isArray(publish)) return { ...input, PublishBatchRequestEntries: each(publish) };
  return carriedMessage(input, context, xray);
}

function carriedMessage(message: Members, context: TraceContext, xray: string): Members {
  if ('MessageBody' in message) {
    const system = { AWSTraceHeader: attribute(xray), ...(message.MessageSystemAttributes as object | undefined) };
    return { ...withAttributes(message, context), MessageSystemAttributes: system };
  }
  if ('Message' in message) return withAttributes(message, context);
  if (!('Detail' in message)) return message;
  const detail = fromJson(message.Detail);
  return {
    TraceHeader: xray,
    ...message,
    ...(isObject(detail) && { Detail: JSON.stringify({ ...context, ...detail }) }),
  };
}

function withAttributes(message: Members, context: TraceContext): Members {
  const given = (message.MessageAttributes ?? {}) as Members;
  const added = Object.entries(context).filter(([name]) => !(name in given));
  const room = Math.max(MAX_ATTRIBUTES - Object.keys(given).length, 0);
  const attributes = Object.fromEntries(added.slice(0, room).map(([name, value]) => [name, attribute(value)]));
  return { ...message, MessageAttributes: { ...given, ...attributes } };
}

const attribute = (value: string) => ({ DataType: 'String', StringValue: value });
