import { FrameworkError, type StandardResult, type StandardSchema } from '@sallyport/core';
import { issuePath } from '@sallyport/core/options';
import { isPromise } from '../routing/registration.js';

/** One validation error of a request, as sent to the client. */
export interface BindingIssue {
  /** `params`, `query`, `headers`, `cookies` or `body`. */
  readonly source: string;
  /** The field's name in the request (`page-size`), or the path to it joined with `.`. */
  readonly field: string;
  /** The rule's name in snake_case (`min_length`); `schema` for a Standard Schema. */
  readonly rule: string;
  /** What is wrong, in one sentence. */
  readonly message: string;
}

/** A limit, so that a hostile body cannot cause a long answer. */
const MAX_ISSUES = 100;

/** The errors of a validation, up to 100. */
export class IssueList {
  readonly errors: BindingIssue[] = [];

  add(issue: BindingIssue): void {
    if (!this.full) this.errors.push(issue);
  }

  get full(): boolean {
    return this.errors.length >= MAX_ISSUES;
  }

  get found(): boolean {
    return this.errors.length > 0;
  }

  /** The first twenty in one line, for logs. */
  toText(): string {
    return this.errors
      .slice(0, 20)
      .map(({ field, message }) => `${field}: ${message}`)
      .join('; ');
  }

  /** 422 with all of them. */
  toError(): FrameworkError {
    return new FrameworkError('app.validation_failed', undefined, { details: { errors: this.errors } });
  }
}

/** The output of a validator; its issues are added to the list. An error of the validator is not caught. */
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
    issues.add({ source, field: issuePath(issue), rule: 'schema', message: issue.message });
  }
  return undefined;
}
