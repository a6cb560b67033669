import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Command } from './command.js';
import type { Owner } from './owners.js';

/** Loads the commands of a package; `undefined` if it is not installed. */
export type Load = (owner: Owner) => Promise<readonly Command[] | undefined>;

/**
 * Creates the loader of a project. A package of the project has precedence over a package next to this command, because the versions
 * of the project belong together.
 */
export function createLoad(cwd: string): Load {
  return async ({ entry }) => {
    const places = [pathToFileURL(join(cwd, 'package.json')).href, import.meta.url];
    for (const place of places) {
      const file = resolveFrom(place, entry);
      if (file !== undefined) return commandsOf((await import(pathToFileURL(file).href)) as object);
    }
    return undefined;
  };
}

function resolveFrom(place: string, entry: string): string | undefined {
  try {
    return createRequire(place).resolve(entry);
  } catch {
    return undefined;
  }
}

/** The exported commands: single exports, and members of exported objects. */
export function commandsOf(exports: object): readonly Command[] {
  const values = Object.values(exports) as readonly unknown[];
  return values.flatMap((value) => {
    if (isCommand(value)) return [value];
    return typeof value === 'object' && value !== null ? Object.values(value as object).filter(isCommand) : [];
  });
}

function isCommand(value: unknown): value is Command {
  const { usage, run } = (value ?? {}) as Partial<Command>;
  return typeof usage === 'string' && typeof run === 'function';
}
