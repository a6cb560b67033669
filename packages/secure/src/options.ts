import type { AppSyncOptions } from '@sallyport/appsync/internal';
import { FrameworkError, isFrameworkError } from '@sallyport/core';
import { isPlainObject, LEFT_OUT } from '@sallyport/core/internal';
import { boolean, defineOptions, func, INVALID_CONFIGURATION, kind } from '@sallyport/core/options';
import { CONTAINER_KINDS, type SurfaceOptions } from '@sallyport/dispatch/internal';
import type { PipelineOptions } from '@sallyport/http';
import { WEBSOCKET_SUPPORT_KIND } from '@sallyport/http/internal';
import type { EventRouterOptions } from '@sallyport/streams';
import { type Challenge, isChallenge } from './challenge.js';
import type { SecurePrincipalResolver } from './principal.js';

/** Options of `SecureApp`. An unknown key is rejected at construction. */
export interface SecureOptions
  extends PipelineOptions,
    Pick<EventRouterOptions, 'streamFailureIdentifier' | 'queueConcurrency' | 'deadlineMarginMs' | 'maskErrors'>,
    AppSyncOptions,
    SurfaceOptions {
  /** Identifies the caller. Without a resolver, every operation except `Public` and `Optional` ones answers 401. */
  readonly principalResolver?: SecurePrincipalResolver;
  /**
   * `www-authenticate` of 401 answers over HTTP: a string, a function of the route, or `false` for no header. Default: `Bearer` if the
   * resolver is one of `@sallyport/secure/jwt`, alone or in `firstPrincipal`; else the value that the resolver set.
   */
  readonly challenge?: Challenge;
  /** True if the header `x-tenant-id` names the tenant if the runtime and the principal do not. Default `false`. */
  readonly trustTenantHeader?: boolean;
  /** True if WebSocket events are served before any socket route is registered. Default `false`. */
  readonly webSocketSupport?: boolean;
}

/** Every option as an own member, so that prototypes are ignored. */
export type ParsedOptions = { readonly [K in keyof Required<SecureOptions>]: SecureOptions[K] };

/** Validators and defaults for {@link SecureOptions}. */
export const SECURE_OPTIONS = defineOptions<SecureOptions>()({
  ...CONTAINER_KINDS,
  maskErrors: boolean.default(true),
  principalResolver: func<SecurePrincipalResolver>(),
  challenge: kind<Challenge>(
    'false, a function, or a string that is a valid header value',
    (value) => value === false || typeof value === 'function' || isChallenge(value),
  ),
  trustTenantHeader: boolean,
  webSocketSupport: WEBSOCKET_SUPPORT_KIND,
});

/**
 * A private copy of the options.
 *
 * @throws FrameworkError `framework: invalid secure configuration: <reason>`; it names the option and never its value
 */
export function parseOptions(options: unknown): ParsedOptions {
  if (!isPlainObject(options)) throw invalidConfiguration('options must be a plain object');
  try {
    return SECURE_OPTIONS.parse(options as SecureOptions) as ParsedOptions;
  } catch (error) {
    if (!isFrameworkError(error) || error.code === LEFT_OUT) throw error;
    throw invalidConfiguration(error.message.replace(/^framework: /, ''));
  }
}

function invalidConfiguration(reason: string): FrameworkError {
  return new FrameworkError(INVALID_CONFIGURATION, `framework: invalid secure configuration: ${reason}`);
}
