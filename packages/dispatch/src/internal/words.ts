import { ABSENT, type CompiledCondition, isUrlDomain } from './compile.js';

/** Stands for a value whose getter or proxy throws. */
export const UNREADABLE = Symbol('unreadable');

/** Fields that hold a service's tag and nothing of the caller's: shown as they are. */
const TAG_FIELD = /(?:^|[.\]])[eE]ventSource$/;

const MAX_TAG_CHARACTERS = 64;

/** What a condition asks for: the text it compares with, or the name of its test. */
export function expectedWord({ test, value }: CompiledCondition): string {
  return value ?? test;
}

/** What there was, in a word: no value of a payload but for the tags. */
export function foundWord(path: string, found: unknown): string {
  if (found === ABSENT) return 'absent';
  if (found === UNREADABLE) return 'unreadable';
  if (found === null) return 'null';
  if (Array.isArray(found)) return found.length > 0 ? 'array' : 'empty array';
  if (typeof found !== 'string') return typeof found;
  if (found.trim() === '') return 'blank string';
  if (TAG_FIELD.test(path)) return safeText(found, MAX_TAG_CHARACTERS);
  return isUrlDomain(found) ? 'url_domain' : 'string';
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that could forge or reorder a line.
const CONTROLS = /[\0-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

/** At most so many characters of a text, without those that could start or reorder a line of a log. */
export function safeText(text: string, characters: number): string {
  const head = [...text.slice(0, 2 * characters)].slice(0, characters).join('');
  return head.replace(CONTROLS, '').replace(/\p{Surrogate}/gu, '\ufffd');
}
