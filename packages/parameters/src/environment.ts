import type { Environment } from '@sallyport/core';
import { invalidConfiguration, isStandardSchema } from '@sallyport/core/options';
import { ParametersError } from './errors.js';
import type { ValueSchema } from './readers.js';
import { ENVIRONMENT_LIST } from './schema.js';

/** A validator for each variable. It receives the string, or `undefined` for a variable that is not set. */
export type EnvironmentSchemas = Readonly<Record<string, ValueSchema<unknown>>>;

/** The values that the validators return. */
export type EnvironmentValues<S extends EnvironmentSchemas> = {
  readonly [N in keyof S]: S[N] extends ValueSchema<infer Output> ? Output : never;
};

/** A variable, as infrastructure code reads it. */
interface DescribedVariable {
  readonly name: string;
  readonly problem?: 'missing' | 'invalid';
}

/**
 * The variables of a service, checked when the module is loaded. While `inventoryFromEntry` of `@sallyport/constructs` reads the
 * application, nothing is thrown: the constructs compare the variables with the variables of the stack.
 *
 * @param schemas a validator for each variable; its result must not be a promise
 * @param variables environment variables; default `process.env`
 * @throws ParametersError `parameters.invalid_environment` with the names of all wrong variables, never their values
 * @throws FrameworkError `app.invalid_configuration` for an invalid schema
 * @example
 * export const env = environment({ ORDERS_TABLE: z.string(), PAGE_SIZE: z.coerce.number().int().default(50) });
 */
export function environment<const S extends EnvironmentSchemas>(
  schemas: S,
  variables: Environment = process.env,
): EnvironmentValues<S> {
  const values: Record<string, unknown> = {};
  const described: DescribedVariable[] = [];
  for (const [name, schema] of Object.entries(schemas)) {
    if (!isStandardSchema(schema))
      throw invalidConfiguration(`the schema of ${name} must be a Standard Schema (version 1)`);
    const given = variables[name];
    const result = schema['~standard'].validate(given);
    if ('then' in result) throw invalidConfiguration(`the schema of ${name} must not be asynchronous`);
    if (!result.issues) values[name] = result.value;
    described.push({ name, ...(result.issues && { problem: given === undefined ? 'missing' : 'invalid' }) });
  }
  const list = (globalThis as { [key: symbol]: DescribedVariable[] | undefined })[Symbol.for(ENVIRONMENT_LIST)];
  const wrong = described.flatMap(({ name, problem }) =>
    problem ? [`${name} ${problem === 'missing' ? 'is missing' : 'does not fit its schema'}`] : [],
  );
  if (list) list.push(...described);
  else if (wrong.length > 0) throw new ParametersError('parameters.invalid_environment', wrong.join(', '));
  return Object.freeze(values) as EnvironmentValues<S>;
}
