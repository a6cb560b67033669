import type { DoorsOptions } from '@sallyport/core';
import { createDoorGuard, DOORS_KIND } from '@sallyport/core/internal';
import { invalidConfiguration } from '@sallyport/core/options';
import { DOORS_ENV } from '../schema.js';
import type { ToDoors } from './kernel.js';

/** The front doors of a router; created by {@link namedDoors}. */
export interface NamedDoors {
  /** Creates the guard of the doors. */
  readonly toDoors: ToDoors;
}

/**
 * The front doors of a router, for its option `doors`. The containers have this option too, as a plain object.
 *
 * @param options default: the variable `FRAMEWORK_DOORS`
 * @throws FrameworkError `app.invalid_configuration` for an unknown door or a wrong value
 * @example createHttpRouter({ doors: namedDoors({ qualifier: 'doors' }) });
 */
export function namedDoors(options?: DoorsOptions): NamedDoors {
  const place = { name: 'doors', environment: {}, fail: invalidConfiguration };
  const doors = options === undefined ? undefined : DOORS_KIND.read(options, place);
  return { toDoors: (environment, log) => createDoorGuard(doors, environment, log) };
}

/**
 * No doors: rejects a variable that names doors, because the deployment expects that they are checked.
 *
 * @throws FrameworkError `app.invalid_configuration`
 */
export const noDoors: ToDoors = (environment) => {
  if (environment[DOORS_ENV] !== undefined) throw invalidConfiguration(`${DOORS_ENV} is set: pass doors: namedDoors()`);
  return undefined;
};
