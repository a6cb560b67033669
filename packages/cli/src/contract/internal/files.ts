import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, relative } from 'node:path';
import type { ServiceContract } from '@sallyport/contract/service';
import { type Around, EXIT } from '../../internal/command.js';
import type { CommandLine } from '../../internal/command-line.js';

/** The flags of commands that write files of a contract. */
export const WRITE_FLAGS = {
  check: { type: 'boolean', help: 'write nothing; exit code 1 if a file is not up to date' },
  watch: { type: 'boolean', help: 'run again after each change of a file of the project' },
  strict: { type: 'boolean', help: 'exit code 1 if a schema cannot be written, instead of a warning' },
} as const;

/** Writes files that changed, or with `--check` names them. Resolves to the exit code. */
export function writeFiles(
  files: ReadonlyMap<string, string>,
  contract: ServiceContract,
  line: CommandLine,
  { cwd, out, err }: Around,
): number {
  const changed = [...files].filter(([file, text]) => readIfThere(file) !== text);
  const isCheck = line.has('check');
  for (const [file, text] of changed) {
    const name = relative(cwd, file);
    if (isCheck) err(`${name} is not up to date: run the command without --check\n`);
    else {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
      out(`${name}\n`);
    }
  }
  const isUnknown = reportUnknown(contract, line.has('strict'), err);
  return (isCheck && changed.length > 0) || (line.has('strict') && isUnknown) ? EXIT.failed : EXIT.ok;
}

/** Lists schemas that callers see as `unknown`, and names that were changed. */
export function reportUnknown({ unknown, renamed }: ServiceContract, isStrict: boolean, err: Around['err']): boolean {
  const level = isStrict ? 'error' : 'warning';
  for (const { at, reason } of unknown) {
    err(
      `${level}: ${at} is unknown: ${reason}: use a schema that JSON Schema can express, such as z.iso.datetime() for dates\n`,
    );
  }
  for (const name of renamed) err(`warning: several schemas have the name ${name}: the others have a number\n`);
  return unknown.length > 0;
}

/** The contents of a file; `undefined` if it cannot be read. */
export function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

/** JSON for a file under version control. */
export const jsonText = (value: unknown) => `${JSON.stringify(value, undefined, 2)}\n`;
