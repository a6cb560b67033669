export type { EventContext, EventHandler } from '@sallyport/streams/delivery';
export { type Drop, drop } from './internal/drop.js';
export {
  AppSyncEvents,
  appSyncEvents,
  type PublishedEvent,
  type PublishHandler,
  type PublishResult,
  type SubscribeHandler,
  type Subscription,
} from './kinds/appsync-events.js';
