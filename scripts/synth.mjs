// `node scripts/synth.mjs [file]` in the folder of an example: bundles its infrastructure code, by default infra/app.ts, and runs the
// bundle. The sources of the workspace are some hundred files: compiled separately they take longer than the synthesis.
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const [entry = 'infra/app.ts'] = process.argv.slice(2);
const { build } = createRequire(resolve('package.json'))('esbuild');
// In the example's folder, so that its packages are found.
const folder = resolve('node_modules/.cache/synth');
const outfile = join(folder, `${process.pid}.mjs`);
mkdirSync(folder, { recursive: true });
/** The file finds programs next to its package, which it does not run from the bundle. */
const ownPlace = {
  name: 'own-place',
  setup({ onLoad }) {
    onLoad({ filter: /bundle[\\/]src[\\/]cache[\\/]internal[\\/]run-maker\.ts$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8').replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href)),
      loader: 'ts',
    }));
  },
};
await build({
  entryPoints: [entry],
  outfile,
  bundle: true,
  platform: 'node',
  format: 'esm',
  conditions: ['@sallyport/source'],
  external: ['aws-cdk-lib', 'cdk-nag', 'constructs', 'esbuild', '@aws-sdk/*'],
  logLevel: 'error',
  plugins: [ownPlace],
});
try {
  await import(pathToFileURL(outfile).href);
} finally {
  rmSync(outfile);
}
