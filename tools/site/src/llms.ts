import { EXAMPLES, GUIDE, PACKAGES, type SiteLink } from './pages.js';

/** The pages of the site for machines, one a line with its sentence (https://llmstxt.org). */
export function renderLlms(): string {
  return `# Sallyport

> A TypeScript framework for AWS Lambda: one guarded entrypoint for every trigger. Begin with "For coding assistants".

## Guide

${listOf(GUIDE)}

## Packages

${listOf(PACKAGES)}

## Examples

${listOf(EXAMPLES)}
`;
}

function listOf(links: readonly SiteLink[]): string {
  return links.map(({ text, link, answers }) => `- [${text}](${link}.html): ${answers}`).join('\n');
}
