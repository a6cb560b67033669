import { join } from 'node:path';
import ts from 'typescript';
import { readWorkspace, sourceEntries } from './workspace.js';

/** A TypeScript program of the published sources. */
export interface PackagesProgram {
  readonly program: ts.Program;
  /** The files that packages export. */
  readonly entries: readonly string[];
}

const programs = new Map<string, PackagesProgram>();

/** The program of all entries of the packages, with the files that they import. Gates of one run share it. */
export function readPackagesProgram(root: string): PackagesProgram {
  const known = programs.get(root);
  if (known) return known;
  const entries = readWorkspace(root, ['packages']).flatMap(({ folder, manifest }) =>
    [...sourceEntries(manifest).values()].map((file) => join(root, folder, file)),
  );
  const made = { program: ts.createProgram(entries, compilerOptions(root)), entries };
  programs.set(root, made);
  return made;
}

function compilerOptions(root: string): ts.CompilerOptions {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.check.json'), ts.sys.readFile) as { config: object };
  return ts.parseJsonConfigFileContent({ ...config, files: [] }, ts.sys, root).options;
}
