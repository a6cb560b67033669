// Types that all triggers share; each trigger has a separate entry.
export type {
  EventContext,
  EventHandler,
  EventMiddleware,
  EventSource,
  KeylessEventContext,
} from '@sallyport/streams/delivery';
export type { TriggersErrorCode } from './errors.js';
export { type SurfaceCondition, type SurfaceRow, TriggerSurface } from './internal/surface.js';
