import { FrameworkError, type StandardResult, type StandardSchema } from '@sallyport/core';
import { issuePath } from '@sallyport/core/options';
import { isPromise } from '../routing/registration.js';

/** One thing that is wrong with a request, as the client reads it. */
export interface BindingIssue {
  /** `params`, `query`, `headers`, `cookies` or `body`. */
  readonly source: string;
  /** The field's name on the wire (`page-size`), or the path to it joined with `.`. */
  readonly field: string;
  /** The rule's name in snake_case (`min_length`); `schema` for a Standard Schema. */
  readonly rule: string;
  /** What is wrong, in one sentence. */
  readonly message: string;
}

/** As many as anybody reads; a hostile body cannot make the answer long. */
const MAX_ISSUES = 100;

/** What a validation found, up to 100 of it. */
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
    issues.add({ source, field: issuePath(issue), rule: 'schema', message: issue.message });
  }
  return undefined;
}
