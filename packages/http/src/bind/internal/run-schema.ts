import { isPromise } from '../../routing/middleware.js';
import type { IssueList } from '../issues.js';
import type { StandardIssue, StandardResult, StandardSchema } from '../standard-schema.js';

/** The value as a validator gives it back; its issues go to the list. What the validator throws is passed on. */
export function runSchema(source: string, schema: StandardSchema, value: unknown, issues: IssueList): unknown {
  const result = schema['~standard'].validate(value);
  return isPromise(result)
    ? result.then((settled) => takeResult(source, settled, issues))
    : takeResult(source, result, issues);
}

function takeResult(source: string, result: StandardResult<unknown>, issues: IssueList): unknown {
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
