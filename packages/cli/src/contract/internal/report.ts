import { resolve } from 'node:path';
import { type Allowed, type Finding, parseAllowed } from '@sallyport/contract/service';
import { readIfThere } from './files.js';
import { asUsage } from './service-contract.js';

/** A finding, with the contracts to which it applies. */
export interface Reported extends Finding {
  /** The files, revisions or stacks of the old contracts. */
  readonly against: readonly string[];
  /** The reason of `contract.allow.json`; absent if the finding is not allowed. */
  readonly allowed?: string;
}

/** The reasons of `contract.allow.json`; none if the file does not exist. @throws FrameworkError `cli.usage` */
export function readAllowed(cwd: string, file: string): Allowed {
  const text = readIfThere(resolve(cwd, file));
  return text === undefined ? new Map() : asUsage(() => parseAllowed(text, file));
}

/** One report of the findings of all contracts: breaking changes first. */
export function joinFindings(
  found: readonly { readonly place: string; readonly findings: readonly Finding[] }[],
  allowed: Allowed,
): readonly Reported[] {
  const byId = new Map<string, Reported>();
  for (const { place, findings } of found) {
    for (const finding of findings) {
      const reason = allowed.get(finding.id);
      const before = byId.get(finding.id)?.against ?? [];
      byId.set(finding.id, {
        ...finding,
        against: [...before, place],
        ...(reason !== undefined && { allowed: reason }),
      });
    }
  }
  const all = [...byId.values()];
  return [...all.filter(({ level }) => level === 'breaks'), ...all.filter(({ level }) => level === 'warns')];
}

/** The text of one finding: who, where, both sides, the way out. */
export function findingText(finding: Reported): string {
  const { id, level, who, at, path, change, old, remedy, against, allowed } = finding;
  const place = path === '' ? at : `${at}: ${path}`;
  const verdict = allowed === undefined ? level : `${level} (allowed: ${allowed})`;
  return `${verdict}  ${who}
  ${place}: ${change}
  before  ${old}
  now     ${finding.new}
  remedy  ${remedy}
  id      ${id}
  against ${against.join(', ')}
`;
}
