import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..', '..', '..');

/** The compilers that users have: the workspace's own, the last of the old line, the native one. */
export const COMPILERS = {
  '6.0': join(root, 'node_modules', 'typescript'),
  '5.9': join(root, 'scripts', 'bench', 'node_modules', 'typescript-5.9'),
  '7.0 (native)': join(root, 'scripts', 'bench', 'node_modules', 'typescript-7'),
} as const;
export type Compiler = keyof typeof COMPILERS;

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

/** Writes a program and its `tsconfig.json` into a folder, and nothing else is left there. */
export function writeProgram(folder: string, program: Program): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(program)) writeFileSync(join(folder, name), text);
  const options = {
    extends: join(root, 'tsconfig.base.json'),
    compilerOptions: { composite: false, declaration: false, declarationMap: false, noEmit: true },
    files: ['application.ts'],
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(options));
}

/** @throws Error with the compiler's output, if it rejects the program */
export function costOf(folder: string, program: Program, compiler: Compiler = '6.0'): Cost {
  writeProgram(folder, program);
  const tsc = join(COMPILERS[compiler], 'bin', 'tsc');
  const args = [tsc, '-p', folder, '--extendedDiagnostics', '--listFiles', '--pretty', 'false'];
  const { stdout, status } = spawnSync(process.execPath, args, { encoding: 'utf8', maxBuffer: 1e8 });
  if (status !== 0) throw new Error(stdout.split('\n').slice(0, 3).join('\n'));
  const read = (name: string) => Number(new RegExp(`^${name}:\\s+([\\d.]+)`, 'm').exec(stdout)?.[1]);
  return {
    instantiations: read('Instantiations'),
    checkSeconds: read('Check time'),
    memoryMb: Math.round(read('Memory used') / 1000),
    files: stdout.split('\n').filter((line) => line.startsWith(folder)),
  };
}
