import { join } from 'node:path';
import { ROOT, run } from '../command.js';
import type { Gate } from '../gate.js';
import { GET_PATH, judgeBudget } from '../house-budgets.js';

/** The output of `get-path.ts`. */
interface GetPath {
  readonly functions: readonly { readonly file: string; readonly name: string }[];
  readonly files: readonly string[];
}

export const pathGate: Gate = {
  name: 'path',
  demands: 'one authenticated GET passes few functions in few files',
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
    ];
  },
};
