import { FrameworkError } from '@sallyport/core';
import { brandError } from '@sallyport/core/internal';

/** Every code of {@link ConstructError}. */
export const CONSTRUCT_CODES = [
  /** A prop is unknown, missing or has a wrong value, or two props exclude each other. @status 500 */
  'constructs.invalid_prop',
  /** A value is needed at synth, but is a token, which is known only after deployment. @status 500 */
  'constructs.literal_needed',
  /** Something already exists: another value of a variable, a second mapping of one source, a second wiring. @status 500 */
  'constructs.conflict',
  /** A variable has a name that AWS Lambda reserves, or a name that marks its literal value as a secret. @status 500 */
  'constructs.reserved_variable',
  /** A version or an imported function got a variable. @status 500 */
  'constructs.fixed_environment',
  /** The stack attaches a source or door that the application does not register. @status 500 */
  'constructs.not_registered',
  /** An inventory cannot be read, or its version is unknown. @status 500 */
  'constructs.invalid_inventory',
  /** The contract breaks callers or messages of what is deployed. @status 500 */
  'constructs.contract_broken',
  /** The entry file cannot be bundled. @status 500 */
  'constructs.bundling_failed',
] as const;

/** A code of {@link ConstructError}. */
export type ConstructErrorCode = (typeof CONSTRUCT_CODES)[number];

/**
 * The error of every construct of this package. Its message contains the class, the fault, the expected value, and the path of
 * the construct in the tree. Values of variables are never in it.
 *
 * @example
 * try {
 *   new ServiceFunction(stack, 'Api', { entry: 'src/lambda.ts', memorySize: 64 });
 * } catch (error) {
 *   if (error instanceof ConstructError) console.log(error.code, error.path); // constructs.invalid_prop Notes/Api
 * }
 */
export class ConstructError extends FrameworkError {
  static {
    brandError(ConstructError, 'sallyport.ConstructError');
  }

  override readonly name: string = 'ConstructError';
  /** Stable; see the table in the README. */
  declare readonly code: ConstructErrorCode;
  /** The path of the construct in the tree, `Notes/Api`; `''` outside a tree. */
  readonly path: string;

  constructor(code: ConstructErrorCode, message: string, path: string, cause?: unknown) {
    super(code, message, { cause });
    this.path = path;
    if (new.target === ConstructError) Object.freeze(this);
  }
}
