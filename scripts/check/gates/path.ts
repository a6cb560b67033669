import { join } from 'node:path';
import { ROOT, run } from '../command.js';
import type { Gate } from '../gate.js';
import { judgeBudget, PATHS } from '../house-budgets.js';
import type { PassedFunctions } from '../passed-functions.js';

const NAMES = { get: 'authenticated GET', call: 'MCP call', elicitation: 'MCP elicitation' } as const;

export const pathGate: Gate = {
  name: 'path',
  demands: 'one authenticated GET, and one MCP call, pass few functions in few files',
  async run(note) {
    const program = join(ROOT, 'scripts', 'check', 'paths.ts');
    const { status, stdout, output } = await run(process.execPath, [
      '--conditions=@sallyport/source',
      '--import',
      'tsx',
      program,
    ]);
    if (status !== 0) return [output];
    const passed = JSON.parse(stdout) as Readonly<Record<keyof typeof PATHS, PassedFunctions>>;
    return (['get', 'call', 'elicitation'] as const).flatMap((scenario) => {
      const { functions, files } = passed[scenario];
      note(`one ${NAMES[scenario]} passes ${functions.length} functions in ${files.length} files`);
      return [
        ...judgeBudget(`functions on the path of one ${NAMES[scenario]}`, functions.length, PATHS[scenario].functions),
        ...judgeBudget(`files on the path of one ${NAMES[scenario]}`, files.length, PATHS[scenario].files),
      ];
    });
  },
};
