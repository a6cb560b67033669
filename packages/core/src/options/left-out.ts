import { FrameworkError } from '../errors/errors.js';
import { type OptionKind, parsed } from './define-options.js';

/** Code of a call or an option whose code is not in the bundle; thrown where the part is first used. */
export const LEFT_OUT = 'app.left_out';

/** The export condition of a bundle without a part. */
export type LeftOutCondition = `sallyport-no-${string}`;

/**
 * The error for the use of a part that is not in the bundle.
 *
 * @param what the call or the option: `app.explain()`
 */
export function leftOut(what: string, condition: LeftOutCondition): FrameworkError {
  return new FrameworkError(
    LEFT_OUT,
    `framework: ${what} is not in this bundle, which was built with the condition ${condition}; build it without this condition`,
  );
}

/** The validator of an option of a part that is not in the bundle: rejects every value but an absent one. */
export function leftOutOption<T>(condition: LeftOutCondition): OptionKind<T> {
  return /* @__PURE__ */ parsed<T>('absent', (_value, name) => {
    throw leftOut(`option "${name}"`, condition);
  });
}
