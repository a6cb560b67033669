import { join } from 'node:path';
import { ROOT, run } from '../command.js';
import type { Gate } from '../gate.js';
import { GET_PATH, judgeBudget, MCP_PATHS } from '../house-budgets.js';
import type { PassedFunctions } from '../passed-functions.js';

/** The output of `get-path.ts`. */
interface GetPath {
  readonly functions: readonly { readonly file: string; readonly name: string }[];
  readonly files: readonly string[];
}

export const pathGate: Gate = {
  name: 'path',
  demands: 'one authenticated GET, and one MCP call, pass few functions in few files',
  async run(note) {
    const program = join(ROOT, 'scripts', 'check', 'get-path.ts');
    const { status, stdout, output } = await run(process.execPath, [
      '--conditions=@sallyport/source',
      '--import',
      'tsx',
      program,
    ]);
    if (status !== 0) return [output];
    const { functions, files } = JSON.parse(stdout) as GetPath;
    note(`one GET passes ${functions.length} functions in ${files.length} files`);
    return [
      ...judgeBudget('functions on the path of one GET', functions.length, GET_PATH.functions),
      ...judgeBudget('files on the path of one GET', files.length, GET_PATH.files),
      ...(await judgeMcpPaths(note)),
    ];
  },
};

/** The paths of MCP calls, by the output of `mcp-path.ts`. */
async function judgeMcpPaths(note: (text: string) => void): Promise<readonly string[]> {
  const program = join(ROOT, 'scripts', 'check', 'mcp-path.ts');
  const { status, stdout, output } = await run(process.execPath, [
    '--conditions=@sallyport/source',
    '--import',
    'tsx',
    program,
  ]);
  if (status !== 0) return [output];
  const passed = JSON.parse(stdout) as Readonly<Record<keyof typeof MCP_PATHS, PassedFunctions>>;
  return (['call', 'elicitation'] as const).flatMap((scenario) => {
    const { functions, files } = passed[scenario];
    const budget = MCP_PATHS[scenario];
    note(`one MCP ${scenario} passes ${functions.length} functions in ${files.length} files`);
    return [
      ...judgeBudget(`functions on the path of one MCP ${scenario}`, functions.length, budget.functions),
      ...judgeBudget(`files on the path of one MCP ${scenario}`, files.length, budget.files),
    ];
  });
}
