import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

export const HERE = fileURLToPath(new URL('.', import.meta.url));
const OUT = join(HERE, 'node_modules', '.cache', 'bundles');

/** CommonJS code inside of an ESM bundle needs `require`. */
const REQUIRE = "import{createRequire as __cr}from'node:module';const require=__cr(import.meta.url);";

/** Parts of peers that a deployment would not carry: clients that the Lambda runtime brings, optional peers not used. */
const EXTERNAL = ['@aws-sdk/*', '@smithy/*', '@aws/durable-execution-sdk-js', '@aws-lambda-powertools/tracer'];

/**
 * Bundles a TypeScript module as it would be deployed: one minified ESM file for the lowest Node that we support.
 *
 * @returns path of the file
 */
export async function bundle(source: string): Promise<string> {
  mkdirSync(OUT, { recursive: true });
  const outfile = join(OUT, source.replaceAll('/', '-').replace(/\.ts$/, '.mjs'));
  await build({
    entryPoints: [join(HERE, source)],
    outfile,
    bundle: true,
    minify: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    mainFields: ['module', 'main'],
    conditions: ['@sallyport/source'],
    define: { 'process.env.NODE_ENV': '"production"' },
    banner: { js: REQUIRE },
    external: EXTERNAL,
    logLevel: 'error',
  });
  return outfile;
}
