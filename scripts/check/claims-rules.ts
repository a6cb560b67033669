/** A sentence of the specification, and the requirements that test it. */
export interface Claim {
  /** As requirements cite it: `Authentication 7`. */
  readonly section: string;
  readonly claim: string;
  readonly requirements?: readonly string[];
  /** The reason why no fixture can test it. */
  readonly untestable?: string;
}

/** The unchecked content of `requirements.d`. */
export type Requirements = ReadonlyMap<string, { readonly sentence?: unknown; readonly source?: unknown }>;

const SOURCES: readonly RegExp[] = [
  /^spec: \S/,
  /^ruling: \S/,
  /^RFC \d+(?: section [\d.]+)?$/,
  /^https:\/\/\S+$/,
  /^README: packages\/[a-z]+$/,
];

/**
 * Faults of the claims and the requirements: a claim that nothing pins; a requirement that does not exist, has no
 * usable source, or cites the specification without a claim that names it.
 *
 * @param hasPackage true if the workspace has this folder
 */
export function findUnpinned(
  claims: readonly Claim[],
  requirements: Requirements,
  hasPackage: (folder: string) => boolean,
): readonly string[] {
  const named = new Set(claims.flatMap((claim) => claim.requirements ?? []));
  return [
    ...claims.flatMap((claim) => problemsOf(claim, requirements)),
    ...[...requirements].flatMap(([id, { source }]) => sourceProblems(id, source, named, hasPackage)),
  ];
}

function problemsOf(claim: Claim, known: Requirements): readonly string[] {
  const { section, claim: text, requirements = [], untestable = '' } = claim;
  const place = `${section}: ${text}`;
  if (requirements.length === 0 && untestable.trim() === '') return [`${place}: no requirement pins it`];
  if (requirements.length > 0 && untestable !== '') return [`${place}: pinned and untestable at once`];
  return requirements.filter((id) => !known.has(id)).map((id) => `${place}: there is no requirement ${id}`);
}

function sourceProblems(
  id: string,
  source: unknown,
  named: ReadonlySet<string>,
  hasPackage: (folder: string) => boolean,
): readonly string[] {
  if (typeof source !== 'string' || source.trim() === '') return [`${id}: no source`];
  const parts = source.split('; ');
  const problems = parts
    .filter((part) => !SOURCES.some((form) => form.test(part)))
    .map((part) => `${id}: ${part} is no source`);
  const packages = parts.filter((part) => part.startsWith('README: ')).map((part) => part.slice('README: '.length));
  for (const folder of packages) if (!hasPackage(folder)) problems.push(`${id}: there is no ${folder}`);
  if (source.includes('spec: ') && !named.has(id))
    problems.push(`${id}: cites the specification, and no claim names it`);
  return problems;
}
