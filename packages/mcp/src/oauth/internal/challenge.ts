import type { Context } from '@sallyport/core';
import { invalidOption } from '@sallyport/core/options';
import type { MatchedRoute } from '../validator.js';
import { isScope } from './scopes.js';
import { parseSecureUrl } from './urls.js';

/** The matched route of a context; `undefined` before the match. */
export function routeOf(ctx: Context): MatchedRoute | undefined {
  return ctx.route
    ? Object.freeze({ pattern: ctx.route.pattern, params: Object.freeze({ ...ctx.params }) })
    : undefined;
}

/** Sources of the metadata URL; only the first configured source is used. */
export interface MetadataUrlSources {
  readonly resourceMetadataURLFunc?: ((route: MatchedRoute) => string | undefined) | undefined;
  readonly resourceMetadataURLTemplate?: string | undefined;
  readonly resourceMetadataURL?: string | undefined;
}

/** The URL for a request; `undefined` makes the challenge a bare `Bearer`. */
export type MetadataUrl = (ctx: Context) => string | undefined;

/** @throws FrameworkError `app.invalid_configuration` for a malformed template or URL */
export function createMetadataUrl(sources: MetadataUrlSources): MetadataUrl {
  const { resourceMetadataURLFunc: ask, resourceMetadataURLTemplate: template, resourceMetadataURL: url } = sources;
  const fill = template === undefined ? undefined : parseTemplate(template);
  if (url !== undefined && parseSecureUrl(url) === undefined) {
    throw invalidOption('resourceMetadataURL', 'an absolute https URL without user name, query, fragment and braces');
  }
  if (ask) return (ctx) => askFunction(ask, ctx);
  if (fill) return (ctx) => fill(routeOf(ctx)?.params ?? {});
  return () => url;
}

function askFunction(ask: (route: MatchedRoute) => string | undefined, ctx: Context): string | undefined {
  const route = routeOf(ctx);
  if (!route) return undefined;
  try {
    const url: unknown = ask(route);
    if (typeof url === 'string' && parseSecureUrl(url, { query: true })) return url;
    ctx.log.warn('resourceMetadataURLFunc did not return an absolute https URL', { event: 'mcp.challenge_failed' });
  } catch (error) {
    ctx.log.warn('resourceMetadataURLFunc failed', { event: 'mcp.challenge_failed', error });
  }
  return undefined;
}

const PLACEHOLDER = /\{([A-Za-z_][A-Za-z0-9_]*)\}/g;
/** Scheme, host and port are fixed. */
const FIXED_ORIGIN = /^https?:\/\/[^/{}]+\//i;
/** The values of a parameter that are inserted into the URL; they need no escaping. */
const VALUE = /^[a-z0-9._~-]{1,128}$/;

/** Returns a function that inserts route parameters into a template; `undefined` if a value is missing or outside the alphabet. */
function parseTemplate(template: string): (params: Readonly<Record<string, string>>) => string | undefined {
  const sample = template.replace(PLACEHOLDER, 'x');
  const isTemplate = FIXED_ORIGIN.test(template) || !template.includes('{');
  if (!isTemplate || parseSecureUrl(sample) === undefined) {
    throw invalidOption(
      'resourceMetadataURLTemplate',
      'an absolute https URL without user name, query and fragment, whose path may have {parameters}',
    );
  }
  return (params) => {
    let isComplete = true;
    const url = template.replace(PLACEHOLDER, (_, name: string) => {
      const value = Object.hasOwn(params, name) ? (params[name] ?? '') : '';
      if (!VALUE.test(value) || value === '.' || value === '..') isComplete = false;
      return value;
    });
    return isComplete ? url : undefined;
  };
}

/** Optional parameters of a challenge. */
export interface ChallengeFacts {
  readonly error?: 'invalid_token' | 'insufficient_scope' | undefined;
  readonly scopes?: readonly string[] | undefined;
}

/** A `Bearer` challenge (RFC 6750 section 3, RFC 9728 section 5.1), without `offline_access` and scopes that a header cannot contain. */
export function challengeText(url: string | undefined, { error, scopes = [] }: ChallengeFacts = {}): string {
  const asked = [...new Set(scopes)].filter((scope) => isScope(scope) && scope !== 'offline_access');
  const parameters = [
    ...(error === undefined ? [] : [`error="${error}"`]),
    ...(asked.length === 0 ? [] : [`scope="${asked.join(' ')}"`]),
    ...(url === undefined ? [] : [`resource_metadata="${url}"`]),
  ];
  return parameters.length === 0 ? 'Bearer' : `Bearer ${parameters.join(', ')}`;
}
