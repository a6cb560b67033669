// Made from kinds/appsync-events.ts by `npm run docs`; the gate `pages` fails when the two differ. Do not edit.
export type { EventContext, EventHandler } from '@sallyport/streams/delivery';
export {
  AppSyncEvents,
  appSyncEvents,
  type Drop,
  drop,
  type PublishedEvent,
  type PublishHandler,
  type PublishResult,
  type SubscribeHandler,
  type Subscription,
} from './kinds/appsync-events.js';
