import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..', '..', '..');

/** The files of a program by their names; `application.ts` is the entry. */
export type Program = Readonly<Record<string, string>>;

/** What the compiler reports about a program. */
export interface Cost {
  readonly instantiations: number;
  readonly checkSeconds: number;
  readonly memoryMb: number;
  /** The files of the program that are not of a package. */
  readonly files: readonly string[];
}

/** @throws Error with the compiler's output, if it rejects the program */
export function costOf(folder: string, program: Program): Cost {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(program)) writeFileSync(join(folder, name), text);
  const options = {
    extends: join(root, 'tsconfig.base.json'),
    compilerOptions: { composite: false, declaration: false, declarationMap: false, noEmit: true },
    files: ['application.ts'],
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(options));
  const args = ['-p', folder, '--extendedDiagnostics', '--listFiles', '--pretty', 'false'];
  const tsc = join(root, 'node_modules', '.bin', 'tsc');
  const { stdout, status } = spawnSync(tsc, args, { encoding: 'utf8', maxBuffer: 1e8 });
  if (status !== 0) throw new Error(stdout.split('\n').slice(0, 3).join('\n'));
  const read = (name: string) => Number(new RegExp(`^${name}:\\s+([\\d.]+)`, 'm').exec(stdout)?.[1]);
  return {
    instantiations: read('Instantiations'),
    checkSeconds: read('Check time'),
    memoryMb: Math.round(read('Memory used') / 1000),
    files: stdout.split('\n').filter((line) => line.startsWith(folder)),
  };
}
