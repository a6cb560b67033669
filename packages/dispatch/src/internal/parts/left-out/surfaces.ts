import { leftOutOption } from '@sallyport/core/internal';
import type * as part from '../surfaces.js';

/** The option is rejected, so a container has no further surfaces. */
export const SURFACES_KIND: typeof part.SURFACES_KIND = /* @__PURE__ */ leftOutOption('sallyport-no-surfaces');
export const parseSurfaces: typeof part.parseSurfaces = () => [];
export const attachSurfaces: typeof part.attachSurfaces = () => {};
