import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { invalidUsage } from '../../internal/errors.js';

/** A recorded event. */
export interface RecordedEvent {
  /** From the working directory. */
  readonly file: string;
  readonly event: unknown;
}

/**
 * Reads recordings, and files with a whole event, from files and folders; in the order of their names.
 *
 * @throws FrameworkError `cli.usage` for a file that is missing or not JSON, or without any
 */
export function readEvents(cwd: string, places: readonly string[]): readonly RecordedEvent[] {
  if (places.length === 0) throw invalidUsage('name recordings, or a folder of them: sallyport compare recordings/ …');
  const files = places.flatMap((place) => filesOf(resolve(cwd, place), place));
  if (files.length === 0) throw invalidUsage(`no .json file in ${places.join(', ')}`);
  return files.map((file) => ({ file: relative(cwd, file), event: eventOf(file, relative(cwd, file)) }));
}

function filesOf(path: string, place: string): readonly string[] {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat) throw invalidUsage(`${place} does not exist`);
  if (!stat.isDirectory()) return [path];
  const names = readdirSync(path, { recursive: true, encoding: 'utf8' });
  return names
    .filter((name) => name.endsWith('.json'))
    .sort()
    .map((name) => join(path, name));
}

/** The event of a recording of the kit or of the console; any other object is an event itself. */
function eventOf(file: string, name: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    throw invalidUsage(`${name} is not JSON`);
  }
  if (typeof value !== 'object' || value === null) throw invalidUsage(`${name} is not an event`);
  const { event, schema } = value as { readonly event?: unknown; readonly schema?: unknown };
  return typeof schema === 'string' && event !== undefined ? event : value;
}
