import { membersOf, stringOf } from '@sallyport/core/internal';
import { parseManifest } from '../../manifest/parse-manifest.js';
import type { DeployedFunction } from './deployed.js';
import { manifestDoors } from './manifest-doors.js';

/**
 * Reads all functions of the constructs' manifest.
 *
 * @throws FrameworkError `local.usage` as {@link parseManifest}, and for a setting of a door that has another type
 */
export function readManifestFunctions(manifest: Readonly<Record<string, unknown>>): readonly DeployedFunction[] {
  const functions = Array.isArray(manifest.functions) ? manifest.functions : [];
  // The only function of a manifest is returned for any entry.
  const readOne = (one: unknown) => parseManifest(JSON.stringify({ ...manifest, functions: [one] }), '');
  if (functions.length === 0) parseManifest(JSON.stringify(manifest), '');
  return functions.flatMap((value, index) => {
    const read = readOne(value);
    const { path, entry, handler, runtime, doors, functionName, durableSeconds } = membersOf(value);
    if (!read) return [];
    return {
      ...read,
      name: stringOf(path) || stringOf(entry) || 'function',
      entries: typeof entry === 'string' ? [entry] : [],
      ...(typeof functionName === 'string' && { functionName }),
      ...(typeof handler === 'string' && { handler }),
      ...(typeof runtime === 'string' && { runtime }),
      ...(typeof durableSeconds === 'number' && { durableSeconds }),
      doors: manifestDoors(doors, `functions[${index}]`),
    };
  });
}
