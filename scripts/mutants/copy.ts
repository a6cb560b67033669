import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { instrument } from './mutate.js';
import type { Sampled } from './sample.js';

/** A copy of the workspace whose sources contain the mutants. Its files are hard links, except the changed ones. */
export class Copy {
  readonly root: string;

  /** The copy is made next to the workspace, because hard links do not cross file systems. */
  constructor(workspace: string) {
    this.root = mkdtempSync(join(dirname(workspace), 'sallyport-mutants-'));
    const { status } = spawnSync('cp', ['-al', `${workspace}/.`, this.root], { stdio: 'inherit' });
    if (status !== 0) throw new Error('could not copy the workspace');
  }

  /** Writes mutants into the sources. A file is replaced, never written in place: the original has the same inode. */
  instrument(mutants: readonly Sampled[]): void {
    const files = groupByFile(mutants);
    for (const [file, inside] of files) {
      const path = join(this.root, file);
      this.#replace(path, instrument(readFileSync(path, 'utf8'), inside));
    }
    const config = join(this.root, 'jest.config.mjs');
    const setup = 'setupFilesAfterEnv: [';
    const reached = `${setup}'<rootDir>/scripts/mutants/reached.mjs', `;
    this.#replace(config, readFileSync(config, 'utf8').replace(setup, reached));
  }

  #replace(path: string, text: string): void {
    writeFileSync(`${path}.new`, text);
    renameSync(`${path}.new`, path);
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}

function groupByFile(mutants: readonly Sampled[]): Map<string, Sampled[]> {
  const files = new Map<string, Sampled[]>();
  for (const mutant of mutants) files.set(mutant.file, [...(files.get(mutant.file) ?? []), mutant]);
  return files;
}
