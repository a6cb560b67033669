// Events and their handlers
export type { EventContext, EventHandler, EventMiddleware } from './context.js';
export type { StreamsErrorCode } from './errors.js';
export type * from './event-types.js';
export type { EventRouterOptions } from './options.js';
export { recordBytes, recordJson } from './records.js';
export type { QueueOptions, StreamOptions, Trigger } from './registration.js';
export { createEventRouter, type Entrypoint, type EventRouter } from './router.js';
export type { EventBusSelector } from './selectors.js';
export type { EventSource } from './sources.js';
