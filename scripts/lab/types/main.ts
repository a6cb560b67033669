// Measures the compile time of typed routes: `npm run bench:types`. Fails when one of our routes exceeds the budget.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { APPLICATIONS, type Application } from './applications.js';

const ROUTES = 200;
/** Instantiations per route. */
const BUDGET = 1_000;

const root = join(import.meta.dirname, '..', '..', '..');
const OPTIONS = {
  extends: join(root, 'tsconfig.base.json'),
  compilerOptions: { composite: false, declaration: false, declarationMap: false, noEmit: true },
  files: ['application.ts'],
};

interface Cost {
  readonly instantiations: number;
  readonly checkSeconds: number;
}

/** @throws Error with the compiler's output, if it rejects the application */
function costOf(folder: string, application: Application, routes: number): Cost {
  writeFileSync(join(folder, 'application.ts'), application(routes));
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(OPTIONS));
  const args = ['-p', folder, '--extendedDiagnostics', '--pretty', 'false'];
  const { stdout, status } = spawnSync(join(root, 'node_modules', '.bin', 'tsc'), args, { encoding: 'utf8' });
  const read = (name: string) => Number(new RegExp(`^${name}:\\s+([\\d.]+)`, 'm').exec(stdout)?.[1]);
  if (status !== 0) throw new Error(stdout.split('\n', 1)[0]);
  return { instantiations: read('Instantiations'), checkSeconds: read('Check time') };
}

/** Inside this package, where the imports of the applications are installed. */
const cache = join(root, 'scripts', 'bench', 'node_modules', '.cache');
mkdirSync(cache, { recursive: true });
const folder = mkdtempSync(join(cache, 'types-'));
try {
  process.stdout.write(
    `| ${ROUTES} routes | instantiations a route | all | check time, no route | with them |\n|---|---|---|---|---|\n`,
  );
  for (const [name, application] of Object.entries(APPLICATIONS)) {
    const none = costOf(folder, application, 0);
    const all = costOf(folder, application, ROUTES);
    const each = Math.round((all.instantiations - none.instantiations) / ROUTES);
    const seconds = `${none.checkSeconds} s | ${all.checkSeconds} s`;
    process.stdout.write(`| ${name} | ${each} | ${all.instantiations} | ${seconds} |\n`);
    if (name.startsWith('ours') && each > BUDGET) {
      process.stderr.write(`a route of ours takes ${each} instantiations; the budget is ${BUDGET}\n`);
      process.exitCode = 1;
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
