import { didYouMean, ownOf } from '@sallyport/core/internal';
import { invalidUsage } from '../../internal/errors.js';
import type { DeadLetter } from './letters.js';

const FIELDS = ['id', 'group', 'reason', 'attempts', 'firstFailure', 'source', 'body'];

/** True if a filter selects the dead letter. */
export type LetterFilter = (letter: DeadLetter) => boolean;

/**
 * A filter of several conditions, all of which must match: `body.order.id=A-1`, `reason=*Timeout*`. `*` stands for any characters.
 *
 * @throws FrameworkError `cli.usage` for a condition without `=` and for an unknown field
 */
export function parseFilter(conditions: readonly string[]): LetterFilter {
  const all = conditions.map(parseCondition);
  return (letter) => all.every((matches) => matches(letter));
}

function parseCondition(text: string): LetterFilter {
  const equals = text.indexOf('=');
  if (equals < 1) throw invalidUsage(`--filter must be <field>=<value> (got "${text}")`);
  const [field = '', ...path] = text.slice(0, equals).split('.');
  if (!FIELDS.includes(field) || (path.length > 0 && field !== 'body')) {
    const known = `${FIELDS.slice(0, -1).join(', ')} or body.<member>`;
    throw invalidUsage(`--filter has no field "${text.slice(0, equals)}"${didYouMean(field, FIELDS)}; pass ${known}`);
  }
  const pattern = toPattern(text.slice(equals + 1));
  return (letter) => {
    const value = path.reduce(ownOf, fieldOf(letter, field));
    if (value === undefined) return false;
    return pattern.test(typeof value === 'string' ? value : JSON.stringify(value));
  };
}

function fieldOf(letter: DeadLetter, field: string): unknown {
  if (field === 'source') return sourceOf(letter);
  return ownOf(letter, field);
}

/** The ARN of the queue, the stream or the function; `''` if unknown. */
export function sourceOf({ destination }: DeadLetter): string {
  if (destination.kind === 'none') return '';
  return destination.kind === 'records' ? destination.batch.streamArn : destination.arn;
}

function toPattern(text: string): RegExp {
  const parts = text.split('*').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`, 's');
}
