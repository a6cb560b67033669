// Handlers

// Types
export type { AppSyncContext } from '@sallyport/core';
export type { AppSyncBatchHandler } from './batch-field.js';
export { resolver } from './resolver.js';
export type { AppSyncOptions } from './surface.js';
export type {
  AppSyncBatchItem,
  AppSyncErrorObject,
  AppSyncResolverEvent,
  AppSyncResolverInfo,
  AppSyncResolverRequest,
} from './types.js';
