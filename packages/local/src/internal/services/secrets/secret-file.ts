import { readFileSync, renameSync } from 'node:fs';
import { dirname } from 'node:path';
import { AwsFault } from '../../aws/wire.js';
import type { LocalValues } from '../../config/config.js';
import { makeStateFolder, writePrivateFile } from '../../config/state-folder.js';

/** Values by name. */
export interface Secrets {
  readonly secrets: Readonly<Record<string, string>>;
  readonly parameters: Readonly<Record<string, string>>;
}

/** `.sallyport/secrets.json`: `{ "secrets": { "name": "value" }, "parameters": { "/name": "value" } }`, readable to its owner only. */
export class SecretFile {
  readonly #file: string;
  readonly #values: LocalValues;

  /** @param values values of `sallyport.json`; those of the file take precedence */
  constructor(file: string, values: LocalValues) {
    this.#file = file;
    this.#values = values;
  }

  /** True for a parameter whose value is in `sallyport.json` only. */
  isPlain(parameter: string): boolean {
    return this.#own().parameters[parameter] === undefined;
  }

  /** Reads the file on each call, because the developer edits it. A missing file is empty. @throws AwsFault for invalid JSON */
  read(): Secrets {
    const { secrets, parameters } = this.#own();
    return {
      secrets: { ...texts(this.#values.secrets), ...secrets },
      parameters: { ...texts(this.#values.parameters), ...parameters },
    };
  }

  #own(): Secrets {
    let text = '{}';
    try {
      text = readFileSync(this.#file, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw unreadable();
    }
    const { secrets, parameters } = parse(text);
    return { secrets: texts(secrets), parameters: texts(parameters) };
  }

  /** Writes the whole file atomically. */
  write(group: keyof Secrets, name: string, value: string): void {
    const all = this.#own();
    const next = { ...all, [group]: { ...all[group], [name]: value } };
    makeStateFolder(dirname(this.#file));
    writePrivateFile(`${this.#file}.part`, `${JSON.stringify(next, null, 2)}\n`);
    renameSync(`${this.#file}.part`, this.#file);
  }
}

function parse(text: string): { readonly secrets?: unknown; readonly parameters?: unknown } {
  try {
    return (JSON.parse(text) ?? {}) as object;
  } catch {
    throw unreadable();
  }
}

/** A secret whose value is an object is stored as its JSON. */
function texts(group: unknown): Record<string, string> {
  const values: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const [name, value] of Object.entries((group ?? {}) as object)) {
    values[name] = typeof value === 'string' ? value : JSON.stringify(value);
  }
  return values;
}

function unreadable(): AwsFault {
  return new AwsFault(400, 'InternalServiceError', '.sallyport/secrets.json cannot be read: it must be valid JSON');
}
