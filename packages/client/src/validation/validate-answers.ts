import { type Schema, Validator } from '@cfworker/json-schema';
import { ClientError } from '../errors.js';
import type { AnswerValidator } from '../options.js';

/** The members of `contract.json` that {@link validateAnswers} reads. */
export interface AnswerContract {
  /** The operations by method and path. */
  readonly http: Readonly<Record<string, object>>;
  /** The named schemas. */
  readonly schemas: Readonly<Record<string, object>>;
}

/** `development`: only where `NODE_ENV` is `development` or `test`. `always`: everywhere. */
export type ValidationMode = 'development' | 'always';

/**
 * Creates the option `validate` of a client: each answer below 400 must have a status and a body that the contract states. An operation
 * that states no answers is not checked. Needs the peer `@cfworker/json-schema`.
 *
 * @param contract the parsed `contract.json` of `sallyport contract`
 * @param mode default `development`
 * @returns the option; `undefined` if nothing is checked. Its calls throw ClientError `client.invalid_answer`, which names the member but
 *   not its value
 * @example
 * import contract from './contract.json' with { type: 'json' };
 * const api = createClient<Contract>({ url, validate: validateAnswers(contract) });
 */
export function validateAnswers(
  contract: AnswerContract,
  mode: ValidationMode = 'development',
): AnswerValidator | undefined {
  if (mode !== 'always' && !isDevelopment()) return undefined;
  const validators = new Map<string, Validator>();
  return (operation, status, data) => {
    const { answer } = (contract.http[operation] ?? {}) as {
      readonly answer?: Readonly<Record<string, object | null>>;
    };
    if (answer === undefined) return;
    const schema = Object.hasOwn(answer, status) ? answer[status] : undefined;
    const stated = Object.keys(answer).join(', ');
    if (schema === undefined) throw invalid(operation, status, `is not one of the stated ${stated}`);
    if (schema === null) {
      if (data !== undefined) throw invalid(operation, status, 'has a body, but the contract states none');
      return;
    }
    const key = `${operation} ${status}`;
    const validator = validators.get(key) ?? new Validator(withSchemas(schema, contract), '2020-12');
    validators.set(key, validator);
    const { valid, errors } = validator.validate(data ?? null);
    // The last error is at the member, the others at the objects around it.
    const { instanceLocation = '#', error = '' } = errors.at(-1) ?? {};
    if (!valid) throw invalid(operation, status, `does not fit the contract at ${instanceLocation}: ${error}`);
  };
}

/** The text `process.env.NODE_ENV`, which bundlers replace; a page without a bundler has no `process`. */
function isDevelopment(): boolean {
  try {
    return /^(?:development|test)$/.test(process.env.NODE_ENV ?? '');
  } catch {
    return false;
  }
}

/** References are `#/schemas/<name>` of the contract. */
function withSchemas(schema: object, { schemas }: AnswerContract): Schema {
  return { allOf: [schema], schemas } as Schema;
}

function invalid(operation: string, status: number, problem: string): ClientError {
  return new ClientError('client.invalid_answer', `${operation}: the answer ${status} ${problem}`, { status });
}
