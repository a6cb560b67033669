import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, run } from '../command.js';
import { REASONS } from '../copies-policy.js';
import { findCopyChecks, judgeCopyChecks } from '../copies-rules.js';
import type { Gate } from '../gate.js';

export const copiesGate: Gate = {
  name: 'copies',
  demands:
    'no class, registry or symbol of one copy decides about values of another; the contract holds with two copies',
  async run(note) {
    const { stdout } = await run('git', [
      'ls-files',
      '-co',
      '--exclude-standard',
      '--',
      'packages/*/src/*.ts',
      ':!packages/*/test',
    ]);
    const files = stdout
      .split('\n')
      .filter((file) => /^packages\/[^/]+\/src\//.test(file) && existsSync(join(ROOT, file)));
    const findings = findCopyChecks(new Map(files.map((file) => [file, readFileSync(join(ROOT, file), 'utf8')])));
    note(`${findings.length} places of one copy in ${files.length} files, each with its reason`);
    const contract = await run(process.execPath, [
      ...['--conditions=@sallyport/source', '--import', 'tsx', 'scripts/two-copies.ts'],
    ]);
    for (const [line] of contract.stdout.matchAll(/^\d+ equal, \d+ rejected/gm))
      note(`contract with two copies: ${line}`);
    const failed = contract.status === 0 ? [] : contract.stdout.split('\n').filter((line) => line.startsWith('FAIL'));
    return [
      ...judgeCopyChecks(findings, REASONS),
      ...(contract.status === 0 ? [] : ['the contract with two copies', ...failed]),
    ];
  },
};
