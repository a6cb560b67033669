import { fromJson } from '@sallyport/core/internal';

/** Maximum number of listed paths. */
const MAX_PATHS = 50;

/** An id that changes with each invocation: a UUID, a trace. */
const ID = /^(?:[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}|1-[\da-f]{8}-[\da-f]{24})$/i;

/**
 * The paths at which two JSON values differ, `$.body.total`; empty when they are equal. Strings of JSON are compared as values. Ids of
 * invocations do not count.
 */
export function findDifferences(before: unknown, now: unknown): readonly string[] {
  const paths: string[] = [];
  collect(before, now, '$', paths);
  return paths;
}

function collect(before: unknown, now: unknown, path: string, paths: string[]): void {
  if (paths.length >= MAX_PATHS || Object.is(before, now)) return;
  if (typeof before === 'string' && typeof now === 'string') {
    const [old, fresh] = [fromJson(before), fromJson(now)];
    if (isTree(old) && isTree(fresh)) collect(old, fresh, path, paths);
    else if (!ID.test(before) || !ID.test(now)) paths.push(path);
    return;
  }
  if (!isTree(before) || !isTree(now) || Array.isArray(before) !== Array.isArray(now)) {
    paths.push(path);
    return;
  }
  for (const key of new Set([...Object.keys(before), ...Object.keys(now)])) {
    const at = Array.isArray(before) ? `${path}[${key}]` : `${path}.${key}`;
    if (key in before && key in now) collect(before[key], now[key], at, paths);
    else paths.push(at);
  }
}

function isTree(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
