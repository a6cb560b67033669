/** An object that is neither `null` nor a list. */
export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A string with a character that is not blank; nearly always the first one, and nothing is allocated then. */
export function isText(value: unknown): value is string {
  if (typeof value !== 'string') return false;
  const first = value.charCodeAt(0);
  return (first > 32 && first < 127) || value.trim() !== '';
}

/** Each AWS partition has its own suffix of one or more labels behind `on`. */
const URL_DOMAIN = /^[a-z0-9-]+\.lambda-url\.[a-z0-9-]+\.on(?:\.[a-z0-9-]+)+$/;

/** The host name of a function URL. Nearly every other host fails the first test. */
export function isUrlDomain(value: unknown): boolean {
  return typeof value === 'string' && value.includes('.lambda-url.') && URL_DOMAIN.test(value);
}
