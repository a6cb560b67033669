import type { DetectionCondition, DetectionRow } from '@sallyport/dispatch';

const NOTHING = Symbol('nothing there');

/** True if one alternative of a row matches, condition by condition; shares no code with the package. */
export function rowHolds({ anyOf }: DetectionRow, event: unknown): boolean {
  return anyOf.some((all) => all.every((condition) => holds(condition, at(event, condition.path))));
}

/** Neither `null` nor a list. */
export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function at(event: unknown, path: string): unknown {
  const [name = '', ...rest] = path.replace(/\[(\d+)\]/g, '.#$1').split('.');
  const isIndex = name.startsWith('#');
  if (isIndex ? !Array.isArray(event) : !isObject(event)) return NOTHING;
  const key = isIndex ? name.slice(1) : name;
  if (!Object.keys(event as object).includes(key)) return NOTHING;
  const value = (event as Record<string, unknown>)[key];
  return rest.length === 0 ? value : at(value, rest.join('.'));
}

function holds({ test, value }: DetectionCondition, found: unknown): boolean {
  const isUrl =
    typeof found === 'string' &&
    /^[<>a-z0-9-]+\.lambda-url\.[a-z0-9-]+\.on\.(aws|amazonwebservices\.com\.cn|amazonwebservices\.eu)$/.test(found);
  const tests = {
    equals: found === value,
    present: found !== NOTHING,
    absent: found === NOTHING,
    string: typeof found === 'string',
    text: typeof found === 'string' && found.trim().length > 0,
    object: isObject(found),
    url_domain: isUrl,
    not_url_domain: !isUrl,
  };
  return tests[test];
}
