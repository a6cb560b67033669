import type { EventSelector, Inventory, InventoryRoute, InventoryTrigger } from '../inventory.js';

/** A registration of an application, which a stack has to attach. */
export interface Registration {
  /** The key for comparison. */
  readonly key: string;
  /** The label in findings: `queue "orders"`. */
  readonly label: string;
  /** The call that attaches it. */
  readonly remedy: string;
}

/** The kinds of sources with names: the method of a wiring that attaches one, and the member of `FRAMEWORK_EVENT_SOURCES` with its name. */
export const NAMED_SOURCES = {
  queue: 'queue',
  'table-stream': 'tableStream',
  stream: 'kinesis',
  topic: 'topic',
  s3: 's3',
  kafka: 'kafka',
  mq: 'mq',
  documentdb: 'documentdb',
  'secret-rotation': 'secret',
} as const;

/** A kind of sources with names. */
export type NamedSource = keyof typeof NAMED_SOURCES;

/** The call that attaches all registrations of a kind together. */
const UNNAMED: Readonly<Record<string, string>> = {
  'authorizer-token': 'wiring.authorizer()',
  'appsync-authorizer': 'wiring.appSyncAuthorizer()',
  cognito: 'wiring.cognito(…)',
  firehose: 'wiring.firehose()',
  'appsync-events': 'wiring.appSyncEvents(…)',
  agentcore: 'wiring.agentCore(…)',
  ses: 'wiring.ses(…)',
  alarm: 'wiring.alarms(…)',
  'custom-resource': 'wiring.customResource(…)',
};

/** The kinds of triggers whose events a device or a client wrote: the alias of an invocation selects the handler. */
export const PAYLOAD_KINDS = ['iot-rule', 'pipe', 'task'] as const;

/** A named source, a selector of a bus, or a trigger outside the fixed table. */
export function ofTrigger({ kind, name, selector }: InventoryTrigger): Registration {
  if (kind === 'event-bus') return ofSelector(selector ?? {});
  const label = `${kind} ${name === undefined ? 'trigger' : JSON.stringify(name)}`;
  const named = isNamed(kind)
    ? `wiring.${kind === 'documentdb' ? 'documentDb' : NAMED_SOURCES[kind]}(${JSON.stringify(name)}, …)`
    : (PAYLOAD_KINDS as readonly string[]).includes(kind)
      ? `wiring.payload(${JSON.stringify(name)})`
      : UNNAMED[kind];
  return { key: `${kind} ${name ?? ''}`, label, remedy: named ?? `an entry of "external" with the kind "${kind}"` };
}

function isNamed(kind: string): kind is NamedSource {
  return Object.hasOwn(NAMED_SOURCES, kind);
}

/** A handler of a bus. */
export function ofSelector(selector: EventSelector): Registration {
  const text = selectorText(selector);
  const { ruleName, scheduleName } = selector;
  const names = ruleName !== undefined && selector.source === undefined && selector.detailType === undefined;
  const rule = names ? `wiring.schedule(${JSON.stringify(ruleName)}, …)` : `wiring.eventBus(${text})`;
  return {
    key: `event-bus ${text}`,
    label: `event-bus handler ${text}`,
    remedy:
      scheduleName !== undefined
        ? `wiring.scheduler(${JSON.stringify(scheduleName)}, …)`
        : isOfScheduler(selector)
          ? SCHEDULER_REMEDY
          : rule,
  };
}

const SCHEDULER_REMEDY =
  'wiring.scheduler(name, …), or the selector { detailType: "Scheduled Event" } and wiring.schedule(…)';

/**
 * True if a handler receives only events of EventBridge Scheduler. Scheduler sends them to its target, never to a bus.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/with-eventbridge-scheduler.html
 */
export function isOfScheduler({ source, detailType }: EventSelector): boolean {
  return source === 'aws.scheduler' && detailType === 'Scheduled Event';
}

/**
 * True if a handler receives every scheduled event of rules, regardless of the rule. The source of these events is always `aws.events`.
 *
 * @see https://docs.aws.amazon.com/eventbridge/latest/userguide/event-reference.html
 */
export function isScheduled(selector: EventSelector | undefined): boolean {
  if (selector === undefined || selector.ruleName !== undefined || selector.scheduleName !== undefined) return false;
  const { source, detailType } = selector;
  if (source === undefined) return detailType === 'Scheduled Event';
  return source === 'aws.events' && (detailType === undefined || detailType === 'Scheduled Event');
}

/** The members of a selector in one order. */
export function selectorText({ source, detailType, ruleName, scheduleName }: EventSelector): string {
  return JSON.stringify({ source, detailType, ruleName, scheduleName });
}

/** An operation. */
export function ofRoute(route: InventoryRoute): Registration {
  if (route.surface === 'http') {
    const text = `${route.method} ${route.path}`;
    return { key: `http ${text}`, label: `route ${text}`, remedy: 'wiring.http(…)' };
  }
  if (route.surface === 'websocket') {
    const text = JSON.stringify(route.webSocketRouteKey);
    return { key: `websocket ${text}`, label: `WebSocket route ${text}`, remedy: 'wiring.webSocket(…)' };
  }
  const field = `${route.appSyncParentType}.${route.appSyncField}`;
  return { key: `appsync ${field}`, label: `GraphQL field ${field}`, remedy: 'wiring.graphQl(…)' };
}

/** All registrations of an application. */
export function registrationsOf({ routes, triggers }: Inventory): readonly Registration[] {
  return [...routes.map(ofRoute), ...triggers.map(ofTrigger)];
}
