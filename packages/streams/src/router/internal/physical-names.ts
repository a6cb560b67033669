import { type Environment, FrameworkError, INVALID_CONFIGURATION } from '@sallyport/core';
import { EVENT_SOURCES_ENV } from '../../schema.js';

/** Logical to physical names, under the registering method's name or for all of them. */
export type PhysicalNames = Readonly<Record<string, unknown>>;

/**
 * Reads `FRAMEWORK_EVENT_SOURCES`: `{ "queue": { "orders": "<physical name or ARN>" }, "tableStream": {}, … }`, or the
 * inner object alone, for every kind of source.
 *
 * @throws FrameworkError when it is not a JSON object of names
 */
export function readPhysicalNames(environment: Environment): PhysicalNames {
  const text = environment[EVENT_SOURCES_ENV];
  if (!text?.trim()) return {};
  try {
    const names: unknown = JSON.parse(text);
    if (isObject(names) && Object.values(names).every(isNameOrNames)) return names;
  } catch {
    // Refused below, without the parser's words: they quote the input.
  }
  throw new FrameworkError(INVALID_CONFIGURATION, `framework: ${EVENT_SOURCES_ENV} must be a JSON object of names`);
}

/** The physical name that a registration stands for; the name itself when the map does not hold it. */
export function physicalName(names: PhysicalNames, method: string, name: string): string {
  for (const map of [names[method], names]) {
    if (isObject(map) && typeof map[name] === 'string') return map[name];
  }
  return name;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isName(value: unknown): boolean {
  return typeof value === 'string' && value.trim() !== '';
}

function isNameOrNames(value: unknown): boolean {
  return isName(value) || (isObject(value) && Object.values(value).every(isName));
}
