import { type Pattern, parsePattern } from '../routing/internal/pattern.js';
import { openApiError } from './spec.js';

/** A route pattern as OpenAPI writes it. */
export interface OpenApiPath {
  /** The router's canonical pattern. */
  readonly canonical: string;
  /** Equal for patterns that match the same paths. */
  readonly shape: string;
  /** `/files/{path}` for the catch-all `/files/{path+}`: a template has no catch-all. */
  readonly emitted: string;
  readonly params: readonly string[];
  readonly catchAll: boolean;
}

/**
 * The path that a document has for a route pattern.
 *
 * @throws FrameworkError `framework: openapi path … is invalid`
 */
export function toOpenApiPath(pattern: string): OpenApiPath {
  let parsed: Pattern;
  try {
    parsed = parsePattern(pattern);
  } catch (cause) {
    throw openApiError(`path ${JSON.stringify(pattern)} is invalid`, cause);
  }
  const { canonical, segments, paramNames } = parsed;
  const text = segments.map((segment) => (segment.kind === 'static' ? segment.text : `{${segment.name}}`));
  const shape = segments.map((segment) => (segment.kind === 'static' ? segment.text : '{}'));
  return {
    canonical,
    shape: `/${shape.join('/')}`,
    emitted: `/${text.join('/')}`,
    params: paramNames,
    catchAll: segments.at(-1)?.kind === 'rest',
  };
}
