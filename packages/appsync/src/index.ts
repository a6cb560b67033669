export type { AppSyncContext } from '@sallyport/core';
export type { AppSyncErrorCode } from './errors.js';
export type {
  AppSyncBatchItem,
  AppSyncErrorObject,
  AppSyncResolverEvent,
  AppSyncResolverInfo,
  AppSyncResolverRequest,
} from './resolver/event-types.js';
export { type AppSyncBatchHandler, type ResolverSchemas, resolver } from './resolver/handlers.js';
export type { AppSyncOptions } from './surface/appsync-surface.js';
