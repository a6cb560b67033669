import { type FSWatcher, readdirSync, watch } from 'node:fs';
import { join } from 'node:path';
import { type Command, EXIT } from '../../internal/command.js';

/** An editor writes more than once: a save ends after this many milliseconds without an event. */
const QUIET_MS = 10;
/** Folders that have no code of the service. */
const SKIPPED = /^(?:\.|node_modules$|dist$|cdk\.out$|contract$)/;
/** Files that a contract is made of; `.d.ts` is what `sallyport types` writes. */
const SOURCE = /(?<!\.d)\.(?:[cm]?[jt]sx?|json|graphql)$/;

/** With `--watch` runs the command again after each change of a source, until the developer stops it. The exit code is then 0. */
export function watched(run: Command['run']): Command['run'] {
  return async (args, around) => {
    if (!args.includes('--watch')) return run(args, around);
    const { cwd, signal } = around;
    const changes = new Changes(cwd);
    try {
      for (;;) {
        // Before the run: a change during it is not missed.
        changes.follow();
        await run(args, around);
        if (!(await changes.next(signal))) return EXIT.ok;
      }
    } finally {
      changes.close();
    }
  };
}

class Changes {
  readonly #root: string;
  readonly #folders = new Map<string, FSWatcher>();
  #isChanged = false;
  #wake: (() => void) | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(root: string) {
    this.#root = root;
  }

  /** Watches the folders that exist now. */
  follow(): void {
    this.#isChanged = false;
    const there = new Set(foldersOf(this.#root));
    for (const [folder, watcher] of this.#folders) if (!there.has(folder)) this.#drop(folder, watcher);
    for (const folder of there) {
      if (this.#folders.has(folder)) continue;
      try {
        const watcher = watch(folder, (_, name) => this.#note(name));
        watcher.on('error', () => this.#drop(folder, watcher));
        this.#folders.set(folder, watcher);
      } catch {
        // The folder is gone.
      }
    }
  }

  /** Resolves to true after a change, and to false after an abort. */
  next(signal: AbortSignal): Promise<boolean> {
    return new Promise((resolve) => {
      const end = () => {
        signal.removeEventListener('abort', end);
        this.#wake = undefined;
        resolve(!signal.aborted);
      };
      this.#wake = end;
      signal.addEventListener('abort', end);
      if (signal.aborted || this.#isChanged) end();
    });
  }

  close(): void {
    clearTimeout(this.#timer);
    for (const [folder, watcher] of this.#folders) this.#drop(folder, watcher);
  }

  #drop(folder: string, watcher: FSWatcher): void {
    watcher.close();
    this.#folders.delete(folder);
  }

  #note(name: string | null): void {
    // A name without a dot can be a new folder.
    if (name?.includes('.') && !SOURCE.test(name)) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#isChanged = true;
      this.#wake?.();
    }, QUIET_MS);
  }
}

function foldersOf(root: string): readonly string[] {
  try {
    const inner = readdirSync(root, { withFileTypes: true }).filter(
      (entry) => entry.isDirectory() && !SKIPPED.test(entry.name),
    );
    return [root, ...inner.flatMap(({ name }) => foldersOf(join(root, name)))];
  } catch {
    return [];
  }
}
