export {
  APPSYNC_OPTIONS,
  type AppSyncOptions,
  AppSyncSurface,
  type AppSyncSurfaceInit,
} from './resolver/appsync-surface.js';
