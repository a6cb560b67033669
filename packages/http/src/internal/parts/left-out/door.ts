import type { HttpDoors } from '../../../doors/internal/event.js';

/** A front door that is not in the bundle: the HTTP surface does not serve its kind. */
export const door: HttpDoors = {};
