import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Claim, findUnpinned } from '../claims-rules.js';
import { ROOT } from '../command.js';
import type { Gate } from '../gate.js';

const FIXTURES = join(ROOT, 'contract-fixtures');

export const claimsGate: Gate = {
  name: 'claims',
  demands: 'every claim of the specification has a requirement, every requirement a source',
  async run() {
    const claims = readJson(join(FIXTURES, 'claims.json')) as readonly Claim[];
    const folder = join(FIXTURES, 'requirements.d');
    const files = readdirSync(folder).sort();
    const requirements = new Map(files.flatMap((file) => Object.entries(readJson(join(folder, file)) as object)));
    return findUnpinned(claims, requirements, (name) => existsSync(join(ROOT, name, 'README.md')));
  },
};

function readJson(file: string): unknown {
  return JSON.parse(readFileSync(file, 'utf8'));
}
