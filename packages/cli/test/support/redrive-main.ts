import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { writeProgram } from './aws-cli.js';

const MAIN = `
import { REDRIVE_COMMAND } from './command.js';
const write = (stream) => (text) => stream.write(text);
process.exitCode = await REDRIVE_COMMAND.run(process.argv.slice(2), {
  cwd: process.cwd(),
  environment: process.env,
  out: write(process.stdout),
  err: write(process.stderr),
  signal: new AbortController().signal,
});
`;

/** Writes `sallyport redrive` as a program into a file; `sallyport` itself loads commands from built packages. */
export async function writeRedrive(outfile: string): Promise<void> {
  await build({
    stdin: { contents: MAIN, resolveDir: fileURLToPath(new URL('../../src', import.meta.url)) },
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    conditions: ['@sallyport/source'],
    external: ['@aws-sdk/*'],
    logLevel: 'silent',
  });
}

/** Writes a program `npx` into `bin`, for lines of a runbook such as `npx sallyport redrive`. */
export async function writeRedriveAsNpx(folder: string): Promise<void> {
  await writeRedrive(join(folder, 'redrive.mjs'));
  writeProgram(folder, 'npx', `#!/bin/sh\ncd '${folder}' && shift 2 && exec '${process.execPath}' redrive.mjs "$@"\n`);
}
