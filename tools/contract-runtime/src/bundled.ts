import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { bundleFunction, OPTIONAL_PARTS, type OptionalPart } from '@sallyport/bundle';
import type { ContractRuntime, Fixture } from '@sallyport/contract';
import { partsOf } from './parts.js';

/** Next to the packages that are not bundled. */
const CACHE = fileURLToPath(new URL('../node_modules/.cache/bundles/', import.meta.url));
const ENTRY = fileURLToPath(new URL('./bundle-entry.ts', import.meta.url));

/** A fixture that reads a file next to its sources. */
const NEEDS_FOLDER = ['manifest/opt-in-sources'];

/** The runtime as one bundle, and the fixtures that it must pass. */
export interface BundledRuntime {
  readonly createRuntime: () => Promise<ContractRuntime>;
  readonly selects: (fixture: Fixture) => boolean;
}

/**
 * Bundles the runtime without parts of the framework.
 *
 * @param names parts or their conditions, separated by commas; `none` for a bundle with all parts
 * @throws Error for an unknown part
 */
export function bundleRuntime(names: string): BundledRuntime {
  const parts = names === 'none' ? [] : names.split(',').map((name) => toPart(name.trim()));
  return {
    createRuntime: () => loadBundle(parts),
    selects: (fixture) => !NEEDS_FOLDER.includes(fixture.id) && !parts.some((part) => partsOf(fixture).has(part)),
  };
}

function toPart(name: string): OptionalPart {
  const part = OPTIONAL_PARTS.find((one) => name === one || name === `sallyport-no-${one}`);
  if (part === undefined)
    throw new Error(`--bundle: unknown part "${name}"; known are none, ${OPTIONAL_PARTS.join(', ')}`);
  return part;
}

async function loadBundle(parts: readonly OptionalPart[]): Promise<ContractRuntime> {
  mkdirSync(CACHE, { recursive: true });
  const outdir = mkdtempSync(join(CACHE, 'runtime-'));
  try {
    const { file } = bundleFunction({
      entry: ENTRY,
      outdir,
      format: 'esm',
      splitting: false,
      // Fixtures name the commands of AWS's clients by their classes.
      minify: false,
      conditions: ['@sallyport/source', ...parts.map((part) => `sallyport-no-${part}`)],
      external: ['aws-cdk-lib', 'aws-cdk-lib/*', 'constructs', 'esbuild'],
    });
    const { runtime } = (await import(pathToFileURL(file).href)) as { readonly runtime: ContractRuntime };
    // Loads what it imports later, before the folder is removed.
    return runtime;
  } finally {
    rmSync(outdir, { recursive: true, force: true });
  }
}
