import { ROOT } from '../command.js';
import { readPublicMembers } from '../docs.js';
import { WITH_EXAMPLE } from '../docs-policy.js';
import type { Gate } from '../gate.js';

export const docsGate: Gate = {
  name: 'docs',
  demands: 'every exported name, member and option has TSDoc; the most used ones have an example',
  async run() {
    const members = readPublicMembers(ROOT);
    const undocumented = members.filter((member) => !member.isDocumented);
    const missing = WITH_EXAMPLE.filter((name) => !members.some((member) => member.name === name && member.hasExample));
    return [
      ...undocumented.map(({ place, name }) => `${place} ${name} has no TSDoc`),
      ...missing.map((name) => `${name} has no @example`),
    ];
  },
};
