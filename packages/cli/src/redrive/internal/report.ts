import { sanitizeLogString } from '@sallyport/core/internal';
import { sanitizeJson, sanitizeValue, scrubFreeText } from '@sallyport/core/observability';
import { sourceOf } from './filter.js';
import type { RedriveResult, Step } from './run.js';

const MAX_BODY = 120;

/** One dead letter as text: the action, the id, and what the operator needs to decide. */
export function stepLine({ action, letter, why, newId }: Step): string {
  const { id, group, reason, attempts, firstFailure, body } = letter;
  const facts = [
    ...(group === '' ? [] : [`group ${group}`]),
    ...(attempts === undefined ? [] : [`${attempts} attempts`]),
    ...(firstFailure === undefined ? [] : [`first ${firstFailure}`]),
    scrubFreeText(reason),
  ];
  const preview = typeof body === 'string' ? scrubFreeText(body) : sanitizeJson(JSON.stringify(body));
  const shown = preview.length > MAX_BODY ? `${preview.slice(0, MAX_BODY)}…` : preview;
  const detail = why ?? (newId === undefined ? '' : `as ${newId}`);
  const lines = [
    `${action.padEnd(10)} ${id}  ${facts.join(', ')}${detail === '' ? '' : `  (${detail})`}`,
    `           ${shown}`,
  ];
  return `${lines.map(sanitizeLogString).join('\n')}\n`;
}

/** One dead letter as JSON; its body is sanitized. */
export function stepJson({ action, letter, why, newId }: Step): string {
  const { id, group, reason, attempts, firstFailure, body } = letter;
  const facts = {
    ...{ type: 'letter', action, id, group, attempts, firstFailure, source: sourceOf(letter) },
    reason: scrubFreeText(reason),
    body: typeof body === 'string' ? scrubFreeText(body) : sanitizeValue(body),
  };
  return `${JSON.stringify({ ...facts, why, newId })}\n`;
}

/** The last line. */
export function resultLine(queue: string, { counts, end }: RedriveResult): string {
  const parts = Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([action, count]) => `${count} ${action}`);
  const ends = {
    complete: '',
    'failed-again': ': a message failed again, so the run stopped; repair the cause, then run the command again',
    interrupted: ': interrupted; run the command again to continue',
  };
  return `${queue}: ${parts.length === 0 ? 'no dead letters' : parts.join(', ')}${ends[end]}\n`;
}
