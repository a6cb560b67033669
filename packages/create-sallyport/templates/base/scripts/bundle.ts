import { build } from 'esbuild';

/** CommonJS packages call `require`, which a module does not have alone. */
const BANNER =
  "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);";

/**
 * Bundles the function into a folder that needs nothing next to it: `index.mjs`, and files for what loads with its first use (`import()`), so that a
 * cold start does not read it. All of them are deployed.
 *
 * What such a file shares with the function runs before the modules of the function. Where one of these must run first, set `splitting: false`.
 */
export async function bundle(outdir: string): Promise<void> {
  await build({
    entryPoints: { index: 'src/lambda.ts' },
    outdir,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    minify: true,
    sourcemap: 'linked',
    sourcesContent: false,
    banner: { js: BANNER },
    // ES modules where a package has both: a CommonJS package loses its named exports in `import()`.
    mainFields: ['module', 'main'],
    conditions: ['module'],
  });
}
