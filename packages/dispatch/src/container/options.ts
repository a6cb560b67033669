import { APPSYNC_OPTION_KINDS, type AppSyncOptions } from '@sallyport/appsync/surface';
import type { Clock, Surface } from '@sallyport/core';
import { kind, oneOf } from '@sallyport/core/options';
import type { OpenPipelineOptions } from '@sallyport/http';
import { OPEN_PIPELINE_OPTION_KINDS, PIPELINE_OPTION_KINDS } from '@sallyport/http/pipeline';
import { EVENT_ROUTER_OPTION_KINDS, type EventRouterOptions } from '@sallyport/streams';
import type { DirectInvocations } from '../dispatcher.js';

/** Options that only event registrations read. */
export type EventOptions = Pick<
  EventRouterOptions,
  'streamFailureIdentifier' | 'queueConcurrency' | 'deadlineMarginMs' | 'maskErrors'
>;

/** Options for triggers outside the fixed table, and for invocations by no trigger, of both containers. */
export interface SurfaceOptions {
  /** Surfaces for triggers outside the fixed table, in the order in which their rows are tried; at most 32. */
  readonly surfaces?: readonly Surface[];
  /**
   * What becomes of direct invocations (a client context, or a Cognito identity, in the Lambda context) that no surface
   * accepts: `serve` them as if they came from a trigger, or `refuse` them. `serve` by default, `refuse` in `SecureApp`.
   */
  readonly directInvocations?: DirectInvocations;
}

/** Options of `createApp`. An unknown key is rejected at construction. */
export type AppOptions = OpenPipelineOptions & EventOptions & AppSyncOptions & SurfaceOptions;

const isFunctionOrAbsent = (value: unknown) => value === undefined || typeof value === 'function';

/** The options that `createApp` and `SecureApp` share: those of their parts, and what only a container has. */
export const CONTAINER_KINDS = {
  ...EVENT_ROUTER_OPTION_KINDS,
  ...APPSYNC_OPTION_KINDS,
  ...PIPELINE_OPTION_KINDS,
  clock: kind<Clock>('an object with now(), and functions for monotonicMs and after where they are given', (value) => {
    if (typeof value !== 'object' || value === null) return false;
    const { now, monotonicMs, after } = value as Readonly<Record<string, unknown>>;
    return typeof now === 'function' && isFunctionOrAbsent(monotonicMs) && isFunctionOrAbsent(after);
  }),
  surfaces: kind<readonly Surface[]>('a list of surfaces', Array.isArray),
  directInvocations: oneOf('refuse', 'serve'),
};

/** The options of the open container. */
export const APP_KINDS = { ...CONTAINER_KINDS, authHook: OPEN_PIPELINE_OPTION_KINDS.authHook };
