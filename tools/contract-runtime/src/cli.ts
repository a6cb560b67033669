import { runCli } from '@sallyport/contract';
import { FIXTURES } from './folder.js';
import { TOOL_FUNCTIONS } from './functions/tools.js';
import { createTypeScriptRuntime } from './runtime.js';
import { validate } from './validate.js';

/** `npm run contract`: resolves to the exit status. */
export function runContractCli(args: readonly string[]): Promise<number> {
  return runCli(args, {
    folder: FIXTURES,
    validate,
    createRuntime: async () => createTypeScriptRuntime(TOOL_FUNCTIONS),
    write: (line) => process.stdout.write(`${line}\n`),
  });
}
