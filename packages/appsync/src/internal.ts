/**
 * Parts of the framework for its own packages: `secure` and `dispatch` build containers from them. Any release can change or remove them.
 *
 * @internal
 * @packageDocumentation
 */

export {
  APPSYNC_OPTION_KINDS,
  type AppSyncOptions,
  AppSyncSurface,
  type AppSyncSurfaceInit,
} from './surface/appsync-surface.js';
