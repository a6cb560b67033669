interface Rule {
  readonly name: string;
  readonly pattern: RegExp;
}

/** Data of one machine or one developer, which must not be in a file of the repository. */
const RULES: readonly Rule[] = [
  { name: 'machine path', pattern: /(?<![\w.{}/-])\/(?:home|Users)\/[a-z_][\w.-]*\/|\b[A-Z]:\\Users\\/g },
  { name: 'registry address', pattern: /https?:\/\/[\w.-]*(?:registry|artifactory|nexus|verdaccio)[\w.-]*[:/]/g },
  { name: 'registry credential', pattern: /_authToken\s*=|\/\/[^\s/]+\/:_(?:password|auth)\b/g },
  { name: 'access key', pattern: /\b(?:AKIA|ASIA)(?![A-Z0-9]*(?:EXAMPLE|TEST))[A-Z0-9]{16}\b/g },
  { name: 'private key', pattern: /-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----(?:\\n|\s)*[\w+/=]{20}/g },
  { name: 'token', pattern: /\b(?:gh[pousr]_|npm_)[A-Za-z0-9]{36}\b|\bgithub_pat_\w{60,}|\bxox[abpr]-\d+-\w{10,}/g },
];

/** The archive address that pnpm records when a package did not come from the registry's usual place. */
const LOCK_RULE: Rule = { name: 'archive address', pattern: /\btarball:/g };

/**
 * Findings of one text file, each with line and rule, never with the text itself.
 *
 * @param machinePaths paths of this machine that must not appear: the working copy's, the home directory's
 */
export function findForeignTexts(file: string, text: string, machinePaths: readonly string[]): readonly string[] {
  const rules = file.endsWith('pnpm-lock.yaml') ? [...RULES, LOCK_RULE] : RULES;
  const findings = rules.flatMap(({ name, pattern }) =>
    [...text.matchAll(pattern)].map((match) => `${file}:${lineAt(text, match.index)}: ${name}`),
  );
  // A path of one part (`/root`, `/app`) is an ordinary word in routes and documents.
  for (const path of machinePaths.filter((candidate) => candidate.split('/').length > 2)) {
    const index = text.indexOf(path);
    if (index >= 0) findings.push(`${file}:${lineAt(text, index)}: machine path`);
  }
  return [...new Set(findings)];
}

function lineAt(text: string, index: number): number {
  return text.slice(0, index).split('\n').length;
}
