import { kind, list, oneOf, parsed, text } from '@sallyport/core/options';
import { VECTOR_LIMITS } from '../../schema.js';
import type { VectorIndexSettings } from '../store.js';
import { validateDimension } from '../validators.js';

/** The option `dimension`, here and in the other stores. */
export const dimensionOption = /* @__PURE__ */ parsed<number>(
  `a whole number from 1 to ${VECTOR_LIMITS.dimension}`,
  (value) => {
    validateDimension(value as number);
    return value as number;
  },
);

/** Common options of all stores. */
export const INDEX_KINDS = {
  dimension: /* @__PURE__ */ dimensionOption.required(),
  metric: /* @__PURE__ */ oneOf('cosine', 'euclidean').default('cosine'),
  requiredMetadata: /* @__PURE__ */ list(/* @__PURE__ */ text()).default([]),
  nonFilterableKeys: /* @__PURE__ */ kind<readonly string[]>(
    `a list of at most ${VECTOR_LIMITS.nonFilterableKeys} strings`,
    (value) =>
      Array.isArray(value) &&
      value.length <= VECTOR_LIMITS.nonFilterableKeys &&
      value.every((key) => typeof key === 'string' && key.trim() !== ''),
  ).default([]),
};

/** The description of an index from its options. */
export function toSettings(options: VectorIndexSettings): VectorIndexSettings {
  const { dimension, metric, requiredMetadata, nonFilterableKeys } = options;
  return Object.freeze({
    dimension,
    metric,
    requiredMetadata: Object.freeze([...requiredMetadata]),
    nonFilterableKeys: Object.freeze([...nonFilterableKeys]),
  });
}
