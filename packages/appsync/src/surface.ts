// Parts for containers; applications do not use them.
export {
  APPSYNC_OPTION_KINDS,
  type AppSyncOptions,
  AppSyncSurface,
  type AppSyncSurfaceInit,
} from './surface/appsync-surface.js';
