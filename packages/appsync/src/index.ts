// Handlers

// Types
export type { AppSyncContext } from '@sallyport/core';
export type {
  AppSyncBatchItem,
  AppSyncErrorObject,
  AppSyncResolverEvent,
  AppSyncResolverInfo,
  AppSyncResolverRequest,
} from './event/types.js';
export type { AppSyncOptions } from './resolver/appsync-surface.js';
export type { AppSyncBatchHandler } from './resolver/batch-field.js';
export { resolver } from './resolver/resolver.js';
