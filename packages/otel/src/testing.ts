/** Finished spans in tests. */

export {
  collectSpans,
  type MatchResult,
  type SpanCollector,
  type SpanTree,
  spanMatchers,
} from './testing/collect-spans.js';
