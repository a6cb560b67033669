import type { OptionKind } from '@sallyport/core/options';
import { literal } from './props.js';

/** A list of accounts by number. Never `*`, never an ARN, each one once. */
export const accountList: OptionKind<readonly string[]> = literal(
  'a list of different account numbers, 12 digits each',
  (value) =>
    Array.isArray(value) &&
    value.every((one) => typeof one === 'string' && /^\d{12}$/.test(one)) &&
    new Set(value).size === value.length,
);
