import { resolve } from 'node:path';
import type { Finding } from '@sallyport/contract/service';
import { isObject, membersOf } from '@sallyport/core/internal';
import { invalidUsage } from '../../internal/errors.js';
import { readJsonIfThere } from '../../internal/template.js';
import { readIfThere } from './files.js';

/** A finding, with the contracts to which it applies. */
export interface Reported extends Finding {
  /** The files, revisions or stacks of the old contracts. */
  readonly against: readonly string[];
  /** The reason of `contract.allow.json`; absent if the finding is not allowed. */
  readonly allowed?: string;
}

/** Reasons by the id of the finding. */
export type Allowed = ReadonlyMap<string, string>;

/**
 * Reads `contract.allow.json`: `{ "POST /notes body.title required-added": "all clients send it since March" }`.
 *
 * @throws FrameworkError `cli.usage` for a file that is not an object of reasons
 */
export function readAllowed(cwd: string, file: string): Allowed {
  const path = resolve(cwd, file);
  if (readIfThere(path) === undefined) return new Map();
  const document = readJsonIfThere(path);
  const entries = Object.entries(membersOf(document));
  const wrong = entries.find(([, reason]) => typeof reason !== 'string' || reason.trim() === '');
  if (!isObject(document) || wrong)
    throw invalidUsage(`${file} must be an object with a reason for each id of a finding`);
  return new Map(entries as [string, string][]);
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
