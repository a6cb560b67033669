import { fileURLToPath } from 'node:url';
import { runCli } from '@sallyport/contract';
import { createTypeScriptRuntime } from './runtime.js';
import { validate } from './validate.js';

/** The folder of the fixtures. */
export const FIXTURES = fileURLToPath(new URL('../../../contract-fixtures', import.meta.url));

/** `npm run contract`: resolves to the exit status. */
export function runContractCli(args: readonly string[]): Promise<number> {
  return runCli(args, {
    folder: FIXTURES,
    validate,
    createRuntime: async () => createTypeScriptRuntime(),
    write: (line) => process.stdout.write(`${line}\n`),
  });
}
