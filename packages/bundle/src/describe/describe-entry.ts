import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { bundleFunction } from '../bundle/bundle-function.js';
import { inspectBundle } from '../cache/internal/make-caches.js';
import { bundleError } from '../errors.js';

/** The function that {@link describeEntry} describes. */
export interface EntryToDescribe {
  /** The file that exports the handler. */
  readonly entry: string;
  /** The name of the exported handler. Default `handler`. */
  readonly handler?: string;
  /** Export conditions of packages, as in esbuild. Default none. */
  readonly conditions?: readonly string[];
  /** Variables that the file reads while it is loaded; others have a placeholder. Default none. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** The registrations of a function with their schemas, for `toContract` of `@sallyport/contract/service`. */
export interface DescribedEntry {
  /** The lines of `app.routes()`, with schemas. */
  readonly routes: readonly object[];
  /** The lines of `app.triggers()`, with schemas. */
  readonly triggers: readonly object[];
  /** The schemas of messages to WebSocket clients. */
  readonly sends: object;
}

/** Seconds for loading the file. */
const LIMIT_SECONDS = 30;

/**
 * Bundles a file, loads it in a separate process without credentials and without network, and describes its registrations.
 *
 * @throws FrameworkError `bundle.failed` if the file does not compile, does not load, or exports no handler of a container
 */
export function describeEntry(described: EntryToDescribe): DescribedEntry {
  const { entry, handler = 'handler', conditions = [], environment = {} } = described;
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-contract-'));
  try {
    const { file } = bundleFunction({
      entry,
      outdir: folder,
      conditions,
      minify: false,
      splitting: false,
      format: 'esm',
    });
    const loading = { handler, environment, timeout: LIMIT_SECONDS, placeholders: 'missing', describes: true } as const;
    const { error, contract } = inspectBundle(folder, basename(file), loading);
    if (error !== undefined) throw bundleError('bundle.failed', `${entry} does not load: ${error}`);
    if (!contract)
      throw bundleError('bundle.failed', `the export "${handler}" of ${entry} is not a handler of a container`);
    return contract as DescribedEntry;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
