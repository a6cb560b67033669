/** Maximum number of listed paths. */
const MAX_PATHS = 50;

/** The paths at which two JSON values differ, `$.body.total`; empty when they are equal. */
export function findDifferences(before: unknown, now: unknown): readonly string[] {
  const paths: string[] = [];
  collect(before, now, '$', paths);
  return paths;
}

function collect(before: unknown, now: unknown, path: string, paths: string[]): void {
  if (paths.length >= MAX_PATHS || Object.is(before, now)) return;
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
