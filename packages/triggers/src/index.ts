// What all triggers share; each trigger has an entry of its own.
export type {
  EventContext,
  EventHandler,
  EventMiddleware,
  EventSource,
  KeylessEventContext,
} from '@sallyport/streams/delivery';
export type { TriggersErrorCode } from './errors.js';
export { type SurfaceCondition, type SurfaceRow, TriggerSurface } from './internal/surface.js';
