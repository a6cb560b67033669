import { type ErrorRow, readRows, renderRows } from './error-tables.js';
import { ERROR_TABLES } from './error-tables-data.js';

const HEAD = `# Error codes

<!-- Made by \`npm run docs\` from the declarations of the codes. -->

Every code of every package, with the HTTP status that a client receives. A code without a status is for developers: it is thrown at registration or start, or only logged. How to throw and catch errors: [Errors](errors.md).

\`\`\`ts
import { FrameworkError } from '@sallyport/core';

export const isMissing = (error: unknown): boolean => error instanceof FrameworkError && error.code === 'app.not_found';
\`\`\`
`;
const END = `
## GraphQL and MCP

GraphQL has no status: the code is in the [error object](graphql.md). MCP protocol errors use the numeric codes of JSON-RPC, listed in the [README of mcp](../packages/mcp/README.md#errors).

## Safe by default, and what it costs on AWS

The message of an error that is not a \`FrameworkError\` never reaches a client; the answer is \`500 app.internal\`. An error answer costs the same as any request: API Gateway [bills the request](https://aws.amazon.com/api-gateway/pricing/), and Lambda [the time](https://docs.aws.amazon.com/whitepapers/latest/how-aws-pricing-works/lambda.html) until the answer. 401, 403 and 404 are answered before middleware and handlers run.
`;

/** The page of all codes, with one section for each package. Each code is listed once in its package. */
export function renderErrorCodes(): string {
  const sections = Object.entries(ERROR_TABLES).map(([readme, tables]) =>
    renderSection(
      readme,
      tables.flatMap((one) => readRows(one)),
    ),
  );
  return HEAD + sections.join('') + END;
}

function renderSection(readme: string, rows: readonly ErrorRow[]): string {
  const name = /^packages\/([\w-]+)\//.exec(readme)?.[1] ?? readme;
  return `\n## ${name}\n\n${renderRows(rows)}\n`;
}
