import type { IssueList } from './issues.js';
import type { StandardIssue, StandardSchema } from './standard-schema.js';

/** The value as a validator gives it back; its issues go to the list. What the validator throws is passed on. */
export async function runSchema(
  source: string,
  schema: StandardSchema,
  value: unknown,
  issues: IssueList,
): Promise<unknown> {
  const result = await schema['~standard'].validate(value);
  if (result.issues === undefined) return result.value;
  for (const issue of result.issues) {
    if (issues.full) break;
    issues.add({ source, field: pathOf(issue), rule: 'schema', message: issue.message });
  }
  return undefined;
}

function pathOf(issue: StandardIssue): string {
  const keys = (issue.path ?? []).map((part) => (typeof part === 'object' ? part.key : part));
  return keys.map(String).join('.');
}
