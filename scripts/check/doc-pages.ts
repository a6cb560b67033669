/** What each page of docs/ but the list of pages ends with. */
const HEADING = '## Safe by default, and what it costs on AWS';

const COSTS = /\b(?:bill(?:s|ed)?|pay|paid|costs?|charged?|write units?)\b/i;
/** Where a statement about costs may come from: AWS, measured figures of ours, or the page that has the sources for all deployments. */
const SOURCE =
  /\]\((?:https:\/\/(?:docs\.)?aws\.amazon\.com\/[^)\s]+|[^)\s]*README\.md#cost|deploy-sam\.md#safe-by-default[^)\s]*)\)/;

/** What is wrong with a page: nothing of what is safe by default, nothing of what it costs, or no source for what is said of AWS. */
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
