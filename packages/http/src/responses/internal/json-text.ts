import { FrameworkError } from '@sallyport/core';
import { refused } from '../../internal/refused.js';

/**
 * JSON of a value; `undefined` is `null`.
 *
 * @throws FrameworkError `app.internal` with the reason as its cause
 */
export function toJsonText(value: unknown): string {
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch (cause) {
    throw new FrameworkError('app.internal', undefined, { cause });
  }
  if (text !== undefined) return text;
  if (value === undefined) return 'null';
  throw refused('value is not JSON');
}
