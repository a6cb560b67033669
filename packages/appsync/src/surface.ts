// What containers are built from; applications have no use for it.
export {
  APPSYNC_OPTION_KINDS,
  APPSYNC_OPTIONS,
  type AppSyncOptions,
  AppSyncSurface,
  type AppSyncSurfaceInit,
} from './surface/appsync-surface.js';
