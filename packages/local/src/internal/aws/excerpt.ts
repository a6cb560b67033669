import { fromJson } from '@sallyport/core/internal';
import type { AwsCall } from '../journal/journal.js';
import type { WireAnswer } from './wire.js';

/** Longer inputs and outputs are kept as the beginning of their text. */
const MAX_LENGTH = 16_384;

/** The values of these services are secrets, regardless of the names of their members. */
const SECRET_SERVICES: readonly string[] = ['secretsmanager', 'ssm', 'sts'];
const HIDDEN = 'hidden: it can contain a secret';

/** Input and output of a call, for the journal. */
export function excerpts(service: string, input: unknown, answer: WireAnswer): Pick<AwsCall, 'input' | 'output'> {
  if (SECRET_SERVICES.includes(service)) return { input: HIDDEN, output: HIDDEN };
  return { input: excerpt(input, JSON.stringify(input) ?? ''), output: outputOf(answer) };
}

function outputOf({ body = '', headers = {} }: WireAnswer): unknown {
  const type = headers['content-type'] ?? '';
  if (typeof body !== 'string' && !Buffer.isBuffer(body)) return 'a stream of bytes';
  if (Buffer.isBuffer(body) && !/json|xml/.test(type)) return `${body.length} bytes`;
  const text = body.toString();
  return type.includes('json') && text.length <= MAX_LENGTH ? (fromJson(text) ?? text) : excerpt(text, text);
}

function excerpt(value: unknown, text: string): unknown {
  if (text.length <= MAX_LENGTH) return value;
  return `${text.slice(0, MAX_LENGTH)} … and ${text.length - MAX_LENGTH} further characters`;
}
