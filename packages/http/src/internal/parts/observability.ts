import type { Observability } from '@sallyport/core';
import { parseObservability } from '@sallyport/core/internal';
import { parsed } from '@sallyport/core/options';

export { observe } from '../../pipeline/observation.js';

/** The option `observability` of a container. */
export const OBSERVABILITY_KIND = /* @__PURE__ */ parsed<Observability>('an object', (value) =>
  parseObservability(value as Observability),
);
