import { invalidInput } from '../../errors.js';
import { countCharacters } from '../../store/validators.js';

/** Checks and trims all strings before the first of them is embedded. */
export function toTexts(texts: readonly string[], maxCharacters: number): readonly string[] {
  if (!Array.isArray(texts)) throw invalidInput('embedding input must be a list');
  return Array.from(texts, (text: unknown) => toText(text, maxCharacters));
}

/** Checks and trims a string. Its length is counted in Unicode characters. */
export function toText(text: unknown, maxCharacters: number): string {
  if (typeof text !== 'string' || text.trim() === '') throw invalidInput('embedding input is required');
  const trimmed = text.trim();
  if (countCharacters(trimmed) > maxCharacters) {
    throw invalidInput(`embedding input is longer than ${maxCharacters} characters`);
  }
  return trimmed;
}
