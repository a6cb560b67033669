import { sanitizeFieldValue, scrubFreeText } from '../src/observability.js';
import { LightWalk } from '../src/sanitize/internal/light.js';
import { createRandom, type Random } from './identifiers.js';

/** Counts the generated values that any sanitizer changes: alone, in a sentence, or in the default logger. */
export function countAltered(make: (random: Random) => string | number, count: number, seed: number): number {
  const random = createRandom(seed);
  let altered = 0;
  for (let index = 0; index < count; index += 1) {
    const value = make(random);
    if (isAltered(value)) altered += 1;
  }
  return altered;
}

function isAltered(value: string | number): boolean {
  if (sanitizeFieldValue('id', value) !== value || new LightWalk().value(value) !== value) return true;
  if (typeof value === 'number') return false;
  const sentence = `failed for ${value}, retried`;
  return scrubFreeText(sentence) !== sentence;
}
