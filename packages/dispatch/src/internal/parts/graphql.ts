import { APPSYNC_OPTION_KINDS, AppSyncSurface, type AppSyncSurfaceInit } from '@sallyport/appsync/internal';
import { createLateSurface, type LateSurface } from '@sallyport/core/internal';
import type { Kernel } from '@sallyport/http/internal';

/** Validators and defaults of the GraphQL options. */
export const GRAPHQL_KINDS = APPSYNC_OPTION_KINDS;

/** The GraphQL surface of a container. */
export function createGraphql(kernel: Kernel, init: AppSyncSurfaceInit): LateSurface<AppSyncSurface> {
  return createLateSurface(['appsync'], () => new AppSyncSurface(kernel, init));
}
