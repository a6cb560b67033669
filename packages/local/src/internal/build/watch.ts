import { type FSWatcher, watch } from 'node:fs';
import { dirname } from 'node:path';

/** An editor writes more than once: a save ends after this many milliseconds without an event. */
const QUIET_MS = 10;

/** Watches folders, so that it detects files replaced by a rename. Nothing is polled. */
export class Watcher {
  readonly #onEvent: () => void;
  readonly #folders = new Map<string, FSWatcher>();
  #timer: NodeJS.Timeout | undefined;
  readonly #waiting: (() => void)[] = [];
  #events = 0;

  /** @param onEvent called with each event, so a few times for one save */
  constructor(onEvent: () => void) {
    this.#onEvent = onEvent;
  }

  /** Number of events until now. */
  get events(): number {
    return this.#events;
  }

  /** Resolves when the last save has ended. */
  async quiet(): Promise<void> {
    if (this.#timer !== undefined) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  /** Watches only the folders of these files. */
  files(files: readonly string[]): void {
    const wanted = new Set(files.map((file) => dirname(file)));
    for (const [folder, watcher] of this.#folders) {
      if (wanted.has(folder)) continue;
      watcher.close();
      this.#folders.delete(folder);
    }
    for (const folder of wanted) this.#add(folder);
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#endSave();
    for (const watcher of this.#folders.values()) watcher.close();
    this.#folders.clear();
  }

  #add(folder: string): void {
    if (this.#folders.has(folder)) return;
    try {
      const watcher = watch(folder, () => this.#note());
      watcher.on('error', () => {
        watcher.close();
        this.#folders.delete(folder);
      });
      this.#folders.set(folder, watcher);
    } catch {
      // The folder is gone; a build that needs it reports the error.
    }
  }

  #note(): void {
    this.#events += 1;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#endSave(), QUIET_MS);
    this.#onEvent();
  }

  #endSave(): void {
    this.#timer = undefined;
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}
