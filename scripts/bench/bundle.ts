import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

export const HERE = fileURLToPath(new URL('.', import.meta.url));
const OUT = join(HERE, 'node_modules', '.cache', 'bundles');

/** CommonJS code inside of an ESM bundle needs `require`. */
const REQUIRE = "import{createRequire as __cr}from'node:module';const require=__cr(import.meta.url);";

/** Parts that a deployment would not carry: clients that the Lambda runtime brings, optional peers that nobody uses. */
const EXTERNAL = ['@aws-sdk/*', '@smithy/*', '@aws/durable-execution-sdk-js', '@aws-lambda-powertools/tracer'];

export interface Bundle {
  readonly file: string;
  readonly bytes: number;
  readonly gzipBytes: number;
  /** Bytes that each source file adds to the bundle. */
  readonly parts: ReadonlyMap<string, number>;
}

/** Bundles a TypeScript module as it would be deployed: one minified ESM file for the lowest Node that we support. */
export async function bundle(source: string): Promise<Bundle> {
  mkdirSync(OUT, { recursive: true });
  const file = join(OUT, source.replaceAll('/', '-').replace(/^-/, '').replace(/\.ts$/, '.mjs'));
  const { metafile } = await build({
    absWorkingDir: HERE,
    entryPoints: [source],
    outfile: file,
    bundle: true,
    minify: true,
    metafile: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    mainFields: ['module', 'main'],
    conditions: ['@sallyport/source'],
    define: { 'process.env.NODE_ENV': '"production"' },
    banner: needsRequire(source) ? { js: REQUIRE } : {},
    external: EXTERNAL,
    logLevel: 'silent',
  });
  const code = readFileSync(file);
  const [output] = Object.values(metafile.outputs);
  const parts = Object.entries(output?.inputs ?? {}).map(([path, { bytesInOutput }]): [string, number] => [
    path,
    bytesInOutput,
  ]);
  return { file, bytes: code.length, gzipBytes: gzipSync(code, { level: 9 }).length, parts: new Map(parts) };
}

/** The bundle, or why there is none: one peer that does not build never hides the others. */
export async function tryBundle(source: string): Promise<Bundle | { readonly problem: string }> {
  try {
    return await bundle(source);
  } catch (error) {
    return { problem: (error as Error).message };
  }
}

/** Our own packages are ESM through and through. */
function needsRequire(source: string): boolean {
  return /^(?:peers|cold)\//.test(source) && !/\/(?:ours|bare|empty|start)/.test(source);
}
