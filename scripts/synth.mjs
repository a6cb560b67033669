// `node scripts/synth.mjs [file]` in the folder of an example: bundles its infrastructure code, by default infra/app.ts, and runs the
// bundle. The sources of the workspace are some hundred files: compiled separately they take longer than the synthesis.
import { mkdirSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const [entry = 'infra/app.ts'] = process.argv.slice(2);
const { buildSync } = createRequire(resolve('package.json'))('esbuild');
// In the example's folder, so that its packages are found.
const folder = resolve('node_modules/.cache/synth');
const outfile = join(folder, `${process.pid}.mjs`);
mkdirSync(folder, { recursive: true });
buildSync({
  entryPoints: [entry],
  outfile,
  bundle: true,
  platform: 'node',
  format: 'esm',
  conditions: ['@sallyport/source'],
  external: ['aws-cdk-lib', 'cdk-nag', 'constructs', 'esbuild', '@aws-sdk/*'],
  logLevel: 'error',
});
try {
  await import(pathToFileURL(outfile).href);
} finally {
  rmSync(outfile);
}
