/** The last heading of each page of docs/ except the list of pages. */
const HEADING = '## Safe by default, and what it costs on AWS';

const COSTS = /\b(?:bill(?:s|ed)?|pay|paid|costs?|charged?|write units?)\b/i;
/** Valid sources of a statement about costs: AWS, our measured figures, or the page that has the sources for all deployments. */
const SOURCE =
  /\]\((?:https:\/\/(?:docs\.)?aws\.amazon\.com\/[^)\s]+|[^)\s]*README\.md#cost|deploy-sam\.md#safe-by-default[^)\s]*)\)/;

/** Faults of a page: a missing statement about safe defaults or costs, or a missing source for a statement about AWS. */
export function findPageFaults(text: string): readonly string[] {
  const [, section, ...more] = text.split(`\n${HEADING}\n`);
  if (section === undefined || more.length > 0) return [`needs the section "${HEADING.slice(3)}" once`];
  const sentences = section
    .replaceAll(/\]\([^)]*\)/g, ']')
    .split(/[.:;]\s/)
    .filter((one) => one.trim() !== '');
  return [
    ...(sentences.some((one) => !COSTS.test(one)) ? [] : ['does not say what is safe by default']),
    ...(sentences.some((one) => COSTS.test(one)) ? [] : ['does not say what it costs on AWS']),
    ...(SOURCE.test(section) ? [] : ['has no source for what it costs: a page of AWS, or measured costs of a README']),
  ];
}

const INTERNAL = /@sallyport\/[a-z]+\/internal\b/g;

/** Mentions of an internal entry, which only packages of the workspace import. */
export function findInternalMentions(text: string): readonly string[] {
  return [...text.matchAll(INTERNAL)].map(
    ({ 0: entry, index }) =>
      `${text.slice(0, index).split('\n').length}: ${entry} is internal; use a public entry, or move the name to one`,
  );
}
