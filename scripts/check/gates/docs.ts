import { ROOT } from '../command.js';
import { readPublicMembers } from '../docs.js';
import { WITH_EXAMPLE } from '../docs-policy.js';
import type { Gate } from '../gate.js';
import { judgeBudget, UNDOCUMENTED, WITHOUT_EXAMPLE } from '../house-budgets.js';

/** Places that a finding shows. */
const SHOWN = 12;

export const docsGate: Gate = {
  name: 'docs',
  demands: 'every exported thing, member and option has TSDoc; what is typed every day has an example',
  async run() {
    const members = readPublicMembers(ROOT);
    const undocumented = members.filter((member) => !member.isDocumented);
    const ofPackage = (name: string) => undocumented.filter(({ place }) => place.startsWith(`packages/${name}/`));
    const missing = WITH_EXAMPLE.filter((name) => !members.some((member) => member.name === name && member.hasExample));
    const unbudgeted = undocumented.filter(({ place }) => !((place.split('/')[1] ?? '') in UNDOCUMENTED));
    return [
      ...Object.entries(UNDOCUMENTED).flatMap(([name, budget]) =>
        judgeBudget(`public members of ${name} without TSDoc`, ofPackage(name).length, budget).map((finding) =>
          [
            finding,
            ...ofPackage(name)
              .slice(0, SHOWN)
              .map((member) => `  ${member.place} ${member.name}`),
          ].join('\n'),
        ),
      ),
      ...unbudgeted.map(({ place, name }) => `${place} ${name} has no TSDoc`),
      ...judgeBudget(`without @example: ${missing.join(', ')}`, missing.length, WITHOUT_EXAMPLE),
    ];
  },
};
