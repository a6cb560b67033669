import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../check/command.js';
import { type ErrorRow, readRows, renderRows } from './error-tables.js';
import { ERROR_TABLES } from './error-tables-data.js';

/** READMEs whose tables of errors are written by hand. */
const BY_HAND = ['packages/vectors/README.md', 'packages/testkit/README.md'] as const;

const CODE = /^`([a-z]+\.[a-z_]+)`$/;
const HEAD = `# Error codes

<!-- Made by \`npm run docs\` from the declarations of the codes and the READMEs of the packages. -->

Every code of every package, with the HTTP status that a client gets. A code without a status is for developers: it is thrown at
registration or start, or stays in the log. How to throw and catch them: [Errors](errors.md).

\`\`\`ts
import { FrameworkError } from '@sallyport/core';

export const isMissing = (error: unknown): boolean => error instanceof FrameworkError && error.code === 'app.not_found';
\`\`\`
`;
const END = `
## GraphQL and MCP

GraphQL has no status: the code stands in the [error object](graphql.md). Errors of the MCP protocol are the numbers of JSON-RPC; they stand in
the [README of mcp](../packages/mcp/README.md#errors).

## Safe by default, and what it costs on AWS

The text of an error that is no \`FrameworkError\` never reaches a client; it is answered \`500 app.internal\`. A refusal costs what its request costs:
API Gateway
[bills it](https://aws.amazon.com/api-gateway/pricing/), and Lambda [the time](https://docs.aws.amazon.com/whitepapers/latest/how-aws-pricing-works/lambda.html) until the answer. 401, 403 and 404 are answered before middleware and handlers run.
`;

/** The page of all codes: a section a package, codes of one package once each. */
export function renderErrorCodes(): string {
  const sections = [
    ...Object.entries(ERROR_TABLES).map(
      ([readme, tables]) => [readme, tables.flatMap((one) => readRows(one))] as const,
    ),
    ...BY_HAND.map((readme) => [readme, handWrittenRows(readFileSync(join(ROOT, readme), 'utf8'))] as const),
  ];
  return HEAD + sections.map(([readme, rows]) => renderSection(readme, rows)).join('') + END;
}

function renderSection(readme: string, rows: readonly ErrorRow[]): string {
  const name = /^packages\/([\w-]+)\//.exec(readme)?.[1] ?? readme;
  return `\n## ${name}\n\n${renderRows(rows)}\n`;
}

/** The rows under the heading of errors in which a cell is a code: the status where a cell holds one, and the last cell. */
export function handWrittenRows(text: string): ErrorRow[] {
  const [, section = ''] = text.split('\n## Errors\n');
  return section.split('\n').flatMap((line) => {
    const cells = line.split(/(?<!\\)\|/).map((cell) => cell.trim());
    const code = cells.map((cell) => CODE.exec(cell)?.[1]).find((found) => found !== undefined);
    if (!line.startsWith('|') || code === undefined) return [];
    const status = cells.find((cell) => /^\d{3}$/.test(cell)) ?? '';
    return [{ code, status, when: cells.at(-2) ?? '' }];
  });
}
