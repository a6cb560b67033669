import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { judgeAnatomy, readSources } from '../anatomy.js';
import { ROOT, run } from '../command.js';
import type { Gate } from '../gate.js';
import { FILES, judgeBudget } from '../house-budgets.js';

export const anatomyGate: Gate = {
  name: 'anatomy',
  demands: 'entries are barrels, what no entry exports is internal, no circles of imports, and files are topics',
  async run() {
    const { stdout } = await run('git', ['ls-files', '-co', '--exclude-standard', '--', 'packages/*/src/*.ts']);
    const tracked = stdout.split('\n').filter((file) => existsSync(join(ROOT, file)));
    return readSources(ROOT, tracked).flatMap((source) => {
      const files = FILES[source.name];
      return [
        ...judgeAnatomy(source).map((finding) => `${source.name}: ${finding}`),
        ...(files
          ? judgeBudget(`files of ${source.name}`, source.files.size, files)
          : [`${source.name} has no line in FILES (house-budgets.ts)`]),
      ];
    });
  },
};
