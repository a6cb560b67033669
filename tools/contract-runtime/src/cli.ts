import { CONTRACT_EXIT, runCli } from '@sallyport/contract';
import { bundleRuntime } from './bundled.js';
import { FIXTURES } from './folder.js';
import { TOOL_FUNCTIONS } from './functions/tools.js';
import { createTypeScriptRuntime } from './runtime.js';
import { validate } from './validate.js';

/** `npm run contract`: resolves to the exit status. `--bundle <parts>` tests a bundle without these parts. */
export async function runContractCli(args: readonly string[]): Promise<number> {
  const write = (line: string) => process.stdout.write(`${line}\n`);
  const { names, rest } = takeBundle(args);
  try {
    return await runCli(rest, {
      folder: FIXTURES,
      validate,
      createRuntime: async () => createTypeScriptRuntime(TOOL_FUNCTIONS),
      write,
      ...(names !== undefined && bundleRuntime(names)),
    });
  } catch (error) {
    if (names === undefined) throw error;
    write(error instanceof Error ? error.message : String(error));
    return CONTRACT_EXIT.invalid;
  }
}

/** The flag of this program alone. */
function takeBundle(args: readonly string[]): { readonly names: string | undefined; readonly rest: readonly string[] } {
  const at = args.findIndex((arg) => arg === '--bundle' || arg.startsWith('--bundle='));
  if (at < 0) return { names: undefined, rest: args };
  const isJoined = args[at] !== '--bundle';
  const names = isJoined ? args[at]?.slice('--bundle='.length) : args[at + 1];
  return { names: names ?? '', rest: args.toSpliced(at, isJoined ? 1 : 2) };
}
