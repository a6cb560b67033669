import { build } from 'esbuild';

/** Bundles the function into one file that needs nothing beside it. */
export async function bundle(outfile: string): Promise<void> {
  await build({
    entryPoints: ['src/lambda.ts'],
    outfile,
    bundle: true,
    minify: true,
    sourcemap: true,
    platform: 'node',
    format: 'esm',
    // CommonJS files of packages would need `require`, which a module does not have.
    mainFields: ['module', 'main'],
    target: 'node20',
  });
}
