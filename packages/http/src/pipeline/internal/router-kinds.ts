import type { Clock, Environment, IdGenerator, Logger, PolicyHook } from '@sallyport/core';
import {
  boolean,
  func,
  group,
  integer,
  invalidOption,
  kind,
  oneOf,
  parsed,
  withMethods,
} from '@sallyport/core/options';
import { parseLog } from '@sallyport/core/pipeline';
import { HTTP_ERROR_FORMAT_FLAT_LEGACY, HTTP_ERROR_FORMAT_NESTED } from '../error-body.js';
import type { Limits } from '../kernel.js';

/** What the options may be that a router and all containers share. Apart from the others, so that a router's bundle is small. */
export const ROUTER_KINDS = {
  clock: withMethods<Clock>('now'),
  ids: withMethods<IdGenerator>('newId'),
  httpErrorFormat: oneOf(HTTP_ERROR_FORMAT_NESTED, HTTP_ERROR_FORMAT_FLAT_LEGACY),
  limits: group<Limits>()({
    maxRequestBytes: integer(0, Number.MAX_SAFE_INTEGER, 'bytes'),
    maxResponseBytes: integer(0, Number.MAX_SAFE_INTEGER, 'bytes'),
  }),
  policyHook: func<PolicyHook>(),
  log: parsed<Logger | false>('false or a Logger', (value) => {
    parseLog(value, {});
    return value as Logger | false;
  }),
  environment: kind<Environment>('an object of variables', (value) => typeof value === 'object' && value !== null),
  basePath: parsed<string | readonly string[]>('a path or a list of paths', parseBasePath),
  autoHead: boolean,
};

/**
 * The prefixes, longest first.
 *
 * @throws FrameworkError `app.invalid_configuration` for anything but paths of whole segments
 */
export function parseBasePath(basePath: unknown): readonly string[] {
  const list: unknown[] = basePath === undefined ? [] : Array.isArray(basePath) ? basePath : [basePath];
  const isPath = (prefix: unknown): prefix is string => typeof prefix === 'string' && /^(\/[^/?#]+)+$/.test(prefix);
  if (!list.every(isPath)) {
    throw invalidOption('basePath', 'a path of whole segments such as /api, or a list of them');
  }
  return [...list].sort((a, b) => b.length - a.length);
}
