import { join } from 'node:path';
import { findMissingFiles } from '../release/fresh.mjs';
import { readWorkspace } from './workspace.js';

/** The finding of a gate that reads the build if a published package is not built; it names the gate that builds. */
export function findMissingBuild(root: string, gate: string): readonly string[] {
  const unbuilt = readWorkspace(root, ['packages']).filter(
    ({ folder, manifest }) => manifest.private !== true && findMissingFiles(join(root, folder), manifest).length > 0,
  );
  if (unbuilt.length === 0) return [];
  const [first, ...more] = unbuilt.map(({ manifest }) => manifest.name);
  const names = more.length > 0 ? `${first} and ${more.length} more` : first;
  return [`not built: ${names}; run the gate \`build\` first: npm run check -- build ${gate}`];
}
