/** What stands in place of a secret. */
export const REDACTED = '[REDACTED]';

const MAX_STARS = 32;

/** The digits of a value, without anything else. */
export function digitsOf(value: string | number | bigint): string {
  return String(value).replace(/[^0-9]+/g, '');
}

function stars(count: number): string {
  return '*'.repeat(Math.min(count, MAX_STARS));
}

/** First 6 and last 4 of 13 digits or more; last 4 of 9 to 12; none of fewer. */
export function maskCard(value: string | number | bigint): string {
  const digits = digitsOf(value);
  if (digits.length >= 13) return digits.slice(0, 6) + stars(digits.length - 10) + digits.slice(-4);
  if (digits.length >= 9) return stars(digits.length - 4) + digits.slice(-4);
  return digits.length > 0 ? '****' : REDACTED;
}

/** Last 4 of 8 digits or more; nothing of fewer. */
export function maskRestricted(value: string | number | bigint): string {
  const digits = digitsOf(value);
  return digits.length >= 8 ? stars(digits.length - 4) + digits.slice(-4) : REDACTED;
}

/** Stars and the last 4 characters; of 8 characters or fewer only stars. */
export function maskLast4(value: string): string {
  const characters = [...value.slice(-8)];
  return value.length > 8 ? stars(value.length - 4) + characters.slice(-4).join('') : '****';
}

/**
 * `prefix***suffix` with as many characters (code points) of each end as asked for; `(empty)` for `''`; `***masked***` when
 * the lengths are not whole numbers from 0 or leave nothing to hide.
 */
export function maskFirstLast(value: string, first: number, last: number): string {
  if (value === '') return '(empty)';
  const characters = [...value];
  const whole = Number.isInteger(first) && Number.isInteger(last) && first >= 0 && last >= 0;
  if (!whole || characters.length <= first + last) return '***masked***';
  return `${characters.slice(0, first).join('')}***${characters.slice(characters.length - last).join('')}`;
}

/** {@link maskFirstLast} with 4 characters of each end. */
export function maskFirstLast4(value: string): string {
  return maskFirstLast(value, 4, 4);
}
