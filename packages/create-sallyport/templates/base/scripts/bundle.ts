import { build } from 'esbuild';

/** CommonJS packages call `require`, which ES modules do not have. */
const BANNER =
  "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);";

/**
 * Bundles the function into a self-contained folder: `index.mjs`, and separate files for code that is loaded on first use (`import()`), which a
 * cold start does not read. Deploy all of them.
 *
 * Modules that such a file shares with the function run before the function's other modules. If another module must run first, set `splitting: false`.
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
    target: 'node24',
    minify: true,
    sourcemap: 'linked',
    sourcesContent: false,
    banner: { js: BANNER },
    // Prefers ES modules: a CommonJS package loses its named exports in `import()`.
    mainFields: ['module', 'main'],
    conditions: ['module'],
  });
}
