// What containers are built from; applications have no use for it.
export {
  APPSYNC_OPTION_KINDS,
  type AppSyncOptions,
  AppSyncSurface,
  type AppSyncSurfaceInit,
} from './surface/appsync-surface.js';
