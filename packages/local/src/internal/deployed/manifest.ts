import { membersOf, stringOf } from '@sallyport/core/internal';
import { parseManifest } from '../../manifest/parse-manifest.js';
import type { DeployedDoor, DeployedFunction } from './deployed.js';

/**
 * Reads all functions of the constructs' manifest.
 *
 * @throws FrameworkError `local.usage` as {@link parseManifest}
 */
export function readManifestFunctions(manifest: Readonly<Record<string, unknown>>): readonly DeployedFunction[] {
  const functions = Array.isArray(manifest.functions) ? manifest.functions : [];
  // The only function of a manifest is returned for any entry.
  const readOne = (one: unknown) => parseManifest(JSON.stringify({ ...manifest, functions: [one] }), '');
  if (functions.length === 0) parseManifest(JSON.stringify(manifest), '');
  return functions.flatMap((value) => {
    const read = readOne(value);
    const { path, entry, handler, runtime, doors, functionName } = membersOf(value);
    if (!read) return [];
    return {
      ...read,
      name: stringOf(path) || stringOf(entry) || 'function',
      entries: typeof entry === 'string' ? [entry] : [],
      ...(typeof functionName === 'string' && { functionName }),
      ...(typeof handler === 'string' && { handler }),
      ...(typeof runtime === 'string' && { runtime }),
      doors: (Array.isArray(doors) ? doors : []).map(membersOf).map(
        ({ kind, routes }): DeployedDoor => ({
          kind: stringOf(kind),
          routes: (Array.isArray(routes) ? routes : []).map(String),
          // The constructs set it on every REST API.
          ...(kind === 'rest-api' && { binaryMediaTypes: ['*/*'] }),
        }),
      ),
    };
  });
}
