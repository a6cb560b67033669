import { cleanText } from '../journal/cleaner.js';
import type { Failure } from '../journal/failure-record.js';

/**
 * A failure for the terminal: message, first frame of the project, its lines, causes, what to do.
 *
 * @param indent the beginning of each line
 */
export function failureText(given: Failure, indent: string): string {
  const { type, message, record, causes, frames, code, hint, stderr } = cleanText(given);
  const [frame] = frames;
  const width = String(code.at(-1)?.line ?? 0).length;
  const lines = [
    ...`${record === null ? '' : `${record}: `}${type}: ${message}`.split('\n'),
    ...(frame ? [`at ${frame.file}:${frame.line}:${frame.column}${frame.name === '' ? '' : `  ${frame.name}`}`] : []),
    ...code.map(({ line, text, isHere }) => `${isHere ? '>' : ' '} ${String(line).padStart(width)} | ${text}`),
    ...causes.map((cause) => `caused by ${cause.type}: ${cause.message}`),
    ...stderr.map((line) => `stderr: ${line}`),
    ...(hint === null ? [] : [`hint: ${hint}`]),
  ];
  return lines.map((line) => `${indent}${line}\n`).join('');
}
