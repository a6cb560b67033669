import { isObject, isText, isUrlDomain } from './compile.js';

/** What {@link classify} answers when no row matched, and when there was nothing to match against. */
export const UNKNOWN_EVENT = -1;
export const NOT_AN_OBJECT = -2;

const APPSYNC = 5;

/** Names that the table reads, so that every access below is one that the engine can cache. */
interface Shape {
  readonly Records?: unknown;
  readonly 'detail-type'?: unknown;
  readonly detailType?: unknown;
  readonly info?: unknown;
  readonly requestContext?: unknown;
  readonly httpMethod?: unknown;
}

/**
 * The index of the row of `DETECTION_TABLE` that takes the event; every event passes through here. It is the table
 * written out by hand: it reads in the table's order, a value before the question whether it is an own one (most keys are
 * simply not there), and allocates nothing. A test holds it against the interpreted table.
 *
 * @throws whatever a getter or a proxy of a hostile event throws
 */
export function classify(event: unknown): number {
  if (typeof event !== 'object' || event === null) return NOT_AN_OBJECT;
  if (Array.isArray(event)) return isResolverBatch(event) ? APPSYNC : NOT_AN_OBJECT;
  const shape: Shape = event;
  const { Records } = shape;
  if (Records !== undefined && Object.hasOwn(shape, 'Records')) {
    const row = recordRow(Records);
    if (row >= 0) return row;
  }
  if (typeof shape['detail-type'] === 'string' && Object.hasOwn(shape, 'detail-type')) return 4;
  if (typeof shape.detailType === 'string' && Object.hasOwn(shape, 'detailType')) return 4;
  if (isResolverEvent(shape)) return APPSYNC;
  const { requestContext } = shape;
  if (isObject(requestContext) && Object.hasOwn(shape, 'requestContext')) {
    const row = contextRow(shape, requestContext);
    if (row >= 0) return row;
  }
  return isText(shape.httpMethod) && Object.hasOwn(shape, 'httpMethod') ? 10 : UNKNOWN_EVENT;
}

/** Rows `queue`, `table-stream`, `stream` and `topic`. */
function recordRow(records: unknown): number {
  if (!Array.isArray(records)) return UNKNOWN_EVENT;
  const record: { readonly eventSource?: unknown; readonly EventSource?: unknown } = records[0];
  if (!isObject(record) || !Object.hasOwn(records, 0)) return UNKNOWN_EVENT;
  const { eventSource } = record;
  if (typeof eventSource === 'string' && Object.hasOwn(record, 'eventSource')) {
    if (eventSource === 'aws:sqs') return 0;
    if (eventSource === 'aws:dynamodb') return 1;
    if (eventSource === 'aws:kinesis') return 2;
  }
  if (Object.hasOwn(record, 'Sns')) return 3;
  return record.EventSource === 'aws:sns' && Object.hasOwn(record, 'EventSource') ? 3 : UNKNOWN_EVENT;
}

/** Row `appsync`. */
function isResolverEvent(shape: Shape): boolean {
  const info = shape.info as { readonly fieldName?: unknown; readonly parentTypeName?: unknown } | undefined;
  return (
    isObject(info) &&
    Object.hasOwn(shape, 'info') &&
    isText(info.fieldName) &&
    Object.hasOwn(info, 'fieldName') &&
    isText(info.parentTypeName) &&
    Object.hasOwn(info, 'parentTypeName') &&
    Object.hasOwn(shape, 'arguments')
  );
}

function isResolverBatch(events: readonly unknown[]): boolean {
  for (let index = 0; index < events.length; index += 1) {
    const entry = events[index];
    if (!isObject(entry) || !Object.hasOwn(events, index) || !isResolverEvent(entry)) return false;
  }
  return events.length > 0;
}

/** Rows `websocket`, `gateway-v2`, `function-url` and `load-balancer`. */
function contextRow(shape: Shape, context: ContextShape): number {
  if (isText(context.connectionId) && Object.hasOwn(context, 'connectionId')) return 6;
  if (isObject(context.http) && Object.hasOwn(context, 'http')) {
    if (!Object.hasOwn(shape, 'routeKey')) return 8;
    return isUrlDomain(context.domainName) && Object.hasOwn(context, 'domainName') ? 8 : 7;
  }
  const elb = context.elb as { readonly targetGroupArn?: unknown } | undefined;
  const balanced =
    isObject(elb) &&
    Object.hasOwn(context, 'elb') &&
    isText(elb.targetGroupArn) &&
    Object.hasOwn(elb, 'targetGroupArn');
  return balanced ? 9 : UNKNOWN_EVENT;
}

interface ContextShape {
  readonly connectionId?: unknown;
  readonly http?: unknown;
  readonly domainName?: unknown;
  readonly elb?: unknown;
}
