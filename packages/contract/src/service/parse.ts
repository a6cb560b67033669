import { isObject } from '@sallyport/core/internal';
import { type ServiceContract, SOURCE_KINDS } from './contract.js';
import { contractError } from './described.js';

/**
 * Reads a file `contract.json`.
 *
 * @param place the name of the file, for errors
 * @throws FrameworkError `app.invalid_configuration` for text that is not JSON, another version of the format, or missing members
 */
export function parseContractFile(text: string, place: string): ServiceContract {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw contractError(`${place} is not JSON`);
  }
  if (!isObject(value)) throw contractError(`${place} must be an object`);
  if (value.version !== 1) {
    throw contractError(
      `${place} has version ${JSON.stringify(value.version)}, expected 1: write it again with this release`,
    );
  }
  const missing = ['http', 'socket', 'mcp', 'tool', 'invoke', 'field', 'schemas', ...SOURCE_KINDS].filter(
    (name) => !isObject((value as Record<string, unknown>)[name]),
  );
  if (missing.length > 0) throw contractError(`${place} has no ${missing.join(', ')}`);
  return value as unknown as ServiceContract;
}
