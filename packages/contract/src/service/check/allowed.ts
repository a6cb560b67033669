import { isObject } from '@sallyport/core/internal';
import { contractError } from '../described.js';

/** Reasons by the id of the finding that is accepted. */
export type Allowed = ReadonlyMap<string, string>;

/**
 * Reads `contract.allow.json`: `{ "POST /notes body.title required-added": "all clients send it since March" }`.
 *
 * @param place the name of the file, for errors
 * @throws FrameworkError `app.invalid_configuration` for a file that is not an object with a reason for each id
 */
export function parseAllowed(text: string, place: string): Allowed {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch {
    throw contractError(`${place} is not JSON`);
  }
  const entries = isObject(document) ? Object.entries(document) : undefined;
  if (!entries?.every((entry): entry is [string, string] => typeof entry[1] === 'string' && entry[1].trim() !== ''))
    throw contractError(`${place} must be an object with a reason for each id of a finding`);
  return new Map(entries);
}
