// For packages that add kinds of events outside the fixed table; applications have no use for it.

export type { EventContext, EventHandler, EventMiddleware, KeylessEventContext } from './batch/handler.js';
export {
  attempt,
  type Delivered,
  Delivery,
  type DeliveryKind,
  type DeliveryRun,
  mask,
  type Outcome,
  settle,
  warnOf,
} from './delivery/delivery.js';
export { type CreateObserver, createObserver } from './observability/internal/observer.js';
export { payloadMark } from './payload/internal/mark.js';
export { prepareEventRouter } from './router/event-router.js';
export type { EventSource } from './sources/source.js';
