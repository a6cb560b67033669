import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packAll } from '../../release/archives.js';
import { generate, runOffline, unpack } from '../../release/generated.js';
import { findMissingBuild } from '../built.js';
import { findingsOf, ROOT } from '../command.js';
import type { Gate } from '../gate.js';

/** The template that contains all others; `npm run test:create` runs every template on every Node. */
const FLAGS = ['--template', 'full', '--package-manager', 'npm'];

export const generatedGate: Gate = {
  name: 'generated',
  demands: 'a project made by create-sallyport from the archives passes its own check, without a network',
  after: ['build'],
  async run() {
    const missing = findMissingBuild(ROOT, 'generated');
    if (missing.length > 0) return missing;
    const place = mkdtempSync(join(tmpdir(), 'sallyport-generated-'));
    try {
      const archives = join(place, 'unpacked');
      await unpack(await packAll(join(place, 'packed')), archives);
      return findingsOf(await runOffline(await generate(archives, place, FLAGS), 'npm run check'));
    } finally {
      rmSync(place, { recursive: true, force: true });
    }
  },
};
